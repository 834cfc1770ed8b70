"""What a change of many items must ask first."""

from sqlalchemy import select
from sqlmodel import Session

from db.tables import ASSIGNMENT, now
from db.vocabulary import AssignmentState


def held(session: Session) -> set[int]:
    """Items that somebody holds a lease on now."""
    query = select(ASSIGNMENT.c.item_id).where(
        ASSIGNMENT.c.state == AssignmentState.LEASED, ASSIGNMENT.c.lease_until > now()
    )
    return set(session.execute(query).scalars())
