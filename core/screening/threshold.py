"""The gate's score against what people decided, and what another threshold would have done."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from core.i18n import tr
from core.screening.gate_prompt import HIGHEST, LOWEST


@dataclass(frozen=True, slots=True)
class ScoredDecision:
    """An item that has both: the gate's score (0 to 10) and the decision of people."""

    score: float
    accepted: bool


@dataclass(frozen=True, slots=True)
class Proportion:
    """``count`` of ``total`` with a confidence interval; ``value`` is None where total is 0, and
    then ``undefined`` says why."""

    count: int
    total: int
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    undefined: str = ""


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


def proportion(
    count: int, total: int, *, level: float = 0.95, method: str = "wilson"
) -> Proportion:
    """A share with its two-sided interval: ``wilson``, or ``beta`` (Clopper and Pearson).

    Formulas: Brown, Cai and DasGupta (2001), Interval estimation for a binomial proportion,
    sections 3.1.1 and 4.2.1.
    """
    if not total:
        why = tr("Nothing has been counted yet.")
        return Proportion(0, 0, None, None, None, level, method, why)
    low, high = (_exact if method == "beta" else _wilson)(count, total, level)
    return Proportion(count, total, count / total, max(0.0, low), min(1.0, high), level, method)


def _wilson(count: int, total: int, level: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, shrunk = count / total, 1 + z * z / total
    middle = (share + z * z / (2 * total)) / shrunk
    half = z / shrunk * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    # at the ends the bound is the share itself, which rounding would miss
    return (middle - half if count else 0.0), (middle + half if count < total else 1.0)


def _exact(count: int, total: int, level: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0
    return low, high


def false_reject_rate(
    audited: Sequence[bool], *, level: float = 0.95, method: str = "wilson"
) -> Proportion:
    """Of the screened-out items that people saw anyway, the share that they accepted.

    ``audited`` holds, for every item of the random share that has a decision, whether it was
    accepted. Only a random share makes this the gate's own rate.
    """
    return proportion(sum(audited), len(audited), level=level, method=method)


def threshold_row(judged: Sequence[ScoredDecision], threshold: float) -> ThresholdRow:
    """What that threshold would have done."""
    passed = [j.accepted for j in judged if j.score >= threshold]
    out = [j.accepted for j in judged if j.score < threshold]
    accepted, rejected = sum(passed) + sum(out), len(judged) - sum(passed) - sum(out)
    return ThresholdRow(
        threshold=threshold,
        passed_accepted=sum(passed),
        passed_rejected=len(passed) - sum(passed),
        out_accepted=sum(out),
        out_rejected=len(out) - sum(out),
        true_positive_rate=sum(passed) / accepted if accepted else None,
        false_positive_rate=(len(passed) - sum(passed)) / rejected if rejected else None,
    )


def threshold_table(
    judged: Sequence[ScoredDecision], thresholds: Sequence[float] | None = None
) -> list[ThresholdRow]:
    """One row per threshold, by default every half point from 0 to 10: also the points of the
    ROC curve."""
    steps = thresholds if thresholds is not None else [step / 2 for step in range(21)]
    return [threshold_row(judged, threshold) for threshold in steps]


def auc(judged: Sequence[ScoredDecision]) -> tuple[float | None, str]:
    """(area under the ROC curve, why it is undefined).

    The chance that an accepted item has a higher score than a rejected one, ties counting half
    (Mann and Whitney). None where only one kind of decision was made.
    """
    from scipy.stats import rankdata

    accepted = sum(j.accepted for j in judged)
    rejected = len(judged) - accepted
    if not accepted or not rejected:
        return None, tr("It needs both accepted and rejected items.")
    ranks = rankdata([j.score for j in judged])
    above = sum(float(r) for r, j in zip(ranks, judged, strict=True) if j.accepted)
    return (above - accepted * (accepted + 1) / 2) / (accepted * rejected), ""


def score_bins(judged: Sequence[ScoredDecision], width: float = 1.0) -> list[ScoreBin]:
    """Share accepted by score, over the whole range; ``width`` in points."""
    bins = []
    count = max(1, round((HIGHEST - LOWEST) / width))
    for place in range(count):
        low, high = LOWEST + place * width, LOWEST + (place + 1) * width
        inside = [
            j.accepted
            for j in judged
            if low <= j.score < high or (place == count - 1 and j.score >= high)
        ]
        bins.append(ScoreBin(low, high, len(inside), proportion(sum(inside), len(inside))))
    return bins
