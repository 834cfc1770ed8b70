"""The gate's score against what people decided: its ROC curve, and what thresholds would do.

Scores run from 0 to 10 and are taken as they are, never rounded. People see nearly all items that
pass and a random share of those screened out, so each decided item stands for as many screened ones
as its stratum says (Begg and Greenes 1983, Biometrics 39, 207-215); unweighted, the curve would be
that of the items that happened to be looked at. Items of one source, such as an article, are alike:
intervals are over sources where those say less than the items.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from core.i18n import tr, trn
from core.proportion import (
    ASSUMED_CORRELATION,
    FEW_SOURCES,
    Proportion,
    proportion,
    student_quantile,
    wilson_bounds,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

THRESHOLDS = tuple(step / 2 for step in range(21))
"""0, 0.5, … 10: what the table of thresholds shows."""
MOST_POINTS = 200
FEW_REVIEWED = 20
"""Below so many decided items of a kind the intervals are said to rest on few."""
_NORMAL = 1.959964


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """What one threshold does to the screened items: score < threshold is screened out.

    The four counts are estimates for all screened items; of items that were all reviewed they are
    whole numbers. ``true_positive_rate`` is the share of the good items that pass,
    ``false_positive_rate`` that of the bad ones, each with its 95% interval; None where there are
    none. No score is below 0, so that of a threshold of 0 both are 1 and there is nothing to
    estimate.
    """

    threshold: float
    passed_accepted: float
    passed_rejected: float
    out_accepted: float
    out_rejected: float
    true_positive_rate: float | None
    false_positive_rate: float | None
    true_positive_low: float | None = None
    true_positive_high: float | None = None
    false_positive_low: float | None = None
    false_positive_high: float | None = None


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """Decided items with low ≤ score < high (the last bin includes 10)."""

    low: float
    high: float
    items: int
    accepted: Proportion


@dataclass(frozen=True, slots=True)
class GateCurve:
    """The curve over all screened items, estimated from those with a score and a decision.

    ``points`` are the ROC curve, a row for each score that occurs, the lowest first; of more than
    ``MOST_POINTS`` scores, as many at equal ranks. ``thresholds`` has a row for each half point
    from 0 to 10. ``area`` is the chance that a good item has a higher score than a bad one, ties
    counting half (Mann and Whitney 1947, Ann. Math. Stat. 18), over all scores, with its 95%
    interval; None where it cannot be known, and then ``undefined`` says why. ``caution`` says in
    words where the intervals rest on little.
    """

    points: tuple[ThresholdRow, ...]
    thresholds: tuple[ThresholdRow, ...]
    area: float | None
    undefined: str = ""
    low: float | None = None
    high: float | None = None
    caution: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Reviewed:
    """The decided items, as a sample of all that were screened.

    ``strata`` (N,) are places in ``sizes`` (S,), the numbers of screened items of each stratum:
    within one, which items people decided is taken to be random. ``out`` (S,) marks strata of
    screened-out items. ``sources`` (N,) numbers what the items' texts share; None where each
    stands alone.
    """

    scores: Floats
    accepted: npt.NDArray[np.bool_]
    strata: Ints
    sizes: Floats
    out: npt.NDArray[np.bool_]
    sources: Ints | None = None

    @classmethod
    def of_all(
        cls, scores: npt.ArrayLike, accepted: npt.ArrayLike, sources: Ints | None = None
    ) -> "Reviewed":
        """Items of which every one was decided."""
        values: Any = np.asarray(scores, np.float64)
        strata = np.zeros(len(values), np.int64)
        size = np.array([float(len(values))])
        kinds = np.array([False])
        return cls(values, np.asarray(accepted, bool), strata, size, kinds, sources)

    @property
    def decided(self) -> Floats:
        """Decided items of each stratum (S,)."""
        return np.bincount(self.strata, minlength=len(self.sizes)).astype(np.float64)

    @property
    def weights(self) -> Floats:
        """How many screened items each decided one stands for (N,)."""
        per_item = self.sizes / np.maximum(self.decided, 1)
        return np.asarray(per_item[self.strata], np.float64)

    @property
    def unseen(self) -> str:
        """Why the decided items cannot stand for the screened ones; empty where they can."""
        lacking = (self.sizes > 0) & (self.decided == 0)
        if not len(self.scores) or not lacking.any():
            return ""
        if lacking[self.out].any():
            return tr("No screened-out items were reviewed by people.")
        return tr("No items that passed were reviewed by people.")


def gate_curve(sample: Reviewed) -> GateCurve:
    """The curve of scores against whether people accepted each item."""
    if unseen := sample.unseen:
        return GateCurve((), (), None, unseen)
    kinds = _Kinds(sample)
    used = np.unique(sample.scores)
    if len(used) > MOST_POINTS:
        used = used[np.linspace(0, len(used) - 1, MOST_POINTS).round().astype(np.int64)]
    points = _threshold_rows(kinds, used)
    thresholds = _with_intervals(sample, _threshold_rows(kinds, np.array(THRESHOLDS)))
    if not len(kinds.accepted) or not len(kinds.rejected):
        return GateCurve(
            points, thresholds, None, tr("This needs both accepted and rejected items.")
        )
    area, low, high = _area(sample)
    return GateCurve(points, thresholds, area, "", low, high, _caution(sample))


def score_bins(sample: Reviewed) -> tuple[ScoreBin, ...]:
    """Share accepted in each whole point of score from 0 to 10, ten bins.

    Each interval is over as many items as the weighted ones are worth (Kish), or over sources.
    """
    weights = sample.weights
    place = np.clip(np.floor(sample.scores), 0, 9).astype(np.int64)
    bins = []
    for low in range(10):
        inside = place == low
        own, good = weights[inside], sample.accepted[inside]
        sources = None if sample.sources is None else sample.sources[inside]
        bins.append(ScoreBin(float(low), low + 1.0, len(own), _weighted_share(own, good, sources)))
    return tuple(bins)


def share_accepted(sample: Reviewed) -> Proportion:
    """Share that people accepted, with Wilson's interval; over sources where items share some."""
    return _weighted_share(sample.weights, sample.accepted, sample.sources)


