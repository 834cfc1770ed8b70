"""Binding rows to the ledger: digests of what is stored, in the event that tells of it.

A function of ``db`` that writes evidence says so with ``touch``. The next event of the transaction
(the one about the same item where there is one) then carries in ``bound`` a digest of each touched
unit as it is stored, and what is left at the commit gets an event of its own. A unit is one row,
or all rows that share a parent: the answers of a run, the items of a lot. A unit without rows is
``null``. Whoever reads all events, the newest digest counting, knows every row that must be there.

The digest of a row is SHA-256 over its canonical JSON: an object of its columns that are not null,
by the order of the table. A migration that adds a column which may be null changes no digest; one
that fills a column binds the table again (``of_tables``).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import count, groupby
from operator import itemgetter
from typing import Any

import orjson
from sqlalchemy import JSON, Connection, TextClause, bindparam, inspect, text

from db.evidence.merkle import merkle_root
from db.schema.column_types import Json
from db.session import Session
from db.tables import METADATA
from db.vocabulary import AssignmentState

BOUND = "bound"  # the name under which an event's data holds digests
Unit = int | str
Digests = dict[str, dict[str, str | None]]  # table, unit, digest or None for a unit without rows

_PENDING = "pending bindings"  # where a session keeps what it touched
WRITTEN = "written bindings"  # and the digests of those units whose rows it still has at hand
_AT_ONCE = 500

ENDED_CLAIMS = (AssignmentState.DONE, AssignmentState.SKIPPED, AssignmentState.POSTPONED)
"""States of an assignment that say what somebody did; the others change without an event."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """How the rows of a table are bound. ``unit`` is the column that names a unit, ``item`` the one
    with the item, ``within`` orders the rows of a unit of ``many``; ``where`` narrows the rows."""

    table: str
    unit: str = "id"
    item: str = ""
    many: bool = False
    within: str = ""
    where: str = ""


EVIDENCE = (
    Evidence("meta", "key"),
    Evidence("person"),
    Evidence("benchmark"),
    Evidence("task"),
    Evidence("protocol"),
    Evidence("item", item="id"),
    Evidence("revision", item="item_id"),
    Evidence("pending_import"),
    Evidence("screening", item="item_id"),
    Evidence(
        "assignment",
        item="item_id",
        where=f"state IN ({', '.join(repr(str(state)) for state in ENDED_CLAIMS)})",
    ),
    Evidence("decision", item="item_id"),
    Evidence("rating", item="item_id"),
    Evidence("comment", item="item_id"),
    Evidence("rating_draw"),
    Evidence("rating_draw_item", "draw_id", many=True, within="item_id"),
    Evidence("gold", "item_id", item="item_id"),
    Evidence("lot"),
    Evidence("lot_item", "lot_id", many=True, within="item_id"),
    Evidence("split"),
    Evidence("split_item", "split_id", many=True, within="position"),
    Evidence("run"),
    Evidence("answer", "run_id", many=True, within="item_id, variant"),
)
BY_TABLE: Mapping[str, Evidence] = {evidence.table: evidence for evidence in EVIDENCE}

_REPLAYED = "recomputed from the events of the item, which hold its values"
UNBOUND: Mapping[tuple[str, str], str] = {
    ("item", "state"): _REPLAYED,
    ("item", "revision"): _REPLAYED,
    ("item", "open_slots"): _REPLAYED,
    ("item", "disputed"): _REPLAYED,
    ("item", "lot_id"): _REPLAYED,
    ("item", "round"): _REPLAYED,
    ("item", "taken"): "recomputed from the live assignments",
    ("item", "content_hash"): "compared with the revision that the item points to",
    ("item", "changed_at"): "when a row was last written; sorts lists, and no figure reads it",
    ("assignment", "lease_until"): "when a claim runs out; renewed while somebody looks",
    ("assignment", "at"): "the order of postponed items, and no figure reads it",
    ("comment", "seen_at"): "whether who asked has read an answer; no figure reads it",
    ("note_draft", "*"): "a note that somebody is writing; becomes part of a decision",
    ("draft", "*"): "unfinished writing of one person; becomes a revision when handed in",
    ("task_share", "*"): "who is given which items from now on; no figure reads it",
    ("pause", "*"): "who is given no items for a while; no figure reads it",
    ("saved_filter", "*"): "how somebody narrows a list; no figure reads it",
    ("split_key", "*"): "what runs are locked with; their files are bound as they lie there",
    ("event", "*"): "the chain binds its own columns",
    ("alembic_version", "*"): "compared with the revision of the program's own schema",
    ("search_text", "*"): "an index of the revisions, which finds and never counts",
    ("search_long", "*"): "an index of the revisions, which finds and never counts",
    ("search_short", "*"): "an index of the revisions, which finds and never counts",
    ("search_pending", "*"): "the revisions that are not in the index yet",
    ("item_count", "*"): "how many items there are, which verify counts again",
}
"""Columns that no digest holds, each with the reason; ``*`` is a whole table.

