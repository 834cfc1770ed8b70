"""An item's life as one document: content, revisions, decisions, scores, answers, ledger."""

import difflib
import re
from collections.abc import Sequence
from datetime import datetime

from PySide6.QtGui import QTextCharFormat, QTextDocument

from core.errors import BenchsealError
from core.families import family
from core.families.base import ItemContent
from core.text import tr
from core.workflow.look import ItemLife, LifeEvent
from gui import i18n, words
from gui.editors import write_defects, write_item
from gui.editors.base import MEASURE, Writer, is_chinese
from gui.editors.card import origin
from gui.theme import Tokens

_WORDS = re.compile(r"\s+|[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")


def life_document(life: ItemLife, colours: Tokens, width: int = MEASURE) -> QTextDocument:
    """Everything about one item that its viewer may see now."""
    newest = life.revisions[-1]
    writer = Writer(colours, chinese=is_chinese(_plain(newest.content)))
    state = words.word(words.ITEM_STATES, life.state)
    writer.masthead(f"{origin(newest.content)} · {life.benchmark}", f"#{life.number}", width)
    ink = {**colours.inks, "return": colours.returned}[words.ink_of(life.state)]
    writer.block(after=12).text(state, writer.ink(ink, bold=True))
    if life.barred:
        why = words.word({}, life.barred)
        writer.text("  ").text(tr("Can never be accepted: made {why}.", why=why))
    write_item(writer, newest.content, True)
    write_defects(writer, newest.defects)
    _write_revisions(writer, life)
    if not life.hidden:
        _write_decisions(writer, life)
        _write_scores(writer, life)
    else:
        writer.title(tr("Decisions and scores"))
        writer.block().text(
            tr("Hidden until you have decided on this item yourself, or its review is over."),
            writer.ink(colours.muted),
        )
    _write_answers(writer, life)
    _write_ledger(writer, life.events)
    writer.block(after=24)
    return writer.finish(width)


def _write_revisions(writer: Writer, life: ItemLife) -> None:
    for before, after in zip(life.revisions, life.revisions[1:], strict=False):
        writer.title(tr("Revision {number} against the one before", number=after.number))
        if after.note:
            writer.block(after=4).text(after.note, writer.ink(writer.colours.muted))
        write_difference(writer, _plain(before.content), _plain(after.content))


def _plain(content: ItemContent) -> str:
    try:
        return family(content.family).plain_text(content)
    except (BenchsealError, ValueError):
        return "\n\n".join(str(value) for value in content.payload.values())


def write_difference(writer: Writer, before: str, after: str) -> None:
    """Two texts word by word (character by character for Chinese): struck out, and underlined."""
    gone = writer.ink(writer.colours.reject)
    gone.setFontStrikeOut(True)
    new = writer.ink(writer.colours.accept)
    new.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    old_words, new_words = _WORDS.findall(before), _WORDS.findall(after)
    matcher = difflib.SequenceMatcher(None, old_words, new_words, autojunk=False)
    writer.block()
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            writer.text("".join(old_words[a:b]))
            continue
        if b > a:
            writer.text("".join(old_words[a:b]), gone)
        if d > c:
            writer.text("".join(new_words[c:d]), new)


def _write_decisions(writer: Writer, life: ItemLife) -> None:
    writer.title(tr("Decisions"))
    if not life.decisions:
        writer.block().text(tr("None yet."), writer.ink(writer.colours.muted))
    for one in life.decisions:
        ink = {**writer.colours.inks, "return": writer.colours.returned}[words.ink_of(one.verdict)]
        writer.block(after=4).text(
            words.word(words.VERDICTS, one.verdict), writer.ink(ink, bold=True)
        )
        parts = [
            words.word(words.REASONS, one.reason) if one.reason else "",
            one.person,
            i18n.moment(one.at),
            one.note,
        ]
        writer.text("  " + " · ".join(part for part in parts if part))


def _write_scores(writer: Writer, life: ItemLife) -> None:
    if not life.screenings:
        return
    writer.title(tr("Screening"))
    for one in life.screenings:
        said = (
            tr("{score:g} of 10, passes at {threshold:g}", score=one.score, threshold=one.threshold)
            if one.score is not None
            else one.outcome
        )
        writer.block(after=4).text(said, writer.ink(writer.colours.text, bold=True))
        writer.text(f"  {one.model}  {one.rationale}")


def _write_answers(writer: Writer, life: ItemLife) -> None:
    if not life.answers:
        return
    writer.title(tr("Answers of models"))
    for one in life.answers:
        right = {None: tr("no score"), 1.0: tr("right"), 0.0: tr("wrong")}.get(
            one.score, f"{one.score}"
        )
        read = one.extracted or tr("nothing readable")
        writer.block(after=4).text(
            tr("{run}: {answer}, {right}", run=one.run_id, answer=read, right=right)
        )


def _write_ledger(writer: Writer, events: Sequence[LifeEvent]) -> None:
    writer.title(tr("Ledger"))
    for event in events:
        at = i18n.moment(datetime.fromisoformat(event.at)) if event.at else ""
        line = " · ".join(part for part in (at, event.kind.replace("_", " "), event.actor) if part)
        writer.block(after=2).text(line, writer.ink(writer.colours.muted, small=True))
