"""An item's life as one document: content, revisions, decisions, scores, answers, ledger."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtGui import QTextDocument

from core.errors import BenchsealError
from core.families import family
from core.families.base import ItemContent
from core.i18n import tr
from core.workflow.items.history import HistoryEvent, ItemHistory
from core.workflow.labels import criterion_label, label_of
from gui import i18n, labels
from gui.documents import write_defects, write_item
from gui.documents.diff import write_difference
from gui.documents.item_card import origin
from gui.documents.writer import MEASURE, Writer, is_chinese
from gui.labels import EVENT_KINDS
from gui.theme import Tokens

_LONGEST = 600  # characters of an answer; the whole of it stands in the comparison of runs


def history_document(history: ItemHistory, colours: Tokens) -> QTextDocument:
    """Everything about one item that its viewer may see now."""
    newest = history.revisions[-1]
    words = history.closed or _plain(newest.content)
    writer = Writer(colours, chinese=is_chinese(words))
    state = labels.word(labels.ITEM_STATES, history.state)
    writer.masthead(
        f"{origin(newest.content)} · {history.benchmark}", f"#{history.number}", MEASURE
    )
    ink = {**colours.inks, "return": colours.returned}[labels.ink_of(history.state)]
    writer.block(after=12).text(state, writer.ink(ink, bold=True))
    if history.barred:
        why = labels.word(labels.BARRED, history.barred)
        writer.text("  ").text(tr("Cannot be accepted: generated {why}.", why=why))
    if history.closed:
        writer.block(after=12).text(history.closed, writer.ink(colours.muted))
    else:
        write_item(writer, newest.content, True)
        write_defects(writer, newest.defects)
        _write_revisions(writer, history)
    if not history.hidden:
        _write_decisions(writer, history)
        _write_scores(writer, history)
        _write_ratings(writer, history)
    else:
        writer.title(tr("Decisions and ratings"))
        writer.block().text(
            tr("Hidden until the review of this item is over.")
            if history.own
            else tr("Hidden until you have decided on this item or its review is over."),
            writer.ink(colours.muted),
        )
    _write_answers(writer, history)
    _write_ledger(writer, history.events)
    writer.block(after=24)
    return writer.finish(MEASURE)


def _write_revisions(writer: Writer, history: ItemHistory) -> None:
    for before, after in zip(history.revisions, history.revisions[1:], strict=False):
        writer.title(tr("Revision {number} compared with the previous one", number=after.number))
        if after.note:
            writer.block(after=4).text(after.note, writer.ink(writer.colours.muted))
        write_difference(writer, _plain(before.content), _plain(after.content))


def _plain(content: ItemContent) -> str:
    try:
        return family(content.family).plain_text(content)
    except (BenchsealError, ValueError):
        return "\n\n".join(str(value) for value in content.payload.values())


def _write_decisions(writer: Writer, history: ItemHistory) -> None:
    writer.title(tr("Decisions"))
    if not history.decisions:
        writer.block().text(tr("None yet."), writer.ink(writer.colours.muted))
    for decision in history.decisions:
        ink = {**writer.colours.inks, "return": writer.colours.returned}[
            labels.ink_of(decision.verdict)
        ]
        writer.block(after=4).text(
            labels.word(labels.VERDICTS, decision.verdict), writer.ink(ink, bold=True)
        )
        parts = [
            labels.word(labels.REASONS, decision.reason) if decision.reason else "",
            decision.person,
            i18n.moment(decision.at),
            decision.note,
        ]
        writer.text("  " + " · ".join(part for part in parts if part))


def _write_scores(writer: Writer, history: ItemHistory) -> None:
    if not history.screenings:
        return
    writer.title(tr("Screening"))
    for screening in history.screenings:
        sentence = (
            tr(
                "{score:g} of 10 (passes at {threshold:g})",
                score=screening.score,
                threshold=screening.threshold,
            )
            if screening.score is not None
            else label_of(screening.outcome)
        )
        writer.block(after=4).text(sentence, writer.ink(writer.colours.text, bold=True))
        writer.text(f"  {screening.model}  {screening.rationale}")


def _write_answers(writer: Writer, history: ItemHistory) -> None:
    """How every model did: its name, what it said, right or wrong, and its own words."""
    if not history.answers:
        return
    writer.title(tr("Model answers"))
    colours = writer.colours
    for answer in history.answers:
        right = {None: tr("no score"), 1.0: tr("correct"), 0.0: tr("incorrect")}.get(
            answer.score, i18n.number(answer.score or 0.0, 2)
        )
        ink = colours.muted if answer.score is None else (
            colours.accept if answer.score >= 0.5 else colours.reject
        )  # fmt: skip
        read = answer.extracted or tr("no readable answer")
        model = history.models.get(answer.run_id, answer.run_id)
        writer.block(after=4).text(
            tr("{run}: {answer}, {right}", run=model, answer=read, right=right), writer.ink(ink)
        )
        muted = writer.ink(colours.muted, small=True)
        if answer.variant:
            writer.text(f"  {answer.variant}", muted)
        if answer.text.strip() and answer.text.strip() != answer.extracted:
            writer.block(after=8).text(_shortened(answer.text.strip()), muted)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _write_ratings(writer: Writer, history: ItemHistory) -> None:
    if not history.ratings:
        return
    writer.title(tr("Ratings"))
    for rating in history.ratings:
        writer.block(after=4).text(
            tr(
                "{criterion} {value}",
                criterion=criterion_label(rating.criterion),
                value=f"{rating.value:g}",
            ),
            writer.ink(writer.colours.text, bold=True),
        )
        writer.text(f"  {rating.person}", writer.ink(writer.colours.muted))


def _write_ledger(writer: Writer, events: Sequence[HistoryEvent]) -> None:
    """One event a line: when, what, who, from which state to which, and why."""
    writer.title(tr("Ledger"))
    for event in events:
        at = i18n.moment(datetime.fromisoformat(event.at)) if event.at else ""
        what = labels.word(EVENT_KINDS, event.kind)
        parts = (at, what, event.actor, _step(event), *_why(event))
        line = " · ".join(part for part in parts if part)
        writer.block(after=2).text(line, writer.ink(writer.colours.muted, small=True))


def _step(event: HistoryEvent) -> str:
    before = str(event.data.get("before", {}).get("state", "") or "")
    after = str(event.data.get("after", {}).get("state", "") or "")
    if not after or before == after:
        return ""
    state = labels.word(labels.ITEM_STATES, after)
    if not before:
        return state
    return tr("{before} → {after}", before=labels.word(labels.ITEM_STATES, before), after=state)


def _why(event: HistoryEvent) -> list[str]:
    """The verdict, the reason and the note, as far as the viewer may see them."""
    verdict = str(event.data.get("verdict", "") or "")
    reason = str(event.data.get("reason", "") or "")
    return [
        labels.word(labels.VERDICTS, verdict) if verdict else "",
        labels.word(labels.REASONS, reason) if reason else "",
        str(event.data.get("note", "") or ""),
    ]
