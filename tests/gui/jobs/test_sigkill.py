"""SIGKILL right after a key press: what was acknowledged by the next item is on disk."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gui import preferences
from tests.gui.scene import LEAD, decisions_of, make_small
from tests.paths import ROOT

CHILD = Path(__file__).with_name("window_child.py")


def run_and_kill(place: Path, presses: int, delay: float) -> tuple[set[int], set[int]]:
    """(acknowledged, pressed) items of a window killed ``delay`` s after its last key press."""
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(place), LEAD],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    acknowledged: set[int] = set()
    pressed: set[int] = set()
    assert child.stdout is not None
    for line in child.stdout:
        word, number = line.split()
        if word == "acknowledged":
            acknowledged.add(int(number))
        elif word == "press":
            pressed.add(int(number))
            if len(pressed) == presses:
                killer = threading.Timer(delay, child.kill)
                killer.start()
                break
    rest = child.stdout.read()
    child.stdout.close()
    child.wait()
    acknowledged |= {int(line.split()[1]) for line in rest.splitlines() if "acknow" in line}
    pressed |= {int(line.split()[1]) for line in rest.splitlines() if line.startswith("press")}
    return acknowledged, pressed


def lose_nothing(place: Path, kills: int, seed: int) -> int:
    """Kill a window again and again; returns how many decisions were acknowledged in all."""
    rng = random.Random(seed)
    acknowledged: set[int] = set()
    pressed: set[int] = set()
    for _ in range(kills):
        said, tried = run_and_kill(place, rng.randint(2, 3), rng.uniform(0.0, 0.05))
        acknowledged |= said
        pressed |= tried
        kept = {number for number, _ in decisions_of(place, LEAD)}
        recent = set(sorted(acknowledged)[-20:])
        assert recent <= kept, f"lost: {sorted(recent - kept)}"
        assert kept <= pressed, "something was decided that nobody pressed a key for"
    return len(acknowledged)


def test_a_window_killed_a_few_times_loses_nothing(tmp_path):
    place = make_small(tmp_path / "killed", count=24)
    assert lose_nothing(place, 3, seed=1) >= 3


TOLD = """
import sys
from PySide6.QtCore import QTimer
from gui.app import application, run_window
from gui import preferences
from gui.window import main_window

application(preferences.load())
real = main_window.MainWindow.__init__

def begun(self, *args, **kwargs):
    real(self, *args, **kwargs)
    self.at_work.connect(lambda bench: (bench.show_panel("items"), print("there", flush=True)))

main_window.MainWindow.__init__ = begun
sys.exit(run_window(sys.argv[1], sys.argv[2]))
"""
"""A window that goes to *Items* by itself and then waits."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_window_that_is_told_to_end_remembers_where_one_was(number, tmp_path, home):
    place = make_small(tmp_path / "told", count=2)
    child = subprocess.Popen(
        [sys.executable, "-c", TOLD, str(place), LEAD],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "there\n"
        child.send_signal(number)
        assert child.wait(timeout=60) == 0
    finally:
        child.kill()
        child.stdout.close()
    assert list(preferences.load().place.values()) == ["items"]


@pytest.mark.slow
def test_a_window_killed_a_hundred_times_loses_nothing(tmp_path):
    place = make_small(tmp_path / "killed", count=400)
    assert lose_nothing(place, 100, seed=2) >= 100
