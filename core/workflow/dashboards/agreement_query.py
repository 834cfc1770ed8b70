"""Measuring: agreement of people on what they decided and rated, whole and in every cut."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from core.errors import NotFoundError
from core.i18n import language, listed, tr, tr_noop
from core.known_names import refuse_unknown
from core.workflow.dashboards.columns import (
    Categories,
    Frame,
    Ints,
    groups,
    iso_weeks,
    last_of_each,
)
from core.workflow.dashboards.judgements import JudgementBook, Judgements, Part, standing_rows
from core.workflow.lookup import task_in
from core.workflow.people import benchmark_in
from core.workflow.rubrics import Criterion, criterion_scale, own_criteria, rubrics
from core.workflow.workspace import Workspace
from db import benchmarks

if TYPE_CHECKING:
    from core.agreement.ratings import RatingTable
    from core.agreement.shared_sources import SharedSources
    from core.agreement.statistic import CoefficientResult

DECISION = "decision"
_REVISIONS = 1000  # more revisions than any item will have
VERDICTS = ("accept", "reject", "return")
DEFAULT_COEFFICIENTS = (
    "percent",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha_nominal",
    "gwet_ac1",
)
Cut = Literal[
    "task", "category", "family", "format", "domain", "criterion",
    "stage", "pair", "week", "reviewer", "round",
]  # fmt: skip
CUTS: tuple[Cut, ...] = get_args(Cut)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which judgements are measured.

    ``criterion`` is ``decision`` (the verdicts) or a criterion of a rubric. ``adjudicated``:
    ``before`` keeps what each reviewer said, ``after`` puts the adjudicator's verdict in the place
    of theirs. ``gold``: items with known answers are counted ``with`` or left out ``without``.
    """

    benchmark: str = ""
    task: str = ""
    criterion: str = DECISION
    stage: int | None = 2
    as_of: datetime | None = None
    adjudicated: Literal["before", "after"] = "before"
    gold: Literal["with", "without"] = "with"


@dataclass(frozen=True, slots=True)
class AgreementOptions:
    """Which coefficients are computed, with which interval; ``items``: keep the items' names."""

    names: tuple[str, ...] = DEFAULT_COEFFICIENTS
    interval: str = "bca"
    resamples: int = 1000
    seed: int = 0
    items: bool = True


@dataclass(frozen=True)
class Agreement:
    """Coefficients over one group of judgements, with the table and the items behind them."""

    group: str
    coefficients: "tuple[CoefficientResult, ...]"
    table: "RatingTable"


def judgements(ws: Workspace, scope: Scope, book: JudgementBook | None = None) -> Frame:
    """The judgements in a scope: one row per item revision, person and criterion, by unit.

    Columns: unit (item × 1000 + revision), item_id, revision, task_id, task, family, format,
    domain, stage, round, person_id, person, criterion, value, at; ``value`` holds words for
    decisions and numbers for ratings. Raises NotFoundError for an unknown benchmark or task.
    """
    book = book or JudgementBook(ws)
    view = book.read(("decisions", "ratings"))
    if scope.criterion in (DECISION, "*"):
        frame: Frame = book.cached_for(
            view, scope, lambda: _selected(view, scope, _benchmark_id(ws, scope))
        )
        return frame
    if scope.criterion not in view.ratings["criterion"].names:
        check_criterion(scope.criterion, [task.profile for task in view.tasks])
    all_criteria = judgements(ws, replace(scope, criterion="*"), book)
    rows: Frame = book.cached_for(
        view, scope, lambda: all_criteria.rows(all_criteria["criterion"].among((scope.criterion,)))
    )
    return rows


