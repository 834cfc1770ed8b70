"""The ledger: appending events to the hash chain, reading them, and walking the chain.

An event's hash is SHA-256 over its number, time, actor, kind, item, subject, data and the hash of
the event before, as one canonical JSON array. The first event follows 64 zeros.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    FromClause,
    Text,
    bindparam,
    cast,
    column,
    func,
    select,
    text,
)

from db.evidence import bindings
from db.schema.json_text import sorted_json
from db.schema.sealed_values import is_marked, opened_text
from db.server import logins
from db.server.calls import CHAIN_LOCK
from db.session import Session
from db.tables import EVENT, now
from db.vocabulary import EventKind

GENESIS = "0" * 64
CLOCK = "clock"  # where an event keeps that the clock was behind
_TICK = timedelta(microseconds=1)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class NewEvent(NamedTuple):
    """An event that is about to be written."""

    kind: str
    actor: str
    item_id: int | None = None
    subject: str = ""
    data: Mapping[str, Any] = _NOTHING


@dataclass(frozen=True, slots=True)
class LedgerEvent:
    """One event as it stands in the ledger."""

    id: int
    at: str
    actor: str
    kind: str
    item_id: int | None
    subject: str
    data: dict[str, Any]
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Appended:
    """What one transaction wrote into the ledger: kinds of events, and their first and last number.

    Both numbers are 0 where something changed that leaves no event of its own (see ``note``).
    """

    kinds: frozenset[str]
    first: int = 0
    last: int = 0


ACTS = "acts"  # where a session of a server keeps the name of who acts
_APPENDED = "ledger"  # where a session keeps what it appended


def appended(session: Session) -> Appended | None:
    """What a session's transaction has written so far; None for nothing."""
    entry: Appended | None = session.info.get(_APPENDED)
    return entry


def note(session: Session, kind: str) -> None:
    """Say that the transaction changes what events of this kind tell of, without an event."""
    _remember(session, frozenset((kind,)), 0, 0)


def was_appended(session: Session, kind: str, number: int) -> None:
    """Say that the server itself appended an event for this session."""
    _remember(session, frozenset((str(kind),)), number, number)


def _remember(session: Session, kinds: frozenset[str], first: int, last: int) -> None:
    before = appended(session) or Appended(frozenset())
    session.info[_APPENDED] = Appended(
        before.kinds | kinds, before.first or first, last or before.last
    )


# Encoders are made once: ``json.dumps`` makes one for every call that names an option.
_tight = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _seal(values: Sequence[Any]) -> str:
    try:
        line = orjson.dumps(values)  # texts, whole numbers and null are spelled alike
    except TypeError:
        line = _tight(values).encode()
    return hashlib.sha256(line).hexdigest()


_TIP = select(EVENT.c.id, EVENT.c.hash, EVENT.c.at).order_by(EVENT.c.id.desc()).limit(1)
_APPEND = text("SELECT benchseal.append_events(CAST(:told AS jsonb))")
_COLUMNS = ("id", "at", "actor", "kind", "item_id", "subject", "data", "previous", "hash")


def _tip(session: Session) -> tuple[int, str, str, datetime | None]:
    """(number, hash and time of the newest event, the server's time where it is to be used)."""
    if logins.secured(session):
        query = text("SELECT id, hash, at, clock FROM benchseal.ledger_tip()")
        end = session.execute(query).one()
        return (end[0] or 0, end[1] or GENESIS, end[2] or "", end[3].astimezone(UTC))
    if session.dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": CHAIN_LOCK})
    row = session.connection().execute(_TIP).first()
    return (row[0], row[1], row[2], None) if row else (0, GENESIS, "", None)


class Head(NamedTuple):
    """Number, hash and time of the newest event; 0 and empty in an empty ledger."""

    id: int
    hash: str
    at: str


def head(session: Session) -> Head:
    """The newest event, which everybody who works here may know."""
    if logins.secured(session):
        number, seal, at, _ = _tip(session)
        return Head(number, seal if number else "", at)
    row = session.connection().execute(_TIP).first()
    return Head(row[0], row[1], row[2]) if row else Head(0, "", "")


def hashes(session: Session, after: int, upto: int) -> list[str]:
    """The hashes of the events after one number up to another, in order."""
    query = select(EVENT.c.hash).where(EVENT.c.id > after, EVENT.c.id <= upto)
    return list(session.execute(query.order_by(EVENT.c.id)).scalars())


