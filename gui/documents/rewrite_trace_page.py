"""One step of an item's journey as a document, and the journey as a whole."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtGui import QTextDocument

from core.i18n import printed, tr, trn
from core.rewriting.step_labels import outcome_text, reason_text, reply_text_of, step_text
from core.rewriting.trace import Trace, TraceStep
from gui.documents.writer import MEASURE, Writer, is_chinese
from gui.theme import Tokens

_MOST = 40_000  # characters of one prompt or reply; more is not read, and takes long to lay out


def overview_document(trace: Trace, colours: Tokens, width: int = MEASURE) -> QTextDocument:
    """How the item went: its texts side by side in time, its triples, and every round's verdict."""
    record = trace.record
    writer = Writer(colours, chinese=is_chinese(str(record and record["example"]["text"])))
    ink = {"accepted": colours.accept, "left_out": colours.returned}.get(
        trace.outcome, colours.reject
    )
    writer.block(after=4).text(outcome_text(trace.outcome), writer.ink(ink, bold=True))
    if record is None:
        writer.block().text(tr("Not finished yet; the requests so far are on the left."))
        return writer.finish(width)
    if record["reason"]:
        ended = tr(
            "Ended at {step}: {reason}",
            step=step_text(record["step"]),
            reason=reason_text(record["reason"]),
        )
        writer.block().text(ended)
        if record["detail"]:
            writer.block().text(str(record["detail"]), writer.ink(colours.muted))
    example = record["example"]
    label = tr("label {label}", label=example["label"])
    target = tr("target {target}", target=example["target"]) if example["target"] else ""
    writer.title(" · ".join(part for part in (tr("Original"), label, target) if part))
    _texts(writer, (example["text"], example["second"]))
    _write_triples(writer, record)
    for title, name in ((tr("Semantic rewrite"), "semantic"), (tr("Updated text"), "updated")):
        if record[name] and any(record[name]):
            writer.title(title)
            _texts(writer, record[name])
    _write_rounds(writer, record)
    return writer.finish(width)


def _texts(writer: Writer, texts: Any) -> None:
    for text in texts:
        if text:
            writer.block().text(str(text))


def _write_triples(writer: Writer, record: Mapping[str, Any]) -> None:
    for title, name in (
        (tr("Triples before the update"), "before"),
        (tr("Triples after the update"), "after"),
    ):
        if record[name]:
            writer.title(title)
        for triple in record[name]:
            writer.block(after=2).text(" — ".join(triple))


def _write_rounds(writer: Writer, record: Mapping[str, Any]) -> None:
    colours = writer.colours
    for round_ in record["rounds"]:
        writer.title(tr("Round {number}", number=round_["round"]))
        _texts(writer, round_["texts"])
        for _, detail in round_["defects"]:
            writer.block(after=2).text(tr("✕ {defect}", defect=detail), writer.ink(colours.reject))
        for passed, rationale, good, bad in (
            (round_["supported"], round_["facts_rationale"], tr("facts supported"),
             tr("facts not supported")),
            (round_["agrees"], round_["label_rationale"], tr("label fits"),
             tr("label does not fit")),
        ):  # fmt: skip
            if passed is not None:
                sentence = tr("✓ {what}", what=good) if passed else tr("✕ {what}", what=bad)
                ink = writer.ink(colours.accept if passed else colours.reject, bold=True)
                writer.block(after=2).text(sentence, ink).text(f"  {rationale}")


def step_document(step: TraceStep, colours: Tokens, width: int = MEASURE) -> QTextDocument:
    """A look-up with what it found, or a call with all that was sent and what came back."""
    writer = Writer(colours, size=15, chinese=is_chinese(step.prompt + step.query),
                    formulas=False)  # fmt: skip
    writer.masthead(step_title(step), reply_text_of(step.outcome), width)
    if step.query:
        _write_lookup(writer, step)
    else:
        _write_call(writer, step)
    return writer.finish(width)


def _write_lookup(writer: Writer, step: TraceStep) -> None:
    writer.block().text(tr("Searched for: {query}", query=step.query))
    if step.reply:
        writer.block().text(step.reply, writer.ink(writer.colours.reject))
    elif not step.facts:
        writer.block().text(tr("Nothing found."), writer.ink(writer.colours.muted))
    for number, fact in enumerate(step.facts, start=1):
        writer.block(before=8, after=2).text(f"{number}. {fact.title}")
        tone = "" if fact.tone is None else tr("tone {tone}", tone=printed(fact.tone, 1, plus=True))
        cells = (fact.seen.date().isoformat(), tone, fact.url, fact.row)
        muted = writer.ink(writer.colours.muted, small=True)
        writer.block(after=2).text(" · ".join(part for part in cells if part), muted)
        if fact.detail:
            writer.block(after=4).text(fact.detail[:1000], muted)


def _write_call(writer: Writer, step: TraceStep) -> None:
    figures = (
        step.model,
        step.prompt_version.partition(":")[0],
        trn("1 prompt token", "{n} prompt tokens", step.prompt_tokens),
        trn("1 completion token", "{n} completion tokens", step.completion_tokens),
        tr("{seconds} s", seconds=f"{step.latency_s:.1f}"),
    )
    muted = writer.ink(writer.colours.muted, small=True)
    writer.block().text(" · ".join(part for part in figures if part), muted)
    writer.title(tr("Reply"))
    writer.block().text(_shown(step.reply) or tr("(empty)"))
    if step.reasoning:
        writer.title(tr("Model's reasoning"))
        writer.block().text(_shown(step.reasoning), writer.ink(writer.colours.muted))
    writer.title(tr("Prompt"))
    writer.block().text(_shown(step.prompt))


def step_title(step: TraceStep) -> str:
    """The step, its round after the first, and which text of a pair it is about."""
    parts = [step_text(step.step)]
    if step.query:
        parts.append(step.query)
    if step.round > 1:
        parts.append(tr("round {number}", number=step.round))
    if step.turn > 1:
        parts.append(tr("second text"))
    return " · ".join(parts)


def _shown(text: str) -> str:
    """The text with its lines inside one block, so that they stand as close as they were sent."""
    text = text.replace("\n", "\u2028")
    if len(text) <= _MOST:
        return text
    more = len(text) - _MOST
    return trn("{text} … 1 more character", "{text} … {n} more characters", more, text=text[:_MOST])
