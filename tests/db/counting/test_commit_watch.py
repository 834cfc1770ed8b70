"""A file that nobody wrote to is known without reading it."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from core.workflow import people
from core.workflow.workspace import Workspace
from db.counting.commit_watch import CommitWatch


def test_every_commit_of_anybody_gives_another_number(sqlite_ws: Workspace):
    assert sqlite_ws.version() is None  # nobody watches
    sqlite_ws.watch_commits()
    seen = [sqlite_ws.version()]
    assert sqlite_ws.version() == seen[0] is not None
    people.ensure_person(sqlite_ws, "Ada", "annotator")
    seen.append(sqlite_ws.version())
    other = Workspace.open(sqlite_ws.place.folder)
    people.ensure_person(other, "Grace", "annotator")
    seen.append(sqlite_ws.version())
    other.close()
    assert len(set(seen)) == 3
    with sqlite_ws.reading() as session:
        session.execute(text("SELECT count(*) FROM person")).all()
    assert sqlite_ws.version() == seen[-1]


def test_the_log_goes_into_the_file_when_a_watched_workspace_is_closed(tmp_path: Path):
    ws = Workspace.create(tmp_path / "w")
    ws.watch_commits()
    people.ensure_person(ws, "Ada", "annotator")
    assert ws.version() is not None
    ws.close()
    assert [path.name for path in (tmp_path / "w").glob("workspace.db*")] == ["workspace.db"]


@pytest.mark.parametrize("content", [None, b"this is no database, and quite long enough for one"])
def test_what_cannot_be_watched_has_no_number(tmp_path: Path, content: bytes | None):
    path = tmp_path / "x.db"
    if content is not None:
        path.write_bytes(content)
    watch = CommitWatch(path)
    assert watch.version() is None
    watch.close()


def test_a_closed_watch_can_look_again(tmp_path: Path):
    path = tmp_path / "x.db"
    sqlite3.connect(path).close()
    watch = CommitWatch(path)
    watch.close()
    assert watch.version() is not None
    watch.close()
