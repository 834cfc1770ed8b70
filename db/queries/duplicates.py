"""The texts of a task, for comparing them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, or_, select

from db.importing.pending_imports import is_shown, shown_after
from db.schema.sealed_values import is_locked
from db.session import Session
from db.tables import ITEM, REVISION, TASK

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class TextRow:
    """The present content of an item."""

    id: int
    revision: int
    state: str
    family: str
    format: str
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DuplicateTextInfo:
    """Where an item stands, without its content."""

    id: int
    revision: int
    state: str
    changed_at: datetime


def contents_of(session: Session, task_ids: Sequence[int]) -> Iterator[TextRow]:
    """The items of some tasks by number, but those that are sealed and whose key is not here."""
    return _contents(session, ITEM.c.task_id.in_(task_ids))


def contents(session: Session, numbers: Sequence[int]) -> Iterator[TextRow]:
    """Some items by number."""
    for start in range(0, len(numbers), _CHUNK):
        yield from _contents(session, ITEM.c.id.in_(numbers[start : start + _CHUNK]))


def _contents(session: Session, condition: ColumnElement[bool]) -> Iterator[TextRow]:
    query = (
        select(
            ITEM.c.id,
            ITEM.c.revision,
            ITEM.c.state,
            ITEM.c.family,
            ITEM.c.format,
            REVISION.c.payload,
        )
        .join(REVISION, (REVISION.c.item_id == ITEM.c.id) & (REVISION.c.number == ITEM.c.revision))
        .where(condition, is_shown())
        .order_by(ITEM.c.id)
    )
    for row in session.execute(query):
        if not is_locked(row.payload):
            yield TextRow(*row)


def item_marks(
    session: Session, task_ids: Sequence[int], since: datetime | None = None, event: int = 0
) -> list[DuplicateTextInfo]:
    """Where the items of some tasks stand, or only those that changed at ``since`` (UTC) or later
    or that the end of an import showed after an event."""
    query = select(ITEM.c.id, ITEM.c.revision, ITEM.c.state, ITEM.c.changed_at)
    query = query.where(ITEM.c.task_id.in_(task_ids), is_shown())
    if since is not None:
        changed, shown = ITEM.c.changed_at >= since, shown_after(session, event)
        query = query.where(changed if shown is None else or_(changed, shown))
    return [DuplicateTextInfo(*row) for row in session.execute(query)]


def namesakes(session: Session, task_id: int, name: str) -> list[int]:
    """Tasks of the same name in other benchmarks: what was published in an earlier period."""
    query = select(TASK.c.id).where(TASK.c.name == name, TASK.c.id != task_id)
    return list(session.execute(query).scalars())
