"""People: adding and finding them."""

from dataclasses import dataclass

from sqlalchemy import insert, select
from sqlmodel import Session

from db.tables import PERSON, now


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody who works here."""

    id: int
    name: str
    role: str
    active: bool


def add(session: Session, name: str, role: str) -> PersonRow:
    """Add a person."""
    values = {"name": name, "role": role, "active": True, "at": now()}
    number = session.execute(insert(PERSON).values(values).returning(PERSON.c.id)).scalar_one()
    return PersonRow(number, name, role, True)


def named(session: Session, name: str) -> PersonRow | None:
    """The person of that name."""
    row = session.execute(select(PERSON).where(PERSON.c.name == name)).first()
    return PersonRow(row.id, row.name, row.role, row.active) if row else None


def everybody(session: Session) -> tuple[PersonRow, ...]:
    """All people by name."""
    rows = session.execute(select(PERSON).order_by(PERSON.c.name))
    return tuple(PersonRow(row.id, row.name, row.role, row.active) for row in rows)


def set_role(session: Session, person_id: int, role: str) -> None:
    """Give a person another role."""
    session.execute(PERSON.update().where(PERSON.c.id == person_id).values(role=role))
