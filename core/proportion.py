"""A share of what was counted, with its confidence interval."""

from dataclasses import dataclass
from math import sqrt
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
