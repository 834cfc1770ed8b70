"""How far a judge agrees with people: Spearman and kappa over the items that both rated."""

from collections.abc import Mapping, Sequence

from core.agreement.base import CoefficientResult
from core.agreement.compute import coefficients_for
from core.agreement.ratings import declared_scale, table_of_rows

RATING_COEFFICIENTS = ("spearman", "cohen_kappa_quadratic")
VERDICT_COEFFICIENTS = ("percent", "cohen_kappa")


def judge_agreement(
    judged: Mapping[str, float],
    human: Mapping[str, float],
    *,
    categories: Sequence[float],
    resamples: int = 1000,
    seed: int = 0,
) -> list[CoefficientResult]:
    """Coefficients between the judge's and the people's ratings, with intervals.

    ``judged`` and ``human`` map item ids to values of ``categories`` (ratings such as 1…5, or
    verdicts 0 and 1); only items in both count. Fewer than two such items, or constant ratings,
    give a reason in the results instead of a number.
    """
    both = [item for item in judged if item in human]
    rows = [(item, rater, value)
            for item in both
            for rater, value in (("judge", judged[item]), ("people", human[item]))]  # fmt: skip
    table = table_of_rows(rows, declared_scale(categories))
    names = RATING_COEFFICIENTS if len(categories) > 2 else VERDICT_COEFFICIENTS
    return coefficients_for(table, names, resamples=resamples, seed=seed)
