"""What leaves for a tracker: figures, settings and digests, picked one by one.

No text of an item, of an answer or of a prompt is among them, and no folder, address or key.
"""

import re
from collections.abc import Mapping
from typing import Any

from core.evaluation.model_files import without_folder
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import Report
from core.evaluation.trackers.base import TrackedRun

_SETTINGS = ("engine", "revision", "mode", "answer_by", "max_tokens", "long_prompts",
             "enable_thinking", "seed", "shots", "orders")  # fmt: skip
_COUNTS = ("failed", "refused", "empty", "truncated", "thinking_truncated")
_TOKENS = ("prompt_tokens", "completion_tokens")
_CUTS = ("format", "domain")
_NOT_IN_A_NAME = re.compile(r"[^\w.\-]+")


def tracked_run(
    run: str, state: str, report: Report, params: EvaluateParams, benchmark: str,
    marks: Mapping[str, str],
) -> TrackedRun:  # fmt: skip
    """What is sent to a tracker about an evaluation; ``report`` may be of an unfinished run."""
    return TrackedRun(
        id=run,
        project=_NOT_IN_A_NAME.sub("-", benchmark)[:100],
        state=state,
        step=report.items - report.not_asked,
        settings=_settings(params),
        figures=_figures(report),
        marks={**marks, "split": report.split, "manifest": params.split_digest},
    )


def _settings(params: EvaluateParams) -> dict[str, str | float | bool]:
    named: dict[str, Any] = {name: getattr(params, name) for name in _SETTINGS}
    named |= {"model": without_folder(params.model), "adapter": without_folder(params.adapter)}
    named |= params.sampling() if params.model else {}
    return {name: value for name, value in named.items() if value not in (None, "")}


def _figures(report: Report) -> dict[str, float]:
    total, interval, origin = report.total, report.total.interval, report.origin
    figures: dict[str, Any] = {
        "score": total.accuracy,
        "standard_error": total.stderr,
        "interval_low": interval.low,
        "interval_high": interval.high,
        "score_strict": report.strict.accuracy if report.strict else None,
        "items": report.items,
        "answered": report.answered,
        "missing": report.missing,
        "unparsed": report.unparsed,
        "unjudged": report.unjudged,
        **{name: report.outcomes.get(name, 0) for name in _COUNTS},
        **{name: origin.get(name) for name in _TOKENS},
        **{
            f"{cut}/{part}": estimate.accuracy
            for cut in _CUTS
            for part, estimate in report.by.get(cut, {}).items()
        },
    }
    return {name: float(value) for name, value in figures.items() if value is not None}
