"""The Progress dashboard: each task's way to its target, burn-up, and when that is reached."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

import numpy as np
import numpy.typing as npt

from core.i18n import sentences, tr, trn
from core.report_table import ReportTable
from core.workflow.dashboards.columns import Frame, Ints, item_numbers, newest_by
from core.workflow.dashboards.figures import (
    Axis,
    Chart,
    Dashboard,
    DashboardTable,
    EmptyReason,
    ItemSelection,
    Mark,
    Pick,
    Series,
    stacked,
)
from core.workflow.dashboards.forecast import LEAST_DAYS, Forecast, forecast
from core.workflow.dashboards.judgements import Judgements, standing_rows
from core.workflow.dashboards.registry import DashboardRequest
from core.workflow.labels import label_of
from core.workflow.protocols import settings_of
from core.workflow.workspace import Workspace
from db import benchmarks
from db.queries import item_lists, item_search
from db.queries.item_search import ItemQuery
from db.vocabulary import ItemState

MOST_TASKS = 12
_ORDER = (
    ItemState.FROZEN,
    ItemState.APPROVED,
    ItemState.ACCEPTED,
    ItemState.IN_REVIEW,
    ItemState.SCREENING,
    ItemState.DRAFT,
    ItemState.RETURNED,
    ItemState.REJECTED,
    ItemState.SCREENED_OUT,
)
_Find = Callable[[str, tuple[str, ...]], list[int]]
DONE = (ItemState.ACCEPTED, ItemState.APPROVED, ItemState.FROZEN)


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
class ProgressNumbers:
    """The whole panel. ``burn_up`` is (day, items done by the end of it); the sentence and the
    forecast count of each task no more than its target."""

    tasks: tuple[TaskProgress, ...]
    burn_up: tuple[tuple[date, int], ...]
    done: int
    target: int
    forecast: Forecast
    sentence: str


def progress_numbers(
    ws: Workspace, view: Judgements, benchmark_id: int, today: date | None = None
) -> ProgressNumbers:
    """Everything the Progress dashboard shows of a benchmark."""
    with ws.reading() as session:
        rows = benchmarks.tasks(session, benchmark_id)
        counts = item_lists.states_by_task(session, benchmark_id)
    items = view.items.rows(view.items["benchmark_id"] == benchmark_id)
    tasks = [
        TaskProgress(row.name, counts.get(row.id, {}), settings_of(row.protocol).target)
        for row in rows
    ]
    done = sum(task.done for task in tasks)
    target = sum(task.target for task in tasks)
    burn_up = _items_done_by_day(view, items)
    needed = sum(min(task.done, task.target) for task in tasks)
    expected = forecast(burn_up, needed, target, today or datetime.now(UTC).date())
    said = [_sentence(needed, target, expected)]
    if done > needed:
        said.append(
            trn(
                "1 more is done than its task needs.",
                "{n} more are done than their tasks need.",
                done - needed,
            )
        )
    return ProgressNumbers(tuple(tasks), burn_up, done, target, expected, sentences(said))


def finished_on(view: Judgements, items: Frame) -> tuple[Ints, npt.NDArray[np.datetime64]]:
    """(numbers of the items that are done, the day of the last standing decision on each)."""
    finished = items["id"][items["state"].among(DONE)]
    decisions = standing_rows(view.decisions)
    relevant = np.isin(decisions["item_id"], finished)
    numbers, last = newest_by(decisions["item_id"][relevant], decisions["at"][relevant])
    return numbers, last.astype("datetime64[D]")


def _items_done_by_day(view: Judgements, items: Frame) -> tuple[tuple[date, int], ...]:
    """Items are done on the day of their last standing decision."""
    days, counts = np.unique(finished_on(view, items)[1], return_counts=True)
    return tuple(zip(days.tolist(), np.cumsum(counts).tolist(), strict=True))


def _sentence(done: int, target: int, expected: Forecast) -> str:
    if not target:
        return tr("No tasks yet.")
    if expected.day is None:
        return trn(
            "{done} of 1 item done. {why}",
            "{done} of {n} items done. {why}",
            target,
            done=f"{done:,}",
            why=expected.undefined
            or tr("At this rate the target is not reached in the foreseeable future."),
        )
    if expected.low is None and expected.high is None:
        return trn(
            "{done} of 1 item done; at {pace:.1f} a day the target is reached around {day}. "
            "A range of dates needs {days} days of work.",
            "{done} of {n} items done; at {pace:.1f} a day the target is reached around "
            "{day}. A range of dates needs {days} days of work.",
            target,
            done=f"{done:,}",
            pace=expected.per_day,
            day=expected.day,
            days=LEAST_DAYS,
        )
    share = tr("90%, {why}", why=expected.caution) if expected.caution else "90%"
    return trn(
        "{done} of 1 item done; at {pace:.1f} a day the target is reached around {day} "
        "({share}: {low} to {high}).",
        "{done} of {n} items done; at {pace:.1f} a day the target is reached around {day} "
        "({share}: {low} to {high}).",
        target,
        share=share,
        done=f"{done:,}",
        pace=expected.per_day,
        day=expected.day,
        low=expected.low or "–",
        high=expected.high or "–",
    )


def dashboard(request: DashboardRequest) -> Dashboard:
    """Sentence, bars per task, burn-up with forecast, and the table of all tasks."""
    view = request.book.read(("decisions",))
    benchmark = request.benchmark_id
    today = date.fromisoformat(request.today) if request.today else datetime.now(UTC).date()
    if benchmark is None:
        return _nothing(request, view.tip)
    numbers = progress_numbers(request.ws, view, benchmark, today)
    if not any(any(task.states.values()) for task in numbers.tasks):
        return _nothing(request, view.tip)
    find = partial(numbers_in, request.ws, benchmark)
    items = view.items.rows(view.items["benchmark_id"] == benchmark)
    return Dashboard(
        panel="progress",
        benchmark=request.benchmark,
        tip=view.tip,
        sentence=numbers.sentence,
        figures=(_tasks(numbers, find), _burn_up(numbers, view, items, today)),
        tables=(_table(numbers, find),),
        facts={"done": numbers.done, "target": numbers.target},
    )


def _nothing(request: DashboardRequest, tip: int) -> Dashboard:
    missing = EmptyReason(
        tr("No items to count yet."),
        tr("Generate items from articles; each is then counted here under its state."),
        tr("Generate items from articles"),
        "sources",
    )
    return Dashboard("progress", request.benchmark, tip, missing.title, missing=missing)


def numbers_in(
    ws: Workspace, benchmark_id: int, task: str = "", states: Sequence[str] = ()
) -> list[int]:
    """Numbers of the items of a benchmark, of one task where it is named, in some states."""
    with ws.reading() as session:
        ids = {row.name: row.id for row in benchmarks.tasks(session, benchmark_id)}
        wanted = ItemQuery(
            benchmark_id=benchmark_id,
            task_id=ids.get(task, -1) if task else None,
            states=tuple(states),
        )
        return item_search.ids(session, wanted, limit=None)


def _furthest_behind(tasks: Sequence[TaskProgress]) -> list[TaskProgress]:
    """The tasks that are drawn, in their order: where there are many, those furthest behind."""
    if len(tasks) <= MOST_TASKS:
        return list(tasks)
    behind = sorted(tasks, key=lambda task: task.done / task.target)[:MOST_TASKS]
    return [task for task in tasks if task in behind]


def _tasks(numbers: ProgressNumbers, find: _Find) -> Chart:
    shown = _furthest_behind(numbers.tasks)
    parts: list[tuple[str, str, list[float], list[Pick | None]]] = []
    for state in _ORDER:
        counts: list[float] = [task.states.get(state, 0) for task in shown]
        picks: list[Pick | None] = [
            ItemSelection(find, task.task, (state.value,)) for task in shown
        ]
        parts.append((label_of(state), state, counts, picks))
    targets = tuple(Mark(place, task.target, label=task.task) for place, task in enumerate(shown))
    title = (
        tr("Items per task by state, with target")
        if len(shown) == len(numbers.tasks)
        else tr("Items by state for the {count} tasks furthest behind", count=len(shown))
    )
    return Chart(
        id="tasks",
        title=title,
        places=Axis("", names=tuple(task.task for task in shown)),
        values=Axis(tr("items"), kind="count", low=0),
        series=(*stacked(parts), Series(tr("target"), "points", targets, "target")),
        horizontal=True,
    )


def _burn_up(numbers: ProgressNumbers, view: Judgements, items: Frame, today: date) -> Chart:
    expected, target = numbers.forecast, numbers.target
    series = []
    if numbers.burn_up:
        done = tuple(
            Mark(day.toordinal(), total, pick=partial(_finished_on, view, items, day))
            for day, total in numbers.burn_up
        )
        if today > numbers.burn_up[-1][0]:
            done += (Mark(today.toordinal(), numbers.burn_up[-1][1]),)
        series.append(Series(tr("done"), "line", done, "accepted"))
    start = today.toordinal()
    last = start + 1
    if expected.day is not None:
        first = (expected.low or expected.day).toordinal()
        last = min((expected.high or expected.day).toordinal(), start + 365)
        series.append(_forecast_band(numbers, start, first, last))
    begin = numbers.burn_up[0][0].toordinal() if numbers.burn_up else start - 1
    ends = (Mark(begin, target), Mark(last, target))
    series.append(Series(tr("target"), "rule", ends))
    return Chart(
        id="burn_up",
        title=tr("Items done, with forecast from the last two weeks (90%)")
        if expected.low or expected.high
        else tr("Items done, with forecast from the last two weeks"),
        places=Axis(tr("day"), kind="date"),
        values=Axis(tr("items"), kind="count", low=0, high=1.05 * max(target, numbers.done, 1)),
        series=tuple(series),
        empty="" if numbers.burn_up else tr("No items are done yet, so there is no forecast."),
    )


def _forecast_band(numbers: ProgressNumbers, start: int, first: int, last: int) -> Series:
    """From today's total to the target, between the earliest and the latest foreseeable day."""
    left = numbers.target - numbers.done
    steps = sorted({start, min(first, last), last})
    marks = []
    for day in steps:
        gone = day - start
        high = numbers.done + left * min(1.0, gone / max(1, first - start))
        low = numbers.done + left * min(1.0, gone / max(1, last - start))
        middle = min(numbers.target, numbers.done + numbers.forecast.per_day * gone)
        marks.append(Mark(day, middle, low=low, high=high))
    return Series(tr("forecast"), "band", tuple(marks))


def _finished_on(view: Judgements, items: Frame, day: date) -> list[int]:
    finished, days = finished_on(view, items)
    return item_numbers(finished[days == np.datetime64(day)])


def _table(numbers: ProgressNumbers, find: _Find) -> DashboardTable:
    used = [state for state in _ORDER if any(task.states.get(state) for task in numbers.tasks)]
    table = ReportTable(
        title=tr("Tasks"),
        columns=(
            tr("Task"), tr("target"), tr("done"), *(label_of(state) for state in used), tr("all"),
        ),
        rows=tuple(
            (
                task.task, task.target, task.done, *(task.states.get(state, 0) for state in used),
                sum(task.states.values()),
            )
            for task in numbers.tasks
        ),
    )  # fmt: skip
    picks = tuple(ItemSelection(find, task.task) for task in numbers.tasks)
    return DashboardTable("tasks", table, picks)
