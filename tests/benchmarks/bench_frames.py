"""Every frame of a notebook at 45,000 items, 135,000 decisions and 135,000 ratings.

For a lead who has asked to see everything, so that no row is left out. Wall time, and in brackets
processor time; each below 2 s. ``BENCHSEAL_BENCH_ITEMS`` sets another number of items.
"""

import os
import tempfile
import time
from pathlib import Path

import pandas as pd

from core.frames import open_workspace
from core.workflow import people
from core.workflow.check import blinding
from tests.workload import fill

ITEMS = 45_000


def main() -> None:
    """Print rows and times of each frame."""
    count = int(os.environ.get("BENCHSEAL_BENCH_ITEMS", str(ITEMS)))
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
        place = Path(folder) / "workspace"
        ws = fill(
            place, count, tasks=30, decided=1 - 10 / count, criteria=("accuracy",), screened=True,
            lots=True, team=12,
        )  # fmt: skip
        people.ensure_person(ws, "Lead", "lead")
        blinding.reveal_all(ws, "Lead")
        ws.close()
        print(f"pandas {pd.__version__}, {count:,} items, load {os.getloadavg()[0]:.1f}")
        with open_workspace(place, user="Lead") as frames:
            for name in ("items", "decisions", "ratings", "screenings"):
                wall, cpu = time.perf_counter(), time.process_time()
                rows = len(getattr(frames, name)())
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                print(f"{name:12}{rows:>9,} rows {wall:6.2f} s ({cpu:.2f})", flush=True)


if __name__ == "__main__":
    main()
