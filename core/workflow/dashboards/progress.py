"""The Progress board: each task's way to its target, burn-up, and when the target is reached."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial

import numpy as np

from core.i18n import tr
from core.report_table import ReportTable
from core.workflow.dashboard_labels import word
from core.workflow.dashboards.columns import Frame, Ints
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
from core.workflow.dashboards.judgements import Judgements
from core.workflow.dashboards.progress_numbers import (
    ProgressNumbers,
    TaskProgress,
    finished_on,
    progress,
)
from core.workflow.dashboards.registry import DashboardRequest
from db.benchmarks import benchmark_named
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


def board(asked: DashboardRequest) -> Dashboard:
    """Sentence, bars per task, burn-up with forecast, and the table of all tasks."""
    view = asked.book.read(("decisions",))
    number = benchmark_id(asked)
    today = date.fromisoformat(asked.today) if asked.today else datetime.now(UTC).date()
    if number is None or not np.any(view.items["benchmark_id"] == number):
        return _nothing(asked, view.tip)
    found = progress(asked.ws, view, number, today)
    items = view.items.rows(view.items["benchmark_id"] == number)
    return Dashboard(
        panel="progress",
        benchmark=asked.benchmark,
        tip=view.tip,
        sentence=found.sentence,
        figures=(_tasks(found, items, view), _burn_up(found, view, items, today)),
        tables=(_table(found, items, view),),
        facts={"done": found.done, "target": found.target},
    )


def benchmark_id(asked: DashboardRequest) -> int | None:
    """The id of the benchmark that is asked for, None where there is none of that name."""
    with asked.ws.reading() as session:
        row = benchmark_named(session, asked.benchmark)
    return row.id if row else None


def _nothing(asked: DashboardRequest, tip: int) -> Dashboard:
    missing = EmptyReason(
        tr("There are no items to count yet."),
        tr("Make some from articles; every item then stands here in exactly one state."),
        tr("Make items from articles"),
        "sources",
    )
    return Dashboard("progress", asked.benchmark, tip, missing.title, missing=missing)


def numbers_in(
    items: Frame, tasks: Mapping[str, int], task: str = "", states: Sequence[str] = ()
) -> list[int]:
    """Numbers of the items of a task in some states; ``tasks`` are the ids by name."""
    wanted = items["task_id"] == tasks.get(task, -1) if task else np.ones(len(items), bool)
    if states:
        wanted = wanted & items["state"].among(states)
    return numbers_of(items["id"][wanted])


def numbers_of(column: Ints) -> list[int]:
    """Item numbers as plain values, each once."""
    found: list[int] = np.unique(column).tolist()
    return found


def _furthest_behind(tasks: Sequence[TaskProgress]) -> list[TaskProgress]:
    """The tasks that are drawn, in their order: where there are many, those furthest behind."""
    if len(tasks) <= MOST_TASKS:
        return list(tasks)
    behind = sorted(tasks, key=lambda task: task.done / task.target)[:MOST_TASKS]
    return [task for task in tasks if task in behind]


def _finder(items: Frame, view: Judgements) -> Callable[[str, tuple[str, ...]], list[int]]:
    bench = int(items["benchmark_id"][0])
    ids = {task.name: task.id for task in view.tasks if task.benchmark_id == bench}
    return partial(numbers_in, items, ids)


def _tasks(found: ProgressNumbers, items: Frame, view: Judgements) -> Chart:
    shown = _furthest_behind(found.tasks)
    find = _finder(items, view)
    parts: list[tuple[str, str, list[float], list[Pick | None]]] = []
    for state in _ORDER:
        counts: list[float] = [task.states.get(state, 0) for task in shown]
        picks: list[Pick | None] = [
            ItemSelection(find, task.task, (state.value,)) for task in shown
        ]
        parts.append((word(state), state, counts, picks))
    targets = tuple(Mark(place, task.target, label=task.task) for place, task in enumerate(shown))
    title = (
        tr("Items of each task by state, and its target")
        if len(shown) == len(found.tasks)
        else tr("Items by state, of the {count} tasks furthest behind", count=len(shown))
    )
    return Chart(
        id="tasks",
        title=title,
        places=Axis("", names=tuple(task.task for task in shown)),
        values=Axis(tr("items"), kind="count", low=0),
        series=(*stacked(parts), Series(tr("target"), "points", targets, "target")),
        lying=True,
    )


def _burn_up(found: ProgressNumbers, view: Judgements, items: Frame, today: date) -> Chart:
    forecast, target = found.forecast, found.target
    series = []
    if found.burn_up:
        done = tuple(
            Mark(day.toordinal(), total, pick=partial(_finished_on, view, items, day))
            for day, total in found.burn_up
        )
        if today > found.burn_up[-1][0]:
            done += (Mark(today.toordinal(), found.burn_up[-1][1]),)
        series.append(Series(tr("done"), "line", done, "accepted"))
    start = today.toordinal()
    last = start + 1
    if forecast.day is not None:
        first = (forecast.low or forecast.day).toordinal()
        last = min((forecast.high or forecast.day).toordinal(), start + 365)
        series.append(_forecast_band(found, start, first, last))
    begin = found.burn_up[0][0].toordinal() if found.burn_up else start - 1
    ends = (Mark(begin, target), Mark(last, target))
    series.append(Series(tr("target"), "rule", ends))
    return Chart(
        id="burn_up",
        title=tr("Items done, and the forecast from the last two weeks (90%)")
        if forecast.low or forecast.high
        else tr("Items done, and the forecast from the last two weeks"),
        places=Axis(tr("day"), kind="date"),
        values=Axis(tr("items"), kind="count", low=0, high=1.05 * max(target, found.done, 1)),
        series=tuple(series),
        empty="" if found.burn_up else tr("Nothing is done yet, so there is no pace."),
    )


def _forecast_band(found: ProgressNumbers, start: int, first: int, last: int) -> Series:
    """From today's total to the target, between the earliest and the latest foreseeable day."""
    left = found.target - found.done
    steps = sorted({start, min(first, last), last})
    marks = []
    for day in steps:
        gone = day - start
        high = found.done + left * min(1.0, gone / max(1, first - start))
        low = found.done + left * min(1.0, gone / max(1, last - start))
        middle = min(found.target, found.done + found.forecast.per_day * gone)
        marks.append(Mark(day, middle, low=low, high=high))
    return Series(tr("forecast"), "band", tuple(marks))


def _finished_on(view: Judgements, items: Frame, day: date) -> list[int]:
    numbers, days = finished_on(view, items)
    return numbers_of(numbers[days == np.datetime64(day)])


def _table(found: ProgressNumbers, items: Frame, view: Judgements) -> DashboardTable:
    used = [state for state in _ORDER if any(task.states.get(state) for task in found.tasks)]
    table = ReportTable(
        title=tr("Tasks"),
        columns=(
            tr("Task"), tr("target"), tr("done"), *(word(state) for state in used), tr("all"),
        ),
        rows=tuple(
            (
                task.task, task.target, task.done, *(task.states.get(state, 0) for state in used),
                sum(task.states.values()),
            )
            for task in found.tasks
        ),
    )  # fmt: skip
    find = _finder(items, view)
    picks = tuple(ItemSelection(find, task.task) for task in found.tasks)
    return DashboardTable("tasks", table, picks)
