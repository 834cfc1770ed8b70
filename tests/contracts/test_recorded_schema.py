"""A schema from recorded statements is the one that the migrations make."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import Connection

from db import engine
from db.engine import Store, schema_revisions, sqlite_url, upgrade
from tests.db.recorded_schema import Recorded


def migrated(connection: Connection) -> None:
    """What ``migrate_in`` does without any record."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(engine.__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def contents(path: Path) -> dict[str, Any]:
    """The statements and the rows of every table but those of FTS5, whose parts are tables too."""
    with closing(sqlite3.connect(path)) as database:
        made = database.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
        tables = [
            name
            for name, kind, statement in made
            if kind == "table" and not statement.startswith("CREATE VIRTUAL")
        ]
        rows = {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
        kind = database.execute("PRAGMA application_id").fetchall()
    return {"made": made, "rows": rows, "kind": kind}


def test_later_files_are_as_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(connection: Connection) -> None:
        calls.append(connection)
        migrated(connection)

    monkeypatch.setattr(engine, "migrate_in", Recorded(counted))
    for name in "abc":
        Store.create(sqlite_url(tmp_path / name)).close()
    assert len(calls) == 1
    first = contents(tmp_path / "a")
    assert first["rows"]["alembic_version"] == [(schema_revisions()[-1],)]
    assert contents(tmp_path / "b") == contents(tmp_path / "c") == first


def test_a_file_with_tables_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.create(sqlite_url(tmp_path / "a")).close()
    with closing(sqlite3.connect(tmp_path / "a")) as database:
        database.execute("UPDATE alembic_version SET version_num = '0001'")
        database.commit()
    calls: list[Connection] = []
    monkeypatch.setattr(engine, "migrate_in", Recorded(calls.append))
    upgrade(f"sqlite:///{tmp_path / 'a'}")
    assert len(calls) == 1
