"""Finding items: filters and search over everything, in pages that stay quick at a million rows.

The index of items per benchmark or task, state and number answers a filter for each state in the
order of the numbers; several states are merged. A count goes on only to a limit unless it must be
exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
    text,
    union_all,
)

from db import search
from db.counting import item_counts
from db.importing.pending_imports import is_shown
from db.queries.own_work import OpenTo
from db.queries.second_look import waiting
from db.session import Session
from db.tables import BENCHMARK, DECISION, ITEM, SCREENING, TASK
from db.vocabulary import ItemState

COUNTED = 10_000  # a count stops here unless it must be exact
_CHUNK = 500
_VALUES = 300


@dataclass(frozen=True, slots=True)
class ItemQuery:
    """What a list of items is narrowed to; empty fields do not narrow.

    ``person_id`` wrote the item or decided on it, ``second_look`` is whether it waits for one.
    Scores are those of the newest screening of the present revision, ``since`` and ``until``
    (exclusive) of the last change. ``open_to`` leaves out what is hidden from somebody, and the
    items ``in_review`` count as in that state, whatever theirs is.
    """

    benchmark_id: int | None = None
    task_id: int | None = None
    states: tuple[str, ...] = ()
    family: str = ""
    format: str = ""
    domain: str = ""
    label: str = ""
    run_id: str = ""
    disputed: bool | None = None
    second_look: bool | None = None
    person_id: int | None = None
    score_from: float | None = None
    score_to: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: str = ""
    numbers: tuple[int, ...] = ()
    open_to: OpenTo | None = None
    in_review: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One row of a list of items."""

    id: int
    benchmark: str
    task: str
    family: str
    format: str
    domain: str
    label: str
    state: str
    revision: int
    disputed: bool
    content_hash: str
    changed_at: datetime
    text: str = ""
    """The beginning of its text, where that was asked for."""


def ids(
    session: Session,
    filters: ItemQuery,
    *,
    offset: int = 0,
    limit: int | None = 100,
    after: int = 0,
) -> list[int]:
    """Numbers of the matching items, ascending: a page by offset, or those ``after`` a number."""
    if _known_number(session, filters) == 0:
        return []
    if filters.words:
        searched = _searched(session, filters)
        if searched is None:
            return []
        query, order = searched
        query = query.where(ITEM.c.id > after) if after else query
        return list(session.execute(query.order_by(order).offset(offset).limit(limit)).scalars())
    reach = None if limit is None else offset + limit
    query = _by_state(session, filters, reach, after)
    return list(session.execute(query.offset(offset).limit(limit)).scalars())


def count(session: Session, query: ItemQuery, *, most: int | None = COUNTED) -> tuple[int, bool]:
    """How many match, and whether there are more than ``most``; with None all are counted, and so
    they are where the numbers are kept."""
    if (known := _known_number(session, query)) is not None and not _asks_for_more(query):
        return known, False
    reach = None if most is None else most + 1
    if known == 0:
        return 0, False
    if query.words:
        searched = _searched(session, query)
        if searched is None:
            return 0, False
        inner = searched[0].limit(reach).subquery()
    else:
        inner = _by_state(session, query, reach, 0, ordered=False).limit(reach).subquery()
    number = int(session.execute(select(func.count()).select_from(inner)).scalar_one())
    return (number, False) if most is None or number <= most else (most, True)


def _known_number(session: Session, query: ItemQuery) -> int | None:
    """How many items there are of what is kept of the filters: no more match. None where nothing
    is kept of them, or where some items count as in another state than theirs."""
    if query.in_review or not item_counts.are_kept(session):
        return None
    names = ("benchmark_id", "task_id", "format", "domain", "label")
    wanted = {name: value for name in names if (value := getattr(query, name)) not in (None, "")}
    by_state = item_counts.counted(session, ("state",), **wanted)
    return sum(int(row[1]) for row in by_state if not query.states or row[0] in query.states)


