"""Drafts: what people are writing and have not handed in. They are no items yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlmodel import Session

from db.tables import DRAFT, now


@dataclass(frozen=True, slots=True)
class DraftRow:
    """One draft; ``item_id`` is the returned item that is being rewritten, if any."""

    id: int
    task_id: int
    person_id: int
    item_id: int | None
    payload: dict[str, Any]
    at: datetime


_COLUMNS = tuple(DRAFT.c[name] for name in DraftRow.__dataclass_fields__)


def add(
    session: Session,
    task_id: int,
    person_id: int,
    payload: Mapping[str, Any],
    item_id: int | None = None,
) -> int:
    """Write a new draft; returns its id."""
    query = insert(DRAFT).values(
        task_id=task_id, person_id=person_id, item_id=item_id, payload=dict(payload), at=now()
    )
    return int(session.execute(query.returning(DRAFT.c.id)).scalar_one())


def save(session: Session, draft_id: int, payload: Mapping[str, Any]) -> None:
    """Replace what a draft says."""
    session.execute(
        update(DRAFT).where(DRAFT.c.id == draft_id).values(payload=dict(payload), at=now())
    )


def get(session: Session, draft_id: int) -> DraftRow | None:
    """One draft."""
    row = session.execute(select(*_COLUMNS).where(DRAFT.c.id == draft_id)).first()
    return DraftRow(*row) if row else None


def of_person(session: Session, person_id: int, task_id: int | None = None) -> list[DraftRow]:
    """A person's drafts, oldest first."""
    query = select(*_COLUMNS).where(DRAFT.c.person_id == person_id).order_by(DRAFT.c.id)
    if task_id is not None:
        query = query.where(DRAFT.c.task_id == task_id)
    return [DraftRow(*row) for row in session.execute(query)]


def of_item(session: Session, person_id: int, item_id: int) -> DraftRow | None:
    """A person's draft of a returned item."""
    query = select(*_COLUMNS).where(DRAFT.c.person_id == person_id, DRAFT.c.item_id == item_id)
    row = session.execute(query.order_by(DRAFT.c.id.desc()).limit(1)).first()
    return DraftRow(*row) if row else None


def remove(session: Session, draft_id: int) -> None:
    """Drop a draft that was handed in or given up."""
    session.execute(delete(DRAFT).where(DRAFT.c.id == draft_id))