def check_criterion(name: str, profiles: Sequence[Mapping[str, Any]] = ()) -> None:
    """NotFoundError for a criterion that no rubric has, none of tasks' own in ``profiles``
    either."""
    if name == DECISION or criterion_scale(name, profiles) is not None:
        return
    known = {criterion.name for rubric in rubrics() for criterion in rubric.criteria}
    known |= {criterion.name for profile in profiles for criterion in own_criteria(profile)}
    raise NotFoundError.tr("There is no criterion “{name}”. Available: {known}.", name=name,
                           known=listed((DECISION, *sorted(known))))  # fmt: skip


def criteria_in(ws: Workspace, benchmark: str = "") -> tuple[Criterion, ...]:
    """What may be rated in a benchmark, or in all: the criteria of the shipped rubrics, then those
    of its tasks' own, each name once."""
    with ws.reading() as session:
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        own = [c for row in benchmarks.tasks(session, benchmark_id)
               for c in own_criteria(row.profile)]  # fmt: skip
    shipped = [c for rubric in rubrics() for c in rubric.criteria]
    return tuple({c.name: c for c in reversed([*shipped, *own])}.values())[::-1]


def criterion_named(ws: Workspace, name: str) -> str:
    """The criterion that somebody means: by its name, else by name or title in whatever case; as it
    is written where there is none."""
    known = criteria_in(ws)
    names = {word.casefold(): c.name for c in reversed(known) for word in (c.title, tr(c.title))}
    names |= {c.name.casefold(): c.name for c in reversed(known)} | {DECISION: DECISION}
    written = any(c.name == name for c in known)
    return name if written else names.get(name.strip().casefold(), name)


def _benchmark_id(ws: Workspace, scope: Scope) -> int | None:
    if not scope.benchmark and not scope.task:
        return None
    with ws.reading() as session:
        if scope.task:
            return task_in(session, scope.task, scope.benchmark).benchmark_id
        return benchmark_in(session, scope.benchmark).id


def _selected(view: Judgements, scope: Scope, benchmark_id: int | None) -> Frame:
    judged = _decisions(view, scope) if scope.criterion == DECISION else _ratings(view, scope)
    items = view.items
    place = np.searchsorted(items["id"], judged["item_id"])
    task_id = items["task_id"][place]
    wanted = np.ones(len(judged), bool)
    if benchmark_id is not None:
        wanted &= items["benchmark_id"][place] == benchmark_id
    if scope.task:
        named = [
            task.id
            for task in view.tasks
            if task.benchmark_id == benchmark_id
            and (scope.task == task.name or scope.task.endswith(f"/{task.name}"))
        ]
        wanted &= np.isin(task_id, named)
    if scope.gold == "without" and view.gold:
        wanted &= ~_is_gold(judged, view)
    unit = _units(judged)
    rows = np.flatnonzero(wanted)
    rows = rows[np.argsort(unit[rows], kind="stable")]
    place = place[rows]
    names = ("item_id", "revision", "stage", "person_id", "criterion", "value", "at")
    item_columns = items.only(("task_id", "round", "family", "format", "domain")).rows(place)
    frame = judged.only(names).rows(rows).having(unit=unit[rows]).beside(item_columns)
    return frame.having(
        task=_named(item_columns["task_id"], _task_names(view, benchmark_id)),
        person=_named(frame["person_id"], view.people),
    )


def _task_names(view: Judgements, benchmark_id: int | None) -> dict[int, str]:
    """Names of the tasks by id; over all benchmarks, namesakes as ``BENCHMARK/TASK``."""
    uses = Counter(task.name for task in view.tasks)
    return {
        task.id: f"{task.benchmark}/{task.name}"
        if benchmark_id is None and uses[task.name] > 1
        else task.name
        for task in view.tasks
    }


def _units(frame: Frame) -> Ints:
    return np.asarray(frame["item_id"] * _REVISIONS + frame["revision"])


def _is_gold(frame: Frame, view: Judgements) -> Any:
    columns = (frame[name].tolist() for name in ("item_id", "revision", "person_id"))
    return np.array([key in view.gold for key in zip(*columns, strict=True)], bool)


