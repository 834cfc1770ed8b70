"""An interval that may be looked at while a run goes on, as often as one likes.

A 95% interval holds the truth in 95 of 100 runs that are looked at once. Whoever looks again and
again, and stops where the figure pleases, needs one that holds at all looks together: a confidence
sequence by a beta-binomial mixture (Robbins 1970, Annals of Mathematical Statistics 41, 1397-1409;
Howard, Ramdas, McAuliffe and Sekhon 2021, Annals of Statistics 49, 1055-1080), narrowest at the
planned end. Of independent right-or-wrong answers it holds exactly, however few are right; of
answers that share sources it is taken over as many independent ones as they are worth.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from core.evaluation.scoring import AccuracyEstimate
from core.proportion import student_quantile

FEWEST_UNITS = 20
"""Of fewer sources too little is known of how much answers of one source are alike."""
_LEVEL = 0.05
_LIMIT = -math.log(_LEVEL)
_NARROWEST = -2 * math.log(_LEVEL) + math.log(1 - 2 * math.log(_LEVEL))
_HALVINGS = 40
_EDGE = 1e-9


@dataclass(frozen=True, slots=True)
class AnyLook:
    """Bounds in 0…1 that hold at every look together in 95 of 100 runs, over so many ``units``;
    ``caution`` where these are sources of which little is known."""

    low: float
    high: float
    units: int
    caution: str = ""


def any_look(part: AccuracyEstimate, planned: int) -> AnyLook | None:
    """The interval of an accuracy so far; ``planned`` is how many answers there will be.

    Assumes that answers come in an order that has nothing to do with how hard they are. None for
    fewer than 20 sources, or items where they share none.
    """
    if part.clusters == 1 < part.n:
        return None  # the answers so far are all of one source
    shared = part.clustered is not None
    units = part.clusters if shared else part.n
    if part.accuracy is None or units < FEWEST_UNITS:
        return None
    worth = part.worth
    if shared:  # how alike they are is estimated
        worth *= (NormalDist().inv_cdf(1 - _LEVEL / 2) / student_quantile(part.freedom)) ** 2
    low, high = mixture_bounds(part.accuracy, worth, worth * max(1.0, planned / part.n))
    return AnyLook(low, high, units, part.caution if shared else "")


def mixture_bounds(share: float, worth: float, planned: float) -> tuple[float, float]:
    """All rates in 0…1 that a share right of ``worth`` answers leaves possible at every look, of
    ``planned`` answers in the end."""
    right, wrong = share * worth, (1 - share) * worth
    weight = planned / _NARROWEST

    def edge(inside: float, outside: float) -> float:
        if log_mixture(outside, right, wrong, weight) < _LIMIT:
            return round(outside)
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            if log_mixture(middle, right, wrong, weight) < _LIMIT:
                inside = middle
            else:
                outside = middle
        return outside

    start = min(max(share, 2 * _EDGE), 1 - 2 * _EDGE)
    return edge(start, _EDGE), edge(start, 1 - _EDGE)


def log_mixture(rate: float, right: float, wrong: float, weight: float) -> float:
    """The logarithm of the likelihood of so many right and wrong answers, mixed over rates that are
    beta-distributed around ``rate`` with ``weight``, over that of ``rate`` itself. If that is the
    true one, what it is the logarithm of is 1 on average at any look, and in 95 of 100 runs stays
    below 20 (Ville's inequality)."""
    a, b = weight * rate, weight * (1 - rate)
    mixed = math.lgamma(right + a) + math.lgamma(wrong + b) - math.lgamma(right + wrong + weight)
    before = math.lgamma(a) + math.lgamma(b) - math.lgamma(weight)
    return mixed - before - right * math.log(rate) - wrong * math.log1p(-rate)
