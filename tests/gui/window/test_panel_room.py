"""A panel has all the room of the window, and scrolls where the screen is too small for it."""

import pytest
from PySide6.QtCore import QPoint

from gui.preferences import Preferences
from gui.window.panel_room import PanelRoom
from tests.gui.scene import LEAD, Scene, bench_of


@pytest.mark.parametrize("panel_id", ["review", "write", "items", "splits"])
def test_a_panel_fills_the_window_and_scrolls_on_a_small_screen(
    scene: Scene, full_place, panel_id: str
):
    window = scene.open(full_place, LEAD, kept=Preferences(size=(1280, 720)))
    panel = scene.at(window, panel_id)
    room = window.findChild(PanelRoom)
    assert room is not None
    assert panel.size() == room.viewport().size()
    window.setMinimumSize(640, 320)
    window.resize(640, 320)
    scene.until(lambda: room.viewport().width() > 600)
    assert not bench_of(window).navigation.isVisible()
    need = panel.minimumSizeHint()
    assert panel.width() >= need.width()
    assert panel.height() >= need.height()

    def corner_in_sight() -> bool:
        # a panel that reads may still grow, and the bars with it
        corner = QPoint(panel.width() - 1, panel.height() - 1)
        for bar in (room.horizontalScrollBar(), room.verticalScrollBar()):
            bar.setValue(bar.maximum())
        return room.viewport().rect().contains(panel.mapTo(room.viewport(), corner))

    scene.until(corner_in_sight)
    bench_of(window).actions_.action("navigation").trigger()
    assert bench_of(window).navigation.isVisible()
