"""Assignments: claiming items without duplicates, and giving them back.

An item revision has ``open_slots`` places, of which ``taken`` are leased or done. A lease counts
from its beginning to its end: one that begins in the future was made by a wrong clock and counts
no more than one that ran out. Locks are always
taken in the order item, assignment, ledger, so that no two transactions wait for each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from db import clock
from db.clock import SETBACK
from db.counting import item_counts
from db.evidence.bindings import ENDED_CLAIMS, touch
from db.importing.pending_imports import is_shown
from db.people import UNLIMITED, RemainingShares
from db.server import calls, logins
from db.session import Session
from db.tables import ASSIGNMENT, ITEM, REVISION
from db.vocabulary import PACKAGED, REVEALED, AssignmentState, Stage

LIVE = (AssignmentState.LEASED, AssignmentState.DONE)
# States of one's own assignment after which an item is not offered again of itself.
_NOT_OFFERED_AGAIN = (*LIVE, AssignmentState.SKIPPED, AssignmentState.POSTPONED)


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
    reason: str


_FIELDS = tuple(AssignmentRow.__dataclass_fields__)
COLUMNS = tuple(ASSIGNMENT.c[name] for name in _FIELDS)


def _row(row: Any) -> AssignmentRow:
    return AssignmentRow(*row)


_LATEST_START = bindparam("latest_start", type_=ASSIGNMENT.c.at.type)
_IS_EXPIRED = (ASSIGNMENT.c.lease_until < bindparam("moment"), ASSIGNMENT.c.at > _LATEST_START)
_IS_CURRENT = (ASSIGNMENT.c.lease_until >= bindparam("moment"), ASSIGNMENT.c.at <= _LATEST_START)


def bind_moment(moment: datetime) -> dict[str, datetime]:
    """The moment as the statements above want it."""
    return {"moment": moment, "latest_start": moment + SETBACK}


# Statements of the hot path are made once: building them costs more than running them.
# The state stands in the text, so that the partial index on leases is used.
_STALE = (
    select(ASSIGNMENT.c.id, ASSIGNMENT.c.item_id)
    .where(text("state = 'leased'"), or_(*_IS_EXPIRED))
    .order_by(ASSIGNMENT.c.item_id)
)


def expire_leases(session: Session, moment: datetime | None = None) -> int:
    """Return the items of leases that ran out, so that others may claim them; returns how many."""
    if moment is None and logins.secured(session):
        return calls.expire_leases(session)
    times = bind_moment(moment or clock.moment(session))
    expired = 0
    stale = session.connection().execute(_STALE, times).all()
    for assignment_id, item_id in stale:
        held = select(ITEM.c.id).where(ITEM.c.id == item_id).with_for_update(skip_locked=True)
        if session.execute(held).first() is None:
            continue  # somebody is deciding on it right now
        done = session.execute(
            update(ASSIGNMENT)
            .where(
                ASSIGNMENT.c.id == assignment_id,
                ASSIGNMENT.c.state == AssignmentState.LEASED,
                or_(*_IS_EXPIRED),
            )
            .values(state=AssignmentState.EXPIRED, lease_until=None)
            .returning(ASSIGNMENT.c.revision, ASSIGNMENT.c.gold, ASSIGNMENT.c.stage),
            times,
        ).first()
        if done is not None:
            expired += 1
            if not done.gold and done.stage == Stage.CHECK:
                free_place(session, item_id, done.revision)
    return expired


def free_place(session: Session, item_id: int, revision: int) -> None:
    """Give one place of an item back, unless it has moved on to another revision."""
    session.execute(
        update(ITEM)
        .where(ITEM.c.id == item_id, ITEM.c.revision == revision, ITEM.c.taken > 0)
        .values(taken=ITEM.c.taken - 1)
    )


def recount(session: Session, item_ids: Sequence[int], stage: int) -> None:
    """Set ``taken`` of some items to the number of live assignments on their present revision."""
    if logins.secured(session):
        calls.recount(session, item_ids, stage)
        return
    live = (
        select(func.count(ASSIGNMENT.c.id))
        .where(
            ASSIGNMENT.c.item_id == ITEM.c.id,
            ASSIGNMENT.c.revision == ITEM.c.revision,
            ASSIGNMENT.c.stage == stage,
            ASSIGNMENT.c.gold.is_(False),
            ASSIGNMENT.c.state.in_(LIVE),
        )
        .scalar_subquery()
    )
    for start in range(0, len(item_ids), 500):
        session.execute(
            update(ITEM).where(ITEM.c.id.in_(item_ids[start : start + 500])).values(taken=live)
        )


def own_assignments(person_id: Any, stage: Any) -> ColumnElement[bool]:
    return and_(
        ASSIGNMENT.c.item_id == ITEM.c.id,
        ASSIGNMENT.c.revision == ITEM.c.revision,
        ASSIGNMENT.c.stage == stage,
        ASSIGNMENT.c.person_id == person_id,
        ASSIGNMENT.c.state.in_(_NOT_OFFERED_AGAIN),
    )


def not_written_by(person_id: Any) -> ColumnElement[bool]:
    """True for items of which this person has written no revision."""
    wrote = exists().where(REVISION.c.item_id == ITEM.c.id, REVISION.c.author_id == person_id)
    return and_(or_(ITEM.c.author_id.is_(None), ITEM.c.author_id != person_id), ~wrote)


def within_benchmark(
    query: Select[Any], benchmark_id: int | None, task_id: int | None
) -> Select[Any]:
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    return query if task_id is None else query.where(ITEM.c.task_id == task_id)


def open_to(
    session: Session,
    person_id: int,
    stage: int,
    limit: int,
    *,
    benchmark_id: int | None = None,
    remaining: RemainingShares = UNLIMITED,
) -> tuple[list[int], int]:
    """(the first items that a person could claim, how many those are in all)."""
    free = and_(
        ITEM.c.taken < ITEM.c.open_slots,
        is_shown(),  # before the others: SQLite asks in this order
        not_written_by(person_id),
        ~exists().where(own_assignments(person_id, stage)),
        ITEM.c.task_id.not_in(remaining.closed),
    )
    query = within_benchmark(select(ITEM.c.id).where(free), benchmark_id, None)
    numbers = session.execute(query.order_by(ITEM.c.id).limit(limit)).scalars()
    counted = within_benchmark(select(func.count(ITEM.c.id)).where(free), benchmark_id, None)
    item_ids = [int(number) for number in numbers]
    count = int(session.execute(counted).scalar_one())
    for task_id, most in remaining.left:
        of_task = session.execute(counted.where(ITEM.c.task_id == task_id)).scalar_one()
        count -= max(0, int(of_task) - most)
    return item_ids, count


def lease_item(
    session: Session,
    item_id: int,
    person_id: int,
    stage: int,
    lease: timedelta,
    *,
    gold: bool = False,
    reason: str = "",
    revision: int | None = None,
) -> bool:
    """Give one item to a person, taking one of its places (the caller has checked them); whether
    it took one. ``revision`` is the item's, where the caller has read it with the item locked.

    Only a claim to review takes a place; a gold one and one to rate take none.
    """
    run = session.connection().execute
    revision = revision or run(_REVISION, {"item": item_id}).scalar_one()
    moment = clock.moment(session)
    values = {"state": AssignmentState.LEASED, "lease_until": moment + lease, "at": moment,
              "reason": reason}  # fmt: skip
    earlier = assignment_of(session, item_id, revision, stage, person_id)
    if earlier is None:
        claim = {"item_id": item_id, "revision": revision, "stage": stage,
                 "person_id": person_id, "gold": gold, **values}  # fmt: skip
        run(_CLAIM, claim)
    else:
        session.execute(update(ASSIGNMENT).where(ASSIGNMENT.c.id == earlier.id).values(**values))
        if earlier.state in ENDED_CLAIMS:
            touch(session, "assignment", [earlier.id], [item_id])
    if stage != Stage.CHECK or gold or (earlier is not None and earlier.state in LIVE):
        return False
    run(_TAKE_PLACE, {"item": item_id})
    return True


def set_lease(session: Session, item_id: int, stage: int, person_id: int, lease: timedelta) -> None:
    """Let what a person holds of an item last this long from now."""
    session.execute(
        update(ASSIGNMENT)
        .where(
            ASSIGNMENT.c.item_id == item_id,
            ASSIGNMENT.c.stage == stage,
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.state == AssignmentState.LEASED,
        )
        .values(lease_until=clock.moment(session) + lease)
    )


_REVISION = select(ITEM.c.revision).where(ITEM.c.id == bindparam("item"))
_CLAIM = insert(ASSIGNMENT)
_TAKE_PLACE = update(ITEM).where(ITEM.c.id == bindparam("item")).values(taken=ITEM.c.taken + 1)
_OF_PERSON = select(*COLUMNS).where(
    ASSIGNMENT.c.item_id == bindparam("item"),
    ASSIGNMENT.c.revision == bindparam("revision"),
    ASSIGNMENT.c.stage == bindparam("stage"),
    ASSIGNMENT.c.person_id == bindparam("person"),
)


def assignment_of(
    session: Session, item_id: int, revision: int, stage: int, person_id: int
) -> AssignmentRow | None:
    """A person's assignment on one item revision at one stage, whatever its state."""
    keys = {"item": item_id, "revision": revision, "stage": stage, "person": person_id}
    row = session.connection().execute(_OF_PERSON, keys).first()
    return _row(row) if row else None


