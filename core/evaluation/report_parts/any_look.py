"""An interval that may be looked at while a run goes on, as often as one likes.

A 95% interval holds the truth in 95 of 100 runs that are looked at once. Whoever looks again and
again, and stops where the figure pleases, needs one that holds at all looks together: an asymptotic
confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Annals of Statistics 52,
2613-2640, equation 11), here over sources as the independent units, narrowest at the planned end.
"""

import math
from dataclasses import dataclass

from core.evaluation.scoring import AccuracyEstimate

FEWEST_UNITS = 20
"""Of fewer sources the normal approximation behind the sequence does not hold."""
_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class AnyLook:
    """Bounds in 0…1 that hold at every look together in 95 of 100 runs, over so many ``units``."""

    low: float
    high: float
    units: int


def any_look(part: AccuracyEstimate, planned: int) -> AnyLook | None:
    """The interval of an accuracy so far; ``planned`` is how many answers there will be.

    Assumes that answers come in an order that has nothing to do with how hard they are. None for
    fewer than 20 sources, or items where they share none.
    """
    units = part.clusters if part.clustered is not None else part.n
    error = part.clustered if part.clustered is not None else part.plain_stderr
    if part.accuracy is None or units < FEWEST_UNITS or not error:
        return None
    whole = max(units, units * planned / max(1, part.n))
    reach = error * math.sqrt(units) * width(units, whole)
    return AnyLook(max(0.0, part.accuracy - reach), min(1.0, part.accuracy + reach), units)


def width(units: float, planned: float, level: float = _LEVEL) -> float:
    """Half of the sequence's interval after ``units`` of ``planned``, in standard deviations of one
    unit."""
    square = (-2 * math.log(level) + math.log(1 - 2 * math.log(level))) / planned
    inside = units * square + 1
    return math.sqrt(2 * inside / (units**2 * square) * math.log(math.sqrt(inside) / level))
