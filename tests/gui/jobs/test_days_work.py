"""The jobs of a day beside the first run, by keys and pointer, with the steps counted."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from gui import i18n, theme
from gui.panels.dashboards.panel import DashboardPanel
from gui.panels.review.panel import ReviewPanel
from gui.panels.scores.panel import ScoresPanel
from gui.panels.splits.panel import SplitsPanel
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from tests.gui.jobs.steps import Steps
from tests.gui.scene import ALT, CTRL, LEAD, Scene, bench_of, make_audited


def working(scene: Scene) -> Steps:
    """Steps before the newest window, each waited for until everything it asked for is here."""

    def settled() -> bool:
        window = scene.windows[-1]
        bench = window.workbench
        panel = bench.panel(bench.front) if bench is not None and bench.front else None
        return not window.tasks.busy and (panel is None or panel.ready())

    return Steps(scene, settled)


def go_to(steps: Steps, place: str) -> None:
    """By the palette: three steps to every place."""
    steps.key(Qt.Key.Key_K, CTRL)
    steps.type(place)
    steps.key(Qt.Key.Key_Return)


def test_a_lead_looks_at_every_board_and_the_gate_and_goes_back(scene: Scene, full_place: Path):
    window = scene.open(full_place, LEAD)
    steps = working(scene)
    steps.wait()
    for title, panel_id in (("Progress", "progress"), ("Agreement", "agreement"),
                            ("Gate", "gate"), ("People", "people")):  # fmt: skip
        go_to(steps, title)
        assert bench_of(window).front == panel_id
        panel = bench_of(window).panel(panel_id)
        assert isinstance(panel, DashboardPanel)
    steps.key(Qt.Key.Key_Left, ALT)
    assert bench_of(window).front == "gate"
    steps.done("a lead's boards and gate")


def test_audited_items_are_frozen_evaluated_and_scored(scene: Scene, tmp_path: Path):
    place = make_audited(tmp_path / "frozen")
    window = scene.open(place, LEAD)
    steps = working(scene)
    steps.wait()
    go_to(steps, "Splits")
    splits = bench_of(window).panel("splits")
    assert isinstance(splits, SplitsPanel)
    empty = splits.findChild(QWidget, "empty-button")
    steps.click(splits.freeze_button if splits.freeze_button.isVisible() else empty)
    steps.type("august")
    steps.key(Qt.Key.Key_Return, CTRL)
    scene.until(lambda: splits.name.text() == "august")
    steps.click(splits.evaluate_button)
    assert bench_of(window).front == "evaluate"
    steps.key(Qt.Key.Key_Return, CTRL)
    scene.until(lambda: bench_of(window).front == "runs")
    scene.until(lambda: _finished(place))
    go_to(steps, "Scores")
    scores = bench_of(window).panel("scores")
    assert isinstance(scores, ScoresPanel)
    scene.until(lambda: scores.model.rowCount() == 1)
    steps.done("freeze to scores")


def _finished(place: Path) -> bool:
    ws = Workspace.open(place)
    try:
        return any(run.kind == "evaluate" and run.state == "finished" for run in runs.runs(ws))
    finally:
        ws.close()


def test_the_window_becomes_chinese_and_dark_and_the_work_goes_on(
    scene: Scene, small_place: Path, qapp
):
    window = scene.open(small_place, LEAD)
    steps = working(scene)
    steps.wait()
    item = _review(window).item()
    go_to(steps, "中文")
    go_to(steps, "切换浅色与深色")
    assert bench_of(window).context.colours == theme.DARK
    assert bench_of(window).front == "review"
    panel = _review(window)
    assert panel.item() == item
    assert panel.decision.findChildren(QWidget)
    steps.key(Qt.Key.Key_A)
    scene.until(lambda: _review(window).item() != item)
    steps.done("Chinese and dark")
    i18n.use_language(qapp, "en")


def _review(window: MainWindow) -> ReviewPanel:
    panel = bench_of(window).panel("review")
    assert isinstance(panel, ReviewPanel)
    return panel


def test_a_closed_window_comes_back_as_it_was_and_a_second_one_stands_beside_it(
    scene: Scene, small_place: Path
):
    kept = Preferences(size=(1280, 720), language="en")
    window = scene.open(small_place, LEAD, kept=kept)
    steps = working(scene)
    steps.wait()
    steps.key(Qt.Key.Key_S)
    item = _review(window).item()
    steps.key(Qt.Key.Key_E)
    steps.type("too long for a title")
    kept = kept.with_place(str(small_place), "review", item)
    steps.key(Qt.Key.Key_Q, CTRL)
    scene.until(lambda: not window.isVisible())
    again = scene.open(small_place, LEAD, kept=kept)
    steps.wait()
    assert _review(again).item() == item
    assert _review(again).decision.note.toPlainText() == "too long for a title"
    second = scene.open(small_place, LEAD, kept=kept)
    steps.wait()
    assert second.windowTitle() != again.windowTitle()
    steps.done("close, reopen, second window")
