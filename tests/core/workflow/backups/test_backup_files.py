"""Backups: made while others work, verified, kept in number, and put back whole."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from core.cli import main
from core.errors import InputError, RightsError, StateError
from core.workflow import people
from core.workflow.backups import backup_files
from core.workflow.check import review
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.full_workspace import fill_every_table, stored_rows
from tests.postgres import PostgresServer, _programs
from tests.tampering import meddle
from tests.workspaces import make_task, new_workspace, write_items


@pytest.fixture
def ws(tmp_path: Path):
    ws = new_workspace(tmp_path)
    yield ws
    ws.close()


def test_a_backup_is_kept_though_a_wrong_clock_makes_it_the_oldest(ws):
    folder = backup_files.folder_of(ws)
    folder.mkdir()
    ahead = [folder / f"workspace-20990101T{n:012d}Z.db" for n in range(backup_files.KEPT)]
    for path in ahead:
        path.touch()
    made = backup_files.make(ws)
    kept = {backup.path for backup in backup_files.backups(ws)}
    assert kept == {made.path, *ahead[1:]}


def test_a_backup_holds_every_row_while_somebody_writes_and_can_be_opened(ws, tmp_path):
    fill_every_table(ws, tmp_path)
    with ws.writing():
        made = backup_files.make(ws)
    before = stored_rows(ws)
    assert made.problem == ""
    assert made.events == max(row[0] for row in before["event"])
    assert made.path.stat().st_mode & 0o777 == 0o600
    backup = Workspace.open_read_only(made.path)
    assert stored_rows(backup) == before
    backup.close()
    assert [one.path for one in backup_files.backups(ws)] == [made.path]


def test_thirty_are_kept_and_other_files_stay(ws):
    (backup_files.folder_of(ws)).mkdir()
    other = backup_files.folder_of(ws) / "mine.db"
    other.write_text("x", encoding="utf-8")
    made = [backup_files.make(ws).path for _ in range(backup_files.KEPT + 2)]
    assert [one.path for one in backup_files.backups(ws)] == made[: -backup_files.KEPT - 1 : -1]
    assert other.exists()


def test_a_chain_that_does_not_hold_is_told_with_the_backup(ws):
    make_task(ws)
    meddle(ws, "UPDATE event SET subject = 'other' WHERE id = 1")
    assert backup_files.make(ws).problem == "event 1"


def test_only_a_lead_backs_up(ws):
    people.ensure_person(ws, "ann", "annotator")
    with pytest.raises(RightsError):
        backup_files.make(ws, "ann")


def test_a_damaged_workspace_is_put_back_and_what_was_there_is_kept(ws, tmp_path):
    make_task(ws)
    write_items(ws, 3)
    made = backup_files.make(ws)
    before = stored_rows(ws)
    ws.close()
    database = Path(ws.place.database)
    database.write_bytes(database.read_bytes()[:5000] + b"\xff" * 9000)
    events, kept = backup_files.restore(made.path, tmp_path / "workspace")
    assert events == made.events
    assert kept is not None
    assert kept.exists()
    again = Workspace.open(tmp_path / "workspace")
    assert stored_rows(again) == before
    assert verify(again).sound
    again.close()


def test_nothing_is_put_in_the_place_of_what_somebody_works_in(ws, tmp_path):
    made = backup_files.make(ws)
    make_task(ws)
    with closing(sqlite3.connect(ws.place.database)) as other:
        other.execute("SELECT count(*) FROM event").fetchone()
        with pytest.raises(StateError, match="works in"):
            backup_files.restore(made.path, tmp_path / "workspace")
    assert write_items(ws, 1)


@pytest.mark.parametrize("broken", ["cut", "text", "missing"])
def test_what_is_no_sound_backup_is_refused_before_anything_is_touched(ws, tmp_path, broken):
    made = backup_files.make(ws)
    file = tmp_path / "backup.db"
    if broken == "cut":
        file.write_bytes(made.path.read_bytes()[:20_000])
    elif broken == "text":
        file.write_text("Dear all,", encoding="utf-8")
    before = stored_rows(ws)
    with pytest.raises(Exception, match=r"backup\.db"):
        backup_files.restore(file, tmp_path / "workspace")
    assert stored_rows(ws) == before


def test_the_commands_say_what_they_did(ws, tmp_path, capsys):
    place = str(tmp_path / "workspace")
    ws.close()
    assert main(["--workspace", place, "backup"]) == 0
    assert "verified, " in capsys.readouterr().out
    assert main(["--workspace", place, "backup", "--list"]) == 0
    file = capsys.readouterr().out.split()[-2]
    assert main(["--workspace", str(tmp_path / "other"), "restore", file]) == 0
    assert "Restored" in capsys.readouterr().out
    opened = Workspace.open(tmp_path / "other")
    assert verify(opened).sound
    opened.close()


def test_a_servers_database_is_dumped_and_restored_with_its_logins_and_rights(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setenv("PATH", f"{_programs()}:/usr/bin:/bin")
    first, second = pg_server.create(), pg_server.create()
    admin = Workspace.create(pg_server.url(first), "ruth", "ruth_dumps")
    ruth = Workspace.open(pg_server.url(first, "ruth_dumps"))
    people.ensure_person(ruth, "wu_dumps", "annotator")
    make_task(ruth)
    (number,) = write_items(ruth, 1, author="ruth")
    with pytest.raises(RightsError, match="administrator"):
        backup_files.make(ruth)
    before = stored_rows(admin)
    made = backup_files.make(admin)
    backup_files.restore(made.path, pg_server.url(second))
    with pytest.raises(StateError):
        backup_files.restore(made.path, pg_server.url(second))
    again = Workspace.open(pg_server.url(second))
    rows = stored_rows(again)
    # the list of rights names the roles of the database, and its record is an event
    assert rows["item"] == before["item"]
    assert set(before["event"]) < set(rows["event"])
    wu = Workspace.open(pg_server.url(second, "wu_dumps"))
    review.claim_item(wu, "wu_dumps", number)
    review.decide(wu, "wu_dumps", number, "accept")
    with (
        psycopg.connect(pg_server.url(second, "wu_dumps")) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("DELETE FROM event")
    lead = Workspace.open(pg_server.url(second, "ruth_dumps"))
    assert verify(lead).findings == ()
    for opened in (admin, ruth, again, wu, lead):
        opened.close()
    for name in (first, second):
        pg_server.drop(name)


def test_a_machine_without_pg_dump_says_so(
    pg_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    ws = Workspace.open(pg_url)
    with pytest.raises(Exception, match="Install PostgreSQL's client programs"):
        backup_files.make(ws)
    ws.close()


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        backup_files.restore(tmp_path / "none", tmp_path / "workspace")
