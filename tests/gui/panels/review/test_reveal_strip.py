"""A qualification round in the window: the guideline, an answer after each item, then real ones."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.workflow import people, tasks
from core.workflow.check import gold
from core.workflow.workspace import Workspace
from tests.gui.scene import Scene, press
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, write_items


@pytest.fixture
def place(tmp_path: Path) -> Path:
    ws = Workspace.create(tmp_path / "round")
    for name, role in (("boss", "lead"), ("ann", "annotator"), ("earlier", "annotator"),
                       ("li", "annotator")):  # fmt: skip
        people.ensure_person(ws, name, role)
    make_task(ws)
    known = write_items(ws, 2)
    accept_all(ws, known, "earlier")
    for number in known:
        gold.mark_gold(ws, "boss", number, "accept", why="the title fits the text")
    values = {"qualification": "2", "qualification_pass": "0.5"}
    tasks.set_protocol(ws, TASK, values, person="boss", benchmark=BENCHMARK)
    write_items(ws, 3, start=50)
    ws.close()
    return tmp_path / "round"


def test_a_round_by_keys_shows_the_guideline_and_tells_every_answer(scene: Scene, place: Path):
    window = scene.open(place, "li")
    panel = scene.review(window)
    scene.until(lambda: panel.guideline.isVisible())
    said = [label.text() for label in panel.queue_column.findChildren(QLabel)]
    assert "Qualification: 2 left of 2" in said
    window.resize(1280, 720)
    scene.until(lambda: panel.queue_column.isHidden() and panel.guideline.left.isVisible())
    assert panel.guideline.left.text() == "Qualification: 2 left of 2"
    painted, height = panel.page.painted, panel.page.height()
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: panel.page.painted > painted and panel.ready())
    assert panel.page.height() == height
    assert "Correct." in panel.strip.text
    assert "the title fits the text" in panel.strip.text
    assert "1 of 2" in panel.strip.text
    undo = panel.context.actions.action("undo")
    scene.until(lambda: "belongs to the qualification round" in undo.toolTip())
    assert not undo.isEnabled()
    painted = panel.page.painted
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: panel.page.painted > painted and panel.ready())
    assert "with 2 of 2 correct; you may review the task's items now." in panel.strip.text
    said = [label.text() for label in panel.queue_column.findChildren(QLabel)]
    assert any("left of" in text and "Qualification" not in text for text in said)
    assert panel.item() > 2
    painted = panel.page.painted
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: panel.page.painted > painted and panel.ready())
    assert panel.page.height() == height


def test_who_fails_hears_it_and_why_nothing_comes(scene: Scene, place: Path):
    window = scene.open(place, "li")
    panel = scene.review(window)
    for _ in range(2):
        item = panel.item()
        press(panel, Qt.Key.Key_R)
        press(panel, Qt.Key.Key_1)
        scene.until(lambda item=item: panel.item() != item and panel.ready())
    scene.until(
        lambda: any(
            "did not pass the qualification round" in label.text()
            for label in panel.findChildren(QLabel)
        )
    )
