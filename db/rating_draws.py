"""Random samples of a task's items that raters rate."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert, select

from db.evidence.bindings import touch
from db.session import Session
from db.tables import RATING_DRAW, RATING_DRAW_ITEM, now


@dataclass(frozen=True, slots=True)
class DrawRow:
    """A drawn sample; ``items`` are (item id, revision) in drawing order."""

    id: int
    task_id: int
    seed: int
    items: tuple[tuple[int, int], ...]


def add(
    session: Session, task_id: int, seed: int, person_id: int, items: Sequence[tuple[int, int]]
) -> DrawRow:
    """Write a sample."""
    query = insert(RATING_DRAW).values(task_id=task_id, seed=seed, person_id=person_id, at=now())
    number = int(session.execute(query.returning(RATING_DRAW.c.id)).scalar_one())
    rows = [
        {"draw_id": number, "item_id": item_id, "revision": revision, "position": position}
        for position, (item_id, revision) in enumerate(items)
    ]
    if rows:
        session.execute(insert(RATING_DRAW_ITEM), rows)
    touch(session, "rating_draw", [number])
    touch(session, "rating_draw_item", [number])
    return DrawRow(number, task_id, seed, tuple(items))


def newest(session: Session, task_id: int) -> DrawRow | None:
    """The current sample of a task."""
    return newest_of(session, [task_id]).get(task_id)


def newest_of(session: Session, task_ids: Collection[int]) -> dict[int, DrawRow]:
    """The current samples of tasks, by task; those without one are left out."""
    newest_ids = select(func.max(RATING_DRAW.c.id)).group_by(RATING_DRAW.c.task_id)
    if len(task_ids) == 1:
        newest_ids = newest_ids.where(RATING_DRAW.c.task_id.in_(task_ids))
    draws = [
        row
        for row in session.execute(select(RATING_DRAW).where(RATING_DRAW.c.id.in_(newest_ids)))
        if row.task_id in task_ids
    ]
    statement = (
        select(RATING_DRAW_ITEM.c.draw_id, RATING_DRAW_ITEM.c.item_id, RATING_DRAW_ITEM.c.revision)
        .where(RATING_DRAW_ITEM.c.draw_id.in_(newest_ids))
        .order_by(RATING_DRAW_ITEM.c.draw_id, RATING_DRAW_ITEM.c.position)
    )
    pairs: dict[int, list[tuple[int, int]]] = {}
    for draw_id, item_id, revision in session.execute(statement):
        pairs.setdefault(draw_id, []).append((int(item_id), int(revision)))
    return {
        row.task_id: DrawRow(row.id, row.task_id, row.seed, tuple(pairs.get(row.id, ())))
        for row in draws
    }
