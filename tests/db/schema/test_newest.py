"""A new SQLite file is made by statements that come to what the migrations make."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from db.engine import Store, schema_revisions, sqlite_url, upgrade
from tests.old_workspaces import migrate_to
from tests.paths import ROOT


def contents(path: Path) -> dict[str, Any]:
    """The statements, what is in the tables of a new file, and its kind."""
    with closing(sqlite3.connect(path)) as database:
        made = database.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
        names = [name for name, kind, sql in made if kind == "table" and "VIRTUAL" not in sql]
        rows = {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in names}
        kind = database.execute("PRAGMA application_id").fetchall()
    return {"made": sorted(made, key=repr), "rows": rows, "kind": kind}


def test_a_new_file_is_as_its_migrations_make_it(tmp_path: Path) -> None:
    Store.create(sqlite_url(tmp_path / "new")).close()
    bare = Store.to_fill(sqlite_url(tmp_path / "migrated"))
    with bare.engine.connect().execution_options(writes=True) as connection, connection.begin():
        (number,) = contents(tmp_path / "new")["kind"][0]
        connection.exec_driver_sql(f"PRAGMA application_id={number}")
        migrate_to(connection, schema_revisions()[-1])
    bare.close()
    made = contents(tmp_path / "new")
    assert made["rows"]["alembic_version"] == [(schema_revisions()[-1],)]
    assert made == contents(tmp_path / "migrated"), "run packaging/tables.py update"


def test_a_file_with_tables_is_migrated(tmp_path: Path) -> None:
    place = tmp_path / "old"
    store = Store.to_fill(sqlite_url(place))
    with store.engine.connect().execution_options(writes=True) as connection, connection.begin():
        migrate_to(connection, "0001")
    store.close()
    upgrade(f"sqlite:///{place}")
    Store.create(sqlite_url(tmp_path / "new")).close()
    made, brought = contents(tmp_path / "new")["made"], contents(place)["made"]
    assert {row[:2] for row in brought} == {row[:2] for row in made}


def test_to_make_a_new_file_no_migration_is_looked_for(tmp_path: Path) -> None:
    place = str(sqlite_url(tmp_path / "new"))
    line = (
        f"from db.engine import Store; Store.create({place!r}).close(); "
        "import sys; print([name for name in ('alembic', 'sqlmodel') if name in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-c", line], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "[]"
