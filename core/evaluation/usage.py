"""What a report says beside its scores: how the answers ended, what they cost, how sure it is."""

from collections.abc import Mapping
from statistics import stdev
from typing import Any

from core.evaluation.scoring import AccuracyEstimate, Report
from core.i18n import listed, tr, trn, with_note

_FROM_RESULT = (
    "too_long",
    "cut_prompts",
    "prompt_tokens",
    "completion_tokens",
    "latency_s",
    "finish_reasons",
    "served",
)


def usage_figures(result: Mapping[str, Any]) -> dict[str, Any]:
    """What goes into the report's document: tokens, latency in seconds, finish reasons and the
    models that a server named, from the run's result."""
    return {name: result[name] for name in _FROM_RESULT if result.get(name)}


def usage_lines(report: Report) -> list[str]:
    """The same in sentences; nothing about what did not happen."""
    lines = []
    if report.missing or any(report.outcomes.get(name) for name in _ENDS):
        lines.append(_ends(report))
    origin = report.origin
    if report.strict is not None and report.strict.accuracy is not None:
        lines.append(_readings(report.strict, report.total))
    if report.total.clustered is not None:
        lines.append(
            tr(
                "Errors and intervals allow for what answers share: {shared}.",
                shared=report.total.shared,
            )
        )
    if report.total.caution:
        lines.append(tr("Treat the interval with caution: {why}.", why=report.total.caution))
    lines += _ways(report)
    if origin.get("calibration"):
        from core.evaluation.report_parts.calibration import calibration_sentence

        lines.append(calibration_sentence(origin["calibration"]))
    if origin.get("too_long"):
        lines.append(
            trn(
                "1 prompt was longer than the model takes and was not asked.",
                "{n} prompts were longer than the model takes and were not asked.",
                origin["too_long"],
            )
        )
    if origin.get("cut_prompts"):
        lines.append(
            trn(
                "1 prompt was longer than the model takes and was cut from the left.",
                "{n} prompts were longer than the model takes and were cut from the left.",
                origin["cut_prompts"],
            )
        )
    if origin.get("settings"):
        settings = listed(f"{name} {value}" for name, value in origin["settings"].items())
        lines.append(tr("Settings: {settings}.", settings=settings))
    if origin.get("prompt_tokens") or origin.get("completion_tokens"):
        lines.append(
            trn(
                "1 token in, {completion} out.",
                "{n} tokens in, {completion} out.",
                origin.get("prompt_tokens", 0),
                completion=f"{origin.get('completion_tokens', 0):,}",
            )
        )
    if origin.get("latency_s"):
        lines.append(
            tr(
                "Time per answer: median {median} s, 95% within {p95} s, longest {longest} s.",
                **{
                    name: f"{origin['latency_s'][name]:.3g}"
                    for name in ("median", "p95", "longest")
                },
            )
        )
    if len(origin.get("served") or ()) > 1:
        lines.append(
            tr("The server reported several models: {models}.", models=_counted(origin["served"]))
        )
    return lines


def _readings(strict: AccuracyEstimate, lenient: AccuracyEstimate) -> str:
    """Both readings of the answers; they differ by answers in another spelling or form."""
    return tr(
        "Read strictly, as lm-evaluation-harness does: {strict}; read leniently: {lenient}.",
        strict=_span(strict),
        lenient=_span(lenient),
    )


def _span(part: AccuracyEstimate) -> str:
    """An accuracy in percent with its interval."""
    bounds = part.interval
    value = f"{100 * (part.accuracy or 0.0):.1f}%"
    if bounds.low is None or bounds.high is None:
        return value
    return f"{value} [{100 * bounds.low:.1f}, {100 * bounds.high:.1f}]"


def _ways(report: Report) -> list[str]:
    """Spread and worst case over instructions, and over templates or orders of options."""
    said = []
    for cut in ("instruction", "template") if report.engine != "people" else ():
        parts = {
            name: 100 * part.accuracy
            for name, part in report.by.get(cut, {}).items()
            if part.accuracy is not None
        }
        if len(parts) < 2:
            continue
        worst = min(parts, key=lambda name: parts[name])
        values = {"spread": f"{stdev(parts.values()):.1f}", "worst": f"{parts[worst]:.1f}",
                  "best": f"{max(parts.values()):.1f}", "name": worst}  # fmt: skip
        said.append(
            trn("Over 1 instruction: {worst}% to {best}%, standard deviation {spread} points; "
                "lowest “{name}”.",
                "Over {n} instructions: {worst}% to {best}%, standard deviation {spread} points; "
                "lowest “{name}”.", len(parts), **values)
            if cut == "instruction"
            else trn("Over 1 template or order of options: {worst}% to {best}%, standard deviation "
                     "{spread} points; lowest “{name}”.",
                     "Over {n} templates or orders of options: {worst}% to {best}%, standard "
                     "deviation {spread} points; lowest “{name}”.", len(parts), **values)
        )  # fmt: skip
    return said


_ENDS = ("refused", "empty", "truncated", "thinking_truncated", "failed")


def _ends(report: Report) -> str:
    """How the answers ended; cut-off thinking is counted apart from cut-off answers."""
    counts = report.outcomes
    return tr(
        "Answers: {refused} refused, {empty} empty, {truncated} cut off, {thinking} cut off "
        "while thinking; {failed} failed, {not_asked} not asked.",
        refused=counts.get("refused", 0),
        empty=counts.get("empty", 0),
        truncated=counts.get("truncated", 0),
        thinking=counts.get("thinking_truncated", 0),
        failed=counts.get("failed", 0),
        not_asked=report.not_asked,
    )


def _counted(counts: Mapping[str, int]) -> str:
    return listed(with_note(name, str(count)) for name, count in counts.items())
