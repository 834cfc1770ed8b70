"""A million items: imported, opened, every panel, narrowed, searched, frozen, exported and sealed.

Each step of the window is given with its wall time, the processor time of all threads and of the
window's own, and the memory after it; commands as in ``bench_bulk``. ``--items N`` sets another
number, ``--keep FOLDER`` works on what an earlier run left there, or leaves it.
"""

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyrage

from core.workflow import people
from core.workflow.items import search_index
from core.workflow.workspace import Workspace
from db import items
from db.vocabulary import ItemState
from gui.panels import PANELS
from gui.panels.items.panel import ItemsPanel
from tests.benchmarks.bench_bulk import Step, run, write_rows
from tests.benchmarks.bench_compare import Bench
from tests.benchmarks.bench_dashboards import until
from tests.benchmarks.run import command_of
from tests.paths import ROOT
from tests.workload import BENCHMARK

ITEMS = 1_000_000
LEAD = "Lead"
GOALS = "goals: opened in 1 s, a page in 100 ms with 50 ms on the window's thread, 400 MB"


@dataclass(frozen=True, slots=True)
class Shown:
    """Milliseconds until a step was on the screen, of the processor, and of the window's thread;
    megabytes after it."""

    wall: float
    cpu: float
    thread: float
    memory: float


def measured(act: Callable[[], object], done: Callable[[], bool]) -> Shown:
    """Do a step in the window and wait until it is on the screen."""
    wall, cpu, thread = time.perf_counter(), time.process_time(), time.thread_time()
    act()
    until(done)
    taken = time.perf_counter() - wall, time.process_time() - cpu, time.thread_time() - thread
    return Shown(*(1000 * seconds for seconds in taken), _memory())


def _memory() -> float:
    """Megabytes that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def shown_steps(place: Path) -> dict[str, Shown]:
    """What a lead does first, in a window of this process."""
    found: dict[str, Shown] = {}
    held: list[Bench] = []
    found["opened, with three seconds' rest"] = measured(
        lambda: held.append(Bench(place, LEAD)), lambda: True
    )
    bench = held[0]
    window, workbench = bench.window, bench.bench

    def show(name: str) -> Shown:
        panel = workbench.panel(name)
        return measured(
            lambda: workbench.show_panel(name), lambda: panel.ready() and not window.tasks.busy
        )

    for spec in PANELS:
        try:
            found[f"{spec.id}: first"] = show(spec.id)
        except AssertionError:
            print(f"{spec.id}: not on the screen within two minutes")
    found["items: again"] = show("items")
    panel = workbench.panel("items")
    assert isinstance(panel, ItemsPanel)
    plain = panel.shown_filters
    for name, filters in {
        "narrowed to a state": replace(plain, states=("in_review",)),
        "to what nothing is": replace(plain, states=("rejected",)),
        "search: zebrafish": replace(plain, words="zebrafish"),
        "search: 旋律": replace(plain, words="旋律"),
        "search: nothing": replace(plain, words="qqqqq"),
        "all items again": plain,
    }.items():
        found[f"items, {name}"] = measured(
            lambda chosen=filters: panel.narrow(chosen),
            lambda: panel.ready() and not window.tasks.busy,
        )
    found["items, to the last row"] = measured(
        panel.table.scrollToBottom, lambda: panel.ready() and not window.tasks.busy
    )
    bench.close()
    return found


def print_window(place: str) -> None:
    """Print what each step in a window of this process takes."""
    print(f"{'step':36}{'ms':>9}{'CPU ms':>9}{'thread':>9}{'MB':>7}")
    for name, one in shown_steps(Path(place)).items():
        print(
            f"{name:36}{one.wall:9.0f}{one.cpu:9.0f}{one.thread:9.0f}{one.memory:7.0f}", flush=True
        )


def complete_index(place: str) -> None:
    """Let nothing of the search index be left to a window, which does it beside what it shows."""
    began = time.process_time()
    ws = Workspace.open(place)
    while search_index.index_for(ws, 30.0):
        pass
    ws.close()
    print(f"index      CPU {time.process_time() - began:8.1f} s more", flush=True)


def approve(place: str) -> None:
    """Make every item one that can be frozen."""
    ws = Workspace.open(place)
    with ws.reading() as session:
        numbers = [row[0] for row in items.present_items(session)]
    for start in range(0, len(numbers), 20_000):
        with ws.writing() as session:
            some = numbers[start : start + 20_000]
            items.change(session, some, state=ItemState.APPROVED, open_slots=0)
    ws.close()


def measure(folder: Path, count: int) -> None:
    """Print what each step takes at a number of items."""
    place, steps = folder / "workspace", dict[str, Step]()
    if not place.exists():
        rows = write_rows(folder, count)
        words = ("import", str(rows), "--task", "t", "--benchmark", BENCHMARK)
        steps["import"] = run(place, *words)
        print_steps(steps)
    people.ensure_person(Workspace.open(place), LEAD, "lead")
    print(f"{count:,} items, load {os.getloadavg()[0]:.1f}; {GOALS}", flush=True)
    # a command that this process starts would count this process's memory as its own
    for function in (complete_index, print_window, approve):
        subprocess.run(command_of(function, str(place)), cwd=ROOT, check=True)
    home = ("--benchmark", BENCHMARK)
    steps = {"checks": run(place, "freeze", "s", *home, "--check", ends=(0, 1))}
    steps["freeze"] = run(place, "freeze", "s", *home, "--unchecked", "a benchmark")
    steps["parquet"] = run(place, "export", "s", "--format", "parquet", "--out",
                           str(folder / "parquet"))  # fmt: skip
    print_steps(steps)
    print_steps(sealing_steps(folder, place))


def sealing_steps(folder: Path, place: Path) -> dict[str, Step]:
    """What sealing takes beside age and SHA-256 on the same bytes, and what follows it.

    Goals: 400 MB, a third of the speed of age with SHA-256, exposures within a second.
    """
    os.environ["XDG_DATA_HOME"] = str(folder)  # the key of an opened split stays here
    identity = pyrage.x25519.Identity.generate()
    items, archive, key = (
        place / "releases" / "s" / "items.jsonl",
        folder / "s.sealed",
        folder / "key",
    )
    key.write_text(str(identity), encoding="utf-8")
    began = time.process_time()
    pyrage.encrypt_file(str(items), str(folder / "bare.age"), [identity.to_public()])
    with items.open("rb") as handle:
        hashlib.file_digest(handle, "sha256")
    print(f"age and SHA-256 {time.process_time() - began:.2f} s")
    by = ("--user", LEAD)
    words = {
        "seal": ("seal", "s", "--out", str(archive), "--recipient", str(identity.to_public()), *by),
        "open": ("split", "open", "s", "--reason", "a benchmark", "--identity", str(key), *by),
        "exposures": ("exposures", *by),
        "archive": ("verify", "--archive", str(archive)),
        "expire": ("split", "expire", "s", *by),
    }
    return {name: run(place, *line) for name, line in words.items()}


def print_steps(steps: dict[str, Step]) -> None:
    """A line for each command."""
    for name, step in steps.items():
        print(f"{name:10} CPU {step.cpu:8.1f} s, wall {step.wall:8.1f} s, {step.memory:6.0f} MB")


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    count = int(words[words.index("--items") + 1]) if "--items" in words else ITEMS
    with ExitStack() as kept:
        if "--keep" in words:
            folder = words[words.index("--keep") + 1]
        else:
            folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="benchseal-bench-"))
        measure(Path(folder), count)


if __name__ == "__main__":
    main()
