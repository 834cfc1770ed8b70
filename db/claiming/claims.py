"""Claiming: the next item for a person, and the items that they hold already."""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from time import sleep
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Row,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    exists,
    select,
)

from db import clock
from db.assignments import (
    HELD_IN,
    AssignmentRow,
    bind_moment,
    lease_item,
    not_written_by,
    own_assignments,
    within_benchmark,
)
from db.importing.pending_imports import before_hidden, is_shown, visible_ranges
from db.items import ItemRow
from db.session import Session
from db.tables import ASSIGNMENT, ITEM
from db.vocabulary import AssignmentState

_TRIES, _PAUSE = 100, 0.01  # how often and how long apart a locked item is looked for again
_ITEM_COLUMNS = tuple(ITEM.c[name] for name in ItemRow._fields)


def _here(
    query: Select[Any], in_benchmark: bool, in_task: bool, item: FromClause = ITEM
) -> Select[Any]:
    if in_benchmark:
        query = query.where(item.c.benchmark_id == bindparam("benchmark"))
    return query.where(item.c.task_id == bindparam("task")) if in_task else query


_NOT_CLOSED = ITEM.c.task_id.not_in(bindparam("closed", expanding=True))


# Where an item is looked for among those that imports hide: an index that leads through a million
# hidden ones to the first that is shown takes half a second.
_Part = tuple[str, dict[str, int]]
_FIRST: _Part = ("before", {})
FEW_GAPS = 50
"""Stretches between hidden items that are looked through one by one."""


def _in_part(part: str) -> ColumnElement[bool]:
    if part == "before":
        return before_hidden()
    if part == "gap":  # what was written since the gaps were read is hidden
        return and_(ITEM.c.id.between(bindparam("first"), bindparam("last")), is_shown())
    return is_shown()


def _parts(session: Session) -> list[_Part]:
    """Where to look when there is nothing before all hidden items."""
    between = visible_ranges(session, FEW_GAPS + 1)
    if len(between) > FEW_GAPS:
        return [("shown", {})]
    return [("gap", {"first": first, "last": last}) for first, last in between]


@cache
def _open_query(
    in_benchmark: bool, in_task: bool, some_closed: bool, part: str, after: bool, lock: bool = True
) -> Select[Any]:
    """The first item that ``person`` may claim, ``after`` the one they claimed last or from the
    start; nothing where they are to go on after a claim and have none."""
    query = select(*_ITEM_COLUMNS).where(
        ITEM.c.taken < ITEM.c.open_slots,
        not_written_by(bindparam("person")),
        ~exists().where(own_assignments(bindparam("person"), bindparam("stage"))),
        _in_part(part),
    )
    query = _here(query, in_benchmark, in_task)
    if some_closed:
        query = query.where(_NOT_CLOSED)
    if after:
        query = query.where(ITEM.c.id > _newest_claim(in_benchmark, in_task))
    query = query.order_by(ITEM.c.id).limit(1)
    return query.with_for_update(skip_locked=True, of=ITEM) if lock else query


def _newest_claim(in_benchmark: bool, in_task: bool) -> ScalarSelect[Any]:
    """The item that ``person`` claimed last."""
    claimed = ITEM.alias("claimed")
    query = (
        select(ASSIGNMENT.c.item_id)
        .join(claimed, claimed.c.id == ASSIGNMENT.c.item_id)
        .where(
            ASSIGNMENT.c.person_id == bindparam("person"),
            ASSIGNMENT.c.stage == bindparam("stage"),
            ASSIGNMENT.c.gold.is_(False),
            ASSIGNMENT.c.state != AssignmentState.EXPIRED,  # given back unread: not reached yet
        )
    )
    query = _here(query, in_benchmark, in_task, claimed)
    return query.order_by(ASSIGNMENT.c.id.desc()).limit(1).scalar_subquery()


