"""The longest turn of the window's event loop while long lists are shown and moved through.

A leaderboard of 40 models by 30 domains is opened, scrolled, sorted and filled again; a rewriting
run of 10,000 items is opened and cut to single steps. Each step is followed by a turn of the loop,
as a key or a wheel is. ``--quick`` shows a tenth of both.
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from gui.panels.leaderboard.panel import LeaderboardPanel
from gui.panels.runs.panel import RunsPanel
from tests.benchmarks.bench_compare import Bench, Effort, until
from tests.core.rewriting.scripted_model import cast
from tests.core.rewriting.test_run import own_examples
from tests.gui.leaderboard_workspace import LEAD, make_leaders
from tests.gui.panels.runs.test_rewrite_progress import big_run, make_stopped_run

GOAL_MS = 50


def leaderboard(folder: Path, models: int, domains: int) -> Effort:
    """The turns of a leaderboard from its first picture on."""
    names = [f"domain {number}" for number in range(domains)]
    bench = Bench(make_leaders(folder / "leaders", models, names, items=60), LEAD)
    bench.dog.reset()
    bench.bench.show_panel("leaderboard")
    panel = bench.bench.panel("leaderboard")
    assert isinstance(panel, LeaderboardPanel)
    until(panel.ready)
    bar = panel.table.horizontalScrollBar()
    for value in range(0, bar.maximum(), 97):
        bar.setValue(value)
        until(panel.ready)
    for number in (5, 1, domains + 4):
        panel.table.on_title(number)
        until(panel.ready)
    panel.spoil()
    until(panel.ready)
    bench.close()
    return bench.dog


def rewriting(folder: Path, items: int) -> Effort:
    """The turns of a rewriting run."""
    place = make_stopped_run(folder / "rewriting", cast(own_examples(32), 32))
    big_run(place, items)
    bench = Bench(place, LEAD)
    bench.dog.reset()
    bench.bench.show_panel("runs")
    panel = bench.bench.panel("runs")
    assert isinstance(panel, RunsPanel)
    until(lambda: panel.pages.get("rewrite") is not None)
    shown = panel.pages.get("rewrite")
    assert shown is not None
    until(lambda: shown.progress is not None and shown.progress.finished == items)
    for step in ("knowledge", "label", "accepted", "summary"):
        shown.show_left_at(step)
        until(lambda: not panel.context.tasks.busy)
    shown.choice.setCurrentIndex(0)
    until(lambda: shown.model.rowCount() == items)
    bench.close()
    return bench.dog


def main() -> None:
    """Print the longest turns."""
    part = 10 if "--quick" in sys.argv else 1
    with tempfile.TemporaryDirectory() as name:
        found = {
            f"leaderboard of {40 // part} models, {30 // part} domains":
                leaderboard(Path(name), 40 // part, 30 // part),
            f"rewriting run of {10_000 // part:,} items": rewriting(Path(name), 10_000 // part),
        }  # fmt: skip
    print(f"longest turn of the event loop, load {os.getloadavg()[0]:.1f}; goal {GOAL_MS} ms")
    print(f"{'':<44}{'ms':>8}{'its work':>10}")
    for what, turns in found.items():
        print(f"{what:<44}{turns.longest:>8.0f}{turns.work:>10.0f}")


if __name__ == "__main__":
    main()
