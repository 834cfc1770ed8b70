"""What is begun from the leaderboard: models compared in pairs, and one asked adaptively."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.workflow.analysis import adaptive_runs
from core.workflow.evaluation import pairwise_judging
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from gui.panels.leaderboard.adaptive_dialog import AdaptiveDialog
from gui.panels.leaderboard.pairs_dialog import PairsDialog
from gui.panels.leaderboard.panel import LeaderboardPanel
from gui.window.main_window import MainWindow
from tests.gui.leaderboard_workspace import LEAD, make_leaders
from tests.gui.scene import Scene, bench_of, copy_of
from tests.servers.model_server import LoopbackModel


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_leaders(tmp_path_factory.mktemp("leaders") / "w", items=48)


def opened(scene: Scene, place: Path) -> tuple[MainWindow, LeaderboardPanel]:
    window = scene.open(place, LEAD)
    panel = scene.at(window, "leaderboard")
    assert isinstance(panel, LeaderboardPanel)
    return window, panel


def finished(scene: Scene, ws: Workspace, split: str, module: object) -> None:
    """Until a run of that kind is finished and its results are taken in."""

    def done() -> bool:
        rows = module.finished(ws, split)  # type: ignore[attr-defined]  # both modules have it
        return bool(rows) and rows[0].taken_in_at is not None

    scene.until(done)


def test_models_are_compared_in_pairs_and_the_elo_shows(
    scene: Scene, place: Path, tmp_path: Path
) -> None:
    place = copy_of(place, tmp_path / "w")
    window, panel = opened(scene, place)
    ws = bench_of(window).context.workspace
    assert "elo" not in panel.page.cards
    with LoopbackModel(answer=lambda _: json.dumps({"reasons": "-", "better": "tie"})) as server:
        QTest.mouseClick(panel.pairs_button, Qt.MouseButton.LeftButton)
        dialog = panel.findChild(PairsDialog)
        scene.until(lambda: dialog.models.count() == 6)
        for row in range(3, 6):
            dialog.models.item(row).setCheckState(Qt.CheckState.Unchecked)
        assert "6 questions" in dialog.cost.text()
        QTest.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
        assert "Name the judge" in dialog.trouble.text()
        QTest.keyClicks(dialog.judge, "judge-1")
        QTest.keyClicks(dialog.server, server.url)
        dialog.most.setValue(5)
        QTest.keyClick(dialog.judge, Qt.Key.Key_Return)
        finished(scene, ws, panel.shown.request.split, pairwise_judging)
    scene.until(lambda: panel.ready() and "elo" in panel.page.cards and not window.tasks.busy)


def test_the_bank_is_said_and_kept_and_a_model_is_asked_a_part(
    scene: Scene, place: Path, tmp_path: Path
) -> None:
    place = copy_of(place, tmp_path / "w")
    window, panel = opened(scene, place)
    ws = bench_of(window).context.workspace
    split = panel.shown.request.split
    QTest.mouseClick(panel.adaptive_button, Qt.MouseButton.LeftButton)
    dialog = panel.findChild(AdaptiveDialog)
    scene.until(lambda: dialog.start.isEnabled())
    assert "no selection comes closer" in dialog.state.text()
    dialog.save(str(tmp_path / "bank.csv"))
    scene.until(lambda: not window.tasks.busy)
    assert "discrimination" in (tmp_path / "bank.csv").read_text(encoding="utf-8-sig")
    dialog.engine.setCurrentIndex(dialog.engine.findData("baseline:random"))
    assert not dialog.model.isVisible()
    dialog.choice.setCurrentIndex(dialog.choice.findData("random"))
    scene.until(lambda: "drawn at random" in dialog.state.text())
    dialog.most.setValue(25)
    QTest.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    finished(scene, ws, split, adaptive_runs)
    scene.until(lambda: panel.ready() and "adaptive" in panel.page.cards and not window.tasks.busy)
    (row,) = adaptive_runs.finished(ws, split)
    (found,) = adaptive_runs.results(ws, [row])
    assert found["asked"] == found["items"] // 4
    assert found["choice"] == "random"
    assert runs.find(ws, row.id).kind == "adaptive"
