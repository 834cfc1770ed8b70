"""The comparison of two runs on 20,000 items: first picture, another kind, another pair, frames.

The window is the real one, offscreen; a watchdog on its thread measures the longest time between
two turns of its event loop. ``BENCHSEAL_BENCH_ITEMS`` sets another number of items.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from core.evaluation.run import EvaluateParams
from core.workflow import people
from core.workflow.evaluation import start
from core.workflow.runs import runs, take_in
from core.workflow.workspace import Workspace
from gui.app import application
from gui.panels.compare.panel import ComparePanel
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from tests.benchmarks.bench_dashboards import Watchdog, until
from tests.splits import freeze_split, varied

ITEMS = 20_000
GOAL_MS = 50.0  # of a frame


def make(place: Path, count: int) -> None:
    """A split of ``count`` items with three finished runs."""
    ws = Workspace.create(place)
    people.ensure_person(ws, "Lead", "lead")
    freeze_split(ws, {"scp": [varied(number) for number in range(count)]})
    for engine in ("baseline:random", "baseline:longest"):
        for seed in (0, 1) if engine == "baseline:random" else (0,):
            params = EvaluateParams(engine=engine, split="s", seed=seed)
            run = start.start(ws, "s", params).spec().id
            runs.wait(ws, run)
            take_in.take_in(ws, run)
    ws.close()


class Effort(Watchdog):
    """A watchdog that also knows how much of a turn was the window's own work.

    The rest of a turn is waiting for a processor or for what workers hold; on a machine that
    others use as well only the own work can be held against the window.
    """

    def __init__(self) -> None:
        self.work = 0.0
        self._spent = time.thread_time()
        super().__init__()

    def _tick(self) -> None:
        super()._tick()
        spent = time.thread_time()
        self.work = max(self.work, 1000 * (spent - self._spent))
        self._spent = spent

    def reset(self) -> None:
        """Begin again."""
        super().reset()
        self.work = 0.0
        self._spent = time.thread_time()


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds until a step was on the screen, of processor time until then, of its longest
    frame, and of the work in one."""

    took: float
    spent: float
    frame: float
    work: float


class Bench:
    """A window on the comparison, and a watchdog beside it."""

    def __init__(self, place: Path, person: str = "Lead") -> None:
        kept = Preferences(size=(1280, 820))
        application(kept)
        self.window = MainWindow(str(place), kept, keeping=False)
        self.window.open_(person)
        self.window.show()
        until(lambda: self.window.workbench is not None)
        assert self.window.workbench is not None
        self.bench = self.window.workbench
        until(lambda: not self.window.tasks.busy)
        rested = time.monotonic() + 3  # the window imports the rest once nobody waits for it
        until(lambda: time.monotonic() > rested and not self.window.tasks.busy)
        self.dog = Effort()

    def measure(self, act: Callable[[], None], done: Callable[[], bool]) -> Measured:
        """Do a step and wait until it is on the screen."""
        self.dog.reset()
        began, spent = time.perf_counter(), time.process_time()
        act()
        until(lambda: done() and not self.window.tasks.busy)
        took = 1000 * (time.perf_counter() - began)
        spent = 1000 * (time.process_time() - spent)
        return Measured(took, spent, self.dog.longest, self.dog.work)

    def panel(self) -> ComparePanel:
        """The comparison, built when it is not there yet."""
        found = self.bench.panel("compare")
        assert isinstance(found, ComparePanel)
        return found

    def close(self) -> None:
        """Take the window down."""
        self.dog.stop()
        self.window.close()


def steps(bench: Bench) -> dict[str, Measured]:
    """Each thing a person does at the comparison, with its times."""
    found = {}
    found["first picture"] = bench.measure(
        lambda: bench.bench.show_panel("compare"), lambda: bench.panel().ready()
    )
    panel = bench.panel()
    found["every item"] = bench.measure(lambda: panel.kinds.choose("every"), panel.ready)
    found["to the last row"] = bench.measure(
        lambda: panel.table.selectRow(panel.model.rowCount() - 1), panel.ready
    )
    found["A and B exchanged"] = bench.measure(panel.swap, panel.ready)
    found["all pairs"] = bench.measure(panel.toggle_pairs, lambda: panel.pairs_model.rowCount() > 0)
    return found


def measure(place: Path) -> None:
    """Open the window in this process and print the time and the longest frame of each step."""
    bench = Bench(place)
    print(f"{'step':<20}{'ms':>9}{'CPU ms':>9}{'frame ms':>10}{'its work':>10}")
    for name, one in steps(bench).items():
        print(
            f"{name:<20}{one.took:9.0f}{one.spent:9.0f}{one.frame:10.0f}{one.work:10.0f}",
            flush=True,
        )
    bench.close()


def main() -> None:
    """Print the times and frames, of a process whose modules are compiled, as after installing."""
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
        return
    count = int(os.environ.get("BENCHSEAL_BENCH_ITEMS", str(ITEMS)))
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
        place = Path(folder) / "workspace"
        make(place, count)
        kept = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
        around = {**kept, "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")}
        command = [sys.executable, "-m", "tests.benchmarks.bench_compare", str(place)]
        subprocess.run(command, check=True, env=around, stdout=subprocess.DEVNULL)
        print(f"{count:,} items, 3 runs, load {os.getloadavg()[0]:.1f}; no frame over {GOAL_MS} ms")
        subprocess.run(command, check=True, env=around)


if __name__ == "__main__":
    main()