def _named(numbers: Ints, names: Mapping[int, str]) -> Categories:
    """Ids as their names; equal names of different ids are one word."""
    known = np.array(sorted(names), np.int64)
    labels = [names[number] for number in known.tolist()]
    order = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    place = np.array([order[label] for label in labels], np.int32)
    codes = np.searchsorted(known, numbers)
    return Categories(place[codes] if len(place) else codes.astype(np.int32), tuple(order))


def unit_name(unit: int) -> str:
    """What an item revision is called: ``12`` for the first revision, ``12r2`` for the second."""
    item, revision = divmod(unit, _REVISIONS)
    return str(item) if revision <= 1 else f"{item}r{revision}"


def _unit_names(units: Ints) -> tuple[str, ...]:
    """``unit_name`` of each, at once."""
    items, revisions = np.divmod(units, _REVISIONS)
    names = list(map(str, items.tolist()))
    for place in np.flatnonzero(revisions > 1).tolist():
        names[place] = unit_name(int(units[place]))
    return tuple(names)


def _decisions(view: Judgements, scope: Scope) -> Frame:
    frame = standing_rows(view.decisions, scope.as_of)
    settling = frame["kind"].among(("adjudication",))
    reviews = frame.rows(~settling)
    if scope.stage is not None:
        reviews = reviews.rows(reviews["stage"] == scope.stage)
    value: Categories = reviews["verdict"]
    if scope.adjudicated == "after":
        value = _adjudicated(reviews, frame.rows(settling))
    criterion = Categories(np.zeros(len(reviews), np.int32), (DECISION,))
    return reviews.having(criterion=criterion, value=value)


def _adjudicated(reviews: Frame, settled: Frame) -> Categories:
    """What was said, with the adjudicator's last verdict in the place of every reviewer's."""
    verdict: Categories = reviews["verdict"]
    if not len(settled):
        return verdict
    unit = _units(settled)
    last = last_of_each(unit)
    last = last[np.argsort(unit[last], kind="stable")]
    known, verdicts = unit[last], settled["verdict"].codes[last]
    reviewed = _units(reviews)
    place = np.minimum(np.searchsorted(known, reviewed), len(known) - 1)
    return Categories(
        np.where(known[place] == reviewed, verdicts[place], verdict.codes), verdict.names
    )


def _ratings(view: Judgements, scope: Scope) -> Frame:
    frame = standing_rows(view.ratings, scope.as_of)
    return frame.having(stage=np.full(len(frame), 2))


def agreement(
    ws: Workspace,
    scope: Scope,
    estimate: AgreementOptions = AgreementOptions(),
    book: JudgementBook | None = None,
) -> Agreement:
    """Coefficients over all judgements in a scope."""
    book = book or JudgementBook(ws)
    view = _view(book, estimate)
    frame = judgements(ws, scope, book)
    return _measured("", frame, scope.criterion, estimate, book, view)


def _view(book: JudgementBook, estimate: AgreementOptions) -> Judgements:
    """What is measured: intervals ask for what items share, too."""
    sources: tuple[Part, ...] = () if estimate.interval == "none" else ("sources",)
    return book.read(("decisions", "ratings", *sources))


def agreement_by(
    ws: Workspace,
    scope: Scope,
    cut: Cut,
    estimate: AgreementOptions = AgreementOptions(),
    book: JudgementBook | None = None,
) -> tuple[Agreement, ...]:
    """Coefficients in every group of a cut, in the order of the groups' names.

    ``pair`` restricts to two people at a time, ``reviewer`` to the items that this person judged,
    ``week`` to the ISO week in which an item got its last judgement.
    """
    refuse_unknown(
        cut, CUTS, tr_noop("Agreement cannot be broken down by “{name}”. Available: {known}.")
    )
    if cut == "criterion":
        scope = replace(scope, criterion="*")
    if cut == "stage":
        scope = replace(scope, stage=None)
    book = book or JudgementBook(ws)
    view = _view(book, estimate)
    frame = judgements(ws, scope, book)
    results = []
    for name, part in _groups(_measurable(frame, cut), cut, view):
        criterion = name if cut == "criterion" else scope.criterion
        results.append(_measured(name, part, criterion, estimate, book, view))
    if cut == "criterion":
        verdicts = judgements(ws, replace(scope, criterion=DECISION), book)
        if len(verdicts):
            results.insert(0, _measured(DECISION, verdicts, DECISION, estimate, book, view))
    return tuple(results)


