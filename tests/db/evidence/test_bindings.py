"""A populated workspace of the schema before evidence was bound, opened by this program."""

from pathlib import Path

import pytest

from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import engine, ledger
from db.engine import Store, sqlite_url
from db.vocabulary import EventKind
from tests.full_workspace import fill_every_table
from tests.old_workspaces import full_at
from tests.tampering import meddle

BEFORE = "0002"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_old_workspace_is_bound_as_it_was_found(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Workspace.create(tmp_path / "full")
    fill_every_table(source, tmp_path / "files")
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    (tmp_path / "old").mkdir()
    place = str(tmp_path / "old")
    url = sqlite_url(tmp_path / "old" / "workspace.db")
    if kind == "postgresql":
        place = url = request.getfixturevalue("pg_empty_url")
    store = Store(engine.make_url(url))
    count = full_at(store, source, BEFORE)
    store.close()
    source.close()

    ws = Workspace.open(place)
    found = verify(ws)
    # the files of the workspace that was copied are not beside this one
    assert not [entry for entry in found.findings if "/" not in entry.subject], found.findings
    assert found.bound_from == found.events > count
    with ws.reading() as session:
        kinds = {event.kind for event in ledger.all_events(session) if event.id > count}
    assert kinds == {EventKind.STATE_FOUND}
    meddle(ws, "UPDATE screening SET score = 9.5 WHERE id = 1")
    meddle(ws, "DELETE FROM answer WHERE item_id = (SELECT min(item_id) FROM answer)")
    subjects = {entry.subject for entry in verify(ws).findings}
    assert "screening 1" in subjects
    assert any(subject.startswith("answers of run") for subject in subjects)
    ws.close()
