"""A lot on one page: what it is before its audit, where it stands, and how it ended."""

from PySide6.QtGui import QTextDocument

from core.i18n import listed, sentences, tr, trn
from core.workflow.audit.auditors import LotAuditors
from core.workflow.audit.lead_view import AuditTask
from core.workflow.audit.lots import DrawnItem, LotInfo
from core.workflow.labels import REASONS, word
from gui import i18n
from gui.documents.writer import Writer
from gui.theme import Tokens


def lot_words(task: AuditTask, lot: LotInfo | None) -> str:
    """A lot in the list: its task, round, size and state."""
    items = trn("1 item", "{n} items", task.waiting if lot is None else lot.size)
    values = {"task": task.task, "round": task.round if lot is None else lot.round, "items": items}
    if lot is None:
        return tr("{task} · round {round}\n{items}, not started", **values)
    if lot.state == "open":
        return tr("{task} · round {round}\n{items}, {done} of {sample} audited", **values,
                  done=lot.decided, sample=lot.sample)  # fmt: skip
    if lot.state == "passed":
        return tr("{task} · round {round}\n{items}, passed ✓", **values)
    return tr("{task} · round {round}\n{items}, returned ✕", **values)


def end_document(
    task: AuditTask, lot: LotInfo | None, who: LotAuditors, colours: Tokens, width: int
) -> QTextDocument:
    """The page of a lot that has no item to look at (any more); ``who`` may audit what waits."""
    writer = Writer(colours)
    number = tr("round {round}", round=lot.round if lot else task.round)
    writer.masthead(task.task, number, width)
    if lot is None:
        _write_ready(writer, task, who)
    elif lot.state == "open":
        _write_others(writer, lot, who)
    else:
        _write_end(writer, lot)
    writer.block(after=16)
    return writer.finish(width)


def _write_ready(writer: Writer, task: AuditTask, who: LotAuditors) -> None:
    writer.block().text(
        trn(
            "1 accepted item is waiting for an audit.",
            "{n} accepted items are waiting for an audit.",
            task.waiting,
        ),
        writer.ink(writer.colours.text, bold=True),
    )
    sample = min(task.plan.sample, task.waiting) if task.plan else 0
    writer.block().text(
        tr(
            "Starting the audit makes these items one lot and draws {count} of them with a "
            "recorded seed. If more of them fail than the plan allows, the whole lot is "
            "returned for revision as the next round, with the reasons; otherwise it is "
            "approved.",
            count=sample,
        )
    )
    if who.own:
        writer.block().text(sentences(who.sentences()), writer.ink(writer.colours.returned))
    for past in task.lots:
        if past.state == "returned":
            writer.title(tr("Returned in round {round}", round=past.round))
            _write_reasons(writer, past)


def _write_others(writer: Writer, lot: LotInfo, who: LotAuditors) -> None:
    writer.block().text(
        trn(
            "{done} of 1 drawn item audited.",
            "{done} of {n} drawn items audited.",
            lot.sample,
            done=lot.decided,
        ),
        writer.ink(writer.colours.text, bold=True),
    )
    writer.block().text(
        tr("You wrote or reviewed the rest of the sample; another person must audit it.")
    )
    if len(who.sentences()) > 1:
        writer.block().text(sentences(who.sentences()[1:]))
    _write_drawn(writer, lot)


def _write_end(writer: Writer, lot: LotInfo) -> None:
    passed = lot.state == "passed"
    colours = writer.colours
    sentence = (
        tr("✓ The lot passed; its items are approved.")
        if passed
        else tr(
            "✕ The lot was returned. Its items wait under “Write” for their authors; those "
            "without one, for anybody."
        )
    )
    writer.block(after=8).text(
        sentence, writer.ink(colours.accept if passed else colours.reject, bold=True)
    )
    writer.block().text(
        trn(
            "1 item; {decided} of {sample} drawn items audited, {failed} failed, {allowed} "
            "allowed.",
            "{n} items; {decided} of {sample} drawn items audited, {failed} failed, "
            "{allowed} allowed.",
            lot.size,
            decided=lot.decided,
            sample=lot.sample,
            failed=lot.failed,
            allowed=lot.allowed,
        )
    )
    if lot.failed:
        writer.title(tr("Reasons"))
        _write_reasons(writer, lot)
    _write_drawn(writer, lot)
    _write_signature(writer, lot)


def _write_reasons(writer: Writer, lot: LotInfo) -> None:
    for drawn in lot.drawn:
        if drawn.verdict == "reject":
            writer.block(after=6, indent=64).text(
                f"#{drawn.number}\t", writer.ink(writer.colours.reject, bold=True)
            )
            writer.text(word(REASONS, drawn.reason) if drawn.reason in REASONS else drawn.reason)


def _write_drawn(writer: Writer, lot: LotInfo) -> None:
    if not lot.drawn:
        return
    writer.title(tr("Drawn with seed {seed}", seed=lot.seed))
    writer.block()
    for drawn in lot.drawn:
        writer.text(f"{_mark(drawn)}#{drawn.number}\u2003", writer.ink(_ink(writer, drawn)))


def _mark(drawn: DrawnItem) -> str:
    return {"accept": "✓\u00a0", "reject": "✕\u00a0"}.get(drawn.verdict, "○\u00a0")


def _ink(writer: Writer, drawn: DrawnItem) -> str:
    colours = writer.colours
    return {"accept": colours.accept, "reject": colours.reject}.get(drawn.verdict, colours.muted)


def _write_signature(writer: Writer, lot: LotInfo) -> None:
    names = list(dict.fromkeys(drawn.auditor for drawn in lot.drawn if drawn.auditor))
    writer.title(tr("Signed"), before=20)
    writer.block(after=2).text(
        listed(names or [lot.started_by]), writer.ink(writer.colours.text, bold=True)
    )
    writer.block().text(
        tr(
            "Started by {name} on {started}; ended on {at}.",
            name=lot.started_by,
            started=i18n.stamp(lot.at),
            at=i18n.stamp(lot.ended),
        ),
        writer.ink(writer.colours.muted, small=True),
    )
