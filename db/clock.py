"""The clock by which claims run out: one for everybody who works in a database."""

from datetime import UTC, datetime, timedelta
from time import monotonic

from sqlalchemy import func, select

from db.session import Session
from db.tables import now

_ASKED = "clock"
# How far a clock may be set back without the claims that are held being given to others.
SETBACK = timedelta(minutes=1)


def moment(session: Session) -> datetime:
    """The present moment: on a PostgreSQL server that of the server, whose clock all share.

    A transaction asks the server once, and counts on from there by the clock of this machine that
    nobody sets.
    """
    if session.dialect.name == "sqlite":
        return now()
    if _ASKED not in session.info:
        was_told(session, session.execute(select(func.clock_timestamp())).scalar_one())
    moment_, counted = session.info[_ASKED]
    told: datetime = moment_ + timedelta(seconds=monotonic() - counted)
    return told


def was_told(session: Session, server: datetime) -> None:
    """A statement of this transaction brought the server's moment along: it need not be asked."""
    session.info[_ASKED] = (server.astimezone(UTC), monotonic())
