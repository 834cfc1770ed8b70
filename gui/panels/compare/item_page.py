"""An item with what two models made of it, as one document."""

from PySide6.QtGui import QTextDocument

from core.evaluation.scoring import ItemScore
from core.families.base import ItemContent
from core.i18n import tr
from core.workflow.evaluation.compare_runs import number_of
from gui.documents import write_item
from gui.documents.item_card import origin
from gui.documents.writer import MEASURE, Writer, is_chinese
from gui.panels.compare.model import score_words
from gui.theme import Tokens

_LONGEST = 4000  # characters of an answer that are shown


def comparison_document(
    content: ItemContent,
    titles: tuple[str, str],
    scores: tuple[ItemScore, ItemScore],
    colours: Tokens,
    width: int = MEASURE,
    note: str = "",
) -> QTextDocument:
    """Both answers first, since they are what is compared, then the item with its key; above them
    a note where there is one."""
    words = " ".join(str(value) for value in content.payload.values())
    writer = Writer(colours, chinese=is_chinese(words))
    writer.masthead(origin(content), f"#{number_of(scores[0].id)}", width)
    if note:
        writer.block(after=10).text(note, writer.ink(colours.reject))
    for letter, title, score in zip("AB", titles, scores, strict=True):
        ink = colours.muted if score.score is None else (
            colours.accept if score.correct else colours.reject
        )  # fmt: skip
        line = writer.block(after=2 if letter == "A" else 12)
        line.text(tr("{letter} · {model}", letter=letter, model=title), writer.ink(colours.muted))
        writer.text("   ").text(score_words(score), writer.ink(ink, bold=True))
        text = score.text.strip()
        if text and text != score.predicted:
            shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
            writer.block(after=10).text(shown)
    write_item(writer, content, True)
    writer.block(after=16)
    return writer.finish(width)
