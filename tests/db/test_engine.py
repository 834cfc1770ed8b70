"""Opening, making and breaking a store: every trouble has its own name."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text
from sqlmodel import SQLModel

import db.schema.models  # noqa: F401  (fills the metadata)
from core.accounts import login
from core.errors import BenchsealError, NotFoundError, RightsError, WorkspaceError
from core.i18n import set_language
from core.workflow.people import ensure_person, people
from core.workflow.workspace import Workspace
from db import engine
from db.engine import Store, is_network_share, schema_revisions, sqlite_url, upgrade
from db.errors import StoreError
from db.evidence.triggers import PROTECTED, trigger_name
from tests.paths import ROOT
from tests.polling import until


def test_the_migrations_make_what_the_tables_say(store):
    """Search tables are made by hand for each database and are not in the metadata."""
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        known = set(SQLModel.metadata.tables)
        found = [
            entry
            for entry in compare_metadata(context, SQLModel.metadata)
            if not _is_search(entry, known)
        ]
    assert found == []


def _is_search(entry: object, known: set[str]) -> bool:
    """Whether a difference is about a table of the search, which has no model."""
    if not isinstance(entry, tuple) or not str(entry[0]).startswith("remove_"):
        return False
    table = getattr(entry[1], "table", entry[1])
    return getattr(table, "name", "") not in known


def test_the_triggers_that_keep_history_are_there(store):
    with store.engine.connect() as connection:
        query = (
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            if store.is_sqlite
            else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
        )
        there = set(connection.execute(text(query)).scalars())
    last = "REPLACE" if store.is_sqlite else "TRUNCATE"
    wanted = {
        trigger_name(table, operation)
        for table, protection in PROTECTED.items()
        for operation in ("UPDATE", last, *(() if protection.deletes else ("DELETE",)))
    }
    assert wanted <= there


def test_making_a_store_twice_is_refused(store):
    with pytest.raises(StoreError) as caught:
        Store.create(store.url)
    assert caught.value.trouble == "exists"


def test_upgrading_what_is_up_to_date_does_nothing(store):
    before = inspect(store.engine).get_table_names()
    upgrade(store.engine)
    assert inspect(store.engine).get_table_names() == before


def test_the_files_names_tell_the_revisions_that_alembic_knows():
    script = ScriptDirectory(str(Path(engine.__file__).parent / "migrations"))
    known = [entry.revision for entry in script.walk_revisions()]
    assert schema_revisions() == tuple(reversed(known))
    assert schema_revisions()[-1] == script.get_current_head()


def test_opening_what_is_up_to_date_does_not_wait_for_alembic(tmp_path):
    url = sqlite_url(tmp_path / "workspace.db")
    Store.create(url).close()
    program = (
        "import sys; from db.engine import Store; "
        f"Store.open({str(url)!r}).close(); print('alembic' in sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert said.strip() == "False"


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        (b"", "not_a_database"),
        (b"# notes\n" * 200, "not_a_database"),
        (b"SQLite format 3\x00" + b"\xff" * 4000, "not_a_database"),
    ],
)
def test_another_kind_of_file_is_named_so(tmp_path, content, trouble):
    file = tmp_path / "workspace.db"
    file.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        Store.open(sqlite_url(file))
    assert caught.value.trouble in (trouble, "damaged")


def test_another_programs_database_is_left_alone(tmp_path):
    file = tmp_path / "workspace.db"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    other.close()
    before = file.read_bytes()
    with pytest.raises(WorkspaceError, match="another program"):
        Workspace.open(tmp_path)
    assert file.read_bytes() == before


def test_a_newer_workspace_that_lacks_what_we_read_says_update(tmp_path):
    Workspace.create(tmp_path / "w").close()
    with sqlite3.connect(tmp_path / "w" / "workspace.db") as other:
        other.execute("UPDATE alembic_version SET version_num = '9999'")
        other.execute("ALTER TABLE person RENAME COLUMN name TO called")
    other.close()
    with pytest.raises(WorkspaceError, match=r"newer version of Benchseal\. Update Benchseal"):
        Workspace.open(tmp_path / "w")


def test_a_missing_workspace_says_how_to_make_one(tmp_path):
    with pytest.raises(NotFoundError, match="init"):
        Workspace.open(tmp_path / "nowhere")
    set_language("zh")
    with pytest.raises(NotFoundError, match="没有工作区"):
        Workspace.open(tmp_path / "nowhere")


def test_a_read_only_workspace_is_named_so(tmp_path, monkeypatch):
    ws = Workspace.create(tmp_path / "w")
    ws.close()
    # Root may write everywhere; the system's own answer is what the program asks for.
    monkeypatch.setattr(engine.os, "access", lambda _path, mode: mode != os.W_OK)
    ws = Workspace.open(tmp_path / "w")
    assert ws.is_read_only
    assert [person.name for person in people(ws)] == [login()]
    with pytest.raises(WorkspaceError, match="Cannot write to workspace"):
        ensure_person(ws, "li")
    ws.close()


def test_writing_to_a_database_that_became_read_only_changes_nothing(tmp_path):
    ws = Workspace.create(tmp_path / "w")
    with ws._store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    with pytest.raises(WorkspaceError, match="Cannot write to workspace"):
        ensure_person(ws, "li")
    ws.close()
    again = Workspace.open(tmp_path / "w")
    assert [person.name for person in people(again)] == [login()]
    again.close()


def add_many(ws: Workspace) -> None:
    """More people than the disk has room for."""
    for place in range(3000):
        ensure_person(ws, f"person {place} {'x' * 60}")


def test_a_full_disk_changes_nothing_and_says_so(tmp_path):
    ws = Workspace.create(tmp_path / "w")
    with ws._store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(WorkspaceError, match="full"):
        add_many(ws)
    count = len(people(ws))
    with ws._store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    ensure_person(ws, "after")
    assert len(people(ws)) == count + 1
    ws.close()


def test_who_reads_keeps_few_pages_and_who_writes_those_of_a_transaction(tmp_path):
    store = Store.create(sqlite_url(tmp_path / "workspace.db"))
    asked = text("PRAGMA cache_size")  # of the connection, which the next session has again
    kept = []
    for _ in range(2):
        with store.reading() as session:
            kept.append(session.execute(asked).scalar())
        with store.writing() as session:
            kept.append(session.execute(asked).scalar())
    store.close()
    assert kept == [-8192, -65536, -8192, -65536]


@pytest.mark.parametrize(
    ("kind", "shared"), [("nfs4", True), ("cifs", True), ("ext4", False), ("tmpfs", False)]
)
def test_a_network_share_is_recognised_by_its_mount(tmp_path, kind, shared):
    mounts = tmp_path / "mounts"
    place = str(tmp_path / "team share")
    mounts.write_text(
        f"overlay / overlay rw 0 0\nserver:/x {place.replace(' ', chr(92) + '040')} {kind} rw 0 0\n"
    )
    assert is_network_share(Path(place) / "w" / "workspace.db", mounts) is shared
    assert not is_network_share(tmp_path / "elsewhere.db", mounts)
    assert not is_network_share(tmp_path / "elsewhere.db", tmp_path / "no such file")


def test_a_workspace_on_a_network_share_is_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "is_network_share", lambda _path: True)
    with pytest.raises(WorkspaceError, match="PostgreSQL"):
        Workspace.create(tmp_path / "w")


def test_two_programs_at_once_see_each_others_work(tmp_path):
    here = Workspace.create(tmp_path / "w")
    script = (
        "import sys\nfrom core.workflow.people import ensure_person\n"
        "from core.workflow.workspace import Workspace\n"
        "ensure_person(Workspace.open(sys.argv[1]), 'from the other program')\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "w")]
    subprocess.run(command, check=True, cwd=ROOT, timeout=60)
    assert "from the other program" in [person.name for person in people(here)]
    here.close()


def test_a_writer_that_is_killed_leaves_the_workspace_open_to_others(tmp_path):
    Workspace.create(tmp_path / "w").close()
    script = (
        "import sys, time\nfrom core.workflow.rights import ensure_person_in\n"
        "from core.workflow.workspace import Workspace\n"
        "with Workspace.open(sys.argv[1]).writing() as session:\n"
        "    ensure_person_in(session, 'half')\n    print('in', flush=True)\n    time.sleep(60)\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "w")], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"in\n"
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    ws = Workspace.open(tmp_path / "w")
    assert "half" not in [person.name for person in people(ws)]
    ensure_person(ws, "li")
    ws.close()


def test_a_server_that_is_not_there_is_an_outside_failure(tmp_path):
    with pytest.raises(BenchsealError) as caught:
        Workspace.open("postgresql://nobody:secret@127.0.0.1:9/none?connect_timeout=2")
    assert caught.value.exit_code == 3
    assert "secret" not in str(caught.value)


def test_a_strange_address_is_refused(tmp_path):
    with pytest.raises(BenchsealError, match="refused"):
        Workspace.open("mysql://here/there")


def test_a_waiting_writer_looks_for_the_lock_again_and_again(tmp_path: Path, monkeypatch) -> None:
    """SQLite's own waiting pauses for ever longer; ours looks every few milliseconds."""
    pauses: list[float] = []
    rest = engine.sleep

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        rest(seconds)

    monkeypatch.setattr(engine, "sleep", pause)
    first = Store.create(sqlite_url(tmp_path / "w.db"))
    second = Store.open(sqlite_url(tmp_path / "w.db"))
    begun: list[int] = []

    def wait() -> None:
        with second.writing() as session:
            session.execute(text("SELECT 1"))
            begun.append(1)

    waiter = threading.Thread(target=wait)
    with first.writing() as session:
        session.execute(text("SELECT 1"))
        waiter.start()
        until(lambda: len(pauses) > 5)
        assert not begun
    waiter.join(60)
    assert begun
    assert max(pauses) <= 0.02
    first.close()
    second.close()


