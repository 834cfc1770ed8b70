"""A share of what was counted, with its confidence interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import NormalDist

from core.i18n import tr


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


def cluster_freedom(sizes: Sequence[int]) -> float:
    """Bell and McCaffrey's degrees of freedom of the error of a mean over clusters of these sizes:
    G − 1 for G clusters of one size, fewer for unequal ones. There are two clusters at least."""
    count = sum(sizes)
    shares = [size * size / (1 - size / count) for size in sizes]
    across = fsum(shares) ** 2 - fsum(share * share for share in shares)
    return count**2 / (sum(size * size for size in sizes) + across / count**2)


def _exact(count: int, total: int, level: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0
    return low, high
