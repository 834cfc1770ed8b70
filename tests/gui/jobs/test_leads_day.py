"""A lead's day by keys alone, with the steps counted: people, tasks, alarms, a split, scores."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from core.workflow import people, tasks, team
from core.workflow.production import task_view
from gui.dialogs.protocols import ProtocolsDialog
from gui.dialogs.settings import SettingsDialog
from gui.dialogs.task import TaskDialog
from gui.labels import setting_title
from gui.panels.compare.panel import ComparePanel
from gui.panels.dashboards.agreement import AgreementPanel
from gui.panels.dashboards.alarm_dialog import AlarmDialog
from gui.panels.items.panel import ItemsPanel
from gui.panels.leaderboard.panel import LeaderboardPanel
from gui.panels.scores.panel import ScoresPanel
from gui.panels.splits.freeze_dialog import FreezeDialog
from gui.panels.splits.panel import SplitsPanel
from gui.panels.team.assign_dialog import AssignDialog
from gui.panels.team.invite_dialog import InviteDialog
from gui.widgets.file_dialogs import FileDialog
from tests.gui.jobs.steps import Steps
from tests.gui.jobs.test_days_work import go_to, working
from tests.gui.scene import ALT, BENCHMARK, CTRL, LEAD, Scene, bench_of, make_audited

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
KEY = Qt.Key


def until_focus(steps: Steps, wanted: QWidget) -> None:
    """By Tab to a control of what is in front."""
    for _ in range(60):
        if steps.focus() is wanted:
            return
        steps.key(KEY.Key_Tab)
    raise AssertionError(f"Tab does not lead to {wanted}")


def until_open(scene: Scene, kind: type) -> None:
    window = scene.windows[-1]
    scene.until(lambda: any(dialog.isVisible() for dialog in window.findChildren(kind)))


def until_gone(scene: Scene, kind: type) -> None:
    window = scene.windows[-1]
    scene.until(lambda: not any(dialog.isVisible() for dialog in window.findChildren(kind)))


def test_people_are_added_invited_and_given_tasks_with_a_quota(scene: Scene, place: Path):
    window = scene.open(place, LEAD)
    steps = working(scene)
    steps.wait()
    go_to(steps, "Add a person")
    steps.type("Mia")
    steps.key(KEY.Key_Return)
    ws = bench_of(window).context.workspace
    scene.until(lambda: "Mia" in [person.name for person in people.people(ws)])
    go_to(steps, "Invite")
    until_open(scene, InviteDialog)
    steps.key(KEY.Key_Return)  # the focus is on the button that copies
    assert "Mia" in QApplication.clipboard().text()
    steps.key(KEY.Key_Escape)
    until_gone(scene, InviteDialog)
    go_to(steps, "Assign tasks")
    until_open(scene, AssignDialog)
    steps.key(KEY.Key_Space)  # the first task; Mia, who is in front, is ticked
    steps.key(KEY.Key_Tab)
    steps.key(KEY.Key_Tab)
    steps.key(KEY.Key_Space)  # at most so many
    steps.key(KEY.Key_Tab)
    steps.type("7")
    steps.key(KEY.Key_Return)
    until_gone(scene, AssignDialog)
    (share,) = team.shares_of(ws, "Mia", BENCHMARK)
    assert share.most == 7
    steps.done("people and their tasks")


def test_protocols_of_several_tasks_a_guideline_and_a_rubric_are_written(scene: Scene, place: Path):
    window = scene.open(place, LEAD)
    steps = working(scene)
    steps.wait()
    ws = bench_of(window).context.workspace
    go_to(steps, "Protocols of several tasks")
    until_open(scene, ProtocolsDialog)
    (many,) = window.findChildren(ProtocolsDialog)
    steps.choose(setting_title("overlap").split()[0])  # a space would open the box
    assert many.setting.currentData() == "overlap"
    steps.key(KEY.Key_Tab)
    steps.type("4")
    until_focus(steps, many.everything)
    steps.key(KEY.Key_Space)
    scene.until(many.save.isEnabled)
    steps.key(KEY.Key_Return, CTRL)
    until_gone(scene, ProtocolsDialog)
    assert {info.protocol.overlap for info in tasks.tasks(ws, BENCHMARK)} == {4}
    go_to(steps, "Write")
    steps.key(KEY.Key_G, CTRL)
    until_open(scene, TaskDialog)
    (sheet,) = window.findChildren(TaskDialog)
    steps.wait()
    task = sheet.tasks.currentText()
    until_focus(steps, sheet.guideline)
    said = "看整体语气。"
    steps.type(said)
    scene.until(sheet.save.isEnabled)
    steps.key(KEY.Key_Return, CTRL)
    scene.until(
        lambda: task_view.task_view(ws, task, BENCHMARK, LEAD).versions[-1].guideline == said
    )
    steps.key(KEY.Key_Escape)
    until_gone(scene, TaskDialog)
    steps.done("protocols and a guideline")


def test_settings_are_changed_and_the_window_goes_on(scene: Scene, place: Path):
    window = scene.open(place, LEAD)
    steps = working(scene)
    steps.wait()
    steps.key(KEY.Key_Comma, CTRL)
    until_open(scene, SettingsDialog)
    (settings,) = window.findChildren(SettingsDialog)
    until_focus(steps, settings.fields["text_size"])
    steps.type("21")
    steps.key(KEY.Key_Return)
    until_gone(scene, SettingsDialog)
    scene.until(lambda: bench_of(window).context.preferences.text_size == 21)
    steps.done("settings")


def test_an_alarm_leads_to_its_items_and_back(scene: Scene, full_place: Path):
    window = scene.open(full_place, LEAD)
    steps = working(scene)
    steps.wait()
    bench = bench_of(window)
    go_to(steps, "Alarm")
    until_open(scene, AlarmDialog)
    steps.key(KEY.Key_Tab)
    steps.type("1")
    steps.key(KEY.Key_Tab)
    steps.type("2")
    steps.key(KEY.Key_Return, CTRL)
    steps.key(KEY.Key_Escape)
    until_gone(scene, AlarmDialog)
    board = bench.panel("agreement")
    assert isinstance(board, AgreementPanel)
    scene.until(lambda: board.page.alarms.isVisible() and board.ready())
    go_to(steps, "items of the first alarm")
    scene.until(lambda: bench.front == "items")
    items = bench.panel("items")
    assert isinstance(items, ItemsPanel)
    scene.until(lambda: items.ready() and items.model.rowCount() > 0)
    steps.key(KEY.Key_Left, ALT)
    assert bench.front == "agreement"
    steps.done("an alarm and its items")
    until_focus(steps, board.page.alarms.buttons[0])
    steps.key(KEY.Key_Return)  # as with Space, though the button came after its panel
    scene.until(lambda: bench.front == "items")


def test_a_split_is_frozen_exported_evaluated_compared_and_reported(scene: Scene, tmp_path: Path):
    place = make_audited(tmp_path / "audited")
    window = scene.open(place, LEAD)
    steps = working(scene)
    steps.wait()
    bench = bench_of(window)
    go_to(steps, "Freeze a split")
    until_open(scene, FreezeDialog)
    steps.type("august")
    steps.key(KEY.Key_Return, CTRL)
    splits = bench.panel("splits")
    assert isinstance(splits, SplitsPanel)
    scene.until(lambda: splits.name.text() == "august")
    go_to(steps, "Export to a folder")
    until_open(scene, FileDialog)
    steps.type(str(tmp_path / "out"))
    steps.key(KEY.Key_Return)
    scene.until(lambda: any((tmp_path / "out").rglob("*.jsonl")))
    for engine in ("baseline:random", "baseline:tfidf"):
        go_to(steps, "Evaluate")
        if engine != "baseline:random":
            until_focus(steps, bench.panel("evaluate").form.engine)
            steps.choose("TF")
        steps.key(KEY.Key_Return, CTRL)
        scene.until(lambda: bench.front == "runs")
        scene.until(lambda: bench.notice.link.text() == "Show the scores")
    go_to(steps, "Scores")
    scores = bench.panel("scores")
    assert isinstance(scores, ScoresPanel)
    scene.until(lambda: scores.model.rowCount() == 2)
    go_to(steps, "Compare")
    compare = bench.panel("compare")
    assert isinstance(compare, ComparePanel)
    scene.until(compare.ready)
    assert "baseline:tfidf" in compare.sentence.text()
    go_to(steps, "Leaderboard")
    leaders = bench.panel("leaderboard")
    assert isinstance(leaders, LeaderboardPanel)
    scene.until(lambda: "baseline:tfidf" in leaders.page.sentence.text())
    go_to(steps, "HTML report")
    until_open(scene, FileDialog)
    steps.type(str(tmp_path / "report"))
    steps.key(KEY.Key_Return)
    scene.until(lambda: any((tmp_path / "report").rglob("index.html")))
    steps.done("freeze, export, evaluate, report")
