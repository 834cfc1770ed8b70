"""How an item is shown, by family. A family without an entry is shown by its form."""

from core.families.base import Defect, ItemContent
from core.i18n import tr
from gui import labels
from gui.documents import generic, instruction, questions, rewrite, scp
from gui.documents.writer import MEASURE, ItemView, Writer

VIEWS: tuple[ItemView, ...] = (
    ItemView("scp", scp.write),
    ItemView("instruction", instruction.write),
    ItemView("rewrite", rewrite.write),
    ItemView("choice", questions.write),
    ItemView("answer", questions.write),
)

__all__ = ["MEASURE", "VIEWS", "ItemView", "Writer", "write_defects", "write_item"]


def write_item(writer: Writer, item: ItemContent, key: bool) -> None:
    """Write one item; ``key`` says whether its key is shown."""
    for view in VIEWS:
        if view.family == item.family:
            view.write(writer, item, key)
            return
    generic.write_item(writer, item, key)


def write_defects(writer: Writer, defects: tuple[Defect, ...]) -> None:
    """Write what the checks found, or that they found nothing."""
    writer.title(tr("Defects"))
    if not defects:
        writer.block().text(tr("✓ No defects found."), writer.ink(writer.colours.accept))
    for defect in defects:
        name = labels.word(labels.DEFECTS, defect.name)
        writer.block(after=4).text(f"{name}  ", writer.ink(writer.colours.reject, bold=True))
        writer.text(defect.detail)
