"""A workspace moved whole between SQLite and PostgreSQL."""

import errno
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
import pytest

from core.cli import main
from core.errors import RightsError, StateError, WorkspaceError
from core.workflow.backups import copies
from core.workflow.items import search
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db.copies import rows
from tests.full_workspace import fill_every_table, stored_rows
from tests.postgres import PostgresServer
from tests.tampering import meddle
from tests.workspaces import make_task, write_items


@pytest.fixture
def there(pg_empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database; the files beside it go to a folder of their own."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "server-folder"))
    return pg_empty_url


def same(
    rows: Mapping[str, Sequence[tuple[object, ...]]],
    before: Mapping[str, Sequence[tuple[object, ...]]],
) -> bool:
    """Every row is as before; the ledger goes on with events that bind the rows again."""
    numbers = {row[0] for row in before["event"]}
    events = [row for row in rows["event"] if row[0] in numbers]
    return _plain({**rows, "event": events}) == _plain(before)


def _plain(tables: Mapping[str, Sequence[tuple[object, ...]]]) -> dict[str, list[str]]:
    """Rows as texts: PostgreSQL keeps the keys of a document in another order."""
    return {
        name: sorted(json.dumps(row, sort_keys=True, default=str) for row in table)
        for name, table in tables.items()
    }


def no_room(*_: object) -> None:
    """A disk that is full."""
    raise OSError(errno.ENOSPC, "No space left on device")


def test_every_row_goes_to_a_server_and_back_and_is_the_same(tmp_path: Path, there: str):
    ws = Workspace.create(tmp_path / "here")
    fill_every_table(ws, tmp_path)
    sent = copies.copy(ws, there)
    before = stored_rows(ws)
    assert sent.rows == sum(map(len, before.values()))
    assert {"runs", "releases"} <= set(sent.folders)
    server = Workspace.open(there)
    assert same(stored_rows(server), before)
    assert verify(server).findings == ()
    for words in ("改写", "the"):
        filters = search.Filters(words=words)
        assert search.numbers(server, filters, viewer="") == search.numbers(ws, filters, viewer="")
    back = copies.copy(server, tmp_path / "back")
    assert {**back.tables, "event": 0} == {**sent.tables, "event": 0}
    again = Workspace.open(tmp_path / "back")
    assert same(stored_rows(again), stored_rows(server))
    assert verify(again).findings == ()
    # work goes on at both ends: numbers follow those that were copied
    for opened in (server, again):
        make_task(opened, "fresh")
        assert write_items(opened, 1, task="fresh")[0] > max(row[0] for row in before["item"])
    for opened in (ws, server, again):
        opened.close()


def test_nothing_is_copied_where_a_workspace_is(tmp_path: Path, there: str, pg_url: str):
    ws = Workspace.create(tmp_path / "here")
    for target in (tmp_path / "here", pg_url):
        with pytest.raises(StateError, match="already"):
            copies.copy(ws, target)
    ws.close()


@pytest.mark.parametrize("kind", ["file", "server"])
def test_a_copy_that_fails_leaves_nothing(
    tmp_path: Path, there: str, monkeypatch: pytest.MonkeyPatch, kind: str
):
    ws = Workspace.create(tmp_path / "here")
    make_task(ws)
    write_items(ws, 1)
    target = there if kind == "server" else tmp_path / "there"
    with monkeypatch.context() as patch:
        patch.setattr(rows.search, "write", no_room)
        patch.setattr(rows.search, "server_rows", no_room)
        with pytest.raises(WorkspaceError, match="could not be written"):
            copies.copy(ws, target)
    assert not (tmp_path / "there").exists() or not any((tmp_path / "there").iterdir())
    assert copies.copy(ws, target).rows > 0
    ws.close()


CHANGED = {
    "other words": "UPDATE task SET name = 'other'",
    "no JSON": "UPDATE revision SET payload = 'torn'",
    "no time": "UPDATE item SET at = 'torn'",
    "too large": "UPDATE item SET taken = 99999999999",
    "of no chain": "UPDATE event SET hash = '00'",
}


@pytest.mark.parametrize("kind", ["file", "server"])
@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_what_was_changed_past_the_program_is_not_copied(
    tmp_path: Path, there: str, kind: str, change: str
):
    """Also where a row cannot be read, or does not fit into the other database."""
    ws = Workspace.create(tmp_path / "here")
    make_task(ws)
    write_items(ws, 1)
    meddle(ws, change)
    with pytest.raises(WorkspaceError, match="does not agree with its ledger"):
        copies.copy(ws, there if kind == "server" else tmp_path / "there")
    ws.close()
    if kind == "server":
        with psycopg.connect(there) as connection:
            assert connection.execute("SELECT to_regclass('public.meta')").fetchone() == (None,)
    else:
        assert not (tmp_path / "there").exists() or not any((tmp_path / "there").iterdir())


def test_a_login_that_does_not_read_everything_copies_nothing(
    pg_server: PostgresServer, tmp_path: Path, there: str
):
    Workspace.create(there, "ruth", "ruth_copies").close()
    name = there.rpartition("/")[2].partition("?")[0]
    ruth = Workspace.open(pg_server.url(name, "ruth_copies"))
    with pytest.raises(RightsError, match="administrator"):
        copies.copy(ruth, tmp_path / "mine")
    ruth.close()
    admin = Workspace.open(there)
    assert copies.copy(admin, tmp_path / "whole").tables["person"][0] == 1
    admin.close()


def test_the_command_gives_counts_and_digests(tmp_path: Path, there: str, capsys):
    ws = Workspace.create(tmp_path / "here")
    make_task(ws)
    ws.close()
    assert main(["copy", str(tmp_path / "here"), there, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["tables"]["task"]["rows"] == 1
    assert main(["copy", str(tmp_path / "here"), "postgresql://a:b@h/d"]) == 2
    assert "password" in capsys.readouterr().err


def indexes(address: str) -> list[tuple[str, str]]:
    """Every index of a database, as it would be made."""
    with psycopg.connect(address) as connection:
        query = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"
        return list(connection.execute(query))


def test_a_copy_on_a_server_has_every_index_that_a_new_workspace_has(
    tmp_path: Path, there: str, pg_url: str
):
    ws = Workspace.create(tmp_path / "here")
    make_task(ws)
    write_items(ws, 2)
    copies.copy(ws, there)
    assert indexes(there) == indexes(pg_url)
    assert any("gin" in definition for _, definition in indexes(there))
    ws.close()
