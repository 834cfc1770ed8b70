"""The list of items as a file for a spreadsheet: its columns, without the contents."""

from pathlib import Path

from core.i18n import tr
from core.report_table import ReportTable
from core.workflow.items import search
from core.workflow.items.search import Filters
from core.workflow.workspace import Workspace
from gui.panels.items.model import cells_of, columns


def write_lines(ws: Workspace, chosen: Filters, path: Path, viewer: str) -> int:
    """Write every column of the items that pass a filter, and say how many they are.

    CSV or Excel by the ending; InputError where the file cannot be written.
    """
    from core.table_writer import write_table

    total = search.count(ws, chosen, viewer=viewer)
    lines = search.rows(ws, chosen, 0, total, viewer=viewer)
    titles = tuple(spec.title for spec in columns() if not spec.private)
    write_table(path, ReportTable(tr("Items"), titles, tuple(cells_of(line) for line in lines)))
    return len(lines)
