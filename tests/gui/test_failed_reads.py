"""What goes wrong while a panel reads: a sentence, and the next answer is taken."""

import threading
from pathlib import Path

import pytest

from core.errors import InputError
from core.workflow.evaluation import compare_runs
from core.workflow.runs.kinds import use_case_of
from core.workflow.workspace import Workspace
from gui.dialogs.screening import ScreeningDialog
from gui.panels.audit.panel import AuditPanel
from gui.panels.compare.panel import ComparePanel
from gui.panels.dashboards import panel as dashboard_panel
from gui.panels.dashboards.panel import DashboardPanel
from gui.panels.leaderboard import panel as leaderboard_panel
from gui.panels.leaderboard.panel import LeaderboardPanel
from gui.panels.scores.panel import ScoresPanel
from gui.window.workbench import Workbench
from tests.gui.leaderboard_workspace import make_leaders
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
    """Whether every run that ended was taken in, and the window knows."""
    if bench.context.tasks.busy:
        return False
    if bench.last_poll is not None and all(
        run.taken_in or use_case_of(run.kind) is None for run in bench.last_poll.ended
    ):
        return True
    bench.poll()
    return False


def reading(scene: Scene, place: Path, name: str, monkeypatch: pytest.MonkeyPatch):
    """A window with a panel in front whose first reading is under way and will fail."""
    module = leaderboard_panel if name == "leaderboard" else dashboard_panel
    called = "read" if name == "leaderboard" else "read_dashboard"
    fails = Fails(getattr(module, called))
    monkeypatch.setattr(module, called, fails)
    window = scene.open(place)
    bench = bench_of(window)
    # what ended is taken in before, which would have the panel read again by itself
    scene.until(lambda: bool(bench.context.benchmark) and settled(bench))
    bench.show_panel(name)
    panel = bench.panel(name)
    assert isinstance(panel, DashboardPanel | LeaderboardPanel)
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
    panel.context.noticed.connect(lambda notice: said.append(notice.text))
    panel.spoil()
    fails.go.set()
    scene.until(panel.ready)
    assert panel.page.sentence.text() not in ("", REASON)
    assert REASON not in said


def damaged(place: Path, model: str) -> tuple[Path, bytes]:
    """The result of a model's run, which nobody can read any more, and what it was."""
    ws = Workspace.open(place)
    run = next(one.run for one in compare_runs.choices(ws) if one.model == model)
    ws.close()
    file = place / "runs" / run / "result.json"
    before = file.read_bytes()
    file.write_bytes(b"\xff\xfe{{{")
    return file, before


def test_a_damaged_run_is_named_and_the_scores_of_the_others_are_shown(scene, full_place):
    file, before = damaged(full_place, "baseline:random")
    window = scene.open(full_place)
    panel = scene.at(window, "scores")
    assert isinstance(panel, ScoresPanel)
    assert panel.damaged.isVisible()
    assert str(file) in panel.damaged.text()
    assert panel.model.rowCount() == 1
    assert "baseline:tfidf" in panel.sentence.text()
    file.write_bytes(before)
    bench_of(window).read_again()
    scene.until(lambda: panel.ready() and panel.model.rowCount() == 2)
    assert not panel.damaged.isVisible()


def test_nothing_of_other_runs_stands_in_the_place_of_two_that_cannot_be_compared(
    scene, full_place
):
    window = scene.open(full_place)
    panel = scene.at(window, "compare")
    assert isinstance(panel, ComparePanel)
    scene.until(lambda: panel.ready() and bool(panel.page.toPlainText()))
    file, before = damaged(full_place, "baseline:tfidf")
    bench_of(window).read_again()
    scene.until(lambda: str(file) in panel.sentence.text() and panel.ready())
    assert panel.model.rowCount() == 0
    assert panel.page.toPlainText() == ""
    assert not panel.kinds.isVisible()
    assert panel.comparison is None
    file.write_bytes(before)
    bench_of(window).read_again()
    scene.until(lambda: panel.ready() and panel.model.rowCount() > 0)
    assert panel.kinds.isVisible()


def test_where_nothing_was_screened_the_button_begins_a_screening(scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "gate")
    assert isinstance(panel, DashboardPanel)
    assert panel.empty.button.text() == bench_of(window).actions_.action("screen").text()
    panel.empty.button.click()
    sheet = window.findChild(ScreeningDialog)
    assert sheet is not None
    scene.until(lambda: not window.tasks.busy)
    sheet.close()


def test_where_nothing_is_to_audit_the_button_leads_to_the_review(scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "audit")
    assert isinstance(panel, AuditPanel)
    panel.empty.button.click()
    assert bench_of(window).front == "review"
