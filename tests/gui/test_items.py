"""Items: finding, changing many at once, and the life of one, in the window."""

from core.workflow.finding import Filters
from gui.panels.items import ItemsPanel
from gui.widgets.life import LifeDialog
from tests.gui.scene import BENCHMARK, Scene, bench_of


def test_items_are_narrowed_by_chips_and_the_sum_says_so(scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.at(window, "items")
    assert isinstance(panel, ItemsPanel)
    total = panel.model.rowCount()
    panel.narrow(panel._filters.__class__(benchmark=BENCHMARK, format="cloze"))
    scene.until(lambda: 0 < panel.model.rowCount() < total)
    assert f"of {total} items" in panel.sum.text()
    panel._remove_filter("format")
    scene.until(lambda: panel.model.rowCount() == total)


def test_an_items_life_shows_differences_decisions_and_ledger(scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.at(window, "items")
    panel.open_life()
    dialog = panel.findChild(LifeDialog)
    text = dialog.page.toPlainText()
    assert "Decisions" in text
    assert "Ledger" in text
    assert "Li" in text


def test_another_panel_opens_the_items_that_pass_a_filter_or_certain_ones(scene, full_place):
    window = scene.open(full_place)
    bench_of(window).desk.go_to("items", Filters(BENCHMARK, states=("rejected",)))
    panel = scene.at(window, "items")
    states = {panel.model.line(row).state for row in range(panel.model.rowCount())}
    assert states == {"rejected"}
    bench_of(window).desk.go_to("items", (2, 5))
    scene.until(lambda: panel.ready() and not window.tasks.busy)
    assert [panel.model.line(row).id for row in range(panel.model.rowCount())] == [2, 5]
