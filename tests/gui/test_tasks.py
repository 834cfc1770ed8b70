"""Work leaves the window's thread and comes back to it; late and orphaned answers do not, and what
is left over ends on the window's thread."""

import gc
import subprocess
import sys
import threading

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject

from core import gc_pause
from core.errors import StateError
from gui.garbage import GarbageCollector
from gui.tasks import Tasks
from tests.paths import ROOT


@pytest.fixture
def tasks(qapp):
    """As the window has them: an object of Qt that no worker can be the last to hold."""
    made = Tasks(qapp)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def gate():
    """Holds work up until it is set; opened at the end in any case."""
    made = threading.Event()
    yield made
    made.set()


def test_work_runs_beside_the_window_and_its_answer_comes_back_to_it(tasks, qtbot):
    owner, seen = QObject(), []
    tasks.run(owner, threading.get_ident, lambda value: seen.append((value, threading.get_ident())))
    qtbot.waitUntil(lambda: bool(seen))
    worker, window = seen[0]
    assert worker != window == threading.get_ident()


class Held:
    """Says on which thread it ended; an object of Qt must not end beside the window."""

    def __init__(self, ends: list[int]) -> None:
        self._ends = ends

    def __del__(self) -> None:
        self._ends.append(threading.get_ident())

    def value(self) -> object:
        return [self]

    def fails(self) -> None:
        raise StateError(f"no, {[self] and 'not'} now")


@pytest.mark.parametrize("late", [False, True], ids=["answered", "given_up"])
@pytest.mark.parametrize("what", ["value", "fails", "__str__"])
def test_what_work_holds_ends_on_the_windows_thread(tasks, qtbot, what, late):
    # a wrapper that a worker frees while Qt looks at its object crashes Python, now and then
    ends: list[int] = []
    for _ in range(200):
        owner = QObject()
        work = getattr(Held(ends), what)
        tasks.run(owner, work, lambda _: None, lambda _: None, topic="page" if late else "")
        del owner, work
    qtbot.waitUntil(lambda: not tasks.busy)
    qtbot.waitUntil(lambda: len(ends) == 200)
    assert set(ends) == {threading.get_ident()}


def test_what_is_written_is_written_in_order(tasks, qtbot):
    owner, order = QObject(), []
    for number in range(50):
        tasks.run(owner, lambda n=number: order.append(n), lambda _: None, write=True)
    qtbot.waitUntil(lambda: not tasks.busy)
    assert order == list(range(50))


def test_only_the_newest_request_of_a_topic_is_answered(tasks, qtbot, gate):
    owner, seen = QObject(), []
    tasks.run(owner, gate.wait, seen.append, topic="page")
    tasks.run(owner, lambda: "second", seen.append, topic="page")
    tasks.run(owner, lambda: "third", seen.append, topic="page")
    gate.set()
    qtbot.waitUntil(lambda: not tasks.busy)
    assert seen == ["third"]


def test_the_topics_of_two_views_do_not_meet(tasks, qtbot):
    one, two, seen = QObject(), QObject(), []
    tasks.run(one, lambda: "one", seen.append, topic="page")
    tasks.run(two, lambda: "two", seen.append, topic="page")
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen == ["one", "two"]


def test_an_owner_that_is_gone_is_not_called(tasks, qtbot, gate):
    owner, seen = QObject(), []
    tasks.run(owner, gate.wait, seen.append)
    owner.deleteLater()
    QCoreApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete)
    gate.set()
    qtbot.waitUntil(lambda: not tasks.busy)
    assert seen == []


def test_an_expected_error_comes_back_as_its_own_sentence(tasks, qtbot):
    def refuse():
        raise StateError("The split is open already.")

    owner, said = QObject(), []
    tasks.run(owner, refuse, lambda _: pytest.fail("there is no answer"), said.append)
    qtbot.waitUntil(lambda: bool(said))
    assert said == ["The split is open already."]


