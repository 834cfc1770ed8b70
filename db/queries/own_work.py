"""What one person has done with items: it decides what about them is open to that person.

Every function answers for one item, or for all items when none is named.
"""

from typing import Any, NamedTuple

from sqlalchemy import Select, or_, select
from sqlmodel import Session

from db.tables import ASSIGNMENT, DECISION, ITEM, RATING, REVISION
from db.vocabulary import DecisionKind

Keys = frozenset[tuple[int, int]]
"""Item and revision."""


class Claim(NamedTuple):
    """One person's claim on an item revision; ``gold`` where it was shown as a gold item."""

    item_id: int
    revision: int
    stage: int
    state: str
    reason: str
    gold: bool


def claims(session: Session, person_id: int, item_id: int | None = None) -> list[Claim]:
    """All claims of a person, past ones included."""
    query = select(*[ASSIGNMENT.c[name] for name in Claim._fields])
    rows = session.execute(_of(query, ASSIGNMENT, person_id, item_id))
    return [Claim(*row) for row in rows]


def decided(session: Session, person_id: int, item_id: int | None = None) -> Keys:
    """The revisions on which a person's own decision stands; on gold items they do not count."""
    query = select(DECISION.c.item_id, DECISION.c.revision).where(
        DECISION.c.withdrawn_event.is_(None), DECISION.c.kind != DecisionKind.GOLD
    )
    return _keys(session, _of(query, DECISION, person_id, item_id))


def rated(session: Session, person_id: int, item_id: int | None = None) -> Keys:
    """The revisions of which a person's own rating stands."""
    query = select(RATING.c.item_id, RATING.c.revision).where(RATING.c.withdrawn_event.is_(None))
    return _keys(session, _of(query, RATING, person_id, item_id))


def written(session: Session, person_id: int, item_id: int | None = None) -> frozenset[int]:
    """The items of which a person wrote a revision."""
    wrote = select(REVISION.c.item_id).where(REVISION.c.author_id == person_id)
    query = select(ITEM.c.id).where(or_(ITEM.c.author_id == person_id, ITEM.c.id.in_(wrote)))
    if item_id is not None:
        query = query.where(ITEM.c.id == item_id)
    return frozenset(session.execute(query).scalars())


def _of(query: Select[Any], table: Any, person_id: int, item_id: int | None) -> Select[Any]:
    query = query.where(table.c.person_id == person_id)
    return query if item_id is None else query.where(table.c.item_id == item_id)


def _keys(session: Session, query: Select[Any]) -> Keys:
    return frozenset((row[0], row[1]) for row in session.execute(query.distinct()))
