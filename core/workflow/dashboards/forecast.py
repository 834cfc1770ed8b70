"""When a target will be reached, from how many items each of the last days finished."""

import math
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from core.i18n import tr, trn
from core.proportion import student_quantile

Floats = npt.NDArray[np.float64]
WINDOW_DAYS = 14
RESAMPLES = 4000
CONFIDENCE = 0.9
LEAST_DAYS = 5
"""Days of work below which a pace has no interval: of three it would hold in 75 of 100."""
FEW_DAYS = 7
"""Days of work below which it holds less often than it says, down to 87 of 100 of far targets."""
SHORT_DAYS = 7
"""A range of so many days or fewer holds more often than it says, as it is in whole days."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the target will be reached at the pace of the last two weeks; None: not foreseeable.

    ``low`` and ``high`` bound the day at 90%: the days of the window are resampled, and those to
    come differ as they did. Both are None where these are fewer than ``LEAST_DAYS``.
    ``caution`` says where the range holds less often than it says, or more often.
    """

    day: date | None
    low: date | None
    high: date | None
    per_day: float
    undefined: str | None
    caution: str = ""


def forecast(
    burn_up: tuple[tuple[date, int], ...], done: int, target: int, today: date
) -> Forecast:
    """The forecast from (day, items done by the end of it), in ascending order of days."""
    if done >= target:
        return Forecast(None, None, None, 0.0, tr("The target has been reached."))
    window = _per_day(burn_up, today)
    if window is None or window.sum() == 0:
        why = tr("No items were finished in the last {days} days.", days=WINDOW_DAYS)
        return Forecast(None, None, None, 0.0, why)
    left = target - done
    pace = float(window.mean())
    if len(window) < LEAST_DAYS:
        return Forecast(_in_days(today, left / pace), None, None, pace, None)
    low, high = _range(window, left)
    day, first, last = (_in_days(today, days) for days in (left / pace, low, high))
    return Forecast(day, first, last, pace, None, _caution(len(window), high - low))


def _caution(days: int, width: float) -> str:
    if days < FEW_DAYS:
        return trn("rough: 1 day of work", "rough: {n} days of work", days)
    return tr("in whole days, so rather more often") if width <= SHORT_DAYS else ""


def _range(window: Floats, left: int) -> tuple[float, float]:
    """Days until so many items are finished, at 90%.

    A resample of the window gives a pace m and a spread s of days; how many days ``left`` items
    take then varies by s·√(left / m³) (renewal theory, Cox 1962, section 3.3). Of few days the
    percentiles lie further out (Hesterberg 2015, The American Statistician 69, 371-386).
    """
    rng = np.random.default_rng(0)
    drawn = rng.choice(window, size=(RESAMPLES, len(window)))
    pace = np.maximum(drawn.mean(axis=1), 1e-9)
    luck = drawn.std(axis=1) * np.sqrt(left / pace**3) * rng.normal(size=RESAMPLES)
    needed = np.where(pace > 1e-8, np.maximum(left / pace + luck, 1.0), np.inf)
    freedom = len(window) - 1
    reach = student_quantile(freedom, CONFIDENCE) * math.sqrt(1 + 1 / freedom)
    tail = NormalDist().cdf(-reach)
    low, high = np.quantile(needed, [tail, 1 - tail], method="nearest")
    return math.floor(low), math.ceil(high) if math.isfinite(high) else math.inf


def _per_day(burn_up: tuple[tuple[date, int], ...], today: date) -> Floats | None:
    """Items finished on each of the last days, from the first day of work on."""
    if not burn_up:
        return None
    totals = dict(burn_up)
    start = max(burn_up[0][0], today - timedelta(days=WINDOW_DAYS - 1))
    before = [n for day, n in burn_up if day < start]
    previous = before[-1] if before else 0
    finished = []
    for offset in range((today - start).days + 1):
        total = totals.get(start + timedelta(days=offset), previous)
        finished.append(total - previous)
        previous = total
    return np.array(finished, float)


def _in_days(today: date, days: float) -> date | None:
    return today + timedelta(days=round(days)) if days < 3650 else None
