"""How long a decision waits while somebody else imports or freezes many: the worst and the median.

Each is the command, in a process of its own; a reviewer decides item after item meanwhile, in a
workspace on a file and on a PostgreSQL over its socket that commits to the disk. ``--rows N`` sets
the size of the file (20,000), ``--freeze N`` that of the freeze (10,000); 0 leaves one out.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.workflow.check import review
from core.workflow.workspace import Workspace
from tests.benchmarks.bench_bulk import as_row
from tests.paths import ROOT
from tests.postgres import own_server
from tests.workload import BENCHMARK, content, fill

ROWS = 20_000
FROZEN = 10_000
GOAL_MS = 250


def main() -> None:
    """Print a table for each database."""
    rows, frozen = _number("--rows", ROWS), _number("--freeze", FROZEN)
    settings = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("w", encoding="utf-8") as handle:
            for number in range(rows):
                handle.write(json.dumps(as_row(content(number)), ensure_ascii=False) + "\n")
        os.environ["BENCHSEAL_FOLDER"] = os.environ["XDG_DATA_HOME"] = folder
        importing = ["import", str(path), "--task", "new", "--benchmark", BENCHMARK]
        freezing = ["freeze", "p", "--benchmark", BENCHMARK, "--unchecked", "measured"]
        with own_server(settings) as server:
            for what, count, words in (("import", rows, importing), ("freeze", frozen, freezing)):
                if count:
                    done = frozen if what == "freeze" else 0
                    place = str(Path(folder) / what)
                    measure("SQLite", place, words, f"{what} of {count:,}", done)
                    place = server.url(server.create())
                    measure("PostgreSQL", place, words, f"{what} of {count:,}", done)


def _number(word: str, usual: int) -> int:
    words = sys.argv[1:]
    return int(words[words.index(word) + 1]) if word in words else usual


def measure(database: str, place: str, words: list[str], what: str, done: int) -> None:
    """Carry a command out in a workspace of 5,000 undecided items, and of ``done`` decided ones,
    and decide meanwhile."""
    fill(place, 5000 + done, decided=done / (5000 + done)).close()
    command = [sys.executable, "-m", "core.cli", "--workspace", place, *words]
    ws = Workspace.open(place)
    began = time.monotonic()
    working = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    waits = []
    while working.poll() is None:
        started = time.monotonic()
        card = review.next_card(ws, "reviewer z", BENCHMARK)
        assert card is not None
        review.decide(ws, "reviewer z", card.number, "accept")
        waits.append(1000 * (time.monotonic() - started))
    taken = time.monotonic() - began
    ws.close()
    if working.returncode:
        raise RuntimeError(f"the command ended with {working.returncode}")
    print(f"{database}: {len(waits)} decisions during the {what} ({taken:.0f} s)")
    print(f"median {statistics.median(waits):6.0f} ms   five longest "
          f"{' '.join(f'{wait:.0f}' for wait in sorted(waits)[-5:])}")  # fmt: skip
    print(f"worst  {max(waits):6.0f} ms   goal {GOAL_MS}")
