"""Who is given which items: shares of tasks, with a quota and a day, and pauses."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, literal_column, select, union_all

from db.people import UNLIMITED, RemainingShares, ShareRow
from db.session import Session
from db.tables import ASSIGNMENT, ITEM, PAUSE, PERSON, TASK, TASK_SHARE, now
from db.vocabulary import AssignmentState, Stage

_LIVE = (AssignmentState.LEASED, AssignmentState.DONE)


_FIELDS = tuple(TASK_SHARE.c[name] for name in ShareRow.__dataclass_fields__)


def all_shares(session: Session, benchmark_id: int | None = None) -> list[ShareRow]:
    """Every share, or those of a benchmark's tasks, by task and person."""
    query = select(*_FIELDS).join(TASK, TASK.c.id == TASK_SHARE.c.task_id)
    query = query.join(PERSON, PERSON.c.id == TASK_SHARE.c.person_id)
    if benchmark_id is not None:
        query = query.where(TASK.c.benchmark_id == benchmark_id)
    rows = session.execute(query.order_by(TASK.c.name, TASK.c.id, PERSON.c.name))
    return [ShareRow(*row) for row in rows]


_TASKS = select(TASK_SHARE.c.task_id, TASK_SHARE.c.person_id, TASK_SHARE.c.most)


def reviewed(session: Session) -> dict[tuple[int, int], int]:
    """Items that people have reviewed, by (person, task); gold ones do not count, and an item
    counts once, whatever its revisions."""
    return _given(session, (AssignmentState.DONE,))


def _given(
    session: Session, states: Sequence[AssignmentState], person_id: int | None = None
) -> dict[tuple[int, int], int]:
    query: Select[Any] = (
        select(ASSIGNMENT.c.person_id, ITEM.c.task_id, func.count(func.distinct(ITEM.c.id)))
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .where(
            ASSIGNMENT.c.stage == Stage.CHECK,
            ASSIGNMENT.c.gold.is_(False),
            ASSIGNMENT.c.state.in_(states),
        )
        .group_by(ASSIGNMENT.c.person_id, ITEM.c.task_id)
    )
    if person_id is not None:
        query = query.where(ASSIGNMENT.c.person_id == person_id)
    return {(row[0], row[1]): int(row[2]) for row in session.execute(query)}


_PAUSED = select(PAUSE.c.reason).where(PAUSE.c.person_id == bindparam("person"))
_NOTHING: ColumnElement[Any] = literal_column("NULL")
_TASKS_AND_PAUSE = union_all(
    _TASKS.add_columns(_NOTHING.label("reason")),
    select(_NOTHING, PAUSE.c.person_id, _NOTHING, PAUSE.c.reason).where(
        PAUSE.c.person_id == bindparam("person")
    ),
)


def remaining_of(session: Session, person_id: int) -> RemainingShares:
    """What shares leave open to a person; one quick statement while no task is shared out."""
    return _remaining(session, person_id, list(session.connection().execute(_TASKS)))


def remaining_and_pause(session: Session, person_id: int) -> tuple[RemainingShares, str | None]:
    """``remaining_of`` and ``pause_of`` in one statement, as each claim asks for both."""
    rows = list(session.connection().execute(_TASKS_AND_PAUSE, {"person": person_id}))
    reasons = [str(row.reason) for row in rows if row.task_id is None]
    shared = [row for row in rows if row.task_id is not None]
    return _remaining(session, person_id, shared), reasons[0] if reasons else None


def _remaining(session: Session, person_id: int, rows: Sequence[Any]) -> RemainingShares:
    if not rows:
        return UNLIMITED
    own = {row.task_id: row.most for row in rows if row.person_id == person_id}
    others = {row.task_id for row in rows} - set(own)
    limited = {task: most for task, most in own.items() if most is not None}
    had = _given(session, _LIVE, person_id) if limited else {}  # what they hold takes a place
    left = {task: most - had.get((person_id, task), 0) for task, most in limited.items()}
    return RemainingShares(
        tuple(sorted(others)),
        tuple(sorted(task for task, count in left.items() if count <= 0)),
        tuple(sorted((task, count) for task, count in left.items() if count > 0)),
    )


def pause_of(session: Session, person_id: int) -> str | None:
    """Why somebody is given nothing for a while; None for who is not paused."""
    row = session.connection().execute(_PAUSED, {"person": person_id}).first()
    return None if row is None else str(row[0])


def pauses(session: Session) -> dict[int, str]:
    """The reasons of those who are paused, by person."""
    return {row[0]: row[1] for row in session.execute(select(PAUSE.c.person_id, PAUSE.c.reason))}


def held(session: Session, person_ids: Sequence[int]) -> dict[int, int]:
    """How many items people hold to review now, by person."""
    query = (
        select(ASSIGNMENT.c.person_id, func.count(ASSIGNMENT.c.id))
        .where(
            ASSIGNMENT.c.stage == Stage.CHECK,
            ASSIGNMENT.c.state == AssignmentState.LEASED,
            ASSIGNMENT.c.lease_until >= now(),
            ASSIGNMENT.c.person_id.in_(person_ids),
        )
        .group_by(ASSIGNMENT.c.person_id)
    )
    return {row[0]: int(row[1]) for row in session.execute(query)}
