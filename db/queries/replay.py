"""Reads for recomputing items from their ledger: events and items in bulk, as plain values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Select, func, select

from db.schema.json_text import read_json
from db.session import Session
from db.tables import ASSIGNMENT, DECISION, EVENT, ITEM, PERSON, RATING, REVISION
from db.vocabulary import AssignmentState, EventKind, Stage

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
            yield number, kind, item_id, _data(data)
        last = rows[-1][0]


def _data(text: str) -> dict[str, Any]:
    """An event's data; empty for what is no JSON any more, which the chain itself shows."""
    try:
        data = read_json(text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


@dataclass(frozen=True, slots=True)
class ReplayedEvent:
    """What an event says, without its place in the chain."""

    id: int
    actor: str
    kind: str
    item_id: int | None
    subject: str
    data: dict[str, Any]


_AT_ONCE = 2000  # rows
# Events that tell of no row beside the items themselves.
_SILENT = (EventKind.CLAIMED, EventKind.SCREENED, EventKind.SCREENING_STARTED, EventKind.FROZEN)


def row_events(session: Session, batch: int = 10_000) -> Iterator[ReplayedEvent]:
    """All events that tell of rows, oldest first."""
    columns = (EVENT.c.id, EVENT.c.actor, EVENT.c.kind, EVENT.c.item_id, EVENT.c.subject)
    last = 0
    while True:
        query = select(*columns, EVENT.c.data).where(
            EVENT.c.id > last, EVENT.c.kind.not_in(_SILENT)
        )
        rows = session.connection().execute(query.order_by(EVENT.c.id).limit(batch)).all()
        if not rows:
            return
        for row in rows:
            yield ReplayedEvent(*row[:5], _data(row[5]))
        last = rows[-1][0]


def events(session: Session, numbers: Sequence[int]) -> dict[int, ReplayedEvent]:
    """Some events by number; those that do not exist are left out."""
    columns = (EVENT.c.id, EVENT.c.actor, EVENT.c.kind, EVENT.c.item_id, EVENT.c.subject)
    query = select(*columns, EVENT.c.data).where(EVENT.c.id.in_(numbers))
    return {
        row[0]: ReplayedEvent(*row[:5], _data(row[5]))
        for row in session.connection().execute(query)
    }


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A decision as it is stored, withdrawn ones included."""

    id: int
    item_id: int
    person: str
    verdict: str
    reason: str
    note: str
    withdrawn_event: int | None


def decisions(session: Session) -> Iterator[list[StoredDecision]]:
    """All decisions by id, some at a time."""
    names = ("verdict", "reason", "note", "withdrawn_event")
    query = select(
        DECISION.c.id, DECISION.c.item_id, PERSON.c.name, *(DECISION.c[name] for name in names)
    ).join(PERSON, PERSON.c.id == DECISION.c.person_id)
    for some in _by_id(session, query, DECISION.c.id):
        yield [StoredDecision(*row) for row in some]


@dataclass(frozen=True, slots=True)
class StoredRating:
    """A rating as it is stored, withdrawn ones included."""

    id: int
    item_id: int
    person: str
    criterion: str
    value: float
    withdrawn_event: int | None


def ratings(session: Session) -> Iterator[list[StoredRating]]:
    """All ratings by id, some at a time."""
    names = ("criterion", "value", "withdrawn_event")
    query = select(
        RATING.c.id, RATING.c.item_id, PERSON.c.name, *(RATING.c[name] for name in names)
    ).join(PERSON, PERSON.c.id == RATING.c.person_id)
    for some in _by_id(session, query, RATING.c.id):
        yield [StoredRating(*row) for row in some]


def _by_id(session: Session, query: Select[Any], number: Column[Any]) -> Iterator[Sequence[Any]]:
    """The rows of a query in the order of their numbers, which come first, some at a time."""
    ordered = query.order_by(number).limit(_AT_ONCE)
    connection, rest = session.connection(), ordered
    while rows := connection.execute(rest).all():
        yield rows
        rest = ordered.where(number > rows[-1][0])


def texts(session: Session) -> Iterator[tuple[int, int, str, str]]:
    """(item, number, content hash, author or empty) of every revision."""
    query = select(
        REVISION.c.item_id, REVISION.c.number, REVISION.c.content_hash, PERSON.c.name
    ).select_from(REVISION.outerjoin(PERSON, PERSON.c.id == REVISION.c.author_id))
    stored = session.connection().execute(query, execution_options={"yield_per": _AT_ONCE})
    for item_id, number, digest, author in stored:
        yield item_id, number, digest, author or ""


def items(session: Session, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """The id and some columns of every item, by id."""
    query = select(ITEM.c.id, *(ITEM.c[name] for name in columns)).order_by(ITEM.c.id)
    for row in session.connection().execute(query, execution_options={"yield_per": _AT_ONCE}):
        yield tuple(row)


def revisions(
    session: Session, batch: int = 2000
) -> Iterator[tuple[int, int, str, str, str, dict[str, Any]]]:
    """(item, number, content hash, family, format, payload) of every revision; the payload is a
    ``LockedValue`` where it cannot be opened."""
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


def miscounted_places(session: Session) -> list[tuple[int, int, int]]:
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