_NO_MORE = ItemQuery()


def _asks_for_more(query: ItemQuery) -> bool:
    """Whether an item must fulfil more than what its number is kept of."""
    plain = replace(
        query, benchmark_id=None, task_id=None, states=(), format="", domain="", label=""
    )
    return plain != _NO_MORE


def values(session: Session, name: str, benchmark_id: int | None = None) -> list[str]:
    """The different values of a column (``format``, ``domain``, ``label`` …), but the empty one."""
    if item_counts.are_kept(session) and name in item_counts.KEY:
        wanted = {} if benchmark_id is None else {"benchmark_id": benchmark_id}
        found = {str(row[0]) for row in item_counts.counted(session, (name,), **wanted)}
        return sorted(found - {""})[:_VALUES]
    query = select(ITEM.c[name]).distinct().where(ITEM.c[name] != "", is_shown())
    query = query.order_by(ITEM.c[name])
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    return [str(value) for value in session.execute(query.limit(_VALUES)).scalars()]


def lines(session: Session, numbers: list[int]) -> list[ItemLine]:
    """The rows of a list, in the order of the numbers given."""
    by_id: dict[int, ItemLine] = {}
    for start in range(0, len(numbers), _CHUNK):
        query = (
            select(
                ITEM.c.id,
                BENCHMARK.c.name.label("benchmark"),
                TASK.c.name,
                ITEM.c.family,
                ITEM.c.format,
                ITEM.c.domain,
                ITEM.c.label,
                ITEM.c.state,
                ITEM.c.revision,
                ITEM.c.disputed,
                ITEM.c.content_hash,
                ITEM.c.changed_at,
            )
            .join(TASK, TASK.c.id == ITEM.c.task_id)
            .join(BENCHMARK, BENCHMARK.c.id == ITEM.c.benchmark_id)
            .where(ITEM.c.id.in_(numbers[start : start + _CHUNK]), is_shown())
        )
        for row in session.execute(query).all():
            by_id[row[0]] = ItemLine(*tuple(row))
    return [by_id[number] for number in numbers if number in by_id]


def _searched(session: Session, filters: ItemQuery) -> tuple[Select[Any], Any] | None:
    match = search.matching(session, filters.words)
    if match is None:
        return None
    source, condition = match
    query = select(ITEM.c.id).select_from(source).where(condition, *_narrow(session, filters))
    if filters.states:
        query = query.where(_in_states(filters))
    order = source.c.rowid if "rowid" in source.c else source.c.item_id
    return query, order


def _by_state(
    session: Session, filters: ItemQuery, reach: int | None, after: int, *, ordered: bool = True
) -> Select[Any]:
    """Numbers of the items that match a query without words, of which ``reach`` are needed."""
    narrowed = _narrow(session, filters)
    if after:
        narrowed.append(ITEM.c.id > after)
    rare = filters.numbers or filters.label or filters.disputed or filters.second_look
    selective = rare or filters.person_id is not None
    scoped = filters.benchmark_id is not None or filters.task_id is not None
    if selective or not scoped:
        query = select(ITEM.c.id).where(*narrowed)
        if filters.states:
            query = query.where(_in_states(filters))
        # of few items in order even for a count, or SQLite passes the partial index by
        return query.order_by(ITEM.c.id) if ordered or selective else query
    parts = []
    for condition in _each_state(filters):
        part = select(ITEM.c.id).where(condition, *narrowed)
        if ordered:
            part = part.order_by(ITEM.c.id)
        parts.append(select(part.limit(reach).subquery().c.id))
    merged = union_all(*parts).subquery()
    query = select(merged.c.id)
    return query.order_by(merged.c.id) if ordered else query


def _masked(query: ItemQuery) -> ColumnElement[bool]:
    """The items that are to count as in review."""
    numbers: BindParameter[Any] = bindparam(
        "masked", query.in_review, expanding=True, literal_execute=True
    )
    return ITEM.c.id.in_(numbers)