Rows of ``assignment`` that are leased, expired or released are not bound either: who looks at an
item just now changes without an event, and ``taken`` of the item counts the live ones.
"""


def touch(
    session: Session, table: str, units: Iterable[Unit], items: Iterable[int] | None = None
) -> None:
    """Say that the transaction wrote units of a table; ``items`` are theirs, if there are any."""
    pending: dict[str, dict[Unit, int | None]] = session.info.setdefault(_PENDING, {})
    known = pending.setdefault(table, {})
    if stale := session.info.get(WRITTEN, {}).get(table):
        units = list(units)
        for unit in units:
            stale.pop(unit, None)
    if items is None:
        known.update(dict.fromkeys(units))
    else:
        known.update(zip(units, items, strict=True))


def touched(session: Session) -> bool:
    """Whether there is something that no event of the transaction has bound yet."""
    return bool(session.info.get(_PENDING))


def forget(session: Session) -> None:
    """Forget what was touched: the transaction was rolled back."""
    session.info.pop(_PENDING, None)
    session.info.pop(WRITTEN, None)


def are_at_hand(session: Session) -> bool:
    """Whether ``take`` would read nothing: each touched row was given, or read, by who wrote it."""
    written: dict[str, dict[Unit, str]] = session.info.get(WRITTEN, {})
    pending: dict[str, dict[Unit, int | None]] = session.info.get(_PENDING, {})
    return all(units.keys() <= written.get(table, {}).keys() for table, units in pending.items())


def take(session: Session) -> dict[int | None, Digests]:
    """Digests of all that was touched and not yet bound, by item; None holds what has no item."""
    pending: dict[str, dict[Unit, int | None]] = session.info.pop(_PENDING, {})
    written: dict[str, dict[Unit, str]] = session.info.pop(WRITTEN, {})
    taken: dict[int | None, Digests] = {}
    connection = session.connection()
    for table, units in pending.items():
        stored = written.get(table, {})
        unread = [unit for unit in units if unit not in stored]
        stored.update(digests(connection, BY_TABLE[table], unread))
        for unit, item in units.items():
            place = taken.setdefault(item, {}).setdefault(table, {})
            place[str(unit)] = stored.get(unit)
    return taken


def digests(
    connection: Connection, evidence: Evidence, units: Sequence[Unit] | None = None
) -> Iterator[tuple[Unit, str]]:
    """(unit, digest) of some units as they are stored, or of all, in order; read as they are asked
    for. A unit without rows is left out."""
    if units is None:
        rows = _rows(connection, evidence)
        yield from _digests(rows, evidence)
        return
    for start in range(0, len(units), _AT_ONCE):
        part = units[start : start + _AT_ONCE]
        yield from _digests(_rows(connection, evidence, part), evidence)


def _digests(rows: Iterable[tuple[Unit, bytes]], evidence: Evidence) -> Iterator[tuple[Unit, str]]:
    if not evidence.many:
        for unit, line in rows:
            yield unit, hashlib.sha256(line).hexdigest()
        return
    for unit, own in groupby(rows, itemgetter(0)):
        numbers = count()
        root = merkle_root(line for (_, line), _ in zip(own, numbers, strict=False))
        yield unit, f"{next(numbers)}:{root}"


def bound_columns(evidence: Evidence, columns: Iterable[str]) -> tuple[str, ...]:
    """Those of a table's columns that its digests hold."""
    return tuple(name for name in columns if (evidence.table, name) not in UNBOUND)


@cache
def own_columns(table: str) -> tuple[tuple[str, bool], ...]:
    """The columns of a table in their order, and whether each holds JSON."""
    columns = METADATA.tables[table].columns
    # SQLAlchemy's kind of text for names is none that orjson takes for the name of a field
    return tuple((str(column.name), isinstance(column.type, Json)) for column in columns)


