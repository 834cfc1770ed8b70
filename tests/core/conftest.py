"""The same use cases on a SQLite file and on a real PostgreSQL."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.accounts import login
from core.workflow import people, rights
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import ledger
from db.vocabulary import EventKind
from tests.postgres import PostgresServer

ABOVE_SPECIALIST = {"ruth": "researcher", "boss": "lead"}


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace file that was migrated once and is copied for every test."""
    folder = tmp_path_factory.mktemp("template") / "workspace"
    Workspace.create(folder).close()
    return folder / "workspace.db"


@pytest.fixture(scope="session")
def postgres_template(
    pg_server: PostgresServer, pg_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Name of a database with its first lead, made once and copied for every test."""
    name = pg_server.create(pg_template)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHSEAL_FOLDER", str(tmp_path_factory.mktemp("template") / "folder"))
        opened = Workspace.open(pg_server.url(name))
        people.make_first_lead(opened, login())
        opened.close()
    yield name
    pg_server.drop(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def location(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Where a workspace is, or can be opened, of each kind of database."""
    if request.param == "sqlite":
        (tmp_path / "workspace").mkdir()
        template = request.getfixturevalue("sqlite_template")
        shutil.copy(template, tmp_path / "workspace" / "workspace.db")
        yield str(tmp_path / "workspace")
        return
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    server: PostgresServer = request.getfixturevalue("pg_server")
    name = server.create(request.getfixturevalue("postgres_template"))
    yield server.url(name)
    server.drop(name)


@pytest.fixture
def ws(location: str) -> Iterator[Workspace]:
    """A workspace without items, with those people whom no first act can make what they are;
    whatever a test did to it must verify at the end."""
    opened = Workspace.open(location)
    with opened.writing() as session:
        ledger.append(session, ledger.NewEvent(EventKind.WORKSPACE_MADE, "test"))
        for name, role in ABOVE_SPECIALIST.items():
            rights.ensure_person_in(session, name, role, actor=login())
    yield opened
    findings = verify(opened).findings
    opened.close()
    assert not findings


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a Chinese name, for a workspace."""
    return tmp_path / "工作区"


@pytest.fixture
def sqlite_ws(place: Path) -> Iterator[Workspace]:
    """An empty workspace in a SQLite file in ``place``."""
    opened = Workspace.create(place)
    yield opened
    opened.close()
