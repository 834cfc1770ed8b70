"""What is noticed about the text in the form: why it came back, what is alike, the checks."""

from collections.abc import Sequence

from PySide6.QtGui import QTextDocument

from core.families.base import Defect
from core.i18n import tr
from core.workflow.production.author_view import TextCheck
from core.workflow.production.duplicates import SimilarItem
from core.workflow.production.write import ReturnedItem, ReviewComment
from gui import labels
from gui.documents.diff import write_difference
from gui.documents.writer import Writer
from gui.theme import Tokens

_SMALL = 14
_EXCERPT = 160


def check_document(
    noticed: TextCheck | None,
    back: ReturnedItem | None,
    texts: tuple[str, str],
    colours: Tokens,
    width: int,
    chinese: bool | None,
) -> QTextDocument:
    """What came back and why, the change so far (``texts`` before and after), and what is alike."""
    writer = Writer(colours, _SMALL, chinese)
    if back is not None:
        writer.title(tr("Why it came back"), before=0)
        for comment in back.words:
            _write_word(writer, comment, back.revision)
        if not back.words:
            writer.block(after=4).text(back.why, writer.ink(colours.muted))
        if texts[0] != texts[1]:
            writer.title(tr("What you changed"))
            write_difference(writer, *texts)
    writer.title(tr("Similar items in this task"), before=12 if back else 0)
    if noticed is None:
        writer.block(after=4).text(
            tr("Checked for similar items while you write."), writer.ink(colours.muted)
        )
        return writer.finish(width)
    for item in noticed.similar:
        _write_similar(writer, item)
    if not noticed.similar:
        writer.block(after=4).text(tr("✓ No similar items."), writer.ink(colours.accept))
    _write_checks(writer, noticed.defects)
    return writer.finish(width)


def _write_word(writer: Writer, comment: ReviewComment, present: int) -> None:
    ink = {**writer.colours.inks, "return": writer.colours.returned}[labels.ink_of(comment.verdict)]
    writer.block(after=2).text(
        labels.word(labels.VERDICTS, comment.verdict), writer.ink(ink, bold=True)
    )
    if comment.revision != present:
        older = tr("  revision {number}", number=comment.revision)
        writer.text(older, writer.ink(writer.colours.muted, small=True))
    why = " · ".join(
        part for part in (labels.word(labels.REASONS, comment.reason), comment.note) if part.strip()
    )
    writer.block(after=8).text(why or tr("no reason given"))


def _write_similar(writer: Writer, item: SimilarItem) -> None:
    colours = writer.colours
    percent = round(100 * item.similarity)
    share = tr("{percent}% similar to #{number}", percent=percent, number=item.number)
    ink = colours.reject if item.similarity >= 0.9 else colours.returned
    writer.block(after=0).text(share, writer.ink(ink, bold=True))
    state = tr("published") if item.published else _state(item.state)
    writer.text(tr("  {state}", state=state), writer.ink(colours.muted, small=True))
    if not item.text:
        writer.block(after=8).text(tr("in a sealed split"), writer.ink(colours.muted))
        return
    text = " ".join(item.text.split())
    shown = text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"
    writer.block(after=8).text(shown, writer.ink(colours.text))


def _state(state: str) -> str:
    """The state of an item as an author hears it, whose own drafts are no items yet."""
    if state == "draft":
        return tr("submitted, not reviewed yet")
    return labels.word(labels.ITEM_STATES, state)


def _write_checks(writer: Writer, defects: Sequence[Defect]) -> None:
    writer.title(tr("Checks"))
    if not defects:
        writer.block().text(tr("✓ No defects found."), writer.ink(writer.colours.accept))
    for defect in defects:
        writer.block(after=2).text(
            labels.word(labels.DEFECTS, defect.name), writer.ink(writer.colours.reject, bold=True)
        )
        writer.block(after=6).text(defect.detail)
