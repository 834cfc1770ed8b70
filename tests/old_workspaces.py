"""Workspaces as earlier versions of the program wrote them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, MetaData, Table, insert, inspect, select, text

from core.workflow.workspace import Workspace
from db import engine, ledger
from db.engine import Store, sqlite_url
from db.evidence.bindings import BOUND
from db.tables import METADATA
from tests.workspaces import all_events

_AT = "'2026-01-01 00:00:00'"
_ROWS = (
    "INSERT INTO benchmark VALUES (1, 'b', '2026-01-01')",
    "INSERT INTO task (id, benchmark_id, name, family, format, domain, round, profile, at) "
    f"VALUES (1, 1, 't', 'instruction', '', '', 1, '{{}}', {_AT})",
    "INSERT INTO item (id, benchmark_id, task_id, family, format, domain, label, state, revision, "
    "content_hash, open_slots, taken, disputed, barred, round, at, changed_at) VALUES "
    f"(1, 1, 1, 'instruction', '', '', '', 'draft', 1, 'h', 0, 0, 0, '', 1, {_AT}, {_AT})",
    "INSERT INTO revision (item_id, number, content_hash, payload, provenance, defects, note, at) "
    f"VALUES (1, 1, 'h', :payload, '{{}}', '[]', '', {_AT})",
)
UNBOUND_UNTIL = "0003"  # before it no event says what rows it binds
_NEWER = (BOUND, "account")  # what no event of that time says
Rows = dict[str, list[tuple[Any, ...]]]


def first_schema(path: Path) -> None:
    """A database at the first schema, with one item whose text is ``旋律``."""
    store = Store(sqlite_url(path))
    with store.engine.connect().execution_options(writes=True) as connection, connection.begin():
        migrate_to(connection, "0001")
        for row in _ROWS:
            values = {"payload": '{"input": "旋律"}'} if ":payload" in row else {}
            connection.execute(text(row), values)
    store.close()


def migrate_to(connection: Connection, revision: str) -> None:
    """Bring an empty database to an earlier schema."""
    config = Config()
    config.set_main_option("script_location", str(Path(engine.__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def full_at(store: Store, source: Workspace, revision: str) -> int:
    """Everything that a full workspace holds, as the schema of ``revision`` has room for it; before
    rows were bound, with no row bound. Returns the number of its events."""
    with store.engine.connect().execution_options(writes=True) as connection, connection.begin():
        migrate_to(connection, revision)
        there = columns_of(connection)
    bound = revision >= UNBOUND_UNTIL
    with store.writing() as session, source.reading() as full:
        for table in METADATA.sorted_tables:
            columns = [table.c[name] for name in there.get(table.name, ()) if name in table.c]
            if not columns or (table.name == "event" and not bound):
                continue
            rows = [dict(row) for row in full.execute(select(*columns)).mappings()]
            if rows:
                session.execute(insert(table), rows)
        events = list(all_events(full))
        for event in () if bound else events:
            data = {name: value for name, value in event.data.items() if name not in _NEWER}
            new = ledger.NewEvent(event.kind, event.actor, event.item_id, event.subject, data)
            ledger.append(session, new)
    return len(events)


def columns_of(connection: Connection) -> Mapping[str, tuple[str, ...]]:
    """The columns of every table of ours that a database has."""
    found = inspect(connection)
    return {
        name: tuple(column["name"] for column in found.get_columns(name))
        for name in METADATA.tables
        if found.has_table(name)
    }


def raw_rows(store: Store, columns: Mapping[str, tuple[str, ...]]) -> Rows:
    """What these columns hold, read without what the program knows of them."""
    with store.engine.connect() as connection:
        rows: Rows = {}
        for name, wanted in columns.items():
            table = Table(name, MetaData(), autoload_with=connection)
            found = connection.execute(select(*(table.c[column] for column in wanted)))
            rows[name] = sorted((tuple(row) for row in found), key=repr)
    return rows