def test_an_unforeseen_error_is_said_and_logged(tasks, qtbot, logged_errors):
    owner, said = QObject(), []
    tasks.run(owner, lambda: 1 // 0, lambda _: None, said.append)
    qtbot.waitUntil(lambda: bool(said))
    assert "ZeroDivisionError" in said[0]
    assert len(logged_errors) == 1


def test_what_the_system_refuses_is_one_sentence_and_no_unforeseen_error(
    tasks, qtbot, tmp_path, logged_errors
):
    (tmp_path / "file").touch()
    owner, said = QObject(), []
    tasks.run(owner, (tmp_path / "file" / "folder").mkdir, lambda _: None, said.append)
    qtbot.waitUntil(lambda: bool(said))
    assert said == [f"“{tmp_path}/file/folder”: Not a directory."]
    assert logged_errors == []


def test_a_write_without_a_listener_still_says_that_it_failed(tasks, qtbot):
    def refuse():
        raise StateError("The disk is full.")

    said, settled = [], []
    tasks.failed.connect(said.append)
    tasks.settled.connect(settled.append)
    tasks.run(QObject(), refuse, lambda _: None, write=True)
    qtbot.waitUntil(lambda: bool(settled))
    assert said == ["The disk is full."]
    assert settled == ["The disk is full."]


def test_the_background_does_not_hold_a_write_up(tasks, qtbot, gate):
    owner, seen = QObject(), []
    for _ in range(5):
        tasks.run(owner, gate.wait, lambda _: None, lane="background")
    tasks.run(owner, lambda: "written", seen.append, write=True)
    qtbot.waitUntil(lambda: bool(seen))
    gate.set()
    qtbot.waitUntil(lambda: not tasks.busy)
    assert seen == ["written"]


def test_closing_finishes_writes_and_drops_reads(tasks, gate):
    done: list[str] = []
    owner = QObject()
    tasks.run(owner, lambda: gate.wait(5), lambda _: None)
    tasks.run(owner, lambda: done.append("read"), lambda _: None)
    tasks.run(owner, lambda: done.append("write"), lambda _: None, write=True)
    threading.Timer(0.1, gate.set).start()
    assert tasks.close()
    tasks.run(owner, lambda: done.append("late"), lambda _: None, write=True)
    assert done == ["write"]


def test_closing_does_not_wait_for_ever(tasks, gate):
    tasks.run(QObject(), gate.wait, lambda _: None, write=True)
    assert not tasks.close(limit=0.1)
    gate.set()
    assert tasks.close()


_WINDOW = """
import os
os.environ["QT_QPA_PLATFORM"] = "offscreen"
import gc
import threading
import sys
from PySide6.QtCore import QObject, QTimer
from gui.app import application
from gui.preferences import Preferences
from gui.tasks import Tasks

class Knot:
    ends = set()
    def __init__(self):
        self.me = self
    def __del__(self):
        Knot.ends.add(threading.get_ident())
        app.quit()

def make():
    for _ in range(200_000):
        Knot()

app = application(Preferences())
tasks, owner = Tasks(), QObject()
tasks.run(owner, make, lambda _: None)
QTimer.singleShot(60_000, app.quit)
app.exec()
tasks.close()
assert Knot.ends == {threading.get_ident()}, Knot.ends
"""


def test_what_a_worker_leaves_is_collected_on_the_windows_thread():
    done = subprocess.run(
        [sys.executable, "-c", _WINDOW], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def collector(qapp, monkeypatch):
    monkeypatch.setattr(gc_pause, "by_hand", False)
    made = GarbageCollector(qapp)
    made.put_off(0.0)  # whatever an earlier test wrote
    assert not gc.isenabled()
    assert gc_pause.by_hand
    yield made
    made.deleteLater()
    gc.enable()


@pytest.mark.parametrize(
    ("counts", "due"),
    [((700, 90, 90), []), ((701, 10, 90), [0]), ((701, 11, 10), [1]), ((701, 11, 11), [2])],
)
def test_it_collects_what_is_due_and_nothing_else(collector, monkeypatch, counts, due):
    seen: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(gc, "collect", seen.append)
        patch.setattr(gc, "get_count", lambda: counts)
        patch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
        collector.collect_if_due()
    assert seen == due


@pytest.mark.parametrize(("counts", "due"), [((701, 11, 11), []), ((2801, 11, 10), [1])])
def test_nothing_is_collected_between_a_write_and_what_it_shows(
    collector, tasks, qapp, monkeypatch, counts, due
):
    seen: list[int] = []
    tasks.run(qapp, list, seen.extend, write=True)
    with monkeypatch.context() as patch:
        patch.setattr(gc, "collect", seen.append)
        patch.setattr(gc, "get_count", lambda: counts)
        patch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
        collector.collect_if_due()
        assert seen == due  # only where far too many have come
        collector.put_off(0.0)
        collector.collect_if_due()
    assert seen[len(due) :] != []


# small blocks that stay lie above all that is freed
HOLDS = """
import sys
from pathlib import Path
from gui.garbage import give_back_memory
blocks = [b"x" * 60_000 for _ in range(2_000)]
kept = [b"x" * 5_000 for _ in range(200)]
blocks.clear()
if sys.argv[1:]:
    give_back_memory()
print(int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20)
"""


def megabytes(*words: str) -> int:
    """What a process has after it freed 120 MB."""
    done = subprocess.run(
        [sys.executable, "-c", HOLDS, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_what_was_freed_goes_back_to_the_system():
    assert megabytes() - megabytes("give back") > 100
