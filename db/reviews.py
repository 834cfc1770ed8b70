"""Assignments, decisions and ratings: claiming without duplicates, and what people said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, exists, func, insert, or_, select, update
from sqlmodel import Session

from db.tables import ASSIGNMENT, DECISION, ITEM, PERSON, RATING, now
from db.vocabulary import AssignmentState, ItemState

LIVE = (AssignmentState.LEASED, AssignmentState.DONE)


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """One person's claim on one item revision."""

    id: int
    item_id: int
    revision: int
    stage: int
    person_id: int
    state: str
    lease_until: datetime | None
    gold: bool


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One person's verdict; ``person`` is the name."""

    id: int
    item_id: int
    revision: int
    stage: int
    kind: str
    person_id: int
    person: str
    verdict: str
    reason: str
    note: str
    seconds: float
    at: datetime


def _assignment(row: Any) -> AssignmentRow:
    return AssignmentRow(
        row.id,
        row.item_id,
        row.revision,
        row.stage,
        row.person_id,
        row.state,
        row.lease_until,
        row.gold,
    )


def expire_leases(session: Session, moment: datetime | None = None) -> int:
    """Return the items of leases that ran out, so that others may claim them; returns how many."""
    moment = moment or now()
    stale = select(ASSIGNMENT.c.id, ASSIGNMENT.c.item_id, ASSIGNMENT.c.revision).where(
        ASSIGNMENT.c.state == AssignmentState.LEASED, ASSIGNMENT.c.lease_until < moment
    )
    if session.get_bind().dialect.name == "postgresql":
        stale = stale.with_for_update(skip_locked=True)
    rows = session.execute(stale).all()
    for row in rows:
        session.execute(
            update(ASSIGNMENT)
            .where(ASSIGNMENT.c.id == row.id)
            .values(state=AssignmentState.EXPIRED, lease_until=None)
        )
        give_slot_back(session, row.item_id, row.revision)
    return len(rows)


def give_slot_back(session: Session, item_id: int, revision: int) -> None:
    """Open one more place on an item, unless it has moved on to another revision or state."""
    session.execute(
        update(ITEM)
        .where(
            ITEM.c.id == item_id,
            ITEM.c.revision == revision,
            ITEM.c.state.in_((ItemState.DRAFT, ItemState.IN_REVIEW)),
        )
        .values(open_slots=ITEM.c.open_slots + 1)
    )


