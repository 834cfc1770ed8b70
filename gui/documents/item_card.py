"""A review card as one document: where the item comes from, the item, and what was asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtGui import QTextDocument

from core.families.base import NO_ARTICLE_FIELD, Defect, ItemContent
from core.i18n import tr, with_note
from core.workflow.items.source_passage import Passage
from gui import labels
from gui.documents import write_defects, write_item
from gui.documents.writer import MEASURE, Writer, is_chinese
from gui.theme import Tokens


@dataclass(frozen=True, slots=True)
class CardText:
    """What is written on a card. ``passage`` and ``defects`` are None until they are asked for."""

    number: int
    content: ItemContent
    key: bool = False
    passage: Passage | None = None
    defects: tuple[Defect, ...] | None = None


def origin(content: ItemContent) -> str:
    """Format, domain and article of an item in one line."""
    provenance: Mapping[str, Any] = content.provenance
    article = str(provenance.get("article", "") or "")
    version = str(provenance.get("version", "") or "")
    if article and version and not version.startswith("text-"):
        article += version
    no_article = str(provenance.get(NO_ARTICLE_FIELD, "") or "")
    if no_article in labels.TEXTS:
        text = labels.word(labels.TEXTS, no_article)
        article = with_note(article, tr("no article: {text}", text=text))
    parts = (labels.word(labels.FORMATS, content.format).upper(), content.domain, article)
    return " · ".join(part for part in parts if part)


def card_document(card: CardText, colours: Tokens, width: int = MEASURE) -> QTextDocument:
    """The card laid out at ``width`` pixels; a few tenths of a millisecond of work."""
    writer = Writer(colours, chinese=is_chinese(" ".join(map(str, card.content.payload.values()))))
    writer.masthead(origin(card.content), f"#{card.number}", width)
    write_item(writer, card.content, card.key)
    if card.passage is not None:
        writer.mark("passage")
        _write_passage(writer, card.passage)
    if card.defects is not None:
        writer.mark("defects")
        write_defects(writer, card.defects)
    writer.block(after=16)
    return writer.finish(width)


def _write_passage(writer: Writer, passage: Passage) -> None:
    place = " · ".join(part for part in (passage.title, passage.section) if part)
    writer.title(tr("In the article: {place}", place=place) if place else tr("In the article"))
    muted = writer.ink(writer.colours.muted)
    marked = writer.ink(writer.colours.text, ground=writer.colours.selection)
    writer.block()
    for text, form in (
        (passage.before, muted), (passage.text, marked), (passage.after, muted)
    ):  # fmt: skip
        writer.text(text.replace("\n\n", "\n"), form)
