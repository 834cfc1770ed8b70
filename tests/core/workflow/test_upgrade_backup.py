"""A workspace of an older version is saved before it is brought up to date, or stays as it is."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError, WorkspaceError
from core.workflow.backups import backup_files
from core.workflow.workspace import Workspace
from db.engine import schema_revisions
from tests.old_workspaces import first_schema


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    folder.mkdir()
    first_schema(folder / "workspace.db")
    return folder


def revision(database: Path) -> str:
    with closing(sqlite3.connect(database)) as connection:
        ((found,),) = connection.execute("SELECT version_num FROM alembic_version")
    return found


def test_the_backup_holds_the_workspace_as_it_was_and_is_private(old: Path):
    with closing(Workspace.open(old)) as ws:
        made = ws.saved_before_upgrade
        assert made is not None
        (listed,) = backup_files.backups(ws)
    assert listed.path == made
    assert made.parent == old / "backups"
    assert (revision(made), revision(old / "workspace.db")) == ("0001", schema_revisions()[-1])
    assert made.stat().st_mode & 0o077 == made.parent.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(made)) as connection:
        assert connection.execute("SELECT payload FROM revision").fetchall() == [
            ('{"input": "旋律"}',)
        ]


def test_it_is_restored_like_any_other(old: Path, tmp_path: Path):
    with closing(Workspace.open(old)) as ws:
        made = ws.saved_before_upgrade
    assert made is not None
    backup_files.restore(made, tmp_path / "again")
    assert revision(tmp_path / "again" / "workspace.db") == "0001"
    with closing(Workspace.open(tmp_path / "again")) as ws:
        assert ws.saved_before_upgrade is not None


def test_a_workspace_that_is_up_to_date_is_not_saved(tmp_path: Path):
    Workspace.create(tmp_path / "w").close()
    with closing(Workspace.open(tmp_path / "w")) as ws:
        assert ws.saved_before_upgrade is None
    assert not (tmp_path / "w" / "backups").exists()


def test_where_no_backup_can_be_written_nothing_is_changed(old: Path):
    (old / "backups").write_text("in the way", encoding="utf-8")
    before = (old / "workspace.db").read_bytes()
    with pytest.raises(WorkspaceError, match="backup before that could not be written"):
        Workspace.open(old)
    assert revision(old / "workspace.db") == "0001"
    assert (old / "workspace.db").read_bytes() == before


def test_the_command_line_says_it_once_and_json_stays_whole(
    old: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["--workspace", str(old), "task", "list", "--json"]) == 0
    said = capsys.readouterr()
    json.loads(said.out)
    (made,) = (old / "backups").iterdir()
    assert str(made) in said.err
    assert "brought up to date" in said.err
    assert main(["--workspace", str(old), "task", "list"]) == 0
    assert "brought up to date" not in capsys.readouterr().err


def test_it_is_said_in_chinese(
    old: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_LANG", "zh")
    main(["--workspace", str(old), "task", "list"])
    assert "升级前的工作区保存在" in capsys.readouterr().err


def test_a_damaged_backup_of_an_older_version_is_refused(old: Path, tmp_path: Path):
    with closing(Workspace.open(old)) as ws:
        made = ws.saved_before_upgrade
    assert made is not None
    with closing(sqlite3.connect(made)) as connection, connection:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in triggers.fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("UPDATE revision SET payload = '{'")
    with pytest.raises(InputError, match="damaged"):
        backup_files.restore(made, tmp_path / "again")
    assert not (tmp_path / "again" / "workspace.db").exists()
