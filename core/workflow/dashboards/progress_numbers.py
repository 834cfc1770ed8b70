"""Progress: each task's way through the stages to its target, burn-up, and a forecast."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
import numpy.typing as npt

from core.i18n import tr, trn
from core.workflow.dashboards.columns import Frame, Ints, groups, newest_by
from core.workflow.dashboards.judgements import Judgements, standing
from core.workflow.protocols import settings_of
from core.workflow.workspace import Workspace
from db import benchmarks
from db.vocabulary import ItemState

DONE = (ItemState.ACCEPTED, ItemState.APPROVED, ItemState.FROZEN)
Floats = npt.NDArray[np.float64]
WINDOW_DAYS = 14
RESAMPLES = 1000
LEAST_DAYS = 3
"""Days of work below which a pace has no interval: one day resampled is always itself."""


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """One task: items per state, its target, and how many count towards it."""

    task: str
    states: Mapping[str, int]
    target: int

    @property
    def done(self) -> int:
        """Accepted, approved or frozen items."""
        return sum(self.states.get(state, 0) for state in DONE)


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


@dataclass(frozen=True, slots=True)
class ProgressNumbers:
    """The whole panel. ``burn_up`` is (day, items done by the end of it)."""

    tasks: tuple[TaskProgress, ...]
    burn_up: tuple[tuple[date, int], ...]
    done: int
    target: int
    forecast: Forecast
    sentence: str


def progress(
    ws: Workspace, view: Judgements, benchmark_id: int, today: date | None = None
) -> ProgressNumbers:
    """Everything the Progress panel shows of a benchmark."""
    with ws.reading() as session:
        rows = benchmarks.tasks(session, benchmark_id)
    items = view.items.rows(view.items["benchmark_id"] == benchmark_id)
    states = items["state"]
    counts = {task: states[places].counts() for task, places in groups(items["task_id"])}
    tasks = [
        TaskProgress(row.name, counts.get(row.id, {}), settings_of(row.protocol).target)
        for row in rows
    ]
    done = sum(task.done for task in tasks)
    target = sum(task.target for task in tasks)
    burn_up = _burn_up(view, items)
    forecast = _forecast(burn_up, done, target, today or datetime.now(UTC).date())
    return ProgressNumbers(
        tuple(tasks), burn_up, done, target, forecast, _sentence(done, target, forecast)
    )


def finished_on(view: Judgements, items: Frame) -> tuple[Ints, npt.NDArray[np.datetime64]]:
    """(numbers of the items that are done, the day of the last standing decision on each)."""
    finished = items["id"][items["state"].among(DONE)]
    decisions = standing(view.decisions)
    mine = np.isin(decisions["item_id"], finished)
    numbers, last = newest_by(decisions["item_id"][mine], decisions["at"][mine])
    return numbers, last.astype("datetime64[D]")


def _burn_up(view: Judgements, items: Frame) -> tuple[tuple[date, int], ...]:
    """Items are done on the day of their last standing decision."""
    days, counts = np.unique(finished_on(view, items)[1], return_counts=True)
    return tuple(zip(days.tolist(), np.cumsum(counts).tolist(), strict=True))


def _forecast(
    burn_up: tuple[tuple[date, int], ...], done: int, target: int, today: date
) -> Forecast:
    if done >= target:
        return Forecast(None, None, None, 0.0, tr("The target is reached."))
    window = _per_day(burn_up, today)
    if window is None or window.sum() == 0:
        why = tr("Nothing was finished in the last {days} days.", days=WINDOW_DAYS)
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
    found = []
    for offset in range((today - start).days + 1):
        total = totals.get(start + timedelta(days=offset), previous)
        found.append(total - previous)
        previous = total
    return np.array(found, float)


def _in_days(today: date, days: float) -> date | None:
    return today + timedelta(days=round(days)) if days < 3650 else None


def _sentence(done: int, target: int, forecast: Forecast) -> str:
    if not target:
        return tr("There is no task yet.")
    if forecast.day is None:
        return trn(
            "{done} of 1 item done. {why}",
            "{done} of {n} items done. {why}",
            target,
            done=f"{done:,}",
            why=forecast.undefined or tr("At this pace the target is out of sight."),
        )
    if forecast.low is None and forecast.high is None:
        return trn(
            "{done} of 1 item done; at {pace:.1f} a day the target is reached about "
            "{day}. A range needs {days} days of work.",
            "{done} of {n} items done; at {pace:.1f} a day the target is reached "
            "about {day}. A range needs {days} days of work.",
            target,
            done=f"{done:,}",
            pace=forecast.per_day,
            day=forecast.day,
            days=LEAST_DAYS,
        )
    return trn(
        "{done} of 1 item done; at {pace:.1f} a day the target is reached about "
        "{day} (90%: {low} to {high}).",
        "{done} of {n} items done; at {pace:.1f} a day the target is reached "
        "about {day} (90%: {low} to {high}).",
        target,
        done=f"{done:,}",
        pace=forecast.per_day,
        day=forecast.day,
        low=forecast.low or "–",
        high=forecast.high or "–",
    )
