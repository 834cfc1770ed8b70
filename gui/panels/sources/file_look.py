"""A file as an import would read it: for which task, and which sheet of a workbook."""

from dataclasses import dataclass, replace

from core.families.intake import ImportPreview
from core.sources.tables import sheet_names
from core.workflow.production import import_items
from core.workflow.production.file_language import is_of_another_language
from core.workflow.production.import_items import ImportOrder
from core.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FileLook:
    """A file as it would be read: its sheets, the one that is read, the task, its beginning."""

    sheets: tuple[str, ...]
    sheet: str
    task: str
    preview: ImportPreview
    is_foreign: bool = False
    """Whether the file suits the task that was preset but for its language."""


def look_at(ws: Workspace, order: ImportOrder, other: str) -> FileLook:
    """The file of an order for its task, or for the one named ``other`` where only that suits it,
    also by its language; of a workbook the sheet that was chosen, else the first that suits, or
    that lacks least."""
    sheets = sheet_names(order.path)
    orders = [order] if order.sheet in sheets or len(sheets) < 2 else [
        replace(order, sheet=name) for name in sheets
    ]  # fmt: skip
    is_foreign = False
    for wanted in (order.task, other) if other not in ("", order.task) else (order.task,):
        for one in orders:
            one = one if wanted == order.task else _for_task(one, wanted)
            if (seen := import_items.preview_if_suited(ws, one)) is None:
                continue
            if other and is_of_another_language(ws, one.benchmark, one.task, seen):
                is_foreign = True
                continue
            return FileLook(sheets, one.sheet, one.task, seen, is_foreign)
    looks = [FileLook(sheets, one.sheet, one.task, import_items.preview(ws, one)) for one in orders]
    return min(looks, key=lambda look: len(look.preview.missing))


def _for_task(order: ImportOrder, task: str) -> ImportOrder:
    """The order for another task, with nothing that was said for the first."""
    return replace(order, task=task, family="", item_format="", mapping={})
