"""Named filters over the list of items."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, insert, select, update

from db.session import Session
from db.tables import SAVED_FILTER, now


@dataclass(frozen=True, slots=True)
class SavedFilterRow:
    """One named filter."""

    name: str
    settings: dict[str, Any]
    person_id: int | None


def save(session: Session, name: str, settings: dict[str, Any], person_id: int | None) -> None:
    """Keep a filter under a name, in place of an earlier one of that name."""
    values = {"settings": settings, "person_id": person_id, "at": now()}
    changed = session.execute(
        update(SAVED_FILTER)
        .where(SAVED_FILTER.c.name == name)
        .values(values)
        .returning(SAVED_FILTER.c.id)
    )
    if changed.first() is None:
        session.execute(insert(SAVED_FILTER).values(name=name, **values))


def all_filters(session: Session) -> tuple[SavedFilterRow, ...]:
    """All of them by name."""
    rows = session.execute(select(SAVED_FILTER).order_by(SAVED_FILTER.c.name))
    return tuple(SavedFilterRow(row.name, row.settings, row.person_id) for row in rows)


def forget(session: Session, name: str) -> bool:
    """Remove one; whether there was one."""
    query = delete(SAVED_FILTER).where(SAVED_FILTER.c.name == name).returning(SAVED_FILTER.c.id)
    return session.execute(query).first() is not None
