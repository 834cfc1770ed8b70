"""Bulk work beside its goals: processor and wall time, peak memory, and how it grows.

Every step is the command that people type, in a process of its own, on the workload of
``tests.workload`` written as JSON lines. ``--items N`` sets the size (45,000); ``--grow`` also
measures ten times as many and prints the exponent of growth of each step's processor time.
"""

import json
import math
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil

from core.families.base import ItemContent
from tests.paths import ROOT
from tests.workload import BENCHMARK, content

ITEMS = 45_000


@dataclass(frozen=True)
class Step:
    """What one command took: processor and wall seconds, and megabytes at its peak."""

    cpu: float
    wall: float
    memory: float


GOALS = {
    "reviewable": (5.0, 400),
    "import": (10.0, 400),
    "checks": (30.0, 400),
    "freeze": (4.0, 300),
    "jsonl": (3.0, 300),
    "lm-eval": (3.0, 300),
    "parquet": (3.0, 300),
}


def run(place: Path, *words: str, ends: Sequence[int] = (0,)) -> Step:
    """Run a command on a workspace and measure it; it must end with one of these statuses."""
    return run_until(place, "", *words, ends=ends)[1]


def run_until(
    place: Path, sign: str, *words: str, ends: Sequence[int] = (0,)
) -> tuple[Step | None, Step]:
    """As ``run``, and before it what was taken until the command first said ``sign`` of itself;
    None where it did not."""
    command = [sys.executable, "-m", "core.cli", "--workspace", str(place), *words]
    spoken = {**os.environ, "BENCHSEAL_LANG": "en"}
    began = time.monotonic()
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=spoken
    ) as child:
        assert child.stderr is not None
        reached = None
        for line in child.stderr:
            if sign and reached is None and sign in line:
                now = psutil.Process(child.pid)
                times, memory = now.cpu_times(), now.memory_info().rss / 2**20
                reached = Step(times.user + times.system, time.monotonic() - began, memory)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in ends:
        raise RuntimeError(f"{' '.join(words)} ended with {child.returncode}")
    whole = Step(used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024)
    return reached, whole


def as_row(item: ItemContent) -> dict[str, str]:
    """An item of the workload as a row of a file of questions and answers."""
    payload = item.payload
    options: list[str] = payload["options"]
    return {"instruction": "Continue.", "input": payload["context"], "output": options[0]}


def write_rows(folder: Path, count: int) -> Path:
    """A file with so many rows of the workload."""
    rows = folder / "rows.jsonl"
    with rows.open("w", encoding="utf-8") as handle:
        for number in range(count):
            handle.write(json.dumps(as_row(content(number)), ensure_ascii=False) + "\n")
    return rows


def sizes(database: Path) -> tuple[int, int]:
    """Bytes of a database, and those of its search index."""
    index = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name LIKE 'search%'"
    with closing(sqlite3.connect(database)) as connection:
        return database.stat().st_size, connection.execute(index).fetchone()[0]


def measure(folder: Path, count: int) -> dict[str, Step]:
    """Each step at a number of items."""
    rows = write_rows(folder, count)
    fresh, full = folder / "imported", folder / "reviewed"
    words = ("import", str(rows), "--task", "t", "--benchmark", BENCHMARK)
    reviewable, whole = run_until(fresh, "The items are imported.", *words)
    steps = {"reviewable": reviewable or whole, "import": whole}
    whole_size, index_size = (size / 2**20 for size in sizes(fresh / "workspace.db"))
    print(
        f"{count:,} items, {rows.stat().st_size / 2**20:.0f} MB of rows; database "
        f"{whole_size:.0f} MB, without its search index {whole_size - index_size:.0f} MB "
        f"(goal {140 * count / ITEMS:.0f})"
    )
    # a command that this process starts would count this process's memory as its own
    maker = f"from tests.workload import fill; fill({str(full)!r}, {count}, decided=1.0).close()"
    subprocess.run([sys.executable, "-c", maker], cwd=ROOT, check=True)
    checks = ("freeze", "s", "--benchmark", BENCHMARK, "--check")
    steps["checks"] = run(full, *checks, ends=(0, 1))  # the workload has defects to be told of
    steps["freeze"] = run(
        full, "freeze", "s", "--benchmark", BENCHMARK, "--unchecked", "a benchmark"
    )
    for form in ("jsonl", "lm-eval", "parquet"):
        steps[form] = run(full, "export", "s", "--format", form, "--out", str(folder / form))
    return steps


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    count = int(words[words.index("--items") + 1]) if "--items" in words else ITEMS
    sizes = (count, 10 * count) if "--grow" in words else (count,)
    measured: list[dict[str, Step]] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
            steps = measure(Path(folder), size)
        print(f"{'step':10} {'CPU s':>8} {'goal':>7} {'wall s':>8} {'MB':>6} {'goal':>6}")
        for name, step in steps.items():
            goal, most = GOALS[name]
            print(
                f"{name:10} {step.cpu:8.1f} {goal * size / ITEMS:7.1f} {step.wall:8.1f} "
                f"{step.memory:6.0f} {most:6}"
            )
        measured.append(steps)
    if len(measured) == 2:
        for name, step in measured[1].items():
            print(f"{name} grows with the power {math.log10(step.cpu / measured[0][name].cpu):.2f}")


if __name__ == "__main__":
    main()