_EVERY_KIND = text("SELECT id, kind FROM benchseal.ledger_kinds(:after, :upto)")


def tip(session: Session) -> int:
    """Number of the newest event, 0 in an empty ledger: while it stays, nothing has changed."""
    if logins.secured(session):
        return int(session.execute(text("SELECT benchseal.ledger_head()")).scalar_one())
    return int(session.execute(select(func.max(EVENT.c.id))).scalar() or 0)


def kinds_between(
    session: Session, after: int, upto: int, without: Sequence[tuple[int, int]] = ()
) -> set[str]:
    """Kinds of the events after one number up to another, without those in some ranges."""
    number: ColumnElement[int] = EVENT.c.id
    kind: ColumnElement[str] = EVENT.c.kind
    if logins.secured(session):
        every = _EVERY_KIND.bindparams(after=after, upto=upto)
        rows = every.columns(EVENT.c.id, EVENT.c.kind).subquery()
        number, kind = rows.c.id, rows.c.kind
    query = select(kind).where(number > after, number <= upto)
    for first, last in without:
        query = query.where(~number.between(first, last))
    return set(session.execute(query.distinct()).scalars())


def next_number(session: Session) -> int:
    """The number that the next event of this transaction will have."""
    return _tip(session)[0] + 1


def append(session: Session, *events: NewEvent, at: datetime | None = None) -> int:
    """Write events in the session's transaction; returns the number of the last one.

    Their time is that of the clock, but never before the event before them: of a clock that was
    set back each event keeps, as ``clock``, by how many seconds it is behind. They bind what the
    transaction has touched so far (see ``db.evidence.bindings``).
    """
    # rows of one unit may be several writers': they are read when the chain is held
    end = None if bindings.are_at_hand(session) else _tip(session)
    told = _told(session, events)
    nobody = _acts(session) if any(not event.actor for event in events) else ""
    lines = [
        (event.actor or nobody, str(event.kind), event.item_id, event.subject, sorted_json(data))
        for event, data in zip(events, told, strict=True)
    ]
    kinds = frozenset(kind for _, kind, *_ in lines)
    if lines and at is None and (last := _appended_there(session, lines)):
        _remember(session, kinds, last - len(lines) + 1, last)
        return last
    number, previous, newest, clock = end or _tip(session)
    time, behind = _not_before(newest, at or clock or now())
    moment = time.isoformat(timespec="microseconds")
    rows = []
    for (*line, data), parts in zip(lines, told, strict=True):
        number += 1
        written = data if behind is None else sorted_json({**parts, CLOCK: behind})
        sealed = (number, moment, *line, written)
        digest = _seal((*sealed, previous))
        rows.append((*sealed, previous, digest))
        previous = digest
    if rows:
        session.add_rows(EVENT, _COLUMNS, rows)
        _remember(session, kinds, number - len(rows) + 1, number)
    return number


def _told(session: Session, events: Sequence[NewEvent]) -> list[dict[str, Any]]:
    """What each event says, with the digests that it binds."""
    digests = bindings.take(session) if events and bindings.touched(session) else {}
    final = events[-1] if events else None
    told = []
    for event in events:
        bound = _due(digests, event, event is final) if digests else {}
        told.append({**event.data, bindings.BOUND: bound} if bound else dict(event.data))
    return told


def _appended_there(session: Session, lines: Sequence[Sequence[Any]]) -> int | None:
    """Let a server chain and write events, in one statement, so that others wait for no way to it
    and back; the number of the last one. None where it cannot, or its clock was set back."""
    login = logins.login_in(session)
    if login is None or not login.appends:
        return None
    try:
        told = orjson.dumps(lines).decode()
    except TypeError:  # half a character
        return None
    last = session.execute(_APPEND, {"told": told}).scalar()
    return None if last is None else int(last)


def _acts(session: Session) -> str:
    """In whose name an event is written that names nobody: on a server that of the login."""
    if not logins.secured(session):
        return ""
    if ACTS not in session.info:
        name = session.execute(text("SELECT benchseal.my_name()")).scalar()
        session.info[ACTS] = name or ""
    return str(session.info[ACTS])


def _not_before(newest: str, clock: datetime) -> tuple[datetime, float | None]:
    """(the time of an event after one of ``newest``, by how much the clock is behind it)."""
    if not newest:
        return clock, None
    last = datetime.fromisoformat(newest)
    if clock >= last:
        return clock, None
    time = last + _TICK
    return time, (clock - time).total_seconds()