def _weighted_share(
    weights: Floats, good: npt.NDArray[np.bool_], sources: Ints | None
) -> Proportion:
    plain = proportion(int(good.sum()), len(good))
    if plain.value is None or (np.ptp(weights) == 0 and sources is None):
        return plain
    share = float(weights[good].sum() / weights.sum())
    kish = float(weights.sum() ** 2 / (weights**2).sum())
    shares = weights * (good - share) / weights.sum()
    worth, quantile = _worth(share, kish, shares, weights, sources)
    low, high = wilson_bounds(share, worth, quantile)
    among = None if sources is None else _sources_worth(weights, sources)
    return Proportion(
        plain.count, plain.total, share, low, high, plain.level, plain.method, worth=worth,
        sources=among,
    )  # fmt: skip


def _sources_worth(weights: Floats, sources: Ints) -> float:
    """How many sources of one size the weighted items are worth (Kish)."""
    sums = np.bincount(sources, weights)
    return float(sums.sum() ** 2 / (sums**2).sum())


def _worth(
    share: float, plain: float, shares: Floats, weights: Floats, sources: Ints | None
) -> tuple[float, float]:
    """(independent items that a sample is worth, quantile): ``plain`` as if no two shared a source,
    or fewer, with Student's quantile, where sources say so."""
    if sources is None:
        return plain, _NORMAL
    if 0 < share < 1:
        variance, freedom = _over_sources(shares, weights, sources)
        if variance * plain <= share * (1 - share):
            return plain, _NORMAL
        return share * (1 - share) / variance, student_quantile(freedom)
    # all alike: how alike items of a source are cannot be seen, and is assumed
    counts = np.bincount(sources[weights > 0])
    in_each = float((counts**2).sum() / counts.sum())
    return plain / (1 + (in_each - 1) * ASSUMED_CORRELATION), _NORMAL


