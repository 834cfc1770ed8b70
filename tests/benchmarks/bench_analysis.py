"""Rugged scores, the response model, correlations, the leaderboard and the report, at full size;
and every frame of a notebook at 45,000 items, 135,000 decisions and 135,000 ratings.

The frames are read by a lead who has asked to see everything, so that no row is left out: wall
time, and in brackets processor time; each below 2 s. ``BENCHSEAL_BENCH_ITEMS`` sets another number
of items.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from core.analysis.accuracies import AccuracyRow
from core.analysis.response_model import two_parameter_model
from core.analysis.rugged_table import RuggedOptions, rs_table
from core.analysis.score_correlation import correlation_table
from core.analysis.site import ReportSection, write_site
from core.frames import open_workspace
from core.report_table import ReportTable
from core.workflow import people
from core.workflow.analysis.leaderboard import LeaderboardRequest, read
from core.workflow.check import blinding
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.workspace import Workspace
from tests.gui.leaderboard_workspace import make_leaders
from tests.workload import fill

MODELS, DOMAINS, SUBJECTS = 40, 8, 57
FRAMED_ITEMS = 45_000


def seconds(call: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def accuracies() -> list[AccuracyRow]:
    """Every model on 8 private domains in three formats and on 57 public subjects."""
    draw = np.random.default_rng(1)
    rows = []
    for model in range(MODELS):
        for domain in range(DOMAINS):
            for p in draw.uniform(0.1, 0.6, 3):
                rows.append(AccuracyRow(f"m{model}", "private", f"d{domain}", float(p), 1000))
        for subject, p in enumerate(draw.uniform(0.3, 0.9, SUBJECTS)):
            name = f"d{subject}" if subject < DOMAINS else f"s{subject}"
            rows.append(AccuracyRow(f"m{model}", "public", name, float(p), 200))
    return rows


def answers() -> np.ndarray:
    """1,000 items × 40 models from the model itself."""
    draw = np.random.default_rng(2)
    a, b, t = draw.lognormal(0, 0.4, 1000), draw.normal(size=1000), draw.normal(size=MODELS)
    p = 1 / (1 + np.exp(-a[:, None] * (t - b[:, None])))
    return (draw.random(p.shape) < p).astype(float)


def report(folder: Path) -> None:
    """A page with one table of 10,000 rows."""
    rows = tuple((f"item-{n}", n, n / 7) for n in range(10_000))
    table = ReportTable("items", ("item", "n", "value"), rows)
    write_site(folder, "report", [ReportSection("items", table)])


def leaderboard(folder: Path) -> tuple[float, float]:
    """Reading 40 models x 30 domains of two splits: the first time, and again."""
    domains = [f"domain {number}" for number in range(30)]
    ws = Workspace.open(make_leaders(folder / "w", MODELS, domains, items=300))
    cache = ReportCache(ws)
    first = seconds(lambda: read(ws, LeaderboardRequest(), cache))
    again = seconds(lambda: read(ws, LeaderboardRequest(cut="format"), cache))
    ws.close()
    return first, again


def frames(folder: Path) -> None:
    """Print rows and times of each frame."""
    count, place = int(os.environ.get("BENCHSEAL_BENCH_ITEMS", str(FRAMED_ITEMS))), folder / "f"
    ws = fill(
        place, count, tasks=30, decided=1 - 10 / count, criteria=("accuracy",), screened=True,
        lots=True, team=12,
    )  # fmt: skip
    people.ensure_person(ws, "Lead", "lead")
    blinding.reveal_all(ws, "Lead")
    ws.close()
    print(f"frames: pandas {pd.__version__}, {count:,} items, load {os.getloadavg()[0]:.1f}")
    with open_workspace(place, user="Lead") as notebook:
        for name in ("items", "decisions", "ratings", "screenings"):
            wall, cpu = time.perf_counter(), time.process_time()
            rows = len(getattr(notebook, name)())
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            print(f"{name:12}{rows:>9,} rows {wall:6.2f} s ({cpu:.2f})", flush=True)


def main() -> None:
    """Print the table."""
    rows, matrix = accuracies(), answers()
    draw = np.random.default_rng(3)
    scores = {f: {f"m{i}": float(v) for i, v in enumerate(draw.random(MODELS))} for f in "scp"}
    print(f"{'rugged scores, 40 models, 2,000 resamples':48} "
          f"{seconds(lambda: rs_table(rows, RuggedOptions())):8.2f} s")  # fmt: skip
    print(f"{'two-parameter model, 1,000 items x 40 models':48} "
          f"{seconds(lambda: two_parameter_model(matrix)):8.2f} s")  # fmt: skip
    print(f"{'9 coefficients, 40 models, 2,000 resamples':48} "
          f"{seconds(lambda: correlation_table(scores)):8.2f} s")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        first, again = leaderboard(Path(folder))
        print(f"{'leaderboard, 40 models x 30 domains x 300 items':48} {first:8.2f} s")
        print(f"{'the same by format, reports known':48} {again:8.2f} s")
        print(f"{'report with 10,000 rows':48} "
              f"{seconds(lambda: report(Path(folder))):8.2f} s")  # fmt: skip
        frames(Path(folder))