def _due(
    digests: dict[int | None, bindings.Digests], event: NewEvent, last: bool
) -> bindings.Digests:
    """The digests that an event carries: those of its item; the last one takes all that is left."""
    bound: bindings.Digests = {}
    parts = list(digests) if last else [event.item_id] if event.item_id in digests else []
    for part in parts:
        if part is None and not last:
            continue
        for table, units in digests.pop(part).items():
            bound.setdefault(table, {}).update(units)
    return bound


def bind_rest(session: Session) -> None:
    """Before a commit: what was touched after the last event gets one of its own."""
    if bindings.touched(session):
        append(session, NewEvent(EventKind.BOUND, ""))


def as_told(stored: str) -> dict[str, Any]:
    """What an event says: its words about a sealed item as they were written, or ``HIDDEN`` for who
    has not the key."""
    data: dict[str, Any] = json.loads(stored)
    if is_marked(stored):
        return {key: opened_text(v) if isinstance(v, str) else v for key, v in data.items()}
    return data


def _value(row: Any) -> LedgerEvent:
    return LedgerEvent(
        row.id,
        row.at,
        row.actor,
        row.kind,
        row.item_id,
        row.subject,
        as_told(row.data),
        row.previous,
        row.hash,
    )


def of_item(session: Session, item_id: int) -> list[LedgerEvent]:
    """The events of one item, oldest first."""
    query = select(EVENT).where(EVENT.c.item_id == item_id).order_by(EVENT.c.id)
    return [_value(row) for row in session.execute(query)]


def of_items(session: Session, item_ids: Sequence[int], kinds: Sequence[str]) -> list[LedgerEvent]:
    """The events of some kinds about some items, oldest first."""
    # written into the statement: a bound parameter for each would soon be too many
    wanted: BindParameter[Any] = bindparam(
        "numbers", list(item_ids), expanding=True, literal_execute=True
    )
    query = select(EVENT).where(EVENT.c.item_id.in_(wanted), EVENT.c.kind.in_(kinds))
    return [_value(row) for row in session.execute(query.order_by(EVENT.c.id))]


def event(session: Session, number: int) -> LedgerEvent | None:
    """One event by its number; None for one that no ledger can have as well."""
    if not 0 < number < 2**63:
        return None
    row = session.execute(select(EVENT).where(EVENT.c.id == number)).first()
    return _value(row) if row else None


def of_subject(session: Session, kind: str, subject: str) -> list[LedgerEvent]:
    """The events of one kind about one subject that is not an item, oldest first."""
    query = select(EVENT).where(
        EVENT.c.kind == kind, EVENT.c.subject == subject, EVENT.c.item_id.is_(None)
    )
    return [_value(row) for row in session.execute(query.order_by(EVENT.c.id))]


def of_kinds(session: Session, kinds: Sequence[str], indexed: str = "") -> FromClause:
    """The events of some kinds, with the columns of all, as what a statement may read from.
    ``indexed`` is the condition of a partial index that has them, as that spells it.

    On a server a function gives them, for its policies look at every event before they look at its
    kind, and the kinds that matter are a few of a million.
    """
    login = logins.login_in(session)
    if login is None or not login.finds_kinds:
        query = select(EVENT).where(EVENT.c.kind.in_(kinds))
        return (query.where(text(indexed)) if indexed else query).subquery()
    from sqlalchemy.dialects.postgresql import ARRAY  # not for those who have no server

    wanted = cast([str(kind) for kind in kinds], ARRAY(Text))
    columns = (column(known.name, known.type) for known in EVENT.c)
    return func.benchseal.events_of(wanted).table_valued(*columns).alias()


def of_kind(session: Session, kind: str) -> list[LedgerEvent]:
    """All events of one kind, oldest first."""
    told = of_kinds(session, (kind,))
    return [_value(row) for row in session.execute(select(told).order_by(told.c.id))]


def events_about(session: Session, kinds: Sequence[str], name: str) -> list[LedgerEvent]:
    """The events of some kinds, none of which is about an item, that are about a subject or whose
    data has its name as a text, oldest first."""
    query = select(EVENT).where(
        EVENT.c.item_id.is_(None),  # few of a million
        EVENT.c.kind.in_(kinds),
        (EVENT.c.subject == name) | EVENT.c.data.contains(f'"{name}"', autoescape=True),
    )
    return [_value(row) for row in session.execute(query.order_by(EVENT.c.id))]


