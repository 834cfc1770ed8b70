"""A window test leaves nothing behind: no thread, timer, widget or work in a pool.

The test that leaks is the test that fails. The garbage collector rests while a window test runs,
so that no Qt object dies at a random line of Python, and runs between the tests.
"""

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, QThreadPool, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from core.workflow.workspace import Workspace
from tests.gui.scene import Scene, copy_of, make_empty, make_full, make_small
from tests.gui.stages_workspace import add_tasks, make_people, make_stages
from tests.polling import becomes_true

_GRACE_S = 2.0  # work that was told to stop may need a moment on a busy machine
_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember a failure: its traceback keeps objects alive, which is not a second fault."""
    report = yield
    if report.failed:
        item.stash[_failed] = True
    return report


class _Watched:
    """Timers, threads and pools that were started since the watch began."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._timers: weakref.WeakSet[QTimer] = weakref.WeakSet()
        self._threads: weakref.WeakSet[QThread] = weakref.WeakSet()
        self._pools: weakref.WeakSet[QThreadPool] = weakref.WeakSet()
        self._shots: list[QTimer] = []
        self._watch(monkeypatch, QTimer, "start", self._timers)
        self._watch(monkeypatch, QThread, "start", self._threads)
        self._watch(monkeypatch, QThreadPool, "start", self._pools)
        self._watch(monkeypatch, QThreadPool, "tryStart", self._pools)
        monkeypatch.setattr(QTimer, "singleShot", staticmethod(self._single_shot))

    @staticmethod
    def _watch(
        monkeypatch: pytest.MonkeyPatch, kind: type, name: str, seen: "weakref.WeakSet[Any]"
    ) -> None:
        real = getattr(kind, name)

        def start(self: Any, *args: Any, **kwargs: Any) -> Any:
            seen.add(self)
            return real(self, *args, **kwargs)

        monkeypatch.setattr(kind, name, start)

    def _single_shot(self, delay_ms: int, *args: Any) -> None:
        """Like ``QTimer.singleShot`` with a callable, by a timer that can be seen."""
        *before, call = args
        context = next((value for value in before if isinstance(value, QObject)), None)
        timer = QTimer(context)
        timer.setSingleShot(True)
        for value in before:
            if isinstance(value, Qt.TimerType):
                timer.setTimerType(value)
        timer.timeout.connect(call)
        timer.timeout.connect(timer.deleteLater)
        self._shots.append(timer)
        timer.start(delay_ms)

    def busy(self) -> list[str]:
        """What still ticks or runs, one phrase for each."""
        timers = [t for t in {*self._timers, *self._shots} if isValid(t) and t.isActive()]
        threads = [t for t in self._threads if isValid(t) and t.isRunning()]
        # the global pool is named again: Python may drop its wrapper while the pool works on
        known = {QThreadPool.globalInstance(), *self._pools}
        pools = [p for p in known if isValid(p) and p.activeThreadCount()]
        found = [f"timer of {t.interval()} ms, child of {t.parent()!r}" for t in timers]
        found += [f"running QThread {t!r}" for t in threads]
        found += [f"QThreadPool with {p.activeThreadCount()} busy threads" for p in pools]
        return found


def _new_threads(before: set[threading.Thread]) -> list[str]:
    # a thread that Qt owns and Python merely met is a _DummyThread; its QThread is watched instead
    return [
        f"thread {thread.name}"
        for thread in threading.enumerate()
        if thread not in before and not isinstance(thread, threading._DummyThread)
    ]


def _within_grace(find: Callable[[], list[str]]) -> list[str]:
    becomes_true(lambda: not find(), _GRACE_S)
    return find()


def _delete_deferred() -> None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _new_windows(before: set[QWidget]) -> list[str]:
    return [
        f"window {widget!r}" for widget in QApplication.topLevelWidgets() if widget not in before
    ]


@pytest.fixture(autouse=True)
def _leaves_nothing(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[None]:
    """Fail the test that leaves a thread, a timer, a window or work in a pool behind."""
    gc.collect()
    gc.freeze()  # what earlier tests left in caches: the collections below would look through it
    _delete_deferred()
    threads = set(threading.enumerate())
    windows = set(QApplication.topLevelWidgets())
    with pytest.MonkeyPatch.context() as monkeypatch:
        watched = _Watched(monkeypatch)
        gc.disable()
        try:
            yield
        finally:
            gc.enable()
    gc.collect()
    _delete_deferred()
    if request.node.stash.get(_failed, False):
        return
    leaked = _within_grace(lambda: watched.busy() + _new_threads(threads))
    if _new_windows(windows):
        gc.collect()
        _delete_deferred()
    leaked += _new_windows(windows)
    if leaked:
        lines = "\n".join(f"  {thing}" for thing in leaked)
        pytest.fail(f"{request.node.nodeid} left behind:\n{lines}")


# --- workspaces and windows ------------------------------------------------------------------


@pytest.fixture(scope="session")
def full_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with everything in it, made once; take ``full_place`` to open it."""
    return make_full(tmp_path_factory.mktemp("template") / "full")


@pytest.fixture
def full_place(full_template: Path, tmp_path: Path) -> Path:
    """A workspace with items, decisions, a split, runs and scores."""
    return copy_of(full_template, tmp_path / "full")


@pytest.fixture(scope="session")
def stages_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in the middle of the three stages, made once; take ``place`` to open it."""
    return make_stages(tmp_path_factory.mktemp("template") / "stages")


@pytest.fixture
def place(stages_template: Path, tmp_path: Path) -> Path:
    """A workspace with drafts, disputes, a returned item, accepted ones and ratings to give."""
    return copy_of(stages_template, tmp_path / "stages")


@pytest.fixture(scope="session")
def fresh_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with people and tasks, made once; take ``fresh`` to open it."""
    folder = tmp_path_factory.mktemp("template") / "fresh"
    ws = Workspace.create(folder)
    make_people(ws)
    add_tasks(ws)
    ws.close()
    return folder


@pytest.fixture
def fresh(fresh_template: Path, tmp_path: Path) -> Path:
    """A workspace with people and tasks, and nothing written yet."""
    return copy_of(fresh_template, tmp_path / "fresh")


@pytest.fixture(scope="session")
def small_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with twelve items, made once; take ``small_place`` to open it."""
    return make_small(tmp_path_factory.mktemp("template") / "small")


@pytest.fixture
def small_place(small_template: Path, tmp_path: Path) -> Path:
    """A workspace with twelve items, each to be reviewed by one person."""
    return copy_of(small_template, tmp_path / "small")


@pytest.fixture(scope="session")
def empty_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with nothing in it, made once; take ``empty_place`` to open it."""
    return make_empty(tmp_path_factory.mktemp("template") / "空")


@pytest.fixture
def empty_place(empty_template: Path, tmp_path: Path) -> Path:
    """A workspace with nothing in it."""
    return copy_of(empty_template, tmp_path / "空")


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    """Opens windows and takes them down again."""
    made = Scene(qtbot)
    yield made
    made.close()