def holders(session: Session, item_id: int, revision: int, stage: int) -> set[int]:
    """Who holds one item revision at one stage now, by leases that have not run out."""
    if logins.secured(session):
        return calls.holders(session, item_id, revision, stage)
    query = select(ASSIGNMENT.c.person_id).where(
        ASSIGNMENT.c.item_id == item_id,
        ASSIGNMENT.c.revision == revision,
        ASSIGNMENT.c.stage == stage,
        ASSIGNMENT.c.state == AssignmentState.LEASED,
        *_IS_CURRENT,
    )
    times = bind_moment(clock.moment(session))
    return {int(number) for number in session.execute(query, times).scalars()}


_HELD = (
    select(*COLUMNS)
    .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
    .where(
        ASSIGNMENT.c.person_id == bindparam("person"),
        ASSIGNMENT.c.stage == bindparam("stage"),
        text("assignment.state = 'leased'"),
        *_IS_CURRENT,
        ASSIGNMENT.c.revision == ITEM.c.revision,
    )
    .order_by(ASSIGNMENT.c.at, ASSIGNMENT.c.id)
)
HELD_IN = _HELD.where(ITEM.c.benchmark_id == bindparam("benchmark"))


def leased_to(
    session: Session, person_id: int, stage: int, benchmark_id: int | None = None
) -> list[AssignmentRow]:
    """The items a person holds now, oldest claim first."""
    keys: dict[str, Any] = {
        "person": person_id,
        "stage": stage,
        **bind_moment(clock.moment(session)),
    }
    query = _HELD
    if benchmark_id is not None:
        query, keys = HELD_IN, {**keys, "benchmark": benchmark_id}
    return [_row(row) for row in session.connection().execute(query, keys)]


