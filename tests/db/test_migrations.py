"""Full workspaces of every earlier schema: opened with equal data, or left as they were."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from core.errors import WorkspaceError
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db.engine import Store, make_url, schema_revisions, sqlite_url
from db.importing import pending_imports
from tests.full_workspace import fill_every_table
from tests.old_workspaces import Rows, columns_of, full_at, raw_rows

EARLIER = schema_revisions()[:-1]
KINDS = ["sqlite", "postgresql"]
COMPLETE_FROM = "0005"  # the first schema that has every table which events of the source bind


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace of now that has rows in every table that an earlier schema has."""
    folder = tmp_path_factory.mktemp("source")
    made = Workspace.create(folder / "full")
    fill_every_table(made, folder / "files")
    with made.writing() as session:
        for name in ("first", "second"):
            pending_imports.show(session, pending_imports.ending(session, name))
    yield made
    made.close()


@pytest.fixture
def place(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """Where the workspace is opened."""
    if kind == "postgresql":
        monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
        return str(request.getfixturevalue("pg_empty_url"))
    (tmp_path / "old").mkdir()
    return str(tmp_path / "old")


def bare(place: str) -> Store:
    """The database as such."""
    return Store(make_url(place) if "://" in place else sqlite_url(Path(place, "workspace.db")))


def made_at(place: str, source: Workspace, revision: str) -> Rows:
    """Make the old workspace; all its rows."""
    store = bare(place)
    full_at(store, source, revision)
    rows = rows_there(store)
    store.close()
    return rows


def rows_there(store: Store) -> Rows:
    with store.engine.connect() as connection:
        columns = columns_of(connection)
    return raw_rows(store, columns)


def revision_of(store: Store) -> str:
    with store.engine.connect() as connection:
        return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar())


@pytest.mark.parametrize("revision", EARLIER)
@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_with_equal_data(kind: str, place: str, source: Workspace, revision: str) -> None:
    before = made_at(place, source, revision)
    assert sum(map(len, before.values())) > 200
    with closing(Workspace.open(place)) as ws:
        found = verify(ws).findings
    with closing(bare(place)) as store:
        after = rows_there(store)
        assert revision_of(store) == schema_revisions()[-1]
    for name, rows in before.items():
        now = [row[: len(rows[0])] if rows else row for row in after[name]]
        if name == "event":
            assert set(rows) <= set(now), "events may only be added"
        else:
            assert now == rows, name
    # the rows come from a file, and a server would have bound them in other bytes
    if revision >= COMPLETE_FROM and kind == "sqlite":
        # the files of the workspace that was copied are not beside this one
        assert [entry for entry in found if "/" not in entry.subject] == []


@pytest.mark.parametrize("revision", [EARLIER[0], EARLIER[-1]])
@pytest.mark.parametrize("kind", KINDS)
def test_an_upgrade_that_fails_leaves_it_as_it_was(
    place: str, source: Workspace, revision: str
) -> None:
    made_at(place, source, revision)
    with closing(bare(place)) as store:
        # what the last migration makes is there already, and another thing
        ddl(store, "CREATE INDEX ix_event_second_look ON person (name)")
        before = rows_there(store)
        with pytest.raises(WorkspaceError, match="could not be brought up to date"):
            Workspace.open(place)
        assert rows_there(store) == before
        assert revision_of(store) == revision
        ddl(store, "DROP INDEX ix_event_second_look")
        Workspace.open(place).close()
        assert revision_of(store) == schema_revisions()[-1]


def ddl(store: Store, statement: str) -> None:
    with store.engine.connect().execution_options(writes=True) as connection, connection.begin():
        connection.execute(text(statement))