def _in_states(query: ItemQuery) -> ColumnElement[bool]:
    """Whether an item is in one of the states that are asked for."""
    plain: ColumnElement[bool] = ITEM.c.state.in_(query.states)
    if not query.in_review:
        return plain
    masked = _masked(query)
    return or_(plain, masked) if ItemState.IN_REVIEW in query.states else and_(plain, ~masked)


def _each_state(query: ItemQuery) -> Iterator[ColumnElement[bool]]:
    """A condition for each state that is asked for; together they hold every item once."""
    states = query.states or tuple(ItemState)
    if not query.in_review:
        yield from (ITEM.c.state == state for state in states)
        return
    masked = _masked(query)
    yield from (and_(ITEM.c.state == state, ~masked) for state in states)
    if ItemState.IN_REVIEW in states:
        yield masked


def _narrow(session: Session, query: ItemQuery) -> list[ColumnElement[bool]]:
    """Every condition but the states and the words."""
    conditions: list[ColumnElement[bool]] = [is_shown()]
    if query.numbers:
        # written into the statement: a bound parameter for each would soon be too many
        numbers: BindParameter[Any] = bindparam(
            "numbers", query.numbers, expanding=True, literal_execute=True
        )
        conditions.append(ITEM.c.id.in_(numbers))
    if query.task_id is not None:
        conditions.append(ITEM.c.task_id == query.task_id)
    elif query.benchmark_id is not None:
        conditions.append(ITEM.c.benchmark_id == query.benchmark_id)
    for name in ("family", "format", "domain", "label", "run_id"):
        if value := getattr(query, name):
            conditions.append(ITEM.c[name] == value)
    conditions += _marked(session, query)
    if query.open_to is not None:
        conditions.append(query.open_to.condition())
    if query.person_id is not None:
        conditions.append(_of_person(query.person_id))
    if query.score_from is not None or query.score_to is not None:
        conditions.append(_scored(query.score_from, query.score_to))
    if query.since is not None:
        conditions.append(ITEM.c.changed_at >= query.since)
    if query.until is not None:
        conditions.append(ITEM.c.changed_at < query.until)
    return conditions


def _marked(session: Session, query: ItemQuery) -> list[ColumnElement[bool]]:
    """The conditions that an item fulfils or not."""
    conditions: list[ColumnElement[bool]] = []
    if query.disputed:
        # spelled as the partial index spells it, or SQLite does not use that index
        conditions.append(text("item.disputed"))  # type: ignore[arg-type]  # a bare column is a condition
    elif query.disputed is False:
        conditions.append(ITEM.c.disputed.is_(False))
    if query.second_look is not None:
        second_look = ITEM.c.id.in_(waiting(session))
        conditions.append(second_look if query.second_look else ~second_look)
    return conditions


def _of_person(person_id: int) -> ColumnElement[bool]:
    decided = select(DECISION.c.item_id).where(
        DECISION.c.person_id == person_id, DECISION.c.withdrawn_event.is_(None)
    )
    written = ITEM.alias("written")
    written_by = select(written.c.id).where(written.c.author_id == person_id)
    return or_(ITEM.c.id.in_(written_by), ITEM.c.id.in_(decided))


def _scored(lowest: float | None, highest: float | None) -> ColumnElement[bool]:
    newer = SCREENING.alias("newer")
    conditions = [
        SCREENING.c.item_id == ITEM.c.id,
        SCREENING.c.revision == ITEM.c.revision,
        SCREENING.c.score.is_not(None),
        ~exists().where(
            newer.c.item_id == SCREENING.c.item_id,
            newer.c.revision == SCREENING.c.revision,
            newer.c.id > SCREENING.c.id,
        ),
    ]
    if lowest is not None:
        conditions.append(SCREENING.c.score >= lowest)
    if highest is not None:
        conditions.append(SCREENING.c.score <= highest)
    return exists().where(and_(*conditions))
