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
    known = session.info.get(_ASKED)
    if known is None:
        server: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        known = session.info[_ASKED] = (server.astimezone(UTC), monotonic())
    moment_, counted = known
    return moment_ + timedelta(seconds=monotonic() - counted)
