"""Steps, outcomes and reasons of a journey in the words that people read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.i18n import listed, tr, trn
from core.rewriting.estimate import RewriteEstimate
from core.rewriting.run_progress import FunnelStep, RewriteProgress

_STEPS: Mapping[str, Callable[[], str]] = {
    "entities": lambda: tr("Entities"),
    "knowledge": lambda: tr("Knowledge"),
    "summary": lambda: tr("Summary"),
    "triples": lambda: tr("Triples"),
    "semantic": lambda: tr("Semantic rewrite"),
    "updated": lambda: tr("Updated text"),
    "facts": lambda: tr("Check of facts"),
    "label": lambda: tr("Check of label"),
}
_OUTCOMES: Mapping[str, Callable[[], str]] = {
    "accepted": lambda: tr("Accepted"),
    "screened_out": lambda: tr("Screened out"),
    "left_out": lambda: tr("Left out"),
    "failed": lambda: tr("Failed"),
    "unfinished": lambda: tr("Not finished"),
}
_REASONS: Mapping[str, Callable[[], str]] = {
    "no_entities": lambda: tr("The text names no entities to search for."),
    "too_long": lambda: tr("The text is too long to be rewritten."),
    "nothing_found": lambda: tr("No news about its entities was found in this period."),
    "nothing_relevant": lambda: tr("The news found is unrelated to the text."),
    "invalid_reply": lambda: tr("The model's reply did not have the required format."),
    "truncated": lambda: tr("The model's reply was cut off."),
    "refused": lambda: tr("The model refused."),
    "empty_reply": lambda: tr("The model's reply was empty."),
    "no_reply": lambda: tr("The server did not respond."),
    "triples": lambda: tr("No round produced usable triples."),
    "semantic": lambda: tr("The semantic rewrite failed its checks in every round."),
    "checks": lambda: tr("The updated text failed its checks in the last round."),
    "facts": lambda: tr("The critic found facts that the knowledge does not support."),
    "label": lambda: tr("The critic found that the label does not fit."),
}
_REPLIES: Mapping[str, Callable[[], str]] = {
    "ok": lambda: tr("answered"),
    "truncated": lambda: tr("cut off"),
    "refused": lambda: tr("refused"),
    "empty": lambda: tr("empty"),
    "failed": lambda: tr("no reply"),
}


def reply_text_of(outcome: str) -> str:
    """What became of one call."""
    return _REPLIES[outcome]()


def step_text(step: str) -> str:
    """A step's title."""
    return _STEPS[step]()


def outcome_text(outcome: str) -> str:
    """An outcome's title."""
    return _OUTCOMES[outcome]()


def reason_text(reason: str) -> str:
    """Why a journey ended before acceptance; empty for an accepted item."""
    return _REASONS[reason]() if reason else ""


def left_out_text(stage: FunnelStep) -> str:
    """Why how many items went no further than a step, the most frequent reason first."""
    reasons = sorted(stage.left.items(), key=lambda pair: (-pair[1], pair[0]))
    parts = [
        tr("− {count} {reason}", count=f"{n:,}", reason=reason_text(why)) for why, n in reasons
    ]
    return "   ".join(parts)


def bill_text(stage: FunnelStep) -> str:
    """Calls, tokens and, where prices are known, cost of a step."""
    if stage.step == "knowledge":
        return trn("1 search", "{n} searches", stage.calls)
    calls = trn("1 call", "{n} calls", stage.calls)
    tokens = trn("1 token", "{n} tokens", stage.tokens)
    if stage.cost:
        cost = f"{stage.cost:.2f}"
        return tr("{calls}, {tokens}, cost {cost}", calls=calls, tokens=tokens, cost=cost)
    return tr("{calls}, {tokens}", calls=calls, tokens=tokens)


def round_text(number: str, counts: Mapping[str, int]) -> str:
    """What became of the texts of one round of the reflection."""
    return trn(
        "Round {number}: 1 text written; {checks} passed the checks, {facts} also "
        "the facts, {accepted} also the label.",
        "Round {number}: {n} texts written; {checks} passed the checks, {facts} also "
        "the facts, {accepted} also the label.",
        counts["written"],
        number=number,
        checks=counts["passed_checks"],
        facts=counts["passed_facts"],
        accepted=counts["accepted"],
    )