def _measurable(frame: Frame, cut: Cut) -> Frame:
    """Only the columns that groups are made by and measured on: the others need not be copied."""
    return frame.only({"unit", "person", "value", "at", "task_id", cut})


def _groups(frame: Frame, cut: Cut, view: Judgements) -> Iterator[tuple[str, Frame]]:
    if cut == "pair":
        parts = sorted(groups(frame["person"]), key=lambda group: str(group[0]))
        for (first, first_rows), (second, second_rows) in combinations(parts, 2):
            yield (
                f"{first} · {second}",
                frame.rows(np.sort(np.concatenate([first_rows, second_rows]))),
            )
    elif cut == "reviewer":
        for person, rows in groups(frame["person"]):
            yield person, frame.rows(np.isin(frame["unit"], frame["unit"][rows]))
    elif cut == "category":
        for category, tasks in _categories(view).items():
            rows = np.flatnonzero(np.isin(frame["task_id"], tasks))
            if len(rows):
                yield category, frame.rows(rows)
    else:
        column = _weeks(frame) if cut == "week" else frame[cut]
        for name, rows in groups(column):
            yield str(name) or tr("none"), frame.rows(rows)


def _categories(view: Judgements) -> dict[str, list[int]]:
    """The tasks of every category, by the categories' names."""
    tasks_of: dict[str, list[int]] = {}
    for task in view.tasks:
        for category in task.profile.get("categories") or []:
            tasks_of.setdefault(str(category), []).append(task.id)
    return dict(sorted(tasks_of.items()))


def _weeks(frame: Frame) -> Categories:
    """The ISO week, such as ``2026-W32``, in which each row's unit got its last judgement."""
    if not len(frame):
        return Categories(np.empty(0, np.int32), ())
    days = frame["at"].astype("datetime64[D]")
    unit, first = _sorted_codes(frame["unit"])
    last = np.maximum.reduceat(days, np.searchsorted(unit, np.arange(len(first))))
    return iso_weeks(last)[unit]


def table_of(
    frame: Frame,
    criterion: str = DECISION,
    *,
    items: bool = True,
    scale: tuple[float, ...] | None = None,
) -> "RatingTable":
    """The rating table of some judgements: item revisions × people, with or without names.

    ``scale`` are the values of a rating's criterion; without, those that were given.
    """
    from core.agreement.ratings import code_type, table_of_matrix
    from core.workflow.labels import label_of

    categories: tuple[object, ...] = VERDICTS
    if criterion != DECISION:
        used = tuple(np.unique(frame["value"]).tolist())
        categories = tuple(sorted({*(scale or ()), *used}))
    units, first = _sorted_codes(frame["unit"])
    people, names = _used_people(frame["person"])
    matrix = np.full((len(first), len(names)), -1, code_type(len(categories)))
    matrix[units, people] = _value_codes(frame["value"], categories)
    table = table_of_matrix(matrix, categories, tuple(names))
    return replace(
        table,
        item_ids=_unit_names(first) if items else None,
        ordered=criterion != DECISION,
        revised=_revised(first),
        words=tuple(label_of(verdict) for verdict in VERDICTS) if criterion == DECISION else None,
    )


def _revised(units: Ints) -> Ints | None:
    """The item of each unit, where an item is there with two revisions or more."""
    items = units // _REVISIONS
    return items if bool((items[1:] == items[:-1]).any()) else None


