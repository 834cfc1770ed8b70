"""A workbook with a sheet for each task, for people who read items in a spreadsheet."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.errors import InputError
from core.files import open_regular
from core.release.formats.base import ExportFormat, Tasks, items_of_texts
from core.release.formats.plain_rows import ITEM, plain_row
from core.release.manifest import SplitItem
from core.report_table import ReportTable
from core.table_writer import write_table

WORKBOOK = "items.xlsx"
_LONGEST = 32_000  # characters of a cell; the limit of the format is 32,767


class Excel(ExportFormat):
    """``items.xlsx``: a row per item, its text for reading and the item itself as JSON."""

    name = "excel"
    title = "Excel workbook"

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """One sheet for each task; returns the workbook's name.

        Text beyond the limit of a cell is cut, but never that of the items, which go on in further
        columns.
        """
        groups: dict[str, list[dict[str, Any]]] = {}
        for item in items:
            row = plain_row(item, tasks)
            groups.setdefault(str(row["task"]), []).append(row)
        tables = [_table(title, groups[title]) for title in sorted(groups)]
        write_table(folder / WORKBOOK, *tables)
        return WORKBOOK

    @override
    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of all sheets."""
        path = folder / WORKBOOK
        return items_of_texts((path, text) for text in _texts(path))


def _table(title: str, rows: Sequence[dict[str, Any]]) -> ReportTable:
    pieces = max(-(-len(str(row[ITEM])) // _LONGEST) for row in rows)
    shown = [name for name in rows[0] if name != ITEM]
    columns = (*shown, *(f"{ITEM} {n}" for n in range(1, pieces + 1)))
    cells = []
    for row in rows:
        whole = str(row[ITEM])
        parts = [whole[n * _LONGEST : (n + 1) * _LONGEST] for n in range(pieces)]
        cells.append((*(_cell(row[name]) for name in shown), *parts))
    return ReportTable(title, columns, tuple(cells))


def _cell(value: Any) -> str:
    text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
    return text[:_LONGEST]


def _texts(path: Path) -> list[str]:
    import pandas as pd

    try:
        with open_regular(path) as handle:
            sheets = pd.read_excel(handle, sheet_name=None, dtype=str, na_filter=False)
    except Exception as error:  # openpyxl raises whatever its zip and XML readers raise
        raise InputError.tr("“{path}” contains a line that is not an item.", path=path) from error
    texts: list[str] = []
    for frame in sheets.values():
        named = [name for name in frame.columns if str(name).startswith(f"{ITEM} ")]
        texts += ["".join(parts) for parts in frame[named].itertuples(index=False)]
    return texts
