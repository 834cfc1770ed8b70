"""Everything that one person did with items, newest first, a part at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, or_, select

from db.importing.pending_imports import is_shown
from db.session import Session
from db.tables import ASSIGNMENT, DECISION, ITEM, RATING, REVISION, TASK
from db.vocabulary import AssignmentState, Stage


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One thing that a person did: the item, and when. ``revision`` is the one it was done to,
    ``present`` the one that the item has now."""

    item_id: int
    revision: int
    present: int
    task: str
    state: str
    at: datetime
    verdict: str = ""
    reason: str = ""
    note: str = ""
    kind: str = ""


_ITEM = (ITEM.c.revision, TASK.c.name, ITEM.c.state)


def _found(
    session: Session, query: Select[Any], benchmark_id: int | None, limit: int
) -> list[WorkRow]:
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    return [WorkRow(*row) for row in session.execute(query.limit(limit))]


def written(
    session: Session, person_id: int, benchmark_id: int | None, limit: int
) -> list[WorkRow]:
    """The items of which a person wrote a revision, by the newest of theirs."""
    newest = (
        select(REVISION.c.item_id, func.max(REVISION.c.number), func.max(REVISION.c.at).label("at"))
        .where(REVISION.c.author_id == person_id)
        .group_by(REVISION.c.item_id)
        .subquery()
    )
    query = (
        select(newest.c.item_id, newest.c[1], *_ITEM, newest.c.at)
        .join(ITEM, ITEM.c.id == newest.c.item_id)
        .join(TASK, TASK.c.id == ITEM.c.task_id)
        .where(is_shown())
        .order_by(newest.c.at.desc())
    )
    return _found(session, query, benchmark_id, limit)


def decided(
    session: Session, person_id: int, benchmark_id: int | None, limit: int
) -> list[WorkRow]:
    """The standing decisions of a person."""
    query = (
        select(
            DECISION.c.item_id, DECISION.c.revision, *_ITEM, DECISION.c.at, DECISION.c.verdict,
            DECISION.c.reason, DECISION.c.note, DECISION.c.kind,
        )
        .join(ITEM, ITEM.c.id == DECISION.c.item_id)
        .join(TASK, TASK.c.id == ITEM.c.task_id)
        .where(DECISION.c.person_id == person_id, DECISION.c.withdrawn_event.is_(None))
        .order_by(DECISION.c.id.desc())
    )  # fmt: skip
    return _found(session, query, benchmark_id, limit)


def rated(session: Session, person_id: int, benchmark_id: int | None, limit: int) -> list[WorkRow]:
    """The item revisions that a person rated."""
    at = func.max(RATING.c.at)
    query = (
        select(RATING.c.item_id, RATING.c.revision, *_ITEM, at)
        .join(ITEM, ITEM.c.id == RATING.c.item_id)
        .join(TASK, TASK.c.id == ITEM.c.task_id)
        .where(RATING.c.person_id == person_id, RATING.c.withdrawn_event.is_(None))
        .group_by(RATING.c.item_id, RATING.c.revision, *_ITEM)
        .order_by(at.desc())
    )
    return _found(session, query, benchmark_id, limit)


def claimed(
    session: Session,
    person_id: int,
    benchmark_id: int | None,
    limit: int,
    states: Sequence[str],
    without: str,
) -> list[WorkRow]:
    """A person's claims to review in some states on items as they are now.

    Claims whose reason is ``without`` are left out; the reason is given as the note.
    """
    query = (
        select(
            ASSIGNMENT.c.item_id, ASSIGNMENT.c.revision, *_ITEM, ASSIGNMENT.c.at,
            ASSIGNMENT.c.state, ASSIGNMENT.c.stage, ASSIGNMENT.c.reason,
        )
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .join(TASK, TASK.c.id == ITEM.c.task_id)
        .where(
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.stage == Stage.CHECK,
            ASSIGNMENT.c.state.in_(states),
            ASSIGNMENT.c.revision == ITEM.c.revision,
            or_(ASSIGNMENT.c.state != AssignmentState.SKIPPED, ASSIGNMENT.c.reason != without),
        )
        .order_by(ASSIGNMENT.c.at.desc())
    )  # fmt: skip
    return _found(session, query, benchmark_id, limit)
