"""Every row of a workspace from one database into another, and digests by which both are compared.

A digest is SHA-256 over the rows of a table in the order of their keys, each as one line of JSON in
which times are in UTC and the keys of documents are sorted: what both databases store alike.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import orjson
from sqlalchemy import Connection, Table, func, select, text

from db import ledger, search
from db.engine import Store, migrate_in
from db.errors import StoreError
from db.evidence import bindings, openings
from db.schema.column_types import Json
from db.schema.json_text import write_json
from db.schema.sealed_values import as_stored, is_sealed
from db.session import Session
from db.tables import METADATA, REVISION
from db.vocabulary import EventKind

BATCH = 2000
Digests = dict[str, tuple[int, str]]
"""By table the number of its rows and their digest."""


class CopyDifferenceError(Exception):
    """A table that is not in the copy what it was; nothing of the copy is kept."""


def reads_everything(session: Session) -> bool:
    """Whether no row of the database is hidden from the one who reads."""
    if session.dialect.name == "sqlite":
        return True
    query = text("SELECT NOT row_security_active('item') AND NOT row_security_active('draft')")
    return bool(session.execute(query).scalar_one())


def copy_into(store: Store, source: Session, meanwhile: Callable[[], None]) -> Digests:
    """Make the tables in an empty database and copy every row, in one transaction.

    ``meanwhile`` is called while the database makes the indexes of all rows, which leaves this
    process idle on a server; what it raises leaves nothing of the copy. Returns the digests, which
    are equal on both sides. In another kind of database the rows are then bound again, each as it
    is spelled there, by events that say so. Raises CopyDifferenceError where rows are not equal or
    the ledger's chain does not hold there, StoreError for a database that has tables.
    """
    digests: Digests = {}
    with store.engine.connect().execution_options(writes=True) as target, target.begin():
        if store.has_tables(target):
            raise StoreError("exists", store.place)
        migrate_in(target)
        for statement in openings.free_openings(target.dialect.name):
            target.exec_driver_sql(statement)  # which ask for rows that come later
        indexes = () if store.is_sqlite else _indexes_taken_away(target)
        for table in METADATA.sorted_tables:
            digests[table.name] = _copied(source, target, table)
        session = Session(target)
        definitions = (*indexes, *openings.keep_openings(target.dialect.name))
        with ThreadPoolExecutor(1) as beside:
            made = beside.submit(_run_all, target, definitions)
            meanwhile()
            made.result()
        if not store.is_sqlite:
            _set_sequences(target)
        for table in METADATA.sorted_tables:
            found = _digest(_rows(session, table))
            if found != digests[table.name]:
                raise CopyDifferenceError(table.name)
        if ledger.broken_links(session):
            raise CopyDifferenceError("event")
        if source.dialect.name != session.dialect.name:
            _bind_again(session)
    return digests


def _indexes_taken_away(target: Connection) -> tuple[str, ...]:
    """Drop a server's indexes that no constraint needs, which are made faster of whole tables;
    returns the statements that make them again."""
    target.exec_driver_sql("SET LOCAL maintenance_work_mem = '256MB'")
    query = text(
        "SELECT i.indexname, i.indexdef FROM pg_indexes i WHERE i.schemaname = 'public' AND NOT "
        "EXISTS (SELECT FROM pg_constraint c WHERE c.conname = i.indexname "
        "AND c.connamespace = 'public'::regnamespace)"
    )
    found = target.execute(query).all()
    for name, _ in found:
        target.exec_driver_sql(f'DROP INDEX "{name}"')
    return tuple(definition for _, definition in found)


def _run_all(target: Connection, statements: Iterable[str]) -> None:
    for statement in statements:
        target.exec_driver_sql(statement.replace("%", "%%"))


def _bind_again(session: Session) -> None:
    """Bind every row as this kind of database spells it: times, truth values and documents."""
    for evidence in bindings.EVIDENCE:
        found = bindings.digests(session.connection(), evidence)
        while part := dict(islice(found, BATCH)):
            bound = {evidence.table: {str(unit): digest for unit, digest in part.items()}}
            data = {bindings.BOUND: bound}
            ledger.append(session, ledger.NewEvent(EventKind.STATE_FOUND, "", data=data))


def _copied(source: Session, target: Connection, table: Table) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    write = _inserted if target.dialect.name == "sqlite" else _streamed
    target.execute(table.delete())  # what the migrations put there
    for rows in _rows(source, table):
        write(target, table, rows)
        if table is REVISION:
            _index(target, rows)
        count += len(rows)
        _add(digest, rows)
    return count, digest.hexdigest()


def _inserted(target: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
    Session(target).add_rows(table, [column.name for column in table.columns], rows)


def _streamed(target: Connection, table: Table, rows: Iterable[Sequence[Any]]) -> None:
    """By PostgreSQL's COPY, with each value as an INSERT would send it."""
    documents = [
        place for place, column in enumerate(table.columns) if isinstance(column.type, Json)
    ]
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    driver = target.connection.driver_connection
    assert driver is not None
    with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            if documents:
                row = list(row)
                for place in documents:
                    row[place] = write_json(row[place])
            copy.write_row(row)


def _index(target: Connection, rows: Sequence[Sequence[Any]]) -> None:
    """The search index of some revisions."""
    place = {column.name: number for number, column in enumerate(REVISION.columns)}
    item, number, payload = (place[name] for name in ("item_id", "number", "payload"))
    texts = [(row[item], row[number], row[payload]) for row in rows if not is_sealed(row[payload])]
    if target.dialect.name == "sqlite":
        search.write(Session(target), texts)
    else:
        _streamed(target, search.SEARCH_TEXT, search.server_rows(texts))


def _rows(session: Session, table: Table) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows of a table by key, in batches."""
    query = select(table).order_by(*table.primary_key.columns)
    options = {"yield_per": BATCH}
    with as_stored():  # whatever keys are here, what is sealed stays so
        result = session.connection().execute(query, execution_options=options)
        for part in result.partitions():
            yield [tuple(row) for row in part]


def _digest(batches: Iterator[Sequence[Sequence[Any]]]) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    for rows in batches:
        count += len(rows)
        _add(digest, rows)
    return count, digest.hexdigest()


_spelled = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode


def _add(digest: Any, rows: Sequence[Sequence[Any]]) -> None:
    for row in rows:
        try:
            line = orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
        except TypeError:  # half a surrogate pair, or a very large number: on both sides
            line = _spelled([_plain(value) for value in row]).encode()
        digest.update(line)
        digest.update(b"\n")


def _plain(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def _set_sequences(target: Connection) -> None:
    """The next number of each table is after those that were copied."""
    for table in METADATA.sorted_tables:
        if "id" not in table.c or table.c.id.type.python_type is not int:
            continue
        name = func.pg_get_serial_sequence(table.name, "id")
        highest = select(func.max(table.c.id)).scalar_subquery()
        if target.execute(select(name)).scalar() is not None:
            target.execute(select(func.setval(name, func.coalesce(highest, 0) + 1, False)))