def _value_codes(values: Any, categories: tuple[object, ...]) -> Ints:
    """The place of each value among the categories."""
    if isinstance(values, Categories):
        place = {value: code for code, value in enumerate(categories)}
        known = np.array([place.get(value, -1) for value in values.names], np.int64)
        return known[values.codes] if len(known) else np.empty(0, np.int64)
    numbers = np.array([float(str(value)) for value in categories])
    order = np.argsort(numbers, kind="stable")
    return np.asarray(order[np.searchsorted(numbers[order], values)])


def _used_people(person: Categories) -> tuple[Ints, list[str]]:
    """(code of each row's person, names by code in alphabetical order), only those who occur."""
    names, codes = person.names, person.codes
    used = np.flatnonzero(np.bincount(codes, minlength=len(names)) > 0)
    order = sorted(used.tolist(), key=lambda code: names[code])
    place = np.zeros(max(1, len(names)), np.int64)
    place[order] = np.arange(len(order))
    return place[codes], [names[code] for code in order]


def _sorted_codes(units: Ints) -> tuple[Ints, Ints]:
    """(position of each row's unit, the distinct units), for units in ascending order."""
    if not len(units):
        return units, units
    fresh = np.concatenate([[True], units[1:] != units[:-1]])
    return np.cumsum(fresh) - 1, units[fresh]


def _scale(frame: Frame, criterion: str, view: Judgements) -> tuple[float, ...] | None:
    """The values of a criterion in the tasks that a group of judgements comes from."""
    if criterion == DECISION:
        return None
    tasks = set(np.unique(frame["task_id"]).tolist())
    return criterion_scale(criterion, [t.profile for t in view.tasks if t.id in tasks])


def _measured(
    name: str,
    frame: Frame,
    criterion: str,
    estimate: AgreementOptions,
    book: JudgementBook,
    view: Judgements,
) -> Agreement:
    """Coefficients of one group; of a group in which nothing changed, those found before."""
    from core.agreement.compute import coefficients_for

    table = table_of(frame, criterion, items=estimate.items, scale=_scale(frame, criterion, view))
    sources = None if estimate.interval == "none" else _shared_sources(frame, view)
    shared = (sources.count, sources.words, sources.codes.data) if sources else (0, "", b"")
    revised = b"" if table.revised is None else table.revised
    layout = (table.n_items, table.rater_ids, table.categories, table.ordered, shared[:2])
    results: tuple[CoefficientResult, ...] = book.cached(
        (_digest(table.data, revised, shared[2]), layout, estimate, language()),
        lambda: tuple(
            coefficients_for(
                table,
                estimate.names,
                interval=estimate.interval,
                resamples=estimate.resamples,
                seed=estimate.seed,
                sources=sources,
            )
        ),
    )
    return Agreement(name, results, table)


def _digest(*parts: Any) -> tuple[bytes, ...]:
    """What stands for the contents of some arrays."""
    return tuple(
        blake2b(np.ascontiguousarray(part).data, digest_size=16).digest() for part in parts
    )


def _units_items(frame: Frame) -> Ints:
    """The item of each unit, in the order of a table's rows."""
    return _sorted_codes(frame["unit"])[1] // _REVISIONS


def _shared_sources(frame: Frame, view: Judgements) -> "SharedSources | None":
    """The sources of a table's rows; the revisions of an item that shares nothing share it."""
    from core.agreement.shared_sources import SharedSources

    numbers, names = view.sources_of(_units_items(frame))
    return SharedSources.of_numbers(numbers, names.names)


def sources_of(frame: Frame, book: JudgementBook) -> list[str]:
    """What the text of each unit of a table shares with others, such as its article, in the order
    of the table's rows; the revisions of an item that shares nothing share that item."""
    items = _units_items(frame)
    if not len(items):
        return []
    shared = book.read(("decisions", "ratings", "sources")).sources_of(items)[1].tolist()
    return [source or f"\0{item}" for source, item in zip(shared, items.tolist(), strict=True)]