_CLOSE_CLAIM = (
    update(ASSIGNMENT)
    .where(ASSIGNMENT.c.id == bindparam("which"))
    .values(
        state=bindparam("to"), lease_until=None, reason=bindparam("why"), at=bindparam("moment")
    )
)
_CLOSE_CLAIM_BY_SERVER_CLOCK = _CLOSE_CLAIM.values(
    at=func.clock_timestamp()
)  # where the server has the clock


_SET_REASON = (
    update(ASSIGNMENT).where(ASSIGNMENT.c.id == bindparam("which")).values(reason=bindparam("why"))
)


def end_assignment(session: Session, assignment_id: int, state: str, reason: str = "") -> None:
    """End an assignment."""
    values: dict[str, Any] = {"which": assignment_id, "to": state, "why": reason}
    if session.dialect.name == "sqlite":
        session.connection().execute(_CLOSE_CLAIM, {**values, "moment": clock.moment(session)})
    else:
        session.connection().execute(_CLOSE_CLAIM_BY_SERVER_CLOCK, values)
    if state in ENDED_CLAIMS:
        touch(session, "assignment", [assignment_id])


def give_back(session: Session, leases: Sequence[AssignmentRow]) -> None:
    """End claims undecided, so that others may have their items."""
    for lease in sorted(leases, key=lambda lease: lease.item_id):
        session.execute(select(ITEM.c.id).where(ITEM.c.id == lease.item_id).with_for_update())
        end_assignment(session, lease.id, AssignmentState.EXPIRED)
        if lease.stage == Stage.CHECK and not lease.gold:
            free_place(session, lease.item_id, lease.revision)


