"""Dashboards at 45,000 items, 135,000 decisions, 135,000 ratings: first picture, refresh, frames.

The window is the real one, offscreen. A watchdog on the window's thread measures the longest time
between two turns of its event loop. ``BENCHSEAL_BENCH_ITEMS`` sets another number of items.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer

from core.workflow import administer, review
from core.workflow.workspace import Workspace
from gui.app import application
from gui.main_window import MainWindow
from gui.panels.board import BoardPanel
from gui.preferences import Preferences
from gui.workbench import Workbench
from tests.workload import BENCHMARK, fill

ITEMS = 45_000
PANELS = ("progress", "agreement", "gate", "people", "audit_board")
GOAL_MS = (1000.0, 200.0, 50.0)


class Watchdog:
    """The longest turn of the event loop since ``reset``, in milliseconds.

    It ticks every 4 ms rather than all the time: a busy thread would slow the workers down.
    """

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(4)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, 1000 * (now - self._last))
        self._last = now

    def reset(self) -> None:
        """Begin anew."""
        self.longest = 0.0
        self._last = time.perf_counter()

    def stop(self) -> None:
        """Tick no longer."""
        self._timer.stop()


def until(condition: Callable[[], bool], limit: float = 120.0) -> None:
    """Let the window live until something is true."""
    loop = QEventLoop()
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline, "the window did not get there in time"
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)


def fill_full(place: Path, count: int) -> Workspace:
    """All items but ten decided by three people, rated by one criterion, and screened."""
    ws = fill(place, count, decided=1 - 10 / count, criteria=("accuracy",), screened=True)
    administer.ensure_person(ws, "Lead", "lead")
    return ws


def shown(bench: Workbench, panel_id: str) -> BoardPanel:
    """The panel, when all of it is on the screen."""
    panel = bench.panel(panel_id)
    assert isinstance(panel, BoardPanel)
    until(panel.ready)
    return panel


def main() -> None:
    """Print first picture, refresh after a decision, and the longest frame of each dashboard."""
    count = int(os.environ.get("BENCHSEAL_BENCH_ITEMS", str(ITEMS)))
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
        place = Path(os.environ.get("BENCHSEAL_BENCH_PLACE", "") or Path(folder) / "workspace")
        ws = Workspace.open(place) if Workspace.exists(place) else fill_full(place, count)
        app = application(Preferences(size=(1280, 820)))
        window = MainWindow(str(place), Preferences(size=(1280, 820)), keeping=False)
        window.open_("Lead")
        window.show()
        until(lambda: window.workbench is not None)
        bench = window.workbench
        assert bench is not None
        bench.show_panel("runs")
        until(lambda: not window.tasks.busy)
        print(f"{count:,} items, load {os.getloadavg()[0]:.1f}; goals {GOAL_MS} ms")
        print(f"{'':14}{'first':>9}{'longest':>9}{'refresh':>9}{'longest':>9}")
        dog = Watchdog()
        for panel_id in PANELS:
            print(f"{panel_id:14}" + _measure(bench, panel_id, dog, ws), flush=True)
        dog.stop()
        window.close()
        ws.close()
        del app


def _measure(bench: Workbench, panel_id: str, dog: Watchdog, ws: Workspace) -> str:
    dog.reset()
    began = time.perf_counter()
    bench.show_panel(panel_id)
    panel = shown(bench, panel_id)
    first, frame = 1000 * (time.perf_counter() - began), dog.longest
    refreshes, frames = [], []
    for _ in range(3):
        _decide(ws)
        dog.reset()
        began = time.perf_counter()
        panel.spoil()
        until(panel.ready)
        refreshes.append(1000 * (time.perf_counter() - began))
        frames.append(dog.longest)
    return f"{first:9.0f}{frame:9.0f}{sorted(refreshes)[1]:9.0f}{max(frames):9.0f}"


def _decide(ws: Workspace) -> None:
    person = f"somebody {time.monotonic_ns() % 1_000_000_007}"
    card = review.next_card(ws, person, BENCHMARK)
    if card is not None:
        review.decide(ws, person, card.number, "accept", seconds=5.0)


if __name__ == "__main__":
    main()
