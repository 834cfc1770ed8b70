"""Reads for the screens that look over many items: counts, verdicts, what came back."""

from collections.abc import Sequence
from datetime import datetime
from heapq import merge
from operator import itemgetter
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, func, select, union

from db.counting import item_counts
from db.importing.pending_imports import is_shown
from db.session import Session
from db.tables import ASSIGNMENT, BENCHMARK, DECISION, ITEM, REVISION
from db.vocabulary import PACKAGED, REVEALED, AssignmentState, DecisionKind, ItemState, Stage

Numbers = Sequence[int] | Select[Any]
"""Items by their numbers, or by the statement that finds these."""


def states(session: Session, benchmark_id: int | None = None) -> dict[str, int]:
    """Items per state, whatever it is called."""
    wanted = {} if benchmark_id is None else {"benchmark_id": benchmark_id}
    return dict(item_counts.counted(session, ("state",), **wanted))


def states_by_task(session: Session, benchmark_id: int) -> dict[int, dict[str, int]]:
    """Items of each task of a benchmark per state, of those that have any."""
    found: dict[int, dict[str, int]] = {}
    rows = item_counts.counted(session, ("task_id", "state"), benchmark_id=benchmark_id)
    for task_id, state, number in rows:
        found.setdefault(task_id, {})[state] = number
    return found


def states_of_task(session: Session, task_id: int) -> dict[str, int]:
    """Items of a task per state."""
    return dict(item_counts.counted(session, ("state",), task_id=task_id))


def returned_to(
    session: Session,
    person_id: int,
    benchmark_id: int | None = None,
    *,
    task_id: int | None = None,
    limit: int | None = None,
) -> list[int]:
    """Returned items that a person wrote or nobody did, by number: of a benchmark, of a task, or
    the first of them."""
    query = _returned(select(ITEM.c.id), person_id, benchmark_id, task_id).order_by(ITEM.c.id)
    return [int(number) for number in session.execute(query.limit(limit)).scalars()]


def returned_by_task(
    session: Session, person_id: int, benchmark_id: int | None = None
) -> dict[int, int]:
    """How many of the items of ``returned_to`` each task has that has any."""
    columns = (ITEM.c.task_id, func.count())
    query = _returned(select(*columns), person_id, benchmark_id, None).group_by(ITEM.c.task_id)
    return {int(row[0]): int(row[1]) for row in session.execute(query)}


def _returned(
    query: Select[Any], person_id: int, benchmark_id: int | None, task_id: int | None
) -> Select[Any]:
    if task_id is not None:
        query = query.where(ITEM.c.task_id == task_id)
    else:
        # by benchmark and state, of which few are returned; a condition on the author alone would
        # have SQLite look at all that nobody wrote: everything that was ever imported
        wanted = select(BENCHMARK.c.id)
        if benchmark_id is not None:
            wanted = wanted.where(BENCHMARK.c.id == benchmark_id)
        query = query.where(ITEM.c.benchmark_id.in_(wanted))
    return query.where(
        ITEM.c.state == ItemState.RETURNED,
        func.coalesce(ITEM.c.author_id, person_id) == person_id,
    )


def recent_of(
    session: Session, person_id: int, benchmark_id: int, limit: int = 30
) -> list[tuple[int, str]]:
    """(item, verdict) of a person's newest standing decisions as a reviewer and of what they
    skipped (``skip``) and have not decided on since, newest first."""
    query = (
        select(DECISION.c.item_id, DECISION.c.verdict, DECISION.c.at)
        .join(ITEM, ITEM.c.id == DECISION.c.item_id)
        .where(
            DECISION.c.person_id == person_id,
            DECISION.c.kind.in_((DecisionKind.REVIEW, DecisionKind.GOLD)),
            DECISION.c.withdrawn_event.is_(None),
            ITEM.c.benchmark_id == benchmark_id,
        )
        .order_by(DECISION.c.id.desc())
        .limit(limit)
    )
    decided = [tuple(row) for row in session.execute(query)]
    known = {row[0] for row in decided}
    skips = [row for row in _skipped(session, person_id, benchmark_id, limit)
             if row[0] not in known]  # fmt: skip
    newest = sorted(skips, key=itemgetter(2), reverse=True)
    rows = list(merge(decided, newest, key=itemgetter(2), reverse=True))
    return [(row[0], row[1]) for row in rows[:limit]]


def _skipped(
    session: Session, person_id: int, benchmark_id: int, limit: int
) -> list[tuple[int, str, datetime]]:
    """(item, ``skip``, when) of a person's newest skips of items as they are now that wait."""
    query = (
        select(ASSIGNMENT.c.item_id, ASSIGNMENT.c.at)
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .where(
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.stage == Stage.CHECK,
            ASSIGNMENT.c.state.in_((AssignmentState.SKIPPED, AssignmentState.POSTPONED)),
            ASSIGNMENT.c.reason.not_in((PACKAGED, REVEALED)),
            ASSIGNMENT.c.revision == ITEM.c.revision,
            ITEM.c.benchmark_id == benchmark_id,
        )
        .order_by(ASSIGNMENT.c.id.desc())
        .limit(limit)
    )
    return [(row[0], "skip", row[1]) for row in session.execute(query)]


def first_of_task(session: Session, task_id: int, limit: int) -> list[int]:
    """The oldest items of a task that are shown, at most so many."""
    query = select(ITEM.c.id).where(ITEM.c.task_id == task_id, is_shown())
    return list(session.execute(query.order_by(ITEM.c.id).limit(limit)).scalars())


def could_be_lot(task_id: int) -> Select[Any]:
    """The accepted items of a task that are in no lot, as a statement of their numbers."""
    return select(ITEM.c.id).where(
        ITEM.c.task_id == task_id,
        ITEM.c.state == ItemState.ACCEPTED,
        ITEM.c.lot_id.is_(None),
        ITEM.c.barred == "",
        is_shown(),
    )


def how_many(session: Session, numbers: Select[Any]) -> int:
    """How many rows a statement gives."""
    return int(session.execute(select(func.count()).select_from(numbers.subquery())).scalar_one())


def of_person(session: Session, person_id: int, numbers: Numbers, kinds: Sequence[str]) -> set[int]:
    """Those of the items that a person wrote, in any revision, or decided on as they stand now, in
    one of these kinds of decision. Many items are better named by the statement that finds them."""
    # written into the statement: a bound parameter for each would soon be too many
    wanted: BindParameter[Any] | Select[Any] = (
        numbers
        if isinstance(numbers, Select)
        else bindparam("numbers", list(numbers), expanding=True, literal_execute=True)
    )
    authored = select(ITEM.c.id).where(ITEM.c.author_id == person_id, ITEM.c.id.in_(wanted))
    revised = select(REVISION.c.item_id).where(
        REVISION.c.author_id == person_id, REVISION.c.item_id.in_(wanted)
    )
    decided = (
        select(DECISION.c.item_id)
        .join(ITEM, (ITEM.c.id == DECISION.c.item_id) & (ITEM.c.revision == DECISION.c.revision))
        .where(
            DECISION.c.person_id == person_id,
            DECISION.c.kind.in_(kinds),
            DECISION.c.withdrawn_event.is_(None),
            DECISION.c.item_id.in_(wanted),
        )
    )
    return set(session.execute(union(authored, revised, decided)).scalars())
