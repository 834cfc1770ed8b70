"""The texts of a task, for comparing them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlmodel import Session

from db.tables import ITEM, REVISION, TASK


@dataclass(frozen=True, slots=True)
class TextRow:
    """The present content of an item."""

    id: int
    revision: int
    state: str
    family: str
    format: str
    payload: dict[str, Any]
    changed_at: datetime


def contents_of(
    session: Session, task_ids: Sequence[int], since: datetime | None = None
) -> Iterator[TextRow]:
    """The items of some tasks by number, or only those that changed at ``since`` or later."""
    query = (
        select(
            ITEM.c.id,
            ITEM.c.revision,
            ITEM.c.state,
            ITEM.c.family,
            ITEM.c.format,
            REVISION.c.payload,
            ITEM.c.changed_at,
        )
        .join(REVISION, (REVISION.c.item_id == ITEM.c.id) & (REVISION.c.number == ITEM.c.revision))
        .where(ITEM.c.task_id.in_(task_ids))
        .order_by(ITEM.c.id)
    )
    if since is not None:
        query = query.where(ITEM.c.changed_at >= since)
    for row in session.execute(query):
        yield TextRow(*row)


def namesakes(session: Session, task_id: int, name: str) -> list[int]:
    """Tasks of the same name in other benchmarks: what was published in an earlier period."""
    query = select(TASK.c.id).where(TASK.c.name == name, TASK.c.id != task_id)
    return list(session.execute(query).scalars())
