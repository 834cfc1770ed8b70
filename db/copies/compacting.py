"""Rewriting a database, so that nothing of it holds what was deleted or replaced."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from db.engine import BUSY_TIMEOUT, Store
from db.errors import StoreError
from db.server.row_sealing import RENEW_STATISTICS, REWRITE_STATISTICS, STORED_IN

_BY_FUNCTION = "SELECT to_regprocedure('benchseal.compact_sealed()') IS NOT NULL"
PATIENCE = 10_000  # milliseconds that others are waited for


def compact(store: Store) -> None:
    """Rewrite the database: no page of its file, or of SQLite's log beside it, holds what was
    deleted or replaced. StoreError where others hold it.

    What PostgreSQL keeps in its own log and its archives is not in its tables, and stays.
    """
    with store.translated():
        pooled = store.engine.raw_connection()
        try:
            bare: Any = pooled.driver_connection
            if store.is_sqlite:
                _compact_file(bare, store.place)
            else:
                _compact_tables(bare, store.place)
        finally:
            pooled.close()


def _compact_file(connection: Any, place: str) -> None:
    connection.execute(f"PRAGMA busy_timeout={PATIENCE}")
    try:
        for name in ("search_long", "search_short"):
            connection.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")  # noqa: S608 (names of our own)
        with _beside(connection, Path(place)):
            connection.execute("VACUUM")
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError as error:
        raise StoreError("locked", place, str(error)) from error
    finally:
        connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT}")
    if busy:
        raise StoreError("locked", place, "checkpoint")


@contextmanager
def _beside(connection: Any, database: Path) -> Iterator[None]:
    """Within, SQLite keeps what it has no room for in a file without a name beside the database,
    and not in memory, which would be as much as the database, nor in a folder of others."""
    folder = str(database.parent.absolute()).replace("'", "''")
    connection.execute("PRAGMA temp_store=FILE")
    connection.execute(f"PRAGMA temp_store_directory='{folder}'")
    try:
        yield
    finally:
        connection.execute("PRAGMA temp_store_directory=''")
        connection.execute("PRAGMA temp_store=MEMORY")


def _compact_tables(connection: Any, place: str) -> None:
    from psycopg import errors

    connection.rollback()
    connection.autocommit = True
    try:
        connection.execute(f"SET lock_timeout = {PATIENCE}")
        if connection.execute(_BY_FUNCTION).fetchone()[0]:  # only who owns the tables may
            connection.execute("SELECT benchseal.compact_sealed()")
        else:
            for table in STORED_IN:
                connection.execute(f"VACUUM (FULL) {table}")
            connection.execute(f"DO $$ {RENEW_STATISTICS} $$")
        connection.execute(REWRITE_STATISTICS)
    except (errors.LockNotAvailable, errors.DeadlockDetected, errors.QueryCanceled) as error:
        raise StoreError("locked", place, str(error)) from error
    finally:
        connection.execute("RESET lock_timeout")
        connection.autocommit = False
