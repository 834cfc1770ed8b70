"""What goes wrong while a panel reads: a sentence, and the next answer is taken."""

import threading
from pathlib import Path

import pytest

from core.errors import InputError
from gui.panels import board as board_panel
from gui.panels import leaderboard as leaderboard_panel
from gui.panels.board import BoardPanel
from gui.panels.leaderboard import LeaderboardPanel
from gui.workbench import Workbench
from tests.gui.leader_scene import make_leaders
from tests.gui.scene import Scene, bench_of

REASON = "The database does not answer. Try again."


class Fails:
    """The first reading waits until it is let go, and fails; later ones are the real ones."""

    def __init__(self, real):
        self.real = real
        self.calls = 0
        self.go = threading.Event()

    def __call__(self, *asked):
        self.calls += 1
        if self.calls == 1:
            self.go.wait(30)
            raise InputError(REASON)
        return self.real(*asked)


@pytest.fixture(scope="module")
def leaders(tmp_path_factory) -> Path:
    return make_leaders(tmp_path_factory.mktemp("leaders") / "w", models=2, items=16)


def settled(bench: Workbench) -> bool:
    """Whether every run that ended was taken in, and nothing more is to come of it."""
    pulse = bench._pulse
    if pulse is None or bench.desk.tasks.busy:
        return False
    return {run.id for run in pulse.ended if not run.taken_in} <= bench._taken


def reading(scene: Scene, place: Path, name: str, monkeypatch: pytest.MonkeyPatch):
    """A window with a panel in front whose first reading is under way and will fail."""
    module = leaderboard_panel if name == "leaderboard" else board_panel
    called = "read" if name == "leaderboard" else "read_board"
    fails = Fails(getattr(module, called))
    monkeypatch.setattr(module, called, fails)
    window = scene.open(place)
    bench = bench_of(window)
    # what ended is taken in before, which would have the panel read again by itself
    scene.until(lambda: bool(bench.desk.benchmark) and settled(bench))
    bench.show_panel(name)
    panel = bench.panel(name)
    assert isinstance(panel, BoardPanel | LeaderboardPanel)
    scene.until(lambda: fails.calls == 1)
    return window, panel, fails


@pytest.mark.parametrize("name", ["progress", "leaderboard"])
def test_a_reading_that_fails_says_why_in_its_place_and_another_one_is_shown(
    name, scene, leaders, monkeypatch
):
    window, panel, fails = reading(scene, leaders, name, monkeypatch)
    fails.go.set()
    scene.until(lambda: panel.page.sentence.text() == REASON)
    assert bench_of(window).notice.isVisible()
    bench_of(window).read_again()
    scene.until(panel.ready)
    assert panel.page.sentence.text() not in ("", REASON)


@pytest.mark.parametrize("name", ["progress", "leaderboard"])
def test_what_is_asked_for_while_a_reading_fails_is_still_answered(
    name, scene, leaders, monkeypatch
):
    _window, panel, fails = reading(scene, leaders, name, monkeypatch)
    said: list[str] = []
    panel.desk.noticed.connect(lambda notice: said.append(notice.text))
    panel.spoil()
    fails.go.set()
    scene.until(panel.ready)
    assert panel.page.sentence.text() not in ("", REASON)
    assert REASON not in said
