"""Planning an evaluation in the window: checked while it is filled in, tried, started, by keys."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from core.workflow.runs import runs
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from gui.panels.evaluate.panel import EvaluatePanel
from gui.panels.scores.panel import ScoresPanel
from tests.gui.scene import Scene, bench_of
from tests.servers.model_server import LoopbackModel, Policy


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(Policy(), answer=lambda _body: "A") as running:
        yield running


def opened(scene: Scene, place) -> EvaluatePanel:
    panel = scene.at(scene.open(place), "evaluate")
    assert isinstance(panel, EvaluatePanel)
    return panel


def choose_engine(scene: Scene, panel: EvaluatePanel, name: str) -> None:
    panel.form.engine.setCurrentIndex(panel.form.engine.findData(name))
    scene.until(panel.ready)


def serve(scene: Scene, panel: EvaluatePanel, model: LoopbackModel, names: str = "m") -> None:
    choose_engine(scene, panel, "openai")
    panel.form.server.setText(model.url)
    panel.form.models.setPlainText(names)
    panel.form.more.setPlainText("mode=completion\nretries=0")
    scene.until(lambda: panel.ready() and panel.can_start())


def serve_elsewhere(scene: Scene, panel: EvaluatePanel) -> None:
    choose_engine(scene, panel, "openai")
    panel.form.server.setText("https://models.example.org/v1")
    panel.form.models.setPlainText("m")
    scene.until(panel.ready)


def finished(place) -> list[str]:
    ws = Workspace.open(place)
    try:
        return [run.title for run in runs.runs(ws) if run.state == "finished"]
    finally:
        ws.close()


def test_without_a_split_the_way_to_one_is_shown(scene: Scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "evaluate")
    panel.empty.button.click()
    assert bench_of(window).front == "splits"


def test_an_engine_that_is_not_here_says_why_and_what_to_install(
    scene: Scene, full_place, monkeypatch
):
    monkeypatch.setattr("core.evaluation.engines.hardware.is_installed", lambda _name: False)
    panel = opened(scene, full_place)
    choose_engine(scene, panel, "vllm")
    assert panel.form.reason.isVisible()
    assert "make gpu" in panel.form.reason.text()
    assert "✕" in {mark.text() for mark in panel.checks.findChildren(QLabel) if mark.isVisible()}
    assert not panel.start_button.isEnabled()
    assert not panel.try_button.isEnabled()


def test_a_parameter_that_does_not_fit_is_named_and_nothing_can_be_started(
    scene: Scene, full_place
):
    panel = opened(scene, full_place)
    assert panel.start_button.isEnabled()
    panel.form.more.setPlainText("max_tokens=many")
    assert not panel.start_button.isEnabled(), "an unchecked form must not be startable"
    scene.until(panel.ready)
    assert "max_tokens" in panel.checks.words
    assert not panel.can_start()


def test_several_models_are_several_runs_and_the_button_says_so(scene: Scene, full_place, model):
    panel = opened(scene, full_place)
    serve(scene, panel, model, "small\nlarge\nsmall")
    assert "2 runs" in panel.start_button.text()
    assert "22 prompts" in panel.start_button.text()
    assert "this machine" in panel.where.text()
    panel.start_button.click()
    bench = bench_of(scene.windows[0])
    scene.until(lambda: bench.front == "runs")
    scene.until(lambda: len(finished(full_place)) == 5)
    titles = " ".join(finished(full_place))
    assert "small" in titles
    assert "large" in titles


def test_a_trial_tells_time_tokens_and_cost_and_leaves_no_run(scene: Scene, full_place, model):
    panel = opened(scene, full_place)
    serve(scene, panel, model)
    panel.form.price_in.setText("2")
    panel.form.price_out.setText("8")
    scene.until(panel.ready)
    assert "unknown before a trial run" in panel.checks.words
    assert "at most" in panel.checks.words
    before = len(model.seen)
    panel.try_button.click()
    assert panel.is_trying()
    assert panel.try_button.text() == "Cancel the trial run"
    scene.until(lambda: not panel.is_trying() and panel.ready())
    assert "according to the trial run" in panel.checks.words
    assert "at most" not in panel.checks.words
    assert len(model.seen) > before
    assert len(finished(full_place)) == 3
    panel.form.more.setPlainText("mode=completion\nretries=0\nseed=5")
    scene.until(panel.ready)
    assert "unknown before a trial run" in panel.checks.words, "an old trial must not count"


def test_a_trial_is_cancelled_by_escape(scene: Scene, full_place, model):
    model.policy.latency_s = 30.0
    panel = opened(scene, full_place)
    serve(scene, panel, model)
    QTest.keyClick(panel, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert panel.is_trying()
    scene.until(lambda: bool(model.seen))
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    scene.until(lambda: not panel.is_trying())
    assert "unknown before a trial run" in panel.checks.words


def test_a_window_that_closes_ends_its_trial(scene: Scene, full_place, model):
    model.policy.latency_s = 30.0
    panel = opened(scene, full_place)
    serve(scene, panel, model)
    panel.try_some()
    scene.until(lambda: bool(model.seen))
    window = scene.windows[0]
    window.close()
    assert window.ended_well
    alive = [t.name for t in threading.enumerate() if t.name.startswith("benchseal-background")]
    scene.until(lambda: not list((full_place / "trials").iterdir()))
    assert len(alive) <= 2


def test_an_evaluation_is_planned_and_started_by_keys_alone(scene: Scene, full_place):
    panel = opened(scene, full_place)
    window = scene.windows[0]
    QTest.keyClick(panel, Qt.Key.Key_F)
    assert panel.form.split.hasFocus()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert panel.form.engine.hasFocus()
    QTest.keyClick(panel.form.engine, Qt.Key.Key_Down)
    scene.until(panel.ready)
    chosen = panel.form.engine.currentData()
    assert chosen == "baseline:longest"
    QTest.keyClick(panel.form.engine, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    bench = bench_of(window)
    scene.until(lambda: bench.front == "runs")
    scene.until(lambda: len(finished(full_place)) == 4)
    scores = scene.at(window, "scores")
    assert isinstance(scores, ScoresPanel)
    scene.until(lambda: scores.model.rowCount() == 3)


def test_the_splits_panel_hands_its_split_over(scene: Scene, full_place):
    window = scene.open(full_place)
    splits = scene.at(window, "splits")
    splits.evaluate_button.click()
    bench = bench_of(window)
    assert bench.front == "evaluate"
    panel = bench.panel("evaluate")
    scene.until(panel.ready)
    assert panel.form.split.currentData() == "july"
    panel.context.go_to("evaluate", "no such split")
    scene.until(panel.ready)
    assert panel.form.split.currentData() == "july"


def test_what_stops_an_evaluation_is_said_without_the_command_line(scene: Scene, full_place):
    ws = Workspace.open(full_place)
    lifecycle.seal(ws, "july", "Li")
    ws.close()
    panel = opened(scene, full_place)
    said = " ".join(part.text() for part in panel.findChildren(QLabel))
    assert "Split “july” is sealed. A lead can open it." in said
    assert "--" not in said
    assert not panel.can_start()
    serve_elsewhere(scene, panel)
    said = " ".join(part.text() for part in panel.findChildren(QLabel))
    assert "No key is set for the server" in said
    assert "--" not in said


def test_worked_examples_come_from_a_file_that_is_named_here(
    scene: Scene, full_place, tmp_path: Path
):
    panel = opened(scene, full_place)
    assert not panel.form.shots_from.isVisible()
    panel.form.shots.setValue(1)
    assert panel.form.shots_from.isVisible()
    scene.until(panel.ready)
    assert not panel.can_start(), "no split has expired and no file is named"
    examples = [{"Input": f"题{n}", "Output": f"答{n}", "Instruction": "写"} for n in range(3)]
    file = tmp_path / "例.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in examples), encoding="utf-8")
    panel.form.shots_from.setText(str(file))
    assert panel.form.request().params.shots_from == str(file)
    scene.until(panel.ready)
    assert "0 examples" in panel.checks.words, "examples of another family are none"
    panel.form.shots.setValue(0)
    assert panel.form.request().params.shots_from == ""
    scene.until(panel.ready)
    assert panel.can_start()
