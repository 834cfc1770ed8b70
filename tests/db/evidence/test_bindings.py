"""A populated workspace of the schema before evidence was bound, opened by this program."""

import tracemalloc
from pathlib import Path

import orjson
import pytest
from sqlalchemy import text

from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import engine
from db.engine import Store, sqlite_url
from db.evidence import bindings
from db.vocabulary import EventKind
from tests.full_workspace import fill_every_table
from tests.old_workspaces import full_at
from tests.tampering import meddle
from tests.workspaces import all_events

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
        kinds = {event.kind for event in all_events(session) if event.id > count}
    assert kinds == {EventKind.STATE_FOUND}
    meddle(ws, "UPDATE screening SET score = 9.5 WHERE id = 1")
    meddle(ws, "DELETE FROM answer WHERE item_id = (SELECT min(item_id) FROM answer)")
    subjects = {entry.subject for entry in verify(ws).findings}
    assert "screening 1" in subjects
    assert any(subject.startswith("answers of run") for subject in subjects)
    ws.close()


def test_the_digest_of_many_rows_holds_none_of_them(tmp_path: Path) -> None:
    count, most = 40_000, 4 * 2**20  # bytes; the rows have seven megabytes
    store = Store(engine.make_url(sqlite_url(tmp_path / "workspace.db")))
    with store.engine.connect() as connection:
        engine.migrate_in(connection)
        connection.execute(text("PRAGMA defer_foreign_keys = ON"))
        query = (
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :last) "
            "INSERT INTO split_item (split_id, position, item_id, revision, content_hash) "
            "SELECT 1, i, i + 1, 1, lower(hex(randomblob(32))) FROM n"
        )
        connection.execute(text(query), {"last": count - 1})
        tracemalloc.start()
        (found,) = bindings.digests(connection, bindings.BY_TABLE["split_item"], [1])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        connection.rollback()
    store.close()
    assert found[1].startswith(f"{count}:")
    assert peak < most


@pytest.mark.parametrize("evidence", bindings.EVIDENCE, ids=lambda evidence: evidence.table)
def test_the_names_of_columns_are_texts_that_orjson_takes(evidence: bindings.Evidence) -> None:
    """SQLAlchemy's own kind of text is no key for orjson: every row was spelled by json then."""
    names = [name for name, _ in bindings.own_columns(evidence.table)]
    assert list(orjson.loads(orjson.dumps(dict.fromkeys(names)))) == names
