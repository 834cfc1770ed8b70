"""The interval of a mean score in 0…1, also of few items and where answers share sources.

Pure Python: a report of 100,000 answers is to be printed within two seconds.
"""

import math
from dataclasses import dataclass

from core.i18n import tr, trn
from core.proportion import ASSUMED_CORRELATION, few_counted, student_quantile, wilson_bounds

CONFIDENCE = 0.95
"""The level of every interval that a report prints."""
FEW_CLUSTERS = 10
ROUNDING = 1e-10
"""Errors of a mean in 0…1 below this are those of the sums: all scores are alike."""


@dataclass(frozen=True, slots=True)
class ScoreInterval:
    """Bounds at a confidence; None where they are undefined."""

    low: float | None
    high: float | None
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class MeanSpread:
    """What an interval of a mean of ``n`` scores in 0…1 needs.

    ``variance`` is that of the scores (divided by n). Where they share sources, ``clustered`` is
    the cluster-robust error of the mean, ``clusters`` the number of sources and ``freedom`` the
    degrees of freedom of that error, and ``skew`` the skewness of the mean as the sources show it;
    of independent scores ``clusters`` is n. ``alone`` of the clusters are one item without a
    source, of which several answers were scored. ``binary`` scores are right or wrong.
    ``one_source`` is of a mean over tasks one of which has all its items from one source.
    """

    mean: float
    n: int
    variance: float
    clustered: float | None = None
    clusters: int = 0
    freedom: float | None = None
    binary: bool = True
    skew: float = 0.0
    one_source: bool = False
    alone: int = 0

    @property
    def squared_error(self) -> float:
        """Squared error of the mean: the larger of the clustered and the plain one. Of few sources
        that happen to agree the clustered one is too small, down to zero."""
        return max((self.clustered or 0.0) ** 2, self.variance / self.n)

    @property
    def worth(self) -> float:
        """How many independent right-or-wrong answers the scores are worth."""
        if self.squared_error > ROUNDING**2 and 0 < self.mean < 1:
            return self.mean * (1 - self.mean) / self.squared_error
        in_each = self.n / self.clusters if self.clusters else 1.0
        return self.n / (1 + (in_each - 1) * ASSUMED_CORRELATION)


def mean_interval(spread: MeanSpread, confidence: float = 0.95) -> ScoreInterval:
    """Wilson's interval over as many answers as the scores are worth, with Student's quantile.

    Korn and Graubard (1998), Survey Methodology 24, 193-201, and for the degrees of freedom Bell
    and McCaffrey (2002), Survey Methodology 28, 169-181. Of sources of which a few hold most of the
    right answers (or of the wrong ones, whichever are fewer) this is too short on the side where
    more of these sources may lie; there it reaches as far as Hall's transformation of Student's t
    (1992, Journal of the Royal Statistical Society B 54, 221-228), which of few sources comes near
    0 or 1 at once; but no farther than it would if all answers to a source were alike.
    """
    freedom = spread.freedom
    if spread.clustered is None:
        freedom = None if spread.binary or spread.n < 2 else float(spread.n - 1)
    quantile = student_quantile(freedom, confidence)
    low, high = wilson_bounds(spread.mean, spread.worth, quantile)
    if spread.clustered and spread.skew:
        error = math.sqrt(spread.squared_error)
        alike = min(spread.worth, (freedom or 0.0) + 1)
        least, most = wilson_bounds(spread.mean, alike, quantile)
        if spread.mean <= 0.5:
            high = max(high, min(most, spread.mean - error * _unskewed(-quantile, spread.skew)))
        if spread.mean >= 0.5:
            low = min(low, max(least, spread.mean - error * _unskewed(quantile, spread.skew)))
    return ScoreInterval(max(0.0, low), min(1.0, high), confidence)


def _unskewed(quantile: float, skew: float) -> float:
    """What Hall's transformation T + γT²/3 + γ²T³/27 + γ/6 brings to the quantile."""
    return 3 / skew * (math.cbrt(1 + skew * (quantile - skew / 6)) - 1)


def caution(spread: MeanSpread) -> str:
    """In words where the interval rests on little, so that it may cover less than it says."""
    if spread.clusters == 1 < spread.n:
        return few_sources(1, 1) if spread.alone else tr("all items share 1 source")
    if spread.one_source:
        return tr("all items of a task share 1 source")
    if spread.clustered is not None:
        if spread.clusters < FEW_CLUSTERS:
            return few_sources(spread.clusters, spread.alone)
        if (spread.freedom or 0.0) < FEW_CLUSTERS - 1.01:  # ten sources of one size have nine
            return trn(
                "unequal sources: 1 counts as {freedom}",
                "unequal sources: {n} count as {freedom}",
                spread.clusters,
                freedom=f"{spread.freedom or 0.0:.0f}",
            )
    return few_counted(spread.mean, spread.n, spread.worth)


def score_intervals_note() -> str:
    """What a table says of its intervals of mean scores."""
    return tr(
        "Intervals are at 95%: Wilson's over as many independent answers as the scores are worth, "
        "with cluster-robust errors where answers share a source or an item."
    )


def few_sources(count: int, alone: int = 0) -> str:
    """In words that an interval rests on few sources, of which ``alone`` are one item each."""
    if alone == count:
        return trn("few items: 1", "few items: {n}", count)
    if alone:
        return trn("few sources and items: 1", "few sources and items: {n}", count)
    return trn("few sources: 1", "few sources: {n}", count)