def budget_text(progress: RewriteProgress) -> str:
    """What a run has used, and what is left of its budget."""
    used = trn("1 token used", "{n} tokens used", progress.tokens)
    if progress.cost:
        used = tr("{used}, cost {cost}", used=used, cost=f"{progress.cost:.2f}")
    if progress.budget is None:
        return tr("{used}; no budget set.", used=used)
    return tr(
        "{used}; {left} of the budget of {budget} left.",
        used=used,
        left=f"{progress.budget_left:,}",
        budget=f"{progress.budget:,}",
    )


def progress_lines(progress: RewriteProgress) -> list[str]:
    """The whole funnel in sentences, for the command line and for those who cannot see pictures."""
    lines = [
        trn(
            "{finished} of 1 item finished: {accepted} accepted, {out} screened out, "
            "{left} left out, {failed} failed.",
            "{finished} of {n} items finished: {accepted} accepted, {out} screened "
            "out, {left} left out, {failed} failed.",
            progress.total,
            finished=progress.finished,
            accepted=progress.funnel["accepted"],
            out=progress.funnel["screened_out"],
            left=progress.funnel["left_out"],
            failed=progress.funnel["failed"],
        )
    ]
    for stage in progress.stages:
        lines.append(
            trn(
                "{step}: 1 item entered, {passed} continued ({bill}). {left}",
                "{step}: {n} items entered, {passed} continued ({bill}). {left}",
                stage.entered,
                step=step_text(stage.step),
                passed=stage.passed,
                bill=bill_text(stage),
                left=left_out_text(stage),
            ).strip()
        )
    lines += [round_text(number, counts) for number, counts in progress.funnel["rounds"].items()]
    if shift := label_shift_text(progress.funnel):
        lines.append(shift)
    return [*lines, budget_text(progress)]


def label_shift_text(funnel: Mapping[str, Any]) -> str:
    """How the shares of the labels differ between all items and the accepted ones; empty while
    nothing is accepted, and for runs that did not count them."""
    shift, labels = funnel.get("label_shift"), funnel.get("labels", {})
    if shift is None:
        return ""
    items = sum(counts["items"] for counts in labels.values())
    accepted = sum(counts["accepted"] for counts in labels.values())
    shares = listed(
        tr(
            "{label} {before}% → {after}%",
            label=label,
            before=f"{100 * counts['items'] / items:.1f}",
            after=f"{100 * counts['accepted'] / accepted:.1f}",
        )
        for label, counts in labels.items()
    )
    return tr("Labels, all items → accepted: {shares}; shift {shift} points.", shares=shares,
              shift=f"{100 * shift:.1f}")  # fmt: skip


def estimate_text(guessed: RewriteEstimate) -> str:
    """What a run will ask for, in one sentence."""
    sentence = tr(
        "{items}: {least} if every text is right the first time, {most} at most; at least "
        "about {tokens}.",
        items=trn("1 item", "{n} items", guessed.items),
        least=trn("1 call", "{n} calls", guessed.calls_least),
        most=f"{guessed.calls_most:,}",
        tokens=trn("1 token", "{n} tokens", guessed.tokens),
    )
    if not guessed.cost:
        return sentence
    return tr("{sentence} Cost: at least {cost}.", sentence=sentence, cost=f"{guessed.cost:.2f}")


_LINES = 8
_SKIPPED: Mapping[str, Callable[[], str]] = {
    "empty_text": lambda: tr("no text"),
    "no_label": lambda: tr("no label"),
    "unknown_label": lambda: tr("a label outside the label space"),
    "unreadable": lambda: tr("unreadable row"),
    "not_text": lambda: tr("a value that is not text"),
}


def left_out_rows(left_out: Mapping[str, Sequence[int]]) -> str:
    """Which rows of the data were left out, with the first lines of each reason; empty where all
    were used."""
    if not left_out:
        return ""
    parts = [
        trn("1 × {reason} (line {lines})", "{n} × {reason} (lines {lines})", len(lines),
            reason=_SKIPPED[why](), lines=_first(lines))
        for why, lines in sorted(left_out.items(), key=lambda pair: -len(pair[1]))
    ]  # fmt: skip
    return trn(
        "1 row left out: {reasons}.",
        "{n} rows left out: {reasons}.",
        sum(map(len, left_out.values())),
        reasons=listed(parts),
    )


def _first(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:_LINES]))
    return f"{shown} …" if len(lines) > _LINES else shown
