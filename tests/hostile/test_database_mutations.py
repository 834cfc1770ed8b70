"""Changing the database past the program: what ``verify`` finds, and what triggers refuse.

Every mutation is generated from the schema: each bound column of each table of evidence with
several values, deletions, copies, swaps, emptied tables, and each part of the catalogue.
"""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest
from sqlalchemy import JSON, Boolean, Column, Float, Integer, Table, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError

from core.errors import RightsError
from core.workflow.splits import lifecycle, receipts
from core.workflow.verify import database, replay, row_digests
from core.workflow.verify.checks import verify
from core.workflow.verify.findings import VerifyFinding, VerifyRun
from core.workflow.workspace import Workspace
from db import ledger
from db.evidence import bindings
from db.evidence.bindings import BY_TABLE, EVIDENCE, UNBOUND, bound_columns
from db.evidence.triggers import PROTECTED
from db.tables import METADATA, UtcDateTime
from tests.full_workspace import SPLIT, fill_every_table
from tests.hostile.conftest import Attack
from tests.tampering import meddle, without_logins, without_triggers
from tests.workspaces import all_events

Begin = Callable[[str], Attack]
ROWS = 3  # rows of a table of which each column is changed
HINTS = {
    "meta": ("setting",), "person": ("person",), "benchmark": ("benchmark",), "task": ("task",),
    "protocol": ("protocol", "task"), "item": ("#",), "revision": ("revision", "#"),
    "screening": ("screening",), "assignment": ("assignment",), "decision": ("decision",),
    "rating": ("rating",), "comment": ("comment",), "rating_draw": ("rating sample",),
    "rating_draw_item": ("rating sample",), "gold": ("gold",), "lot": ("lot",),
    "lot_item": ("lot",), "split": ("split",), "split_item": ("split",), "run": ("run",),
    "answer": ("answers",), "event": ("event",), "pending_import": ("import",),
}  # fmt: skip
"""How a finding about a table of evidence calls it."""
CHECKED = {"item": ("state", "revision", "open_slots", "disputed", "lot_id", "round", "taken",
                    "content_hash")}  # fmt: skip
"""Columns that no digest holds and that another check recomputes."""


def tables() -> Iterator[Table]:
    """The tables of evidence and the ledger."""
    for name in [*BY_TABLE, "event"]:
        yield METADATA.tables[name]


def columns_of(table: Table) -> list[Column]:
    """The columns of which every change must be found."""
    if table.name == "event":
        return list(table.columns)
    bound = bound_columns(BY_TABLE[table.name], table.columns.keys())
    return [table.columns[name] for name in (*bound, *CHECKED.get(table.name, ()))]


def values_for(column: Column) -> list[str]:
    """SQL expressions that are another value of that column."""
    name = f'"{column.name}"'
    kind = column.type
    if isinstance(kind, Boolean):
        values = [f"NOT {name}"]
    elif isinstance(kind, UtcDateTime):
        values = [f"CASE WHEN {name} IS NULL THEN '2020-01-01 00:00:00.000000' "
                  f"ELSE datetime({name}, '+1 day') END"]  # fmt: skip
    elif isinstance(kind, JSON):
        values = ["'{\"other\": 1}'", f"{name} || ' '"]
    elif isinstance(kind, Float):
        values = [f"coalesce({name}, 0) + 1", f"coalesce({name}, 0) - 0.001"]
    elif isinstance(kind, Integer):
        values = [f"coalesce({name}, 0) + 1", f"coalesce({name}, 0) + 1000"]
    else:
        values = [f"coalesce({name}, '') || 'x'", "''"]
    return [*values, "NULL"] if column.nullable else values


def where_row(table: Table, row: Sequence[object]) -> str:
    """The condition that names a row."""
    keys = [
        f'"{column.name}" = {literal(row[place])}'
        for place, column in enumerate(table.columns)
        if column.primary_key
    ]
    return " AND ".join(keys)


def literal(value: object) -> str:
    return (
        str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"
    )


