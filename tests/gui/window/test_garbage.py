"""Cyclic garbage of any thread is collected on the window's thread."""

import gc
import subprocess
import sys

import pytest

from core import gc_pause
from gui.garbage import GarbageCollector
from tests.paths import ROOT

WINDOW = """
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
        [sys.executable, "-c", WINDOW], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def collector(qapp, monkeypatch):
    monkeypatch.setattr(gc_pause, "by_hand", False)
    made = GarbageCollector(qapp)
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