def test_a_lock_that_is_never_let_go_is_told_in_words(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT", 50)
    store = Store.create(sqlite_url(tmp_path / "w.db"))
    other = sqlite3.connect(tmp_path / "w.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as caught, store.writing() as session:
        session.execute(text("SELECT 1"))
    other.close()
    store.close()
    assert caught.value.trouble == "locked"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_people_of_before_get_no_account_and_a_first_lead_by_init(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
):
    """A populated workspace of the schema before accounts opens, with its people as they were."""
    from alembic import command
    from alembic.config import Config

    from core.workflow import people as people_use_cases
    from db import engine

    location = str(tmp_path / "workspace.db")
    if kind == "postgresql":
        location = request.getfixturevalue("pg_empty_url")
    store = Store(sqlite_url(Path(location)) if kind == "sqlite" else engine.make_url(location))
    config = Config()
    config.set_main_option("script_location", str(Path(engine.__file__).parent / "migrations"))
    with store.engine.connect().execution_options(writes=True) as c, c.begin():
        config.attributes["connection"] = c
        command.upgrade(config, "0002")
        c.execute(text("INSERT INTO person (name, role, active, gold_from, at) VALUES "
                       "('ann', 'annotator', TRUE, 0, '2026-01-01 00:00:00'), "
                       "('Ann', 'specialist', TRUE, 0, '2026-01-01 00:00:00')"))  # fmt: skip
    store.close()
    ws = Workspace.open(location)
    found = [(one.name, one.role, one.account) for one in people_use_cases.people(ws)]
    assert sorted(found) == [("Ann", "specialist", ""), ("ann", "annotator", "")]
    with pytest.raises(RightsError, match="init --lead"):
        people_use_cases.ensure_person(ws, "eve")
    people_use_cases.make_first_lead(ws, "ann")
    assert people_use_cases.ensure_person(ws, "eve").role == "specialist"
    ws.close()


def test_a_server_that_is_too_old_is_refused_before_anything_is_made(
    pg_empty_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("db.server.logins.LEAST_SERVER", (99, 0))
    with pytest.raises(StoreError, match="old_server"):
        Store.create(pg_empty_url)
    assert not Store.is_made(pg_empty_url)
    with pytest.raises(WorkspaceError, match=r"PostgreSQL 99\.0 or newer"):
        Workspace.create(pg_empty_url)
