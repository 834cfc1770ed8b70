"""When a target will be reached, from how many items each of the last days finished."""

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import numpy.typing as npt

from core.i18n import tr

Floats = npt.NDArray[np.float64]
WINDOW_DAYS = 14
RESAMPLES = 1000
LEAST_DAYS = 3
"""Days of work below which a pace has no interval: one day resampled is always itself."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the target will be reached at the pace of the last two weeks; None: not foreseeable.

    ``low`` and ``high`` bound the day at 90%, by resampling the days of the window; both are None
    where these are fewer than ``LEAST_DAYS``.
    """

    day: date | None
    low: date | None
    high: date | None
    per_day: float
    undefined: str | None


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
    rng = np.random.default_rng(0)
    draws = rng.choice(window, size=(RESAMPLES, len(window))).mean(axis=1)
    needed = np.where(draws > 0, left / np.maximum(draws, 1e-9), np.inf)
    low, high = np.quantile(needed, [0.05, 0.95], method="nearest")
    return Forecast(
        _in_days(today, left / pace),
        _in_days(today, float(low)),
        _in_days(today, float(high)),
        pace,
        None,
    )


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
