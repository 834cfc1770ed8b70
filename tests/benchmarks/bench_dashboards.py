"""Dashboards at 45,000 items, 135,000 decisions, 135,000 ratings: first picture, refresh, frames.

The window is the real one, offscreen, and each panel is the first that a fresh process shows, so
that its first picture includes every import. A watchdog on the window's thread measures the longest
time between two turns of its event loop. Wall time and, in brackets, processor time: on a machine
that is shared only the latter says what the program needs. ``BENCHSEAL_BENCH_ITEMS`` sets another
number of items, ``BENCHSEAL_BENCH_PLACE`` keeps the workspace.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer

from core.workflow import people
from core.workflow.check import review
from core.workflow.items import undo
from core.workflow.workspace import Workspace
from gui.app import application
from gui.panels.dashboards.panel import DashboardPanel
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from gui.window.workbench import Workbench
from tests.workload import BENCHMARK, fill

ITEMS = 45_000
PANELS = ("progress", "agreement", "gate", "people", "audit_dashboard")
FIRST_MS, REFRESH_MS, FRAME_MS = 1000, 200, 50


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
        """Begin again."""
        self.longest = 0.0
        self._last = time.perf_counter()

    def stop(self) -> None:
        """Tick no longer."""
        self._timer.stop()


def until(condition: Callable[[], bool], limit: float = 120.0) -> None:
    """Let the window live until something is true; between its events the thread sleeps."""
    loop = QEventLoop()
    began = time.monotonic()
    deadline = began + limit
    reached = False

    def look() -> None:
        nonlocal reached
        reached = condition()
        if reached or time.monotonic() > deadline:
            loop.quit()
        elif time.monotonic() > began + 0.2:
            timer.setInterval(25)  # looking every 4 ms takes more than what is measured

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(4)
    loop.exec()
    timer.stop()
    assert reached, "the window did not get there in time"


def fill_full(place: Path, count: int) -> Workspace:
    """All items but ten decided by three of twelve people, rated by one criterion, screened, and
    audited: thirty tasks in one to three rounds each."""
    ws = fill(
        place, count, tasks=30, decided=1 - 10 / count, criteria=("accuracy",), screened=True,
        lots=True, team=12,
    )  # fmt: skip
    people.ensure_person(ws, "Lead", "lead")
    return ws


def shown(bench: Workbench, panel_id: str) -> DashboardPanel:
    """The panel, when all of it is on the screen."""
    panel = bench.panel(panel_id)
    assert isinstance(panel, DashboardPanel)
    until(panel.ready)
    return panel


class Clock:
    """Wall and processor time since it was made, in milliseconds."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """(wall, processor)."""
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return 1000 * wall, 1000 * cpu


def main() -> None:
    """Print first picture, refresh after a decision, and the longest frame of each dashboard."""
    if len(sys.argv) > 2:
        measure_panel(Path(sys.argv[1]), sys.argv[2])
        return
    count = int(os.environ.get("BENCHSEAL_BENCH_ITEMS", str(ITEMS)))
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
        place = Path(os.environ.get("BENCHSEAL_BENCH_PLACE", "") or Path(folder) / "workspace")
        if not Workspace.exists(place):
            fill_full(place, count).close()
        print(f"{count:,} items, load {os.getloadavg()[0]:.1f}; wall (processor) in ms")
        print(f"goals: first picture {FIRST_MS}, refresh {REFRESH_MS}, frames {FRAME_MS}")
        print(f"{'':12}{'first picture':>16}{'frame':>7}{'refresh':>14}{'frame':>7}", flush=True)
        kept = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
        around = {**kept, "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")}
        command = [sys.executable, "-m", "tests.benchmarks.bench_dashboards", str(place)]
        # as after an installation, modules are compiled before anybody measures
        for panel_id in PANELS:
            subprocess.run([*command, panel_id], check=True, env=around, stdout=subprocess.DEVNULL)
        for panel_id in PANELS:
            subprocess.run([*command, panel_id], check=True, env=around)


def measure_panel(place: Path, panel_id: str) -> None:
    """Open the window in this process, then show one panel and change what it shows."""
    ws = Workspace.open(place)
    app = application(Preferences(size=(1280, 820)))
    window = MainWindow(str(place), Preferences(size=(1280, 820)), keeping=False)
    window.open_("Lead")
    window.show()
    until(lambda: window.workbench is not None)
    bench = window.workbench
    assert bench is not None
    bench.show_panel("runs")
    until(lambda: not window.tasks.busy)
    dog = Watchdog()
    print(f"{panel_id:12}" + _measured(bench, panel_id, dog, ws), flush=True)
    dog.stop()
    window.close()
    ws.close()
    del app


def _measured(bench: Workbench, panel_id: str, dog: Watchdog, ws: Workspace) -> str:
    clock = Clock()
    dog.reset()
    bench.show_panel(panel_id)
    panel = shown(bench, panel_id)
    first, frame = clock.read(), dog.longest
    refreshes, frames = [], []
    for _ in range(5):
        _decide(ws)
        dog.reset()
        clock = Clock()
        panel.spoil()
        until(panel.ready)
        refreshes.append(clock.read())
        frames.append(dog.longest)
    again = sorted(refreshes)[2]
    return (
        f"{first[0]:8.0f} ({first[1]:5.0f}){frame:7.0f}"
        f"{again[0]:6.0f} ({again[1]:5.0f}){max(frames):7.0f}"
    )


def _decide(ws: Workspace) -> None:
    """Something changes: one more decision, or the last one is taken back."""
    card = review.next_card(ws, "somebody", BENCHMARK)
    if card is not None:
        review.decide(ws, "somebody", card.number, "accept", seconds=5.0)
    else:
        undo.undo(ws, "somebody")


if __name__ == "__main__":
    main()
