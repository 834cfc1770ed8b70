"""``doctor`` where something keeps it from looking: a line that says so, and all the others."""

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.cli import main
from core.workflow.workspace import Workspace
from db import ledger

NAMES = {"environment", "display", "fonts", "input method", "keyring", "database", "disk",
         "own folders", "servers", "GPUs", "Slurm"}  # fmt: skip


def checked(
    place: str, capsys: pytest.CaptureFixture[str], code: int = 1
) -> dict[str, dict[str, str]]:
    assert main(["--workspace", place, "doctor", "--json"]) == code
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)["checks"]}


def test_a_folder_that_cannot_be_looked_at_is_named_among_the_other_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that no file system takes stands for one that this account may not see."""
    lines = checked(str(tmp_path / ("x" * 300)), capsys)
    assert set(lines) == {*NAMES, "launchers.toml"}
    for name in ("database", "disk", "launchers.toml"):
        assert lines[name]["finding"] == "stop"
        assert "x" * 300 in lines[name]["says"]
    assert all(line["remedy"] for line in lines.values() if line["finding"] == "stop")


def test_a_server_that_is_away_is_told_in_words_of_a_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = checked("postgresql://u@127.0.0.1:1/db", capsys)["database"]
    assert "network" in line["remedy"]
    assert "folder" not in line["remedy"]


def test_a_file_that_is_no_workspace_has_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("no workspace", encoding="utf-8")
    line = checked(str(tmp_path / "notes.txt"), capsys)["database"]
    assert "another kind of file" in line["says"]
    assert "--workspace" in line["remedy"]


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A workspace that is as it should be."""
    Workspace.create(tmp_path / "w", "Li").close()
    return str(tmp_path / "w")


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM alembic_version", "INSERT INTO alembic_version VALUES ('0005')",
     "DROP TABLE draft", "ALTER TABLE draft DROP COLUMN payload"],
)  # fmt: skip
def test_a_schema_that_is_not_whole_is_a_damaged_workspace(
    place: str, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(f"{place}/workspace.db", isolation_level=None)) as connection:
        connection.execute(change)
    line = checked(place, capsys)["database"]
    assert "damaged" in line["says"]
    assert "benchseal restore" in line["remedy"]


def test_a_workspace_of_a_newer_version_is_read_and_wants_an_update(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(f"{place}/workspace.db", isolation_level=None)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    line = checked(place, capsys, 0)["database"]
    assert "read-only" in line["says"]
    assert "update Benchseal" in line["remedy"]


def test_what_to_do_about_a_full_disk_is_not_to_ask_its_owner(
    place: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(place)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    lines = checked(place, capsys)
    assert "Free some space" in lines["database"]["says"]
    assert lines["database"]["remedy"] == ""
    assert lines["disk"]["finding"] == "stop"


def test_a_clock_behind_the_newest_event_is_said(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    ws = Workspace.open(place)
    with ws.writing() as session:
        ledger.append(session, ledger.NewEvent("split_expired", "Li"), at=ahead)
    ws.close()
    line = checked(place, capsys)["clock"]
    assert f"{ahead:%Y-%m-%d %H:%M}" in line["says"]
    assert "timedatectl" in line["remedy"]


def test_a_clock_behind_the_program_is_said_without_a_workspace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on a computer whose clock lost its battery: certificates and time stamps fail there."""
    monkeypatch.setenv("BENCHSEAL_WORKSPACE", str(tmp_path / "nowhere"))
    main(["doctor", "--json"])
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)["checks"]}
    assert found["clock"]["finding"] == "good"
    later = datetime.now(UTC) + timedelta(days=2000)
    monkeypatch.setattr("core.health.machine.program_time", lambda: later)
    assert main(["doctor", "--json"]) == 1
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)["checks"]}
    assert f"{later:%Y-%m-%d %H:%M}" in found["clock"]["says"]
    assert "timedatectl" in found["clock"]["remedy"]


def test_a_table_that_no_launcher_has_is_said_once(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(place, "launchers.toml").write_text('[sulrm.big]\npartition = "gpu"\n', "utf-8")
    lines = checked(place, capsys)
    assert "sulrm" in lines["launchers.toml"]["says"]
    assert [name for name, line in lines.items() if line["finding"] == "stop"] == ["launchers.toml"]
