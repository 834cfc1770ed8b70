"""What people said, as plain rows in bulk: for measuring agreement and drawing dashboards.

They are read column by column, past the object layer, because a dashboard takes in a hundred
thousand of them at once. What has an id up to ``after`` is left out, so that a cache can grow.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, Select, String, and_, case, cast, func, literal, or_, select

from db.importing.pending_imports import is_shown, shown_after
from db.queries.columns import Batches, Rows, batches, plain_rows
from db.session import Session
from db.tables import (
    ASSIGNMENT,
    BENCHMARK,
    DECISION,
    EVENT,
    GOLD,
    ITEM,
    PERSON,
    RATING,
    REVISION,
    SCREENING,
    TASK,
)

DECISION_FIELDS = ("id", "item_id", "revision", "stage", "kind", "person_id", "verdict", "at")
DETAIL_FIELDS = ("id", "reason", "seconds", "lot_id")
RATING_FIELDS = ("id", "item_id", "revision", "person_id", "criterion", "value", "at")
ITEM_FIELDS = (
    "id", "benchmark_id", "task_id", "family", "format", "domain",
    "state", "revision", "round", "author_id",
)  # fmt: skip
SOURCE_FIELDS = ("id", "source")
_FEW = 5000  # items that are looked up one by one
_DIGITS, _WHITE_SPACE = "0123456789", " \t\r\n"
SCREENING_FIELDS = (
    "id", "item_id", "revision", "outcome", "score", "audited", "tokens",
)  # fmt: skip


def decisions(session: Session, after: int = 0) -> Batches:
    """``DECISION_FIELDS`` of all decisions, also withdrawn ones, by id."""
    columns = [DECISION.c[name] for name in DECISION_FIELDS]
    return batches(session, select(*columns), after)


def details(session: Session, after: int = 0) -> Batches:
    """``DETAIL_FIELDS`` of all decisions, also withdrawn ones, by id."""
    columns = [DECISION.c[name] for name in DETAIL_FIELDS]
    return batches(session, select(*columns), after)


def ratings(session: Session, after: int = 0) -> Batches:
    """``RATING_FIELDS`` of all ratings, also withdrawn ones, by id."""
    columns = [RATING.c[name] for name in RATING_FIELDS]
    return batches(session, select(*columns), after)


def screenings(session: Session, after: int = 0) -> Batches:
    """``SCREENING_FIELDS`` of all screenings, by id."""
    columns = [SCREENING.c[name] for name in SCREENING_FIELDS]
    return batches(session, select(*columns), after)


def withdrawn_decisions(session: Session) -> Rows:
    """(decision, event, time of the event) of all that were undone."""
    return _withdrawn(session, DECISION)


def withdrawn_ratings(session: Session) -> Rows:
    """(rating, event, time of the event) of all that were undone or replaced."""
    return _withdrawn(session, RATING)


def _withdrawn(session: Session, table: Any) -> Rows:
    query = (
        select(table.c.id, table.c.withdrawn_event, EVENT.c.at)
        .select_from(table.outerjoin(EVENT, EVENT.c.id == table.c.withdrawn_event))
        .where(table.c.withdrawn_event.is_not(None))
    )
    return plain_rows(session, query)


def items(session: Session, after: int = 0) -> Batches:
    """``ITEM_FIELDS`` of all items, or of those with an event after a number, by id."""
    query = select(*[ITEM.c[name] for name in ITEM_FIELDS])
    return _since(session, query, after)


def items_numbered(session: Session, numbers: Sequence[int]) -> Batches:
    """``ITEM_FIELDS`` of some items by their numbers, in the order of these."""
    return _numbered(session, select(*[ITEM.c[name] for name in ITEM_FIELDS]), numbers)


def written(session: Session, most: int) -> npt.NDArray[np.int64]:
    """The numbers of the items that somebody here wrote, at most so many of them."""
    query = select(ITEM.c.id).where(ITEM.c.author_id > 0, is_shown()).limit(most)  # by an index
    return np.asarray(session.execute(query).scalars().all(), np.int64)


def _numbered(session: Session, query: Select[Any], numbers: Sequence[int]) -> Batches:
    query = query.where(is_shown()).order_by(ITEM.c.id)
    for start in range(0, len(numbers), 500):
        chosen = query.where(ITEM.c.id.in_(numbers[start : start + 500]))
        if rows := plain_rows(session, chosen):
            yield tuple(zip(*rows, strict=True))


def sources(
    session: Session,
    names: Sequence[str],
    after: int = 0,
    *,
    among: Sequence[int] | None = None,
    but: Mapping[str, Collection[str]] | None = None,
    columns: Sequence[str] = (),
    longest: int = 0,
    passage_key: Callable[[str], str] = str,
) -> Batches:
    """``SOURCE_FIELDS`` of all items, of those with an event after a number, or of those with
    numbers ``among`` some ascending ones, by id: what the
    provenance of the current revision says under the first of these names that it has, else what it
    keeps of the first of ``columns`` (“column = value”, a number with its file, nothing of more
    than ``longest`` characters), else the passage of its payload by its key, else "". Names in
    ``but`` count only where it lacks one of the names beside them. Of a sealed row only what stays
    in the clear is read."""
    provenance, but = REVISION.c.provenance, but or {}

    def said_as(*path: str) -> ColumnElement[Any]:
        return func.nullif(cast(provenance[path].as_string(), String), "")

    said = [
        case((or_(*(said_as(one).is_(None) for one in but[name])), said_as(name)))
        if name in but
        else said_as(name)
        for name in names
    ]
    file = func.coalesce(literal(" (") + said_as("file") + literal(")"), "")
    for name in columns:
        value = said_as("columns", name)
        numbered = case((func.ltrim(value, _DIGITS) == "", file), else_="")
        named = literal(f"{name} = ") + value + numbered
        said.append(case((func.length(value) <= longest, named)))
    said.append(_passage_of(session, passage_key))
    current = and_(REVISION.c.item_id == ITEM.c.id, REVISION.c.number == ITEM.c.revision)
    query = select(ITEM.c.id, func.coalesce(*said, "")).join(REVISION, current)
    if among is not None:
        return _numbered(session, query, among)
    return _since(session, query, after)


def _passage_of(session: Session, key: Callable[[str], str]) -> ColumnElement[Any]:
    """The passage of a revision by its key; null without one. PostgreSQL makes the key by itself:
    32 hexadecimal digits of the SHA-256 of what is between white space."""
    said: ColumnElement[Any] = cast(REVISION.c.payload["passage"].as_string(), String)
    if session.dialect.name == "sqlite":
        connection: Any = session.connection().connection.driver_connection
        connection.create_function("passage_key", 1, key, deterministic=True)
        text = func.nullif(func.trim(said, _WHITE_SPACE), "")
        return literal("passage ") + case((text.is_not(None), func.passage_key(text)))
    text = func.nullif(func.btrim(said, _WHITE_SPACE), "")
    digest = func.encode(func.sha256(func.convert_to(text, "UTF8")), "hex")
    return literal("passage ") + func.left(digest, 32)


def _since(session: Session, query: Select[Any], after: int) -> Batches:
    """Only the items with an event after a number, or that an import showed after it; all of them
    without one. Few are looked up by their numbers: to find the first of them by a condition,
    SQLite looks at all that lie before it."""
    if not after:
        return batches(session, query.where(is_shown()))
    shown = shown_after(session, after)
    events = select(EVENT.c.item_id).where(EVENT.c.id > after, EVENT.c.item_id.is_not(None))
    few = session.execute(events.distinct().limit(_FEW + 1)).scalars().all()
    if shown is None and len(few) <= _FEW:
        return _numbered(session, query, sorted(few))
    touched = ITEM.c.id.in_(events)
    return batches(
        session, query.where(is_shown(), touched if shown is None else or_(touched, shown))
    )


def people(session: Session) -> dict[int, str]:
    """Names by person id."""
    return {row[0]: row[1] for row in plain_rows(session, select(PERSON.c.id, PERSON.c.name))}


def tasks(session: Session) -> Rows:
    """(id, benchmark's id, name, family, profile, benchmark's name) of all tasks."""
    columns = (TASK.c.id, TASK.c.benchmark_id, TASK.c.name, TASK.c.family, TASK.c.profile)
    query = select(*columns, BENCHMARK.c.name).join(
        BENCHMARK, BENCHMARK.c.id == TASK.c.benchmark_id
    )
    return [tuple(row) for row in session.execute(query.order_by(TASK.c.id))]


def gold(session: Session) -> Rows:
    """(item, revision, person) of all assignments that were gold."""
    columns = (ASSIGNMENT.c.item_id, ASSIGNMENT.c.revision, ASSIGNMENT.c.person_id)
    return plain_rows(session, select(*columns).where(ASSIGNMENT.c.gold.is_(True)))


def known_verdicts(session: Session) -> dict[int, str]:
    """The known verdict of every gold item, also of those that are shown no longer."""
    return {row[0]: row[1] for row in plain_rows(session, select(GOLD.c.item_id, GOLD.c.verdict))}


def tip(session: Session) -> int:
    """Number of the newest ledger event: when it has not moved, nothing has changed."""
    query = select(EVENT.c.id).order_by(EVENT.c.id.desc()).limit(1)
    return int(session.execute(query).scalar() or 0)
