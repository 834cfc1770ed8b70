"""A rewriting run is described and started in the window."""

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox

from core.sources.labelled.datasets import EMOTION
from core.workflow.runs import runs
from gui.panels.sources.panel import SourcesPanel
from gui.panels.sources.rewrite_dialog import RewriteDialog
from tests.core.rewriting.scripted_model import (
    BRANCHES,
    ENDS,
    Part,
    ScriptedModel,
    cast,
    write_news,
)
from tests.core.rewriting.test_run import own_examples
from tests.gui.scene import Scene, bench_of
from tests.servers.model_server import LoopbackModel


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    return cast(own_examples(32), 32, branches=[*BRANCHES, "good", "nothing_found"])


@pytest.fixture
def model(parts: list[Part]) -> Iterator[LoopbackModel]:
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as server:
        yield server


@pytest.fixture
def sheet(scene: Scene, empty_place: Path) -> RewriteDialog:
    panel = scene.at(scene.open(empty_place), "sources")
    assert isinstance(panel, SourcesPanel)
    panel.rewrite_button.click()
    found = panel.findChild(RewriteDialog)
    assert isinstance(found, RewriteDialog)
    return found


def looked(scene: Scene, sheet: RewriteDialog) -> None:
    sheet.look()
    scene.until(lambda: sheet.preview is not None)


def test_a_rewrite_is_started_from_the_window_and_ends_in_the_workspace(
    scene: Scene, sheet: RewriteDialog, model: LoopbackModel, parts: list[Part], tmp_path: Path
):
    data = tmp_path / "data.csv"
    with data.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(("tweet no", "what was said", "mood"))
        writer.writerows((p.example.id, p.example.text, p.example.label) for p in parts)
    news = write_news(tmp_path / "news", parts)
    assert not sheet.start_button.isEnabled()
    sheet.path.setText(str(data))
    looked(scene, sheet)
    assert "no column for “text”" in sheet.says.text()
    for role, name in (("text", "what was said"), ("label", "mood")):
        box = sheet.findChild(QComboBox, role)
        box.setCurrentIndex(box.findData(name))
        scene.until(lambda: sheet.preview is not None)
    scene.until(lambda: "32 usable items: joy 32" in sheet.says.text())
    assert sheet.model_rows.rowCount() == 32
    sheet.place.setText(str(news))
    sheet.base_url.setText(model.url)
    sheet.model.setText("writer")
    sheet.since.setDate(sheet.since.date().fromString("2026-01-01", "yyyy-MM-dd"))
    sheet.limit.setValue(16)
    assert "16 items: 112 calls" in sheet.estimate.text()
    assert sheet.start_button.isEnabled()
    sheet.start_button.click()
    bench = bench_of(scene.windows[0])
    scene.until(lambda: bench.front == "runs")
    ws = bench.context.workspace
    scene.until(lambda: all(run.taken_in for run in runs.runs(ws)))
    (run,) = runs.runs(ws)
    assert (run.kind, run.total, run.state) == ("rewrite", 16, "finished")
    ends = [ENDS[part.branch][0] for part in parts[:16]]
    assert (runs.result(ws, run.id) or {})["funnel"]["accepted"] == ends.count("accepted")


def test_what_is_missing_or_wrong_is_said_before_anything_starts(
    scene: Scene, sheet: RewriteDialog, tmp_path: Path
):
    assert "Choose the data first" in sheet.estimate.text()
    data = tmp_path / "a.csv"
    data.write_text("text,label\n今天真好,joy\n,joy\n坏,maybe\n", encoding="utf-8")
    sheet.path.setText(str(data))
    looked(scene, sheet)
    assert "1 usable item:" in sheet.says.text()
    assert "2 rows left out" in sheet.says.text()
    assert "Choose the news folder" in sheet.estimate.text()
    sheet.place.setText(str(tmp_path))
    assert "Choose the server" in sheet.estimate.text()
    sheet.base_url.setText("ftp://nowhere")
    sheet.model.setText("m")
    assert not sheet.start_button.isEnabled()
    sheet.base_url.setText("http://127.0.0.1:1")
    assert sheet.start_button.isEnabled()
    sheet.budget.setValue(10)
    assert "exceeds the budget" in sheet.estimate.text()
    sheet.price_prompt.setText("cheap")
    assert "“cheap” is not a price" in sheet.estimate.text()
    sheet.price_prompt.setText("1,5")
    assert "Cost" in sheet.estimate.text()
    sheet.until.setDate(sheet.since.date().addDays(-3))
    assert "ends before it starts" in sheet.estimate.text()
    assert not sheet.start_button.isEnabled()
    sheet.close()


def test_a_task_of_ones_own_and_a_folder_are_described_in_the_sheet(
    scene: Scene, sheet: RewriteDialog, tmp_path: Path
):
    data = tmp_path / "pairs.jsonl"
    row = {"first": "甲", "second": "乙", "label": "同"}
    data.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    sheet.kind.setCurrentIndex(sheet.kind.count() - 1)
    sheet.name.setText("对")
    sheet.labels.setText("同，异")
    sheet.pairing.setCurrentIndex(1)
    sheet.path.setText(str(data))
    looked(scene, sheet)
    assert "1 usable item: 同 1, 异 0" in sheet.says.text()
    assert sheet.task().is_pair
    for split in ("test", "val"):
        (tmp_path / "irony").mkdir(exist_ok=True)
        (tmp_path / "irony" / f"{split}_text.txt").write_text("one\ntwo\n")
        (tmp_path / "irony" / f"{split}_labels.txt").write_text("1\n0\n")
    sheet.kind.setCurrentText("irony")
    sheet.path.setText(str(tmp_path / "irony"))
    looked(scene, sheet)
    assert [sheet.split.itemData(i) for i in range(sheet.split.count())] == ["test", "val"]
    shutil.rmtree(tmp_path / "irony")
    looked(scene, sheet)
    assert "no file or folder" in sheet.says.text()
    sheet.close()