def reopen_assignment(session: Session, assignment_id: int, lease: timedelta) -> None:
    """Turn a finished assignment into a lease once more, which lasts this long from now."""
    moment = clock.moment(session)
    session.execute(
        update(ASSIGNMENT)
        .where(ASSIGNMENT.c.id == assignment_id)
        .values(
            state=AssignmentState.LEASED,
            lease_until=moment + lease,
            # its place in the queue stays, unless a wrong clock gave it one that is to come
            at=case((ASSIGNMENT.c.at > moment, moment), else_=ASSIGNMENT.c.at),
        )
    )
    touch(session, "assignment", [assignment_id])


def exclude_reviewer(
    session: Session,
    revisions: Sequence[tuple[int, int]],
    stage: int,
    person_id: int,
    why: str,
) -> None:
    """Keep a person from reviewing item revisions (item, revision) that they have not decided on.

    What they hold is given back. What they have decided on stays so, with the reason beside it.
    """
    known = _claimed(session, sorted({item for item, _ in revisions}), stage, person_id)
    taken = [known[key] for key in revisions if key in known]
    moment = clock.moment(session)
    ended = [claim for claim in taken if claim.state != AssignmentState.DONE]
    done = [claim for claim in taken if claim.state == AssignmentState.DONE]
    for query, claims in ((_CLOSE_CLAIM, ended), (_SET_REASON, done)):
        if claims:
            values = {"to": AssignmentState.SKIPPED, "why": why, "moment": moment}
            session.connection().execute(query, [{"which": one.id, **values} for one in claims])
    fresh = [
        {
            "item_id": item,
            "revision": revision,
            "stage": stage,
            "person_id": person_id,
            "state": AssignmentState.SKIPPED,
            "lease_until": None,
            "reason": why,
            "gold": False,
            "at": moment,
        }
        for item, revision in revisions
        if (item, revision) not in known
    ]
    touch(session, "assignment", [claim.id for claim in taken], [c.item_id for c in taken])
    if fresh:
        adding = insert(ASSIGNMENT).returning(ASSIGNMENT.c.id, sort_by_parameter_order=True)
        numbers = session.execute(adding, fresh).scalars()
        touch(session, "assignment", numbers)
    leased = [claim.item_id for claim in ended if claim.state == AssignmentState.LEASED]
    recount(session, leased, stage)


def _claimed(
    session: Session, item_ids: Sequence[int], stage: int, person_id: int
) -> dict[tuple[int, int], AssignmentRow]:
    """A person's claims on some items, by item and revision."""
    found: list[AssignmentRow] = []
    for start in range(0, len(item_ids), 500):
        query = select(*COLUMNS).where(
            ASSIGNMENT.c.item_id.in_(item_ids[start : start + 500]),
            ASSIGNMENT.c.stage == stage,
            ASSIGNMENT.c.person_id == person_id,
        )
        found += [_row(row) for row in session.execute(query)]
    return {(row.item_id, row.revision): row for row in found}


def renew_leases_if_due(
    session: Session, leases: Sequence[AssignmentRow], length: timedelta
) -> None:
    """As ``renew_leases``, if one of them has less than nine tenths of that time left; else nothing
    is written."""
    due = clock.moment(session) + 0.9 * length
    if any(row.lease_until is None or row.lease_until < due for row in leases):
        renew_leases(session, leases, length)


def renew_leases(session: Session, leases: Sequence[AssignmentRow], length: timedelta) -> int:
    """Let leases that have not run out end this long from now, if they end earlier; returns how
    many are longer now."""
    moment = clock.moment(session)
    until = moment + length
    done = session.execute(
        update(ASSIGNMENT)
        .where(
            ASSIGNMENT.c.id.in_([row.id for row in leases]),
            ASSIGNMENT.c.state == AssignmentState.LEASED,
            ASSIGNMENT.c.lease_until < until,
            *_IS_CURRENT,
        )
        .values(lease_until=until)
        .returning(ASSIGNMENT.c.id),
        bind_moment(moment),
    )
    return len(done.all())