def some(rows: Sequence[Sequence[object]]) -> list[Sequence[object]]:
    """The first, the last and the one in the middle."""
    places = sorted({0, len(rows) // 2, len(rows) - 1})
    return [rows[place] for place in places if 0 <= place < len(rows)][:ROWS]


def bound_rows(connection: sqlite3.Connection, table: Table) -> list[Sequence[object]]:
    """The rows of a table that are evidence."""
    evidence = BY_TABLE.get(table.name)
    where = f" WHERE {evidence.where}" if evidence and evidence.where else ""
    return connection.execute(f'SELECT * FROM "{table.name}"{where}').fetchall()


def changed_columns(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(table, statement) for other values in every column of some rows."""
    for table in tables():
        for row in some(bound_rows(connection, table)):
            for column in columns_of(table):
                for value in values_for(column):
                    yield (
                        table.name,
                        f'UPDATE "{table.name}" SET "{column.name}" = {value} '
                        f'WHERE {where_row(table, row)} AND "{column.name}" IS NOT {value}',
                    )


def removed_and_added(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(table, statement) that remove rows, all rows, or add a copy of one under another key."""
    for table in tables():
        rows = bound_rows(connection, table)
        for row in some(rows):
            yield table.name, f'DELETE FROM "{table.name}" WHERE {where_row(table, row)}'
            yield table.name, copied(table, row)
        yield table.name, f'DELETE FROM "{table.name}"'


def copied(table: Table, row: Sequence[object]) -> str:
    """A row once more under another key, and with other unique texts."""
    unique = {"name", "key"} if table.name != "answer" else set()
    selected = []
    for column in table.columns:
        name = f'"{column.name}"'
        if column.primary_key and isinstance(column.type, Integer):
            selected.append(f"{name} + 5000")
        elif (column.primary_key or column.name in unique) and table.name != "task":
            selected.append(f"{name} || 'x'")
        elif column.name in ("version", "attempt", "number", "content_hash", "stage"):
            selected.append(f"{name} || '7'")
        elif column.name == "name":
            selected.append(f"{name} || 'x'")
        elif (table.name, column.name) in (("screening", "run_id"), ("split_item", "item_id")):
            selected.append(f"{name} || '9'")
        elif (table.name, column.name) == ("decision", "kind"):
            selected.append("'bulk'")
        else:
            selected.append(name)
    return (
        f'INSERT INTO "{table.name}" SELECT {", ".join(selected)} FROM "{table.name}" '
        f"WHERE {where_row(table, row)}"
    )


def swapped(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(table, statement) that exchange a column between two rows in which it differs."""
    for table in tables():
        rows = bound_rows(connection, table)
        for column in columns_of(table):
            place = list(table.columns).index(column)
            pair = next(((a, b) for a in rows for b in rows if a[place] != b[place]), None)
            if pair is None or column.primary_key or column.unique:
                continue
            first, second = (where_row(table, row) for row in pair)
            name, both = f'"{column.name}"', f"({where_row(table, pair[0])}) OR ({second})"
            yield (
                table.name,
                f'UPDATE "{table.name}" SET {name} = CASE WHEN {first} THEN '
                f'(SELECT {name} FROM "{table.name}" WHERE {second}) ELSE '
                f'(SELECT {name} FROM "{table.name}" WHERE {first}) END WHERE {both}',
            )


def changed_catalogue(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(name that a finding must have, statements) for each trigger and index, and foreign parts."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    for kind, name, made in connection.execute(query).fetchall():
        if kind == "trigger":
            yield name, f'DROP TRIGGER "{name}"'
            weaker = made.replace("BEGIN ", "BEGIN SELECT 1 WHERE 0; ", 1)
            yield name, f'DROP TRIGGER "{name}"; {weaker}'
        elif kind == "index":
            yield name, f'DROP INDEX "{name}"'
    for name, statement in (
        ("eve", "CREATE TRIGGER eve AFTER INSERT ON decision BEGIN DELETE FROM draft; END"),
        ("eve", "CREATE VIEW eve AS SELECT * FROM decision WHERE verdict = 'accept'"),
        ("eve", "CREATE TABLE eve (id INTEGER)"),
        ("eve", "CREATE INDEX eve ON decision (note)"),
        ("rating", "ALTER TABLE rating ADD COLUMN eve TEXT"),
        ("gold", "ALTER TABLE gold RENAME COLUMN verdict TO eve; "
                 "ALTER TABLE gold ADD COLUMN verdict TEXT"),
    ):  # fmt: skip
        yield name, statement


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sound workspace with rows in every table; never changed."""
    folder = tmp_path_factory.mktemp("pristine")
    ws = Workspace.create(folder / "workspace")
    fill_every_table(ws, folder / "files")
    found = verify(ws)
    assert found.sound, found.findings
    ws.close()
    with closing(sqlite3.connect(folder / "workspace" / "workspace.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for evidence in EVIDENCE:
            count = connection.execute(f'SELECT count(*) FROM "{evidence.table}"').fetchone()[0]
            assert count > 0, evidence.table
    return folder / "workspace"


class Victim:
    """A workspace on which one mutation after the other is tried."""

    def __init__(self, folder: Path) -> None:
        self.ws = Workspace.open(folder)
        self.connection = sqlite3.connect(folder / "workspace.db", isolation_level=None)
        self.connection.execute("PRAGMA synchronous = OFF")  # no power is cut here
        self.sound = sqlite3.connect(":memory:")
        self.connection.backup(self.sound)

    def try_it(self, row: Attack, hints: Sequence[str], statement: str, *, guarded: bool) -> None:
        """One mutation: it must change something, and a finding must name it."""
        self.sound.backup(self.connection)
        before = self.connection.total_changes
        try:
            if guarded:
                with_triggers_away(self.connection, statement)
                if self.connection.total_changes == before:
                    return
            else:
                self.connection.executescript(statement)
        except sqlite3.IntegrityError:
            return  # the schema itself forbids it
        findings = verify(self.ws).findings
        words = [f"{entry.kind} {entry.subject} {entry.detail}" for entry in findings]
        named = any(hint in line for line in words for hint in hints)
        if not named and statement == cut_off(self.sound):
            row.tried_known()
            return
        row.tried("" if named else f"{statement}: {words[:3]}")

    def close(self) -> None:
        self.ws.close()
        self.connection.close()
        self.sound.close()


def cut_off(connection: sqlite3.Connection) -> str:
    """The newest event alone removed, which tells of nothing that is stored in the database."""
    (last,) = connection.execute("SELECT max(id) FROM event").fetchone()
    return f'DELETE FROM "event" WHERE "id" = {last}'


def with_triggers_away(connection: sqlite3.Connection, statement: str) -> None:
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    triggers = connection.execute(query).fetchall()
    for name, _ in triggers:
        connection.execute(f'DROP TRIGGER "{name}"')
    connection.execute(statement)
    for _, made in triggers:
        connection.execute(made)


@pytest.fixture
def victim(pristine: Path, tmp_path: Path) -> Iterator[Victim]:
    shutil.copytree(pristine, tmp_path / "workspace")
    made = Victim(tmp_path / "workspace")
    yield made
    made.close()


@pytest.mark.slow
def test_every_change_of_a_row_is_found_and_named(victim: Victim, attack: Begin) -> None:
    for name, generate, least in (
        ("another value in a row, triggers away", changed_columns, 500),
        ("rows removed, copied, tables emptied", removed_and_added, 80),
        ("values exchanged between two rows", swapped, 60),
    ):
        row = attack(name)
        for table, statement in generate(victim.sound):
            victim.try_it(row, HINTS[table], statement, guarded=True)
        assert row.tries >= least, f"{name}: only {row.tries}"


@pytest.mark.slow
def test_every_change_of_the_catalogue_is_found_and_named(victim: Victim, attack: Begin) -> None:
    row = attack("triggers, views, indices, tables")
    for name, statements in changed_catalogue(victim.sound):
        victim.try_it(row, [name], statements, guarded=False)


def test_no_column_is_left_out_without_a_reason() -> None:
    """Every column of every table is bound, or the product's own table says why it is not."""
    for name in METADATA.tables:
        whole = UNBOUND.get((name, "*"))
        assert (name in BY_TABLE) != bool(whole), name
    for name, column in UNBOUND:
        if column != "*":
            assert column in METADATA.tables[name].columns, (name, column)
        assert len(UNBOUND[name, column]) > 20
    assert set(PROTECTED) == set(BY_TABLE) | {"event"}


def refused_statements(table: Table, server: bool) -> list[str]:
    """Ways of changing a table of evidence while its triggers stand."""
    fixed = PROTECTED[table.name].fixed or tuple(table.columns.keys())
    statements = [f'UPDATE "{table.name}" SET "{name}" = "{name}"' for name in fixed]
    if not PROTECTED[table.name].deletes:
        statements.append(f'DELETE FROM "{table.name}"')
    if server:
        return [*statements, f'TRUNCATE "{table.name}" CASCADE']
    same = f'INTO "{table.name}" SELECT * FROM "{table.name}" LIMIT 1'
    return [*statements, f"INSERT OR REPLACE {same}", f"REPLACE {same}"]


def test_the_triggers_refuse_every_way_of_changing_evidence(
    pristine: Path, tmp_path: Path, attack: Begin
) -> None:
    """From a connection that is not ours, which sets no pragma."""
    row = attack("UPDATE, DELETE, INSERT OR REPLACE, triggers in place")
    target = tmp_path / "copy.db"
    target.write_bytes((pristine / "workspace.db").read_bytes())
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        for table in tables():
            for statement in refused_statements(table, server=False):
                try:
                    connection.execute(statement)
                    row.tried(statement)
                except sqlite3.IntegrityError as error:
                    row.tried("" if "append-only" in str(error) else f"{statement}: {error}")
        for statement in (
            "UPDATE decision SET withdrawn_event = NULL WHERE withdrawn_event IS NOT NULL",
            "UPDATE decision SET withdrawn_event = 1 WHERE withdrawn_event IS NOT NULL",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
            row.tried()


def rewrite_chain(ws: Workspace) -> None:
    """Bind decision 1 as it stands now in the event that tells of it, and hash all events again."""
    with ws.writing() as session, without_triggers(session.connection()) as connection:
        ((_, digest),) = bindings.digests(connection, BY_TABLE["decision"], [1])
        previous = ledger.GENESIS
        for event in list(all_events(session)):
            data = dict(event.data)
            if "1" in data.get("bound", {}).get("decision", {}):
                data["bound"]["decision"]["1"] = digest
            words = json.dumps(data, ensure_ascii=False, sort_keys=True)
            sealed = (event.id, event.at, event.actor, event.kind, event.item_id, event.subject,
                      words, previous)  # fmt: skip
            line = json.dumps(sealed, ensure_ascii=False, separators=(",", ":"))
            digest_of_event = hashlib.sha256(line.encode()).hexdigest()
            connection.execute(
                text("UPDATE event SET data = :data, previous = :previous, hash = :hash "
                     "WHERE id = :id"),
                {"data": words, "previous": previous, "hash": digest_of_event, "id": event.id},
            )  # fmt: skip
            previous = digest_of_event


def test_a_chain_rewritten_as_a_whole_is_shown_by_a_receipt_alone(
    victim: Victim, tmp_path: Path, attack: Begin
) -> None:
    """Whoever recomputes every digest and every hash, and issues the receipts of the workspace
    again, leaves no trace inside."""
    row = attack("the whole chain rewritten with its rows")
    receipt = lifecycle.seal(victim.ws, SPLIT, "boss")
    kept = asdict(receipt)
    meddle(victim.ws, "UPDATE decision SET seconds = 7 WHERE id = 1")
    assert not verify(victim.ws).sound
    rewrite_chain(victim.ws)
    row.tried("" if not verify(victim.ws).sound else "not shown by the receipt of the workspace")
    for path in victim.ws.receipts.iterdir():
        path.unlink()
    receipts.issue_again(victim.ws, SPLIT)
    assert verify(victim.ws).sound
    row.tried_known()
    findings = verify(victim.ws, kept).findings
    row.tried("" if any(f.kind == "receipt" for f in findings) else "not shown by the receipt")


@pytest.fixture
def server(
    pg_empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    """A workspace on PostgreSQL with rows in every table."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    ws = without_logins(pg_empty_url)
    fill_every_table(ws, tmp_path / "files")
    yield ws
    ws.close()


SERVER_CHECKS = (row_digests.mismatches, database.differences, replay.items)
SERVER_VALUES = {
    "BOOLEAN": "NOT {0}", "TIMESTAMP": "{0} + interval '1 day'", "JSONB": "'{{\"other\": 1}}'",
    "FLOAT": "coalesce({0}, 0) + 1", "INTEGER": "coalesce({0}, 0) + 1",
    "BIGINT": "coalesce({0}, 0) + 1", "VARCHAR": "left({0}, 63) || '~'",
}  # fmt: skip


@pytest.mark.slow
def test_postgresql_has_the_same_findings_and_refusals(server: Workspace, attack: Begin) -> None:
    dialect = postgresql.dialect()
    assert verify(server).sound
    changes, refusals = attack("PostgreSQL: rows changed"), attack("PostgreSQL: refused")
    for table in tables():
        for statement in refused_statements(table, server=True):
            try:
                with server.writing() as session:
                    session.connection().exec_driver_sql(statement)
                refusals.tried(statement)
            except (DBAPIError, RightsError) as error:
                refusals.tried("" if "append-only" in str(error) else f"{statement}: {error}")
        for column in columns_of(table):
            if any(True for _ in column.foreign_keys) or column.primary_key:
                continue
            kind = column.type.compile(dialect).split(" ")[0].split("(")[0]
            name = f'"{column.name}"'
            value = SERVER_VALUES[kind].format(name)
            where = BY_TABLE[table.name].where if table.name in BY_TABLE else ""
            change = (
                f'UPDATE "{table.name}" SET {name} = {value} WHERE ctid = (SELECT ctid FROM '
                f'"{table.name}" WHERE {name} IS NOT NULL {"AND " + where if where else ""} '
                "LIMIT 1)"
            )
            tried_on_server(server, changes, HINTS[table.name], change)
        tried_on_server(server, changes, HINTS[table.name], f'DELETE FROM "{table.name}"')
    parts = attack("PostgreSQL: triggers, functions, views, rules")
    for name, statement in (
        ("decision_no_update", "ALTER TABLE decision DISABLE TRIGGER decision_no_update"),
        ("decision_no_delete", "DROP TRIGGER decision_no_delete ON decision"),
        ("refuse_change", "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE "
                          "plpgsql AS $$ BEGIN RETURN NEW; END $$"),
        ("eve", "CREATE VIEW eve AS SELECT 1"),
        ("eve", "CREATE RULE eve AS ON UPDATE TO decision DO INSTEAD NOTHING"),
        ("eve", "CREATE INDEX eve ON decision (note)"),
        ("eve", "ALTER TABLE gold ADD COLUMN eve TEXT"),
        ("ix_decision_item", "DROP INDEX ix_decision_item"),
    ):  # fmt: skip
        tried_on_server(server, parts, [name], statement)


def tried_on_server(ws: Workspace, row: Attack, hints: Sequence[str], statement: str) -> None:
    """A mutation within a transaction that ``verify`` sees and that is rolled back."""
    with ws.writing() as session:
        connection = session.connection()
        with without_triggers(connection):
            if connection.exec_driver_sql(statement).rowcount == 0:
                return
        run = VerifyRun(ws, session)
        findings = [finding for check in SERVER_CHECKS for finding in check(run)]
        findings += [
            VerifyFinding("chain", f"event {number}", "") for number in ledger.broken_links(session)
        ]
        session.rollback()
    words = [f"{entry.kind} {entry.subject} {entry.detail}" for entry in findings]
    named = any(hint in line for line in words for hint in hints)
    row.tried("" if named else f"{statement}: {words[:3]}")
