"""What a report says beside its scores: how the answers ended, what they cost, how sure it is.

Pure Python: a report of 100,000 answers is to be printed within two seconds.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.evaluation.scoring import ItemScore, Report
from core.text import tr

_FROM_RESULT = ("prompt_tokens", "completion_tokens", "latency_s", "finish_reasons", "served")


def account(report: Report, result: Mapping[str, Any]) -> dict[str, Any]:
    """What goes into the report's document: tokens, latency in seconds, finish reasons and the
    models that a server named, from the run's result; and the error with its clusters."""
    told = {name: result[name] for name in _FROM_RESULT if result.get(name)}
    error, clusters = clustered_stderr(report.scores)
    return {**told, "clustered_stderr": error, "clusters": clusters}


def clustered_stderr(scores: Sequence[ItemScore]) -> tuple[float | None, int]:
    """Cluster-robust standard error of the mean score, in 0…1, and the number of clusters.

    As ``intervals.clustered_error``: √(G/(G−1) · Σ_g (Σ_{i∈g} (x_i − x̄))²) / n. Answers to one
    item, and items of one source, are one cluster. None where no cluster has two answers, so that
    the plain error holds, and where there is only one cluster.
    """
    sums: dict[str, list[float]] = {}
    total, count = 0.0, 0
    for entry in scores:
        if not entry.answered or entry.unjudged:
            continue
        value = entry.correct if entry.graded is None else entry.graded
        total += value
        count += 1
        found = sums.setdefault(entry.cluster or entry.id.partition("#")[0], [0.0, 0.0])
        found[0] += value
        found[1] += 1
    groups = len(sums)
    if not 2 <= groups < count:
        return None, groups
    mean = total / count
    squares = math.fsum((own - number * mean) ** 2 for own, number in sums.values())
    return math.sqrt(groups / (groups - 1) * squares) / count, groups


def account_lines(report: Report) -> list[str]:
    """The same in sentences; nothing about what did not happen."""
    lines = []
    if report.missing or any(report.outcomes.get(name) for name in _ENDS):
        lines.append(_ends(report))
    told = report.origin
    if told.get("clustered_stderr") is not None:
        lines.append(
            tr(
                "Standard error with {clusters} clusters of answers that share an item or a "
                "source: {error} points.",
                clusters=told["clusters"],
                error=f"{100 * told['clustered_stderr']:.1f}",
            )
        )
    if told.get("prompt_tokens") or told.get("completion_tokens"):
        lines.append(
            tr(
                "{prompt} tokens in, {completion} out.",
                prompt=f"{told.get('prompt_tokens', 0):,}",
                completion=f"{told.get('completion_tokens', 0):,}",
            )
        )
    if told.get("latency_s"):
        lines.append(
            tr(
                "An answer took {median} s, 95% of them at most {p95} s, the longest {longest} s.",
                **{name: f"{told['latency_s'][name]:.3g}" for name in ("median", "p95", "longest")},
            )
        )
    if len(told.get("served") or ()) > 1:
        lines.append(
            tr("The server named several models: {models}.", models=_counted(told["served"]))
        )
    return lines


_ENDS = ("refused", "empty", "truncated", "thinking_truncated", "failed")


def _ends(report: Report) -> str:
    """How the answers ended; thinking that was cut is no answer that was cut."""
    counts = report.outcomes
    return tr(
        "Of the answers {refused} were refused, {empty} empty, {truncated} cut off, {thinking} cut "
        "off while thinking; {failed} failed, {not_asked} were not asked.",
        refused=counts.get("refused", 0),
        empty=counts.get("empty", 0),
        truncated=counts.get("truncated", 0),
        thinking=counts.get("thinking_truncated", 0),
        failed=counts.get("failed", 0),
        not_asked=report.not_asked,
    )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counts.items())
