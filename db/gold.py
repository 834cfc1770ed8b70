"""Gold items: those whose right verdict is known."""

import random
from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists, insert, select, text, update

from db.assignments import not_written_by
from db.evidence.bindings import touch
from db.server import logins
from db.session import Session
from db.splits import is_sealed
from db.tables import ASSIGNMENT, DECISION, GOLD, ITEM, PERSON, now
from db.vocabulary import AssignmentState, DecisionKind


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One gold item."""

    item_id: int
    revision: int
    task_id: int
    verdict: str
    active: bool


_COLUMNS = tuple(GOLD.c[name] for name in GoldRow.__dataclass_fields__)


def set_gold(
    session: Session, item_id: int, revision: int, task_id: int, verdict: str, person_id: int
) -> None:
    """Make an item gold, or change its known verdict; its task never changes."""
    values: dict[str, Any] = {
        "revision": revision,
        "verdict": verdict,
        "active": True,
        "person_id": person_id,
        "at": now(),
    }
    changed = update(GOLD).where(GOLD.c.item_id == item_id).values(**values)
    if session.execute(changed.returning(GOLD.c.item_id)).first() is None:
        session.execute(insert(GOLD).values(item_id=item_id, task_id=task_id, **values))
    touch(session, "gold", [item_id], [item_id])


def stop(session: Session, item_id: int) -> None:
    """Show an item as gold no longer."""
    session.execute(update(GOLD).where(GOLD.c.item_id == item_id).values(active=False))
    touch(session, "gold", [item_id], [item_id])


def get(session: Session, item_id: int) -> GoldRow | None:
    """The known verdict on an item."""
    row = session.execute(select(*_COLUMNS).where(GOLD.c.item_id == item_id)).first()
    return GoldRow(*row) if row else None


def unseen(session: Session, task_id: int, person_id: int) -> list[int]:
    """Gold items of a task that a person may be shown: never theirs, never seen by them, never of
    a sealed split."""
    seen = exists().where(
        ASSIGNMENT.c.item_id == GOLD.c.item_id, ASSIGNMENT.c.person_id == person_id
    )
    decided = exists().where(
        DECISION.c.item_id == GOLD.c.item_id, DECISION.c.person_id == person_id
    )
    query = (
        select(GOLD.c.item_id)
        .join(ITEM, ITEM.c.id == GOLD.c.item_id)
        .where(
            GOLD.c.task_id == task_id,
            GOLD.c.active.is_(True),
            GOLD.c.revision == ITEM.c.revision,
            ITEM.c.taken >= ITEM.c.open_slots,
            not_written_by(person_id),
            ~is_sealed(),
            ~seen,
            ~decided,
        )
        .order_by(GOLD.c.item_id)
    )
    return [int(number) for number in session.execute(query).scalars()]


def next_drawn_gold(
    session: Session, task_id: int, person_id: int, seed: str, without: int | None = None
) -> int | None:
    """The gold item of a task that a person is shown next; the same for the same ``seed``.

    A server draws by itself: whoever is shown gold items cannot read which they are.
    """
    if logins.secured(session):
        query = text("SELECT benchseal.draw_gold(:task)")
        number = session.execute(query, {"task": task_id}).scalar()
        return None if number in (None, without) else int(number)
    numbers = [number for number in unseen(session, task_id, person_id) if number != without]
    return random.Random(seed).choice(numbers) if numbers else None


def claimed(session: Session, person_id: int, stage: int, task_id: int) -> tuple[int, int]:
    """(assignments, gold ones among them) that a person has had in a task at a stage."""
    query = (
        select(ASSIGNMENT.c.gold)
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .where(
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.stage == stage,
            ITEM.c.task_id == task_id,
            ASSIGNMENT.c.state != AssignmentState.EXPIRED,
        )
    )
    flags = list(session.execute(query).scalars())
    return len(flags), sum(flags)


def answers(
    session: Session, task_id: int | None = None, person_id: int | None = None
) -> list[tuple[str, int, int, str, str]]:
    """(person, decision id, item, verdict given, verdict known) of all standing gold decisions."""
    query = (
        select(PERSON.c.name, DECISION.c.id, DECISION.c.item_id, DECISION.c.verdict, GOLD.c.verdict)
        .join(GOLD, GOLD.c.item_id == DECISION.c.item_id)
        .join(PERSON, PERSON.c.id == DECISION.c.person_id)
        .where(DECISION.c.kind == DecisionKind.GOLD, DECISION.c.withdrawn_event.is_(None))
        .order_by(DECISION.c.id)
    )
    if task_id is not None:
        query = query.where(GOLD.c.task_id == task_id)
    if person_id is not None:
        query = query.where(DECISION.c.person_id == person_id)
    return [(row[0], row[1], row[2], row[3], row[4]) for row in session.execute(query)]
