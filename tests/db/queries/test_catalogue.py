"""What a database consists of is held against what the migrations make."""

from pathlib import Path

import pytest
from sqlalchemy import Connection

from core.workflow.workspace import Workspace
from db.engine import migrate_in
from db.queries import catalogue


def test_the_migrations_run_once_for_all_workspaces_of_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every verification they took most of its time, and kept the workspace in memory."""
    ran = []

    def migrate(connection: Connection) -> None:
        ran.append(connection)
        migrate_in(connection)

    monkeypatch.setattr(catalogue, "migrate_in", migrate)
    for name in ("first", "second"):
        ws = Workspace.create(tmp_path / name)
        with ws.reading() as session:
            assert list(catalogue.differences(session)) == []
        ws.close()
    assert len(ran) <= 1  # none where a test before has asked


def test_a_table_that_no_migration_makes_is_foreign(tmp_path: Path) -> None:
    ws = Workspace.create(tmp_path / "workspace")
    with ws.writing() as session:
        session.connection().exec_driver_sql("CREATE TABLE notes (text TEXT)")
        assert list(catalogue.differences(session)) == [("table", "notes", "foreign")]
    ws.close()