def _over_sources(shares: Floats, weights: Floats, sources: Ints) -> tuple[float, float]:
    """(variance of a sum of shares whose items are drawn by source, its degrees of freedom: as many
    sources as unequal ones are worth (Kish), less one)."""
    sums = np.bincount(sources, weights)
    own = sums > 0
    among = max(1, int(own.sum()) - 1)
    totals = np.bincount(sources, shares)[own]
    spread = float(((totals - totals.mean()) ** 2).sum())
    freedom = max(1.0, _sources_worth(weights, sources) - 1)
    return spread * (among + 1) / among, freedom


class _Kinds:
    """Scores of the accepted and of the rejected items in ascending order, with their weights
    summed up to each, beginning with 0."""

    def __init__(self, sample: Reviewed) -> None:
        weights = sample.weights
        self.accepted, self.accepted_sums = self._sorted(sample, weights, sample.accepted)
        self.rejected, self.rejected_sums = self._sorted(sample, weights, ~sample.accepted)

    @staticmethod
    def _sorted(
        sample: Reviewed, weights: Floats, kind: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        order = np.argsort(sample.scores[kind], kind="stable")
        sums = np.concatenate([[0.0], np.cumsum(weights[kind][order])])
        return sample.scores[kind][order], sums


def _threshold_rows(kinds: _Kinds, steps: Floats) -> tuple[ThresholdRow, ...]:
    good, bad = kinds.accepted_sums[-1], kinds.rejected_sums[-1]
    out_good = kinds.accepted_sums[np.searchsorted(kinds.accepted, steps)].tolist()
    out_bad = kinds.rejected_sums[np.searchsorted(kinds.rejected, steps)].tolist()
    return tuple(
        ThresholdRow(
            threshold=step,
            passed_accepted=float(good - lost),
            passed_rejected=float(bad - kept_out),
            out_accepted=lost,
            out_rejected=kept_out,
            true_positive_rate=float((good - lost) / good) if good else None,
            false_positive_rate=float((bad - kept_out) / bad) if bad else None,
        )
        for step, lost, kept_out in zip(steps.tolist(), out_good, out_bad, strict=True)
    )


def _with_intervals(sample: Reviewed, rows: Sequence[ThresholdRow]) -> tuple[ThresholdRow, ...]:
    weights = sample.weights
    with_bounds = []
    for row in rows:
        good, bad = sample.accepted, ~sample.accepted
        true = _rate_bounds(sample, weights, good, row.threshold, row.true_positive_rate)
        false = _rate_bounds(sample, weights, bad, row.threshold, row.false_positive_rate)
        with_bounds.append(
            replace(
                row,
                true_positive_low=true[0], true_positive_high=true[1],
                false_positive_low=false[0], false_positive_high=false[1],
            )
        )  # fmt: skip
    return tuple(with_bounds)


def _rate_bounds(
    sample: Reviewed,
    weights: Floats,
    kind: npt.NDArray[np.bool_],
    threshold: float,
    rate: float | None,
) -> tuple[float | None, float | None]:
    """Wilson's bounds over as many items as the sample is worth (Korn and Graubard 1998)."""
    if rate is None or threshold <= 0:
        return rate, rate
    own = weights[kind]
    kish = float(own.sum() ** 2 / (own**2).sum())
    passed = sample.scores >= threshold
    shares = np.where(kind, weights * (passed - rate), 0.0) / own.sum()

    def bounds(plain: float) -> tuple[float, float]:
        of_kind = np.where(kind, weights, 0.0)
        return wilson_bounds(rate, *_worth(rate, plain, shares, of_kind, sample.sources))

    if rate in (0.0, 1.0):
        return bounds(kish)
    variance, _ = _variance(sample, shares)
    return bounds(rate * (1 - rate) / variance)


def _area(sample: Reviewed) -> tuple[float, float, float]:
    """The area with its 95% interval, of the linearised statistic on the scale of log odds.

    Each item's influence is how far its own chance of being in order lies from the area (DeLong,
    DeLong and Clarke-Pearson 1988, Biometrics 44), weighted.
    """
    weights, kinds = sample.weights, _Kinds(sample)
    good, bad = kinds.accepted_sums[-1], kinds.rejected_sums[-1]
    above = _mean_below(sample.scores, kinds.rejected, kinds.rejected_sums)
    below = 1 - _mean_below(sample.scores, kinds.accepted, kinds.accepted_sums)
    area = float((weights * above)[sample.accepted].sum() / good)
    shares = np.where(sample.accepted, (above - area) / good, (below - area) / bad)
    variance, freedom = _variance(sample, weights * shares)
    if sample.sources is not None:
        over_sources = _over_sources(weights * shares, weights, sample.sources)
        variance, freedom = max((variance, freedom), over_sources)
    if not 0 < area < 1 or variance <= 0:
        fewer = min(int(sample.accepted.sum()), int((~sample.accepted).sum()))
        return area, *wilson_bounds(area, float(fewer))
    middle = log(area / (1 - area))
    reach = student_quantile(freedom) * sqrt(variance) / (area * (1 - area))
    return area, 1 / (1 + exp(reach - middle)), 1 / (1 + exp(-reach - middle))


def _mean_below(scores: Floats, others: Floats, sums: Floats) -> Floats:
    """Weighted share of the other kind below each score, ties counting half."""
    left, right = np.searchsorted(others, scores), np.searchsorted(others, scores, "right")
    return np.asarray((sums[left] + sums[right]) / (2 * sums[-1]), np.float64)


def _variance(sample: Reviewed, shares: Floats) -> tuple[float, float]:
    """(variance of a sum of weighted shares, its degrees of freedom by Satterthwaite).

    Two phases: which items were screened, and within a stratum which of them were decided
    (Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, section 9.3). A stratum
    of one item is set against the mean of all.
    """
    decided = sample.decided
    sums = np.bincount(sample.strata, shares, minlength=len(decided))
    squares = np.bincount(sample.strata, shares**2, minlength=len(decided))
    several = decided > 1
    within = np.where(
        several,
        (squares - sums**2 / np.maximum(decided, 1)) * decided / np.maximum(decided - 1, 1),
        squares,
    )
    within = np.maximum(within, 0.0)
    between = float((sums**2 / np.maximum(sample.sizes, 1)).sum())
    total = float(within.sum())
    spread = float((within**2 / np.maximum(decided - 1, 1)).sum())
    return total + between, total**2 / spread if spread else float(len(shares) - 1)


def _caution(sample: Reviewed) -> str:
    """What the intervals rest on where that is little; empty where it is enough."""
    seen_out = int(sample.decided[sample.out].sum())
    if sample.sizes[sample.out].sum() and seen_out < FEW_REVIEWED:
        return trn(
            "Only 1 screened-out item was reviewed, so the intervals are rough.",
            "Only {n} screened-out items were reviewed, so the intervals are rough.",
            seen_out,
        )
    if sample.sources is not None:
        worth = int(_sources_worth(sample.weights, sample.sources))
        if worth < FEW_SOURCES:
            return trn(
                "The reviewed items are worth 1 source, so the intervals are rough.",
                "The reviewed items are worth {n} sources, so the intervals are rough.",
                worth,
            )
    fewer = min(int(sample.accepted.sum()), int((~sample.accepted).sum()))
    if fewer < FEW_REVIEWED:
        return trn(
            "Only 1 accepted or rejected item was reviewed, so the intervals are rough.",
            "Only {n} accepted or rejected items were reviewed, so the intervals are rough.",
            fewer,
        )
    return ""
