"""Reads for recomputing items from their ledger: events and items in bulk, as plain values."""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session

from db.tables import ASSIGNMENT, EVENT, ITEM, REVISION
from db.vocabulary import AssignmentState, Stage

_LIVE = (AssignmentState.LEASED, AssignmentState.DONE)


def item_events(
    session: Session, until: str = "", batch: int = 10_000
) -> Iterator[tuple[int, str, int, dict[str, Any]]]:
    """(number, kind, item, data) of all events about items, oldest first; up to a moment.

    ``until`` is an ISO time in UTC as events carry it; times of that form sort as text.
    """
    last = 0
    while True:
        query = select(EVENT.c.id, EVENT.c.kind, EVENT.c.item_id, EVENT.c.data).where(
            EVENT.c.id > last, EVENT.c.item_id.is_not(None)
        )
        if until:
            query = query.where(EVENT.c.at <= until)
        rows = session.connection().execute(query.order_by(EVENT.c.id).limit(batch)).all()
        if not rows:
            return
        for number, kind, item_id, data in rows:
            yield number, kind, item_id, json.loads(data)
        last = rows[-1][0]


def items(session: Session, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """The id and some columns of every item, by id."""
    query = select(ITEM.c.id, *(ITEM.c[name] for name in columns)).order_by(ITEM.c.id)
    for row in session.connection().execute(query):
        yield tuple(row)


def revisions(
    session: Session, batch: int = 2000
) -> Iterator[tuple[int, int, str, str, str, dict[str, Any]]]:
    """(item, number, content hash, family, format, payload) of every revision."""
    last = 0
    while True:
        query = (
            select(
                REVISION.c.id,
                REVISION.c.item_id,
                REVISION.c.number,
                REVISION.c.content_hash,
                ITEM.c.family,
                ITEM.c.format,
                REVISION.c.payload,
            )
            .join(ITEM, ITEM.c.id == REVISION.c.item_id)
            .where(REVISION.c.id > last)
            .order_by(REVISION.c.id)
            .limit(batch)
        )
        rows = session.connection().execute(query).all()
        if not rows:
            return
        for _, item_id, number, digest, family, format, payload in rows:
            yield item_id, number, digest, family, format, payload
        last = rows[-1][0]


def miscounted(session: Session) -> list[tuple[int, int, int]]:
    """(item, taken, live assignments) of the items whose places are counted wrong."""
    live = (
        select(func.count(ASSIGNMENT.c.id))
        .where(
            ASSIGNMENT.c.item_id == ITEM.c.id,
            ASSIGNMENT.c.revision == ITEM.c.revision,
            ASSIGNMENT.c.stage == Stage.CHECK,
            ASSIGNMENT.c.gold.is_(False),
            ASSIGNMENT.c.state.in_(_LIVE),
        )
        .scalar_subquery()
    )
    query = select(ITEM.c.id, ITEM.c.taken, live).where(ITEM.c.taken != live)
    return [(row[0], row[1], row[2]) for row in session.execute(query.order_by(ITEM.c.id))]


def wrong_hashes(session: Session) -> list[int]:
    """Items whose content hash is not that of the revision they point to."""
    fits = (
        select(REVISION.c.id)
        .where(
            REVISION.c.item_id == ITEM.c.id,
            REVISION.c.number == ITEM.c.revision,
            REVISION.c.content_hash == ITEM.c.content_hash,
        )
        .exists()
    )
    query = select(ITEM.c.id).where(~fits).order_by(ITEM.c.id)
    return [int(number) for number in session.execute(query).scalars()]