def _columns_there(connection: Connection, table: str) -> tuple[tuple[str, bool], ...]:
    """The columns that a table has in this database, which a migration may find older."""
    columns = inspect(connection).get_columns(table)
    return tuple((str(column["name"]), isinstance(column["type"], JSON)) for column in columns)


@cache
def _query(
    evidence: Evidence, columns: tuple[tuple[str, bool], ...], server: bool, narrowed: str
) -> TextClause:
    bound = set(bound_columns(evidence, (name for name, _ in columns)))
    selected = [
        f'CAST("{name}" AS TEXT)' if json_ and server else f'"{name}"'
        for name, json_ in columns
        if name in bound
    ]
    conditions = [evidence.where] if evidence.where else []
    if narrowed:
        conditions.append(f'"{evidence.unit}" {narrowed}')
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    order = f'"{evidence.unit}"' + (f", {evidence.within}" if evidence.within else "")
    statement = text(
        f'SELECT "{evidence.unit}", {", ".join(selected)} '  # noqa: S608 (names of our own)
        f'FROM "{evidence.table}"{where} ORDER BY {order}'
    )
    if narrowed.startswith("IN"):
        return statement.bindparams(bindparam("units", expanding=True))
    return statement


def _rows(
    connection: Connection,
    evidence: Evidence,
    units: Sequence[Unit] | None = None,
    columns: tuple[tuple[str, bool], ...] | None = None,
) -> Iterator[tuple[Unit, bytes]]:
    """(unit, canonical JSON of a row), as the database itself gives the values: no type of a column
    reads them, so that one which is not of its type is told apart rather than refused."""
    columns = columns or own_columns(evidence.table)
    server = connection.dialect.name == "postgresql"
    names = bound_columns(evidence, (name for name, _ in columns))
    values: dict[str, Any] = {}
    if units is None:
        query = _query(evidence, columns, server, "")
    elif len(units) == 1:
        query, values = _query(evidence, columns, server, "= :unit"), {"unit": units[0]}
    elif _run_on(units):
        query = _query(evidence, columns, server, "BETWEEN :first AND :last")
        values = {"first": units[0], "last": units[-1]}
    else:
        query, values = _query(evidence, columns, server, "IN :units"), {"units": list(units)}
    options = {"yield_per": 2000} if units is None or evidence.many else {}
    for row in connection.execute(query, values, execution_options=options):
        unit, *stored = row
        yield unit, line_of(names, stored)


def _run_on(units: Sequence[Unit]) -> bool:
    """Whether units are numbers that follow one another, as those of rows written together."""
    first, last = units[0], units[-1]
    return (
        isinstance(first, int)
        and isinstance(last, int)
        and last - first + 1 == len(units)
        and list(units) == list(range(first, last + 1))
    )


def line_of(names: Sequence[str], values: Sequence[Any]) -> bytes:
    """Canonical JSON of a row: the values of the named columns, as the database gives them."""
    row = dict(zip(names, values, strict=True))
    if None in values:
        row = {name: value for name, value in row.items() if value is not None}
    if float not in map(type, values) or all(map(_is_spelled_alike, values)):
        try:
            return orjson.dumps(row, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME)
        except TypeError:  # half a surrogate pair
            pass
    return _spelled(row).encode("utf-8", "surrogatepass")


def _is_spelled_alike(value: Any) -> bool:
    """Whether a value is no number that ``json`` writes with an exponent, and orjson otherwise."""
    return type(value) is not float or value == 0 or 0.0001 <= abs(value) < 1e15


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, bytes | memoryview):
        return {"bytes": bytes(value).hex()}
    return str(value)


_spelled = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode


def of_tables(
    session: Session, tables: Sequence[str] | None = None, *, batch: int = 2000
) -> Iterator[Digests]:
    """Digests of everything stored in some tables, or in all, ``batch`` units at a time.

    Reads the columns that the database has, which a migration may find older than the program's.
    """
    connection = session.connection()
    for evidence in EVIDENCE:
        if tables is not None and evidence.table not in tables:
            continue
        if not inspect(connection).has_table(evidence.table):
            continue  # a table of a later migration than the one that asks
        columns = _columns_there(connection, evidence.table)
        part: dict[str, str | None] = {}
        for unit, digest in _digests(_rows(connection, evidence, None, columns), evidence):
            part[str(unit)] = digest
            if len(part) == batch:
                yield {evidence.table: part}
                part = {}
        if part:
            yield {evidence.table: part}