def claim_next(
    session: Session,
    person_id: int,
    stage: int,
    lease: timedelta,
    *,
    benchmark_id: int | None = None,
    task_id: int | None = None,
    closed: Sequence[int] = (),
) -> ItemRow | None:
    """Lease the next open item to a person; returns it, or None when there is none for them.

    Everybody takes items in the order of their ids, so that overlap completes, going on from the
    one they had last; one's own items and those one has seen in this revision are passed over,
    postponed ones come last. Items of the tasks in ``closed`` are for others. On PostgreSQL rows
    that another claimant holds are skipped, on SQLite the transaction itself is exclusive.
    """
    keys = {"person": person_id, "stage": stage, "benchmark": benchmark_id, "task": task_id}
    conditions: dict[str, Any] = {name: value for name, value in keys.items() if value is not None}
    here = (benchmark_id is not None, task_id is not None, bool(closed))
    if closed:
        conditions["closed"] = list(closed)
    found = _first_in(session, conditions, here, (_FIRST,), after=True)
    if found is None:
        parts = _parts(session)
        found = _first_in(session, conditions, here, parts, after=True)
        found = found or _first_open(session, conditions, here, (_FIRST, *parts))
    if found is None:
        found = _postponed(session, person_id, stage, benchmark_id, task_id, closed)
    if found is None:
        return None
    item = ItemRow._make(found)
    took = lease_item(session, item.id, person_id, stage, lease, revision=item.revision)
    return item._replace(taken=item.taken + took)


_Here = tuple[bool, bool, bool]
"""Whether one benchmark, one task is asked for, and whether some tasks are for others."""


def _first_in(
    session: Session, conditions: dict[str, Any], here: _Here, parts: Sequence[_Part],
    *, after: bool, lock: bool = True,
) -> Row[Any] | None:  # fmt: skip
    run = session.connection().execute
    for part, bounds in parts:
        found = run(_open_query(*here, part, after, lock), {**conditions, **bounds}).first()
        if found is not None:
            return found
    return None


def _first_open(
    session: Session, conditions: dict[str, Any], here: _Here, parts: Sequence[_Part]
) -> Row[Any] | None:
    """The first open item; when somebody is at the only ones just now, they are waited for, so
    that nobody is told that nothing is left while something is."""
    for _ in range(_TRIES):
        found = _first_in(session, conditions, here, parts, after=False)
        if found is not None or session.dialect.name == "sqlite":
            return found
        if _first_in(session, conditions, here, parts, after=False, lock=False) is None:
            return None
        sleep(_PAUSE)
    return None


def _postponed(
    session: Session,
    person_id: int,
    stage: int,
    benchmark_id: int | None,
    task_id: int | None,
    closed: Sequence[int],
) -> Row[Any] | None:
    query = (
        select(*_ITEM_COLUMNS)
        .join(ASSIGNMENT, ASSIGNMENT.c.item_id == ITEM.c.id)
        .where(
            ASSIGNMENT.c.revision == ITEM.c.revision,
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.stage == stage,
            ASSIGNMENT.c.state == AssignmentState.POSTPONED,
            ITEM.c.taken < ITEM.c.open_slots,
            ITEM.c.task_id.not_in(closed),
        )
    )
    query = within_benchmark(query, benchmark_id, task_id).order_by(
        ASSIGNMENT.c.at, ASSIGNMENT.c.id
    )
    return session.execute(query.limit(1).with_for_update(skip_locked=True, of=ITEM)).first()


_HELD_ITEMS = HELD_IN.add_columns(*_ITEM_COLUMNS)
_OF_CLAIM = len(AssignmentRow.__dataclass_fields__)


def held_items(
    session: Session, person_id: int, stage: int, benchmark_id: int
) -> list[tuple[AssignmentRow, ItemRow]]:
    """The claims that a person holds now in a benchmark, oldest first, each with its item."""
    keys = {"person": person_id, "stage": stage, "benchmark": benchmark_id}
    rows = session.connection().execute(_HELD_ITEMS, {**keys, **bind_moment(clock.moment(session))})
    return [(AssignmentRow(*row[:_OF_CLAIM]), ItemRow._make(row[_OF_CLAIM:])) for row in rows]
