"""The alarms that leads set, as one JSON text among the facts of the workspace."""

from sqlalchemy import insert, select, update
from sqlmodel import Session

from db.tables import META

_KEY = "alarms"


def read(session: Session) -> str:
    """The stored text, empty before the first alarm."""
    return str(session.execute(select(META.c.value).where(META.c.key == _KEY)).scalar() or "")


def write(session: Session, value: str) -> None:
    """Replace the stored text."""
    changed = update(META).where(META.c.key == _KEY).values(value=value)
    if session.execute(changed.returning(META.c.key)).first() is None:
        session.execute(insert(META).values(key=_KEY, value=value))
