"""Acceptance sampling of a lot: what a plan can find, what a pass proves, and the draw itself.

A plan (n, c) draws n items of a lot of N without replacement and passes the lot when at most c of
them are defective. Chances are hypergeometric; where no lot size is given they are binomial, the
limit of a large lot (Montgomery, Introduction to Statistical Quality Control, chapter 15).
"""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.errors import InputError

COMPARED_SHARES = (0.01, 0.05, 0.10)


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """Draw ``sample`` (n ≥ 1) items; the lot passes with at most ``allowed`` (0 ≤ c < n) failed."""

    sample: int = 20
    allowed: int = 0

    def __post_init__(self) -> None:
        if self.sample < 1 or not 0 <= self.allowed < self.sample:
            raise InputError.tr(
                "An audit must draw at least one item and allow fewer failures than it "
                "draws, not {sample} and {allowed}.", sample=self.sample, allowed=self.allowed
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlanMeaning:
    """What a plan means for a lot: chance to pass by share of defects, and the proven bound."""

    plan: SamplingPlan
    lot: int | None
    pass_chances: tuple[tuple[float, float], ...]
    proves_at_most: float
    confidence: float


def pass_chance(plan: SamplingPlan, defect_share: float, lot: int | None = None) -> float:
    """The chance that a lot with that share of defects (0 to 1) passes.

    In a lot of given size the number of defects is the share rounded to whole items. A lot that
    is not larger than the sample is seen whole.
    """
    if not 0 <= defect_share <= 1:
        raise InputError.tr("A share of defects must be between 0 and 1, not {share}.",
                            share=defect_share)  # fmt: skip
    if lot is None:
        return _binomial_cdf(plan.allowed, plan.sample, defect_share)
    if not lot:
        return 1.0  # nothing there that could fail
    defects = math.floor(defect_share * lot + 0.5)
    return _hypergeometric_cdf(plan.allowed, lot, defects, min(plan.sample, lot))


def defects_of(share: float, lot: int) -> int:
    """How many items of a lot are nearest to a share above 0 of it: at least one."""
    return max(1, math.floor(share * lot + 0.5))


def _log_choices(of: int, chosen: int) -> float:
    """The logarithm of the number of ways to choose."""
    return math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)


def _hypergeometric_cdf(most: int, lot: int, defects: int, drawn: int) -> float:
    """The chance of at most so many defects among the drawn; by hand, because importing SciPy's
    distributions takes most of a second, which the first picture of a dashboard does not have."""
    least = max(0, drawn - (lot - defects))
    all_samples = _log_choices(lot, drawn)
    chances = (
        _log_choices(defects, k) + _log_choices(lot - defects, drawn - k) - all_samples
        for k in range(least, min(most, defects, drawn) + 1)
    )
    return min(1.0, math.fsum(map(math.exp, chances)))


def _binomial_cdf(most: int, drawn: int, share: float) -> float:
    """The same for a lot without end."""
    if share in (0, 1):
        return 1.0 if share == 0 or most >= drawn else 0.0
    chances = (
        _log_choices(drawn, k) + k * math.log(share) + (drawn - k) * math.log1p(-share)
        for k in range(min(most, drawn) + 1)
    )
    return min(1.0, math.fsum(map(math.exp, chances)))


def operating_curve(
    plan: SamplingPlan, lot: int | None = None, *, highest: float = 0.5, points: int = 101
) -> list[tuple[float, float]]:
    """(share of defects, chance to pass) from 0 to ``highest``: the plan's OC curve."""
    shares = [highest * step / (points - 1) for step in range(points)]
    return [(share, pass_chance(plan, share, lot)) for share in shares]


def proven_bound(
    plan: SamplingPlan, failures: int = 0, *, lot: int | None = None, confidence: float = 0.95
) -> float:
    """The share of defects that a sample with so many failures rules out from above.

    Without a lot size the one-sided bound of Clopper and Pearson (1934): with 20 drawn and none
    failed 0.139. With one, the largest share of whole items whose lots would still show so few
    failures with a chance of 1 − confidence or more: this share is not ruled out, what is above it
    is. 1.0 means nothing is ruled out.
    """
    if failures >= plan.sample:
        return 1.0
    if lot is None:
        from scipy.stats import beta

        return float(beta.ppf(confidence, failures + 1, plan.sample - failures))
    drawn = min(plan.sample, lot)
    if drawn == lot:
        return min(failures, lot) / lot if lot else 0.0
    low, high = failures, lot - (drawn - failures)  # the defects that such a sample leaves open
    while low < high:  # the largest number that is still likely enough; the chance only falls
        middle = (low + high + 1) // 2
        if _hypergeometric_cdf(failures, lot, middle, drawn) >= 1 - confidence - 1e-12:
            low = middle
        else:
            high = middle - 1
    return low / lot


def meaning(
    plan: SamplingPlan,
    lot: int | None = None,
    *,
    shares: Sequence[float] = COMPARED_SHARES,
    confidence: float = 0.95,
) -> PlanMeaning:
    """Everything that the audit page says about a plan before it is chosen."""
    return PlanMeaning(
        plan=plan,
        lot=lot,
        pass_chances=tuple((share, pass_chance(plan, share, lot)) for share in shares),
        proves_at_most=proven_bound(plan, plan.allowed, lot=lot, confidence=confidence),
        confidence=confidence,
    )


def draw(ids: Iterable[str], count: int, seed: int) -> list[str]:
    """``count`` different ids (all, where there are fewer) by a recorded seed, in drawn order.

    The order and the repetitions of ``ids`` make no difference, so the draw can be repeated from
    the lot and the seed alone.
    """
    pool = sorted(set(ids))
    return random.Random(seed).sample(pool, min(count, len(pool)))
