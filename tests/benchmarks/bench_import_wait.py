"""How long a decision waits while somebody else imports many rows: the worst and the median.

The import is the command, in a process of its own; a reviewer decides item after item meanwhile,
in a workspace on a file and on a PostgreSQL over its socket that commits to the disk. ``--rows N``
sets the size of the file (20,000).
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
GOAL_MS = 250


def main() -> None:
    """Print a table for each database."""
    words = sys.argv[1:]
    count = int(words[words.index("--rows") + 1]) if "--rows" in words else ROWS
    settings = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
        rows = Path(folder) / "rows.jsonl"
        with rows.open("w", encoding="utf-8") as handle:
            for number in range(count):
                handle.write(json.dumps(as_row(content(number)), ensure_ascii=False) + "\n")
        os.environ["BENCHSEAL_FOLDER"] = os.environ["XDG_DATA_HOME"] = folder
        measure("SQLite", str(Path(folder) / "workspace"), rows, count)
        with own_server(settings) as server:
            measure("PostgreSQL", server.url(server.create()), rows, count)


def measure(database: str, place: str, rows: Path, count: int) -> None:
    """Import into a workspace of 5,000 items, and decide meanwhile."""
    fill(place, 5000).close()
    command = [sys.executable, "-m", "core.cli", "--workspace", place, "import",
               str(rows), "--task", "new", "--benchmark", BENCHMARK]  # fmt: skip
    ws = Workspace.open(place)
    importing = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    waits = []
    while importing.poll() is None:
        began = time.monotonic()
        card = review.next_card(ws, "reviewer a", BENCHMARK)
        assert card is not None
        review.decide(ws, "reviewer a", card.number, "accept")
        waits.append(1000 * (time.monotonic() - began))
    ws.close()
    if importing.returncode:
        raise RuntimeError(f"the import ended with {importing.returncode}")
    print(f"{database}: {len(waits)} decisions during an import of {count:,} rows")
    print(f"median {statistics.median(waits):6.0f} ms")
    print(f"worst  {max(waits):6.0f} ms   goal {GOAL_MS}")
