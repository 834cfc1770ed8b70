"""A proportion with its confidence interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, fsum, isinf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist
from sys import float_info

from core.i18n import tr, trn

FEW_ITEMS = 50
FEW_SOURCES = 10
"""Below so many sources, weighed by their items, an interval is said to rest on few."""
LEAST_P = float_info.min
"""What stands for a p-value that is smaller than numbers of this kind can be."""
ASSUMED_CORRELATION = 0.2
"""That within a source where all outcomes are alike, so that it cannot be seen."""
_LARGE_FREEDOM = 1e4
_MOST_STEPS, _MOST_TERMS = 100, 1000
FEW_EACH_WAY = 15.0
"""Of 50 items or more with 15 or more of each kind, the exact coverage of Wilson's 95% interval is
0.93 to 0.97 at every share inside it, up to 5,000 items. Of fewer it is outside somewhere inside;
Jeffreys', Agresti and Coull's and the mid-P interval are outside at more shares."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """``count`` of ``total`` with a confidence interval; ``value`` is None where total is 0, and
    then ``undefined`` says why. ``worth`` is the number of independent items that weighted or
    clustered ones are worth, where that is another, and ``sources`` how many sources of one size
    they are worth where they share some."""

    count: int
    total: int
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    undefined: str = ""
    worth: float | None = None
    sources: float | None = None

    @property
    def caution(self) -> str:
        """In words where the interval rests on little; empty where it does not."""
        if not self.total:
            return ""
        # ten sources of nearly one size are worth a little less
        if self.sources is not None and self.sources < FEW_SOURCES - 0.5:
            return trn("few sources: 1", "few sources: {n}", round(self.sources))
        return few_counted(self.count / self.total, self.total, self.worth)


def proportion(
    count: int, total: int, *, level: float = 0.95, method: str = "wilson"
) -> Proportion:
    """A share with its two-sided interval: ``wilson``, or ``beta`` (Clopper and Pearson).

    Formulas: Brown, Cai and DasGupta (2001), Interval estimation for a binomial proportion,
    sections 3.1.1 and 4.2.1.
    """
    if not total:
        why = tr("Nothing to count yet.")
        return Proportion(0, 0, None, None, None, level, method, why)
    if method == "beta":
        low, high = _exact(count, total, level)
    else:
        low, high = wilson_bounds(count / total, total, NormalDist().inv_cdf(0.5 + level / 2))
    return Proportion(count, total, count / total, max(0.0, low), min(1.0, high), level, method)


def above_zero(p: float) -> float:
    """A p-value, which no sample makes 0: where the arithmetic does, ``LEAST_P``."""
    return max(p, LEAST_P)


def few_counted(share: float, total: float, worth: float | None = None) -> str:
    """In words that Wilson's interval of a share of ``total`` items may cover less or more than it
    says; empty where its coverage is known to be 0.93 to 0.97. ``worth`` is the number of
    independent items that they are worth where it is another."""
    if total < FEW_ITEMS:
        return trn("few items: 1", "few items: {n}", round(total))
    fewer = (total if worth is None else worth) * min(share, 1 - share)
    if fewer < FEW_EACH_WAY - 1e-6:
        return trn(
            "few items with the rarer outcome: 1",
            "few items with the rarer outcome: {n}",
            round(fewer),
        )
    return ""


def wilson_bounds(share: float, total: float, quantile: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval of a share of ``total`` items, which need not be a whole number: the
    number that a weighted or clustered sample is worth (Korn and Graubard 1998, Survey Methodology
    24, 193-201). ``quantile`` is that of the normal or of Student's distribution."""
    squared = quantile * quantile / total
    shrunk = 1 + squared
    middle = (share + squared / 2) / shrunk
    half = quantile / shrunk * sqrt(share * (1 - share) / total + squared / (4 * total))
    # at the ends the bound is the share itself, which rounding would miss
    return (middle - half if share > 0 else 0.0), (middle + half if share < 1 else 1.0)


def cluster_freedom(sizes: Sequence[float]) -> float:
    """Bell and McCaffrey's degrees of freedom of the error of a mean over clusters of these sizes:
    G − 1 for G clusters of one size, fewer for unequal ones. There are two clusters at least."""
    count = fsum(sizes)
    shares = [size * size / (1 - size / count) for size in sizes]
    across = fsum(shares) ** 2 - fsum(share * share for share in shares)
    return count**2 / (sum(size * size for size in sizes) + across / count**2)


@lru_cache(maxsize=1024)
def student_quantile(freedom: float | None, confidence: float = 0.95) -> float:
    """Two-sided quantile of Student's distribution; of the normal one without ``freedom``.

    Relative error below 1e-10, without scipy, whose import takes a quarter of a second: Newton's
    steps on the tail, and from 10,000 degrees on the expansion of Abramowitz and Stegun (26.7.5).
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    if freedom is None or isinf(freedom):
        return z
    if freedom >= _LARGE_FREEDOM:
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / freedom + second / freedom**2 + third / freedom**3
    tail, found = (1 - confidence) / 2, z
    scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    for _ in range(_MOST_STEPS):  # from below, where the tail is convex: no step goes too far
        density = scale * exp(-(freedom + 1) / 2 * log1p(found * found / freedom))
        step = (_student_tail(found, freedom) - tail) / density
        found += step
        if abs(step) <= 1e-12 * found:
            break
    return found


def _student_tail(reach: float, freedom: float) -> float:
    """The chance of Student's distribution beyond ``reach`` ≥ 0."""
    square = reach * reach
    inside = square / (freedom + square)
    if inside * (freedom + 5) < 3:  # where the fraction converges quickly
        return 0.5 - _incomplete_beta(0.5, freedom / 2, inside) / 2
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square)) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function at 0 ≤ x < (a + 1) / (a + b + 2), by its continued
    fraction (Abramowitz and Stegun 26.5.8), evaluated as Lentz does."""
    if x <= 0:
        return 0.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    d = 1 / (1 - (a + b) * x / (a + 1))
    c, whole = 1.0, d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / (1 + even * d), 1 + even / c
        whole *= c * d
        d, c = 1 / (1 + odd * d), 1 + odd / c
        whole *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * whole


def _exact(count: int, total: int, level: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0
    return low, high
