"""What every test gets: a home of its own, only loopback, English, and no error in the log."""

import gc
import ipaddress
import logging
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

# before anything imports Qt: the platform is chosen when the application object is made
os.environ["QT_QPA_PLATFORM"] = os.environ.get("BENCHSEAL_TEST_QPA", "offscreen")
os.environ["QT_ACCESSIBILITY"] = "0"
# OpenBLAS waits for its threads by spinning: beside other tests, small matrices cost four times the
# processor time that they cost on one thread
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
# keyring chooses once a process, and among all classes that tests define, unless it is told
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
# the hundreds of commands and workers that tests start would compile all our modules, each again
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import hypothesis
import pytest
import sqlalchemy
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.database import DirectoryBasedExampleDatabase
from sqlalchemy.util import LRUCache

from core.i18n import set_language
from tests.messages import messages

pytest_plugins = ["tests.postgres", "tests.servers.strict_server"]

ROOT = Path(__file__).resolve().parent.parent
_EXAMPLES = ROOT / ".cache" / "hypothesis"
SLOWER = 1200
"""Seconds after which a slower test hangs, where it names no longer time of its own."""
_OUTSIDE_SETTINGS = (
    "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGUAGE", "LC_MESSAGES", "LANG",
)  # fmt: skip

set_hypothesis_home_dir(_EXAMPLES)
# no deadline: the machine that runs this is shared, and a slow example is not a wrong one
hypothesis.settings.register_profile(
    "dev", deadline=None, database=DirectoryBasedExampleDatabase(_EXAMPLES / "examples")
)
hypothesis.settings.register_profile(
    "ci", deadline=None, derandomize=True, database=None, print_blob=True
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the catalogues of messages, once, where the checkout has none or older ones."""
    if not hasattr(config, "workerinput"):
        messages().compile_catalogues()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the slower tests more time: other suites and programs of others run beside them."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOWER))


# Python looks through young objects every 700 allocations: another tenth of the processor time
gc.set_threshold(20_000, 20, 10)


@pytest.fixture(autouse=True, scope="module")
def _young_heap() -> None:
    """What earlier files left in caches is looked through once more, and then never again: a tenth
    of the time of all tests otherwise."""
    gc.collect()
    gc.freeze()


# --- one program, many workspaces -------------------------------------------------------------


class SharedStatements(LRUCache[Any, Any]):
    """Compiled statements by what they say, and not by the engine that compiled them.

    SQLAlchemy keeps them for each engine, and a test opens a workspace of its own: compiling the
    same statements again for each was a quarter of the processor time of all tests.
    """

    def get(self, key: Any, default: Any = None) -> Any:
        """The statement that ``key`` asks for, whichever engine's dialect stands in it."""
        return super().get(_without_engine(key), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_without_engine(key), value)


def _without_engine(key: tuple[sqlalchemy.Dialect, *tuple[Any, ...]]) -> tuple[Any, ...]:
    dialect, *statement = key
    return (dialect.name, dialect.driver, *statement)


@pytest.fixture(autouse=True, scope="session")
def _statements_are_compiled_once() -> Iterator[None]:
    """Every engine that the program makes keeps its compiled statements in one place."""
    from db import engine

    options = {"compiled_cache": SharedStatements(2000)}
    with pytest.MonkeyPatch.context() as patch:
        shared = partial(sqlalchemy.create_engine, execution_options=options)
        patch.setattr(engine, "create_engine", shared)
        yield


# --- a home of its own -----------------------------------------------------------------------


@pytest.fixture(scope="session")
def shared_cache() -> Iterator[Path]:
    """One cache folder a session: fontconfig would otherwise read every font again for each test.

    Yields the folder that holds ``cache`` and ``run`` (mode 0700, as Qt insists).
    """
    folder = Path(tempfile.mkdtemp(prefix="benchseal-tests-"))
    (folder / "cache").mkdir()
    (folder / "home").mkdir()
    (folder / "run").mkdir(mode=0o700)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def _no_home_of_a_person(shared_cache: Path) -> Iterator[None]:
    """What is made once for many tests does not see the home of the person who tests either."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(shared_cache / "home"))
        patch.setenv("XDG_CONFIG_HOME", str(shared_cache / "home" / ".config"))
        yield


@pytest.fixture(autouse=True)
def home(
    tmp_path_factory: pytest.TempPathFactory,
    shared_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """An empty home folder, and an environment without the settings of the person who tests."""
    for name in (*_OUTSIDE_SETTINGS, *os.environ):
        if name in _OUTSIDE_SETTINGS or (
            name.startswith("BENCHSEAL_") and not name.startswith("BENCHSEAL_TEST_")
        ):
            monkeypatch.delenv(name, raising=False)
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / ".local" / "share"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / ".local" / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache / "cache"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(shared_cache / "run"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folder


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """Every test starts in English, whatever the test before it chose."""
    set_language("en")
    yield
    set_language("en")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real example data beside the project; mark a test that asks for it ``shared``."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the example data beside the project (../shared/data) is absent")
    return folder


# --- no network but loopback -----------------------------------------------------------------


class OutsideNetworkRefused(ConnectionRefusedError):
    """A test tried to leave this machine; to the code under test it is a refused connection."""


class OutsideNameRefused(socket.gaierror):
    """A test tried to resolve a name of the outside; to the code it is an unknown host."""


def _is_loopback(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host is None or not isinstance(host, str):
        return host is None
    return host in ("", "localhost", "::1", "0.0.0.0", "::") or host.startswith("127.")


def _needs_no_lookup(host: object) -> bool:
    try:
        ipaddress.ip_address(host if isinstance(host, str) else "")
    except ValueError:
        return _is_loopback(host)
    return True


_attempts = pytest.StashKey[list[str]]()


@pytest.fixture
def outside_attempts(request: pytest.FixtureRequest) -> list[str]:
    """The refused attempts of this test so far, each ``host`` or ``host:port``.

    For a test about a missing network: its attempts are refused like any other, but not held
    against it.
    """
    return request.node.stash.setdefault(_attempts, [])


@pytest.fixture(autouse=True)
def _loopback_only(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Refuse every connection but loopback, and fail the test that tried one."""
    attempts = request.node.stash.setdefault(_attempts, [])

    def check(sock: socket.socket, address: Any) -> None:
        inet = sock.family in (socket.AF_INET, socket.AF_INET6)
        if inet and not _is_loopback(address[0]):
            attempts.append(f"{address[0]}:{address[1]}")
            raise OutsideNetworkRefused(f"tests stay on loopback; refused {attempts[-1]}")

    def guarded(name: str) -> Any:
        real = getattr(socket.socket, name)

        def call(self: socket.socket, *args: Any) -> Any:
            check(self, args[-1])
            return real(self, *args)

        return call

    real_lookup = socket.getaddrinfo

    def lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _needs_no_lookup(host):
            attempts.append(str(host))
            raise OutsideNameRefused(socket.EAI_NONAME, f"tests stay on loopback; refused {host}")
        return real_lookup(host, *args, **kwargs)

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, guarded(name))
    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    yield
    if attempts and "outside_attempts" not in request.fixturenames:
        pytest.fail(f"the test tried to reach the network: {', '.join(attempts)}")


# --- no error in the log ---------------------------------------------------------------------


class _ErrorRecords(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.ERROR)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


_error_records = pytest.StashKey[list[logging.LogRecord]]()


@pytest.fixture
def logged_errors(request: pytest.FixtureRequest) -> list[logging.LogRecord]:
    """The error records of this test so far; a test that asks for them may log errors."""
    return request.node.stash.setdefault(_error_records, [])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A record at level ERROR fails the test that logged it, unless it asked for them."""
    records = item.stash.setdefault(_error_records, [])
    handler = _ErrorRecords(records)
    logging.getLogger().addHandler(handler)
    try:
        result = yield
    finally:
        logging.getLogger().removeHandler(handler)
    if records and "logged_errors" not in getattr(item, "fixturenames", ()):
        lines = "\n".join(f"  {record.name}: {record.getMessage()}" for record in records)
        pytest.fail(f"errors were logged during the test:\n{lines}")
    return result
