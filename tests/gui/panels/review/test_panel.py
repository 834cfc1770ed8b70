"""The Review panel: what it does while an item is read, so that the next one is there at once."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument

from core.workflow import people
from core.workflow.workspace import Workspace
from gui.widgets.page import ItemPage
from tests.gui.scene import Scene, press
from tests.workspaces import make_task, write_items


@pytest.fixture
def place(tmp_path: Path) -> Path:
    ws = Workspace.create(tmp_path / "three")
    people.ensure_person(ws, "boss", "lead")
    people.ensure_person(ws, "li", "annotator")
    make_task(ws)
    write_items(ws, 3)
    ws.close()
    return tmp_path / "three"


def test_the_next_item_is_painted_before_its_turn(
    scene: Scene, place: Path, monkeypatch: pytest.MonkeyPatch
):
    ahead: list[QTextDocument] = []
    paint = ItemPage.paint_beforehand

    def noticed(page: ItemPage, document: QTextDocument) -> None:
        ahead.append(document)
        paint(page, document)

    monkeypatch.setattr(ItemPage, "paint_beforehand", noticed)
    panel = scene.review(scene.open(place, "li"))
    scene.until(panel.ready)
    assert panel.page.document() not in ahead
    for _ in range(2):
        painted = panel.page.painted
        press(panel, Qt.Key.Key_A)
        scene.until(lambda before=painted: panel.page.painted > before and panel.ready())
        assert panel.page.document() in ahead