def claim_next(
    session: Session,
    person_id: int,
    stage: int,
    lease: timedelta,
    *,
    benchmark_id: int | None = None,
    task_id: int | None = None,
) -> int | None:
    """Lease the next open item to a person; returns its id, or None when there is none for them.

    Everybody takes items in the order of their ids, so that overlap completes; one's own items and
    those one has already seen in this revision are passed over. On PostgreSQL rows that another
    claimant holds are skipped, on SQLite the transaction itself is exclusive.
    """
    mine = exists().where(
        ASSIGNMENT.c.item_id == ITEM.c.id,
        ASSIGNMENT.c.revision == ITEM.c.revision,
        ASSIGNMENT.c.stage == stage,
        ASSIGNMENT.c.person_id == person_id,
        ASSIGNMENT.c.state != AssignmentState.EXPIRED,
    )
    query = (
        select(ITEM.c.id)
        .where(
            ITEM.c.open_slots > 0,
            or_(ITEM.c.author_id.is_(None), ITEM.c.author_id != person_id),
            ~mine,
        )
        .order_by(ITEM.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    if task_id is not None:
        query = query.where(ITEM.c.task_id == task_id)
    number = session.execute(query).scalar()
    if number is None:
        return None
    lease_item(session, int(number), person_id, stage, lease)
    return int(number)


def lease_item(
    session: Session, item_id: int, person_id: int, stage: int, lease: timedelta
) -> None:
    """Give one item to a person, taking one of its open places (the caller has checked them)."""
    revision = session.execute(
        update(ITEM)
        .where(ITEM.c.id == item_id)
        .values(open_slots=ITEM.c.open_slots - 1)
        .returning(ITEM.c.revision)
    ).scalar_one()
    moment = now()
    earlier = assignment_of(session, item_id, revision, stage, person_id)
    if earlier is not None:
        session.execute(
            update(ASSIGNMENT)
            .where(ASSIGNMENT.c.id == earlier.id)
            .values(state=AssignmentState.LEASED, lease_until=moment + lease, at=moment)
        )
        return
    session.execute(
        insert(ASSIGNMENT).values(
            item_id=item_id,
            revision=revision,
            stage=stage,
            person_id=person_id,
            state=AssignmentState.LEASED,
            lease_until=moment + lease,
            reason="",
            gold=False,
            at=moment,
        )
    )


def assignment_of(
    session: Session, item_id: int, revision: int, stage: int, person_id: int
) -> AssignmentRow | None:
    """A person's assignment on one item revision at one stage, whatever its state."""
    query = select(ASSIGNMENT).where(
        ASSIGNMENT.c.item_id == item_id,
        ASSIGNMENT.c.revision == revision,
        ASSIGNMENT.c.stage == stage,
        ASSIGNMENT.c.person_id == person_id,
    )
    row = session.execute(query).first()
    return _assignment(row) if row else None


def leased_to(
    session: Session, person_id: int, stage: int, benchmark_id: int | None = None
) -> list[AssignmentRow]:
    """The items a person holds now, oldest claim first."""
    query = (
        select(ASSIGNMENT)
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .where(
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.stage == stage,
            ASSIGNMENT.c.state == AssignmentState.LEASED,
            ASSIGNMENT.c.revision == ITEM.c.revision,
        )
        .order_by(ASSIGNMENT.c.id)
    )
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    return [_assignment(row) for row in session.execute(query)]


def live_assignments(session: Session, item_id: int, revision: int, stage: int) -> int:
    """How many people hold or have finished one item revision at a stage."""
    query = select(ASSIGNMENT.c.id).where(
        ASSIGNMENT.c.item_id == item_id,
        ASSIGNMENT.c.revision == revision,
        ASSIGNMENT.c.stage == stage,
        ASSIGNMENT.c.state.in_(LIVE),
    )
    return len(session.execute(query).all())


def set_assignment(session: Session, assignment_id: int, state: str, reason: str = "") -> None:
    """End an assignment (or take it up again)."""
    session.execute(
        update(ASSIGNMENT)
        .where(ASSIGNMENT.c.id == assignment_id)
        .values(state=state, lease_until=None, reason=reason)
    )


def renew_leases(session: Session, person_id: int, until: datetime) -> int:
    """Prolong all leases of a person who is active; returns how many."""
    done = session.execute(
        update(ASSIGNMENT)
        .where(ASSIGNMENT.c.person_id == person_id, ASSIGNMENT.c.state == AssignmentState.LEASED)
        .values(lease_until=until)
        .returning(ASSIGNMENT.c.id)
    )
    return len(done.all())


def release_others(
    session: Session, item_id: int, revision: int, stage: int, keep: int | None = None
) -> None:
    """End the leases of all others on an item that was settled while they looked at it."""
    query = update(ASSIGNMENT).where(
        ASSIGNMENT.c.item_id == item_id,
        ASSIGNMENT.c.revision == revision,
        ASSIGNMENT.c.stage == stage,
        ASSIGNMENT.c.state == AssignmentState.LEASED,
    )
    if keep is not None:
        query = query.where(ASSIGNMENT.c.person_id != keep)
    session.execute(query.values(state=AssignmentState.RELEASED, lease_until=None))


def add_decision(session: Session, values: Mapping[str, Any]) -> int:
    """Write one decision; returns its id."""
    row = {"reason": "", "note": "", "seconds": 0.0, "at": now(), **values}
    return int(session.execute(insert(DECISION).values(row).returning(DECISION.c.id)).scalar_one())


def withdraw_decision(session: Session, decision_id: int, event: int) -> None:
    """Mark a decision as undone by an event."""
    session.execute(
        update(DECISION).where(DECISION.c.id == decision_id).values(withdrawn_event=event)
    )


_DECISIONS = select(DECISION, PERSON.c.name).select_from(
    DECISION.join(PERSON, PERSON.c.id == DECISION.c.person_id)
)


def _decision(row: Any) -> DecisionRow:
    return DecisionRow(
        row.id,
        row.item_id,
        row.revision,
        row.stage,
        row.kind,
        row.person_id,
        row.name,
        row.verdict,
        row.reason,
        row.note,
        row.seconds,
        row.at,
    )


def decisions_on(
    session: Session, item_id: int, revision: int | None = None, kind: str | None = None
) -> list[DecisionRow]:
    """The decisions on an item that stand, oldest first."""
    query = _DECISIONS.where(DECISION.c.item_id == item_id, DECISION.c.withdrawn_event.is_(None))
    if revision is not None:
        query = query.where(DECISION.c.revision == revision)
    if kind is not None:
        query = query.where(DECISION.c.kind == kind)
    return [_decision(row) for row in session.execute(query.order_by(DECISION.c.id))]


def decision(session: Session, decision_id: int) -> DecisionRow | None:
    """One decision, also a withdrawn one."""
    row = session.execute(_DECISIONS.where(DECISION.c.id == decision_id)).first()
    return _decision(row) if row else None


def add_ratings(session: Session, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Write ratings; returns their ids in order."""
    query = insert(RATING).returning(RATING.c.id, sort_by_parameter_order=True)
    return list(session.execute(query, [{"at": now(), **row} for row in rows]).scalars())


def withdraw_ratings(session: Session, rating_ids: Sequence[int], event: int) -> None:
    """Mark ratings as undone or replaced by an event."""
    session.execute(update(RATING).where(RATING.c.id.in_(rating_ids)).values(withdrawn_event=event))


def ratings_on(session: Session, item_id: int, revision: int) -> list[tuple[str, str, float]]:
    """(rater, criterion, value) of all ratings of an item revision that stand."""
    query = (
        select(PERSON.c.name, RATING.c.criterion, RATING.c.value)
        .join(PERSON, PERSON.c.id == RATING.c.person_id)
        .where(
            RATING.c.item_id == item_id,
            RATING.c.revision == revision,
            RATING.c.withdrawn_event.is_(None),
        )
        .order_by(RATING.c.id)
    )
    return [(row[0], row[1], row[2]) for row in session.execute(query)]


def queue_counts(
    session: Session, person_id: int, stage: int, benchmark_id: int
) -> tuple[int, int]:
    """(decided by this person, still open to them) at a stage of a benchmark."""
    mine = and_(
        ASSIGNMENT.c.item_id == ITEM.c.id,
        ASSIGNMENT.c.revision == ITEM.c.revision,
        ASSIGNMENT.c.stage == stage,
        ASSIGNMENT.c.person_id == person_id,
        ASSIGNMENT.c.state != AssignmentState.EXPIRED,
    )
    done = (
        select(ASSIGNMENT.c.state, func.count())
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .where(
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.stage == stage,
            ITEM.c.benchmark_id == benchmark_id,
        )
        .group_by(ASSIGNMENT.c.state)
    )
    by_state: dict[str, int] = {row[0]: row[1] for row in session.execute(done)}
    waiting = select(func.count()).where(
        ITEM.c.benchmark_id == benchmark_id,
        ITEM.c.open_slots > 0,
        or_(ITEM.c.author_id.is_(None), ITEM.c.author_id != person_id),
        ~exists().where(mine),
    )
    left = session.execute(waiting).scalar_one() + by_state.get(AssignmentState.LEASED, 0)
    return by_state.get(AssignmentState.DONE, 0), left