def newest_of_subject(session: Session, kind: str, subject: str, *, without: str) -> int:
    """Number of the newest event of one kind about one subject that is not an item, and that does
    not tell of a field ``without``; 0 where there is none."""
    query = select(EVENT.c.id).where(
        EVENT.c.kind == kind,
        EVENT.c.subject == subject,
        EVENT.c.item_id.is_(None),
        # a quotation mark within a text would have a backslash
        ~EVENT.c.data.contains(f'"{without}":', autoescape=True),
    )
    return int(session.execute(query.order_by(EVENT.c.id.desc()).limit(1)).scalar() or 0)


# No part of a change of many items; a quotation mark within a text would have a backslash.
_WHOLE = EVENT.c.data.not_like('%"head":%')


def newest_of_actor(
    session: Session,
    actor: str,
    kinds: Sequence[str],
    limit: int = 50,
    before: int | None = None,
) -> list[LedgerEvent]:
    """The newest events of one person of some kinds, newest first."""
    query = select(EVENT).where(EVENT.c.actor == actor, _WHOLE, EVENT.c.kind.in_(kinds))
    if before is not None:
        query = query.where(EVENT.c.id < before)
    query = query.order_by(EVENT.c.id.desc()).limit(limit)
    return [_value(row) for row in session.execute(query)]


_OF_NO_ITEM = frozenset((EventKind.WORKSPACE, EventKind.PERSON))


def newest(session: Session, kinds: Sequence[str]) -> Iterator[LedgerEvent]:
    """All events of some kinds, newest first, read as they are asked for."""
    last: int | None = None
    while True:
        told = of_kinds(session, kinds)
        query = select(told).order_by(told.c.id.desc()).limit(100)
        if _OF_NO_ITEM.issuperset(kinds):  # few of a million
            query = query.where(told.c.item_id.is_(None))
        if last is not None:
            query = query.where(told.c.id < last)
        rows = session.execute(query).all()
        if not rows:
            return
        for row in rows:
            yield _value(row)
        last = rows[-1].id


def group(session: Session, head: LedgerEvent) -> list[LedgerEvent]:
    """The events that were written together with a head event, after it, in order."""
    last = head.id + group_size(head)
    query = select(EVENT).where(EVENT.c.id > head.id, EVENT.c.id <= last)
    return [_value(row) for row in session.execute(query.order_by(EVENT.c.id))]


def group_size(head: LedgerEvent) -> int:
    """How many events were written together with a head event, after it."""
    return int(head.data.get("group", 0))


def touched_since(session: Session, head: LedgerEvent) -> set[int]:
    """The items of a head event's group to which something happened after the group."""
    last = head.id + group_size(head)
    direct = select(EVENT.c.item_id).where(EVENT.c.id > head.id, EVENT.c.id <= last)
    query = select(EVENT.c.item_id).where(EVENT.c.id > last, EVENT.c.item_id.in_(direct))
    return set(session.execute(query.distinct()).scalars())


def undone_by(session: Session, actor: str, since: int = 0) -> set[int]:
    """Numbers of the events which this person's undoing took back, from some event on."""
    query = select(EVENT.c.data).where(
        EVENT.c.actor == actor, EVENT.c.kind == EventKind.UNDONE, EVENT.c.id > since, _WHOLE
    )
    return {json.loads(data)["undone"] for data in session.execute(query).scalars()}


def later_on_item(session: Session, item_id: int, number: int) -> list[LedgerEvent]:
    """The events of an item after a certain one, oldest first."""
    query = select(EVENT).where(EVENT.c.item_id == item_id, EVENT.c.id > number)
    return [_value(row) for row in session.execute(query.order_by(EVENT.c.id))]


def broken_links(session: Session) -> list[int]:
    """Numbers of the events whose hash, link or number does not fit; empty when all is sound."""
    broken: list[int] = []
    number, previous = 0, GENESIS
    last = 0
    while True:
        query = select(EVENT).where(EVENT.c.id > last).order_by(EVENT.c.id).limit(5000)
        rows = list(session.execute(query))
        if not rows:
            return broken
        for row in rows:
            number += 1
            sealed = (row.id, row.at, row.actor, row.kind, row.item_id, row.subject, row.data)
            sound = (
                row.id == number
                and row.previous == previous
                and row.hash == _seal((*sealed, row.previous))
            )
            if not sound:
                broken.append(row.id)
                number = row.id
            previous = row.hash
        last = rows[-1].id
