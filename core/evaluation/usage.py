"""What a report says beside its scores: how the answers ended, what they cost, how sure it is."""

from collections.abc import Mapping
from typing import Any

from core.evaluation.scoring import Report
from core.i18n import tr, trn

_FROM_RESULT = ("prompt_tokens", "completion_tokens", "latency_s", "finish_reasons", "served")


def usage_figures(report: Report, result: Mapping[str, Any]) -> dict[str, Any]:
    """What goes into the report's document: tokens, latency in seconds, finish reasons and the
    models that a server named, from the run's result; and the error with its clusters."""
    figures = {name: result[name] for name in _FROM_RESULT if result.get(name)}
    total = report.total
    return {**figures, "clustered_stderr": total.clustered, "clusters": total.clusters}


def usage_lines(report: Report) -> list[str]:
    """The same in sentences; nothing about what did not happen."""
    lines = []
    if report.missing or any(report.outcomes.get(name) for name in _ENDS):
        lines.append(_ends(report))
    origin = report.origin
    if report.total.clustered is not None:
        lines.append(
            trn(
                "Standard error over 1 cluster of answers that share an item or a source: "
                "{error} points.",
                "Standard error over {n} clusters of answers that share an item or a "
                "source: {error} points.",
                report.total.clusters,
                error=f"{100 * report.total.clustered:.1f}",
            )
        )
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


_ENDS = ("refused", "empty", "truncated", "thinking_truncated", "failed")


def _ends(report: Report) -> str:
    """How the answers ended; thinking that was cut is no answer that was cut."""
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
    return ", ".join(f"{name} ({count})" for name, count in counts.items())
