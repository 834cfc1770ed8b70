"""The gate's score against what people decided: its ROC curve, and what thresholds would do.

Scores run from 0 to 10 and are taken as they are, never rounded.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.i18n import tr
from core.proportion import Proportion, proportion

Floats = npt.NDArray[np.float64]

THRESHOLDS = tuple(step / 2 for step in range(21))
"""0, 0.5, … 10: what the table of thresholds shows."""
MOST_POINTS = 200


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """What one threshold does to the judged items: score < threshold is screened out.

    ``true_positive_rate`` is the share of the accepted items that pass, ``false_positive_rate``
    that of the rejected ones; None where there are none.
    """

    threshold: float
    passed_accepted: int
    passed_rejected: int
    out_accepted: int
    out_rejected: int
    true_positive_rate: float | None
    false_positive_rate: float | None


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """Judged items with low ≤ score < high (the last bin includes 10)."""

    low: float
    high: float
    items: int
    accepted: Proportion


@dataclass(frozen=True, slots=True)
class GateCurve:
    """The curve over the items that have both a score and a decision.

    ``points`` are the ROC curve, a row for each score that occurs, the lowest first; of more than
    ``MOST_POINTS`` scores, as many at equal ranks. ``thresholds`` has a row for each half point
    from 0 to 10. ``area`` is the chance that an accepted item has a higher score than a rejected
    one, ties counting half (Mann and Whitney 1947, Ann. Math. Stat. 18), over all scores; None
    where only one kind of decision was made, and then ``undefined`` says so.
    """

    points: tuple[ThresholdRow, ...]
    thresholds: tuple[ThresholdRow, ...]
    area: float | None
    undefined: str = ""


def gate_curve(scores: npt.ArrayLike, accepted: npt.ArrayLike) -> GateCurve:
    """The curve of scores (N,) against whether people accepted each item (N,)."""
    accepted_scores, rejected_scores = _by_verdict(scores, accepted)
    used = np.unique(np.concatenate([accepted_scores, rejected_scores]))
    if len(used) > MOST_POINTS:
        used = used[np.linspace(0, len(used) - 1, MOST_POINTS).round().astype(np.int64)]
    points = _threshold_rows(accepted_scores, rejected_scores, used)
    thresholds = _threshold_rows(accepted_scores, rejected_scores, np.array(THRESHOLDS))
    if not len(accepted_scores) or not len(rejected_scores):
        return GateCurve(
            points, thresholds, None, tr("This needs both accepted and rejected items.")
        )
    below = np.searchsorted(rejected_scores, accepted_scores, "left").sum()
    not_above = np.searchsorted(rejected_scores, accepted_scores, "right").sum()
    area = float(below + not_above) / (2.0 * len(accepted_scores) * len(rejected_scores))
    return GateCurve(points, thresholds, area)


def score_bins(scores: npt.ArrayLike, accepted: npt.ArrayLike) -> tuple[ScoreBin, ...]:
    """Share accepted in each whole point of score from 0 to 10, ten bins."""
    accepted_counts, rejected_counts = (
        np.histogram(part, 10, (0.0, 10.0))[0] for part in _by_verdict(scores, accepted)
    )
    return tuple(
        ScoreBin(float(low), low + 1.0, yes + no, proportion(yes, yes + no))
        for low, (yes, no) in enumerate(
            zip(accepted_counts.tolist(), rejected_counts.tolist(), strict=True)
        )
    )


def _by_verdict(scores: npt.ArrayLike, accepted: npt.ArrayLike) -> tuple[Floats, Floats]:
    """(scores of the accepted items, scores of the rejected ones), each in ascending order."""
    values: Any = np.asarray(scores, np.float64)
    taken: Any = np.asarray(accepted, bool)
    return np.sort(values[taken]), np.sort(values[~taken])


def _threshold_rows(accepted: Floats, rejected: Floats, steps: Floats) -> tuple[ThresholdRow, ...]:
    rows = []
    out = zip(
        np.searchsorted(accepted, steps).tolist(),
        np.searchsorted(rejected, steps).tolist(),
        strict=True,
    )
    for step, (out_kept, out_rejected) in zip(steps.tolist(), out, strict=True):
        passed, wrongly = len(accepted) - out_kept, len(rejected) - out_rejected
        rows.append(
            ThresholdRow(
                threshold=step,
                passed_accepted=passed,
                passed_rejected=wrongly,
                out_accepted=out_kept,
                out_rejected=out_rejected,
                true_positive_rate=passed / len(accepted) if len(accepted) else None,
                false_positive_rate=wrongly / len(rejected) if len(rejected) else None,
            )
        )
    return tuple(rows)
