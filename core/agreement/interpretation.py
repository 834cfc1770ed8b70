"""Words for values, and the caution they need."""

import numpy as np

from core.agreement.coefficients.gwet import GwetAC1
from core.agreement.features import item_agreement
from core.agreement.intervals import Interval
from core.agreement.ratings import RatingTable
from core.i18n import printed, tr

PARADOX_GAP = 0.2
PARADOX_SHARE = 0.7


def landis_koch(value: float) -> str:
    """The word of Landis and Koch (1977, Biometrics 33) for a kappa.

    What rounding leaves of a bound such as 0.2 belongs to the bound.
    """
    value = round(value, 9)
    if value < 0:
        return tr("poor")
    if value <= 0.20:
        return tr("slight")
    if value <= 0.40:
        return tr("fair")
    if value <= 0.60:
        return tr("moderate")
    if value <= 0.80:
        return tr("substantial")
    return tr("almost perfect")


def landis_koch_of(value: float, interval: Interval) -> str:
    """The words for both ends of a value's interval, as a sample says no more than that (Gwet
    2014, ch. 6); the one for the value where there is no interval."""
    if interval.low is None or interval.high is None:
        return landis_koch(value)
    low, high = landis_koch(interval.low), landis_koch(interval.high)
    return low if low == high else tr("{low} to {high}", low=low, high=high)


def landis_koch_caution() -> str:
    """What must stand beside the word."""
    return tr(
        "The labels are those of Landis and Koch (1977) for both ends of the interval, a "
        "convention that no test supports. What is sufficient depends on the task, the number "
        "of categories and their prevalence."
    )


def paradox_note(table: RatingTable, kappa: float) -> str | None:
    """The kappa paradox (Feinstein and Cicchetti 1990), where prevalence drives kappa and AC1
    apart: one category has at least 70% of the ratings and AC1 is at least 0.2 above kappa."""
    totals = table.category_totals
    total = float(totals.sum())
    if not total or len(totals) < 2:
        return None
    top = int(np.argmax(totals))
    share = float(totals[top]) / total
    ac1 = GwetAC1().statistic(table).value
    if share < PARADOX_SHARE or not ac1 - kappa >= PARADOX_GAP:
        return None
    patterns = table.patterns.merged
    agreed = float(patterns.weights @ item_agreement(patterns)) / table.n_pairable
    return tr(
        "Kappa paradox: raters agree in {agreed:.0%} of pairs, but {share:.0%} of all "
        "ratings are “{category}”, so chance agreement is high, which lowers this value. "
        "Gwet's AC1 is {ac1}; report both.",
        agreed=agreed,
        share=share,
        category=(table.words or table.categories)[top],
        ac1=printed(ac1, 3),
    )