def release_leases(
    session: Session, item_ids: Sequence[int], stage: int, keep: int | None = None
) -> None:
    """End the leases on items that left the stage while somebody looked at them."""
    if logins.secured(session):
        if calls.release_leases(session, item_ids, stage, keep):
            recount(session, item_ids, stage)
        return
    query = update(ASSIGNMENT).where(
        ASSIGNMENT.c.item_id.in_(item_ids),
        ASSIGNMENT.c.stage == stage,
        ASSIGNMENT.c.gold.is_(False),
        ASSIGNMENT.c.state == AssignmentState.LEASED,
    )
    if keep is not None:
        query = query.where(ASSIGNMENT.c.person_id != keep)
    ended = query.values(state=AssignmentState.RELEASED, lease_until=None)
    if session.execute(ended.returning(ASSIGNMENT.c.id)).first() is not None:
        recount(session, item_ids, stage)


def progress(
    session: Session,
    person_id: int,
    stage: int,
    benchmark_id: int,
    remaining: RemainingShares = UNLIMITED,
) -> tuple[int, int, int]:
    """(decided by this person, still open to them, skipped by them and open to others and to who
    asks for it) at a stage of a benchmark."""
    query = (
        select(ASSIGNMENT.c.state, func.count(ASSIGNMENT.c.id))
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .where(
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.stage == stage,
            ITEM.c.benchmark_id == benchmark_id,
        )
        .group_by(ASSIGNMENT.c.state)
    )
    by_state: dict[str, int] = {row[0]: row[1] for row in session.execute(query)}
    here = and_(ITEM.c.benchmark_id == benchmark_id, ITEM.c.taken < ITEM.c.open_slots, is_shown())
    if remaining.closed:
        here = and_(here, ITEM.c.task_id.not_in(remaining.closed))
    open_by_task = _open_by_task(session, benchmark_id, remaining)
    left = _open_beyond(session, person_id, stage, here, sum(open_by_task.values()))
    for task_id, most in remaining.left:
        of_task = _open_beyond(
            session,
            person_id,
            stage,
            and_(here, ITEM.c.task_id == task_id),
            open_by_task.get(task_id, 0),
        )
        left -= max(0, of_task - most)
    left += by_state.get(AssignmentState.LEASED, 0)
    skipped = 0
    if AssignmentState.SKIPPED in by_state:
        set_aside = select(func.count(ASSIGNMENT.c.id)).select_from(
            ASSIGNMENT.join(ITEM, own_assignments(person_id, stage))
        )
        skipped = session.execute(
            set_aside.where(
                here,
                ASSIGNMENT.c.state == AssignmentState.SKIPPED,
                ASSIGNMENT.c.reason.not_in((PACKAGED, REVEALED)),
            )
        ).scalar_one()
    return by_state.get(AssignmentState.DONE, 0), left, int(skipped)


def _open_by_task(
    session: Session, benchmark_id: int, remaining: RemainingShares
) -> dict[int | None, int]:
    """How many items of a benchmark are open in each task that is not closed to somebody; all of
    them under None where no task is closed and of none has them a share, for a server counts these
    by an index."""
    if not remaining.closed and not remaining.left:
        return {None: item_counts.total(session, benchmark_id=benchmark_id, is_open=True)}
    rows = item_counts.counted(session, ("task_id",), benchmark_id=benchmark_id, is_open=True)
    return {task_id: number for task_id, number in rows if task_id not in remaining.closed}


def _open_beyond(
    session: Session, person_id: int, stage: int, is_open: ColumnElement[bool], left: int
) -> int:
    """How many of the ``left`` items that a condition says are open this person could claim beyond
    what they hold."""
    if not left:
        return 0
    # From one's own side, because one has far fewer assignments than there are open items.
    held = select(func.count(func.distinct(ITEM.c.id))).select_from(
        ASSIGNMENT.join(ITEM, own_assignments(person_id, stage))
    )
    left -= session.execute(
        held.where(
            is_open,
            ASSIGNMENT.c.state != AssignmentState.POSTPONED,
            not_written_by(person_id),
        )
    ).scalar_one()
    if _has_written(session, person_id):
        written = select(func.count(ITEM.c.id)).where(is_open, ~not_written_by(person_id))
        left -= session.execute(written).scalar_one()
    return int(left)


def _has_written(session: Session, person_id: int) -> bool:
    query = select(REVISION.c.id).where(REVISION.c.author_id == person_id).limit(1)
    return session.execute(query).first() is not None
