"""The list of places: what waits at each, and the way back to where one was."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.workflow import queues
from core.workflow.check import adjudicate, rate
from core.workflow.dashboards import alarms
from core.workflow.dashboards.alarms import Alarm
from core.workflow.items.search import Filters
from core.workflow.workspace import Workspace
from tests.gui.scene import ALT, BENCHMARK, LEAD, SECOND, Scene, bench_of, press
from tests.gui.stages_workspace import FOURTH, MOODS, REWRITES, start_audit


def badge(bench, panel: str) -> str:
    return bench.navigation.findChild(QLabel, f"badge of {panel}").text()


def test_every_queue_has_its_count_and_none_where_nothing_waits(scene: Scene, place):
    start_audit(place)
    bench = bench_of(scene.open(place, LEAD))
    scene.until(lambda: badge(bench, "adjudicate") == "2")
    assert badge(bench, "audit") == "3"
    assert badge(bench, "rate") == ""  # the rewrites are this person's own
    assert badge(bench, "write") == ""


def test_counts_are_what_the_queues_hand_out(place):
    start_audit(place)
    ws = Workspace.open(place)
    for person in (SECOND, FOURTH):
        counts = queues.stage_counts(ws, person, BENCHMARK)
        assert counts["adjudicate"] == len(adjudicate.disputed(ws, person, BENCHMARK))
        rated = 0
        while card := rate.next_card(ws, REWRITES, person, BENCHMARK):
            values = {criterion.name: 1 for criterion in card.rubric.criteria}
            rate.rate(ws, person, card.card.number, values)
            rated += 1
        assert counts["rate"] == rated > 0
        assert queues.stage_counts(ws, person, BENCHMARK)["rate"] == 0
    ws.close()


def test_a_decision_takes_one_from_the_count(scene: Scene, place):
    window = scene.open(place, LEAD)
    bench = bench_of(window)
    scene.until(lambda: badge(bench, "adjudicate") == "2")
    panel = scene.at(window, "adjudicate")
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: panel.ready() and not window.tasks.busy)
    bench.poll()
    scene.until(lambda: badge(bench, "adjudicate") == "1")


def test_back_leads_to_where_one_was_with_filter_row_and_scroll_place(scene: Scene, full_place):
    window = scene.open(full_place)
    bench = bench_of(window)
    panel = scene.at(window, "items")
    window.resize(1024, 600)
    scene.settle(window)
    panel.narrow(Filters(BENCHMARK, states=("frozen",)))
    scene.until(lambda: panel.ready() and not window.tasks.busy)
    panel.table.selectRow(7)
    bar = panel.table.verticalScrollBar()
    bar.setValue(min(60, bar.maximum()))
    before = panel.place()
    assert before.row == 7
    bench.show_panel("splits")
    panel.context.go_to("items", Filters(BENCHMARK, states=("draft",)))
    scene.until(lambda: panel.ready() and not window.tasks.busy)
    assert panel.place().filters != before.filters
    press(panel, Qt.Key.Key_Left, ALT)
    assert bench.front == "splits"
    press(panel, Qt.Key.Key_Left, ALT)
    assert bench.front == "items"
    scene.until(lambda: panel.place() == before and not window.tasks.busy)
    press(panel, Qt.Key.Key_Right, ALT)
    assert bench.front == "splits"


def test_back_leads_to_the_item_that_one_was_deciding_not_to_one_that_was_fetched_since(
    scene: Scene, small_place
):
    window = scene.open(small_place)
    bench = bench_of(window)
    panel = scene.review(window)
    skipped = panel.item()
    press(panel, Qt.Key.Key_S)
    scene.until(lambda: panel.item() != skipped and panel.ready())
    deciding = panel.item()
    mine = scene.at(window, "my_work")
    mine.context.go_to("review", skipped)
    scene.until(lambda: panel.item() == skipped and panel.ready())
    back, on = Qt.Key.Key_Left, Qt.Key.Key_Right
    walk = (
        ("my_work", back, skipped),
        ("review", back, deciding),
        ("my_work", on, deciding),
        ("review", on, skipped),
    )
    for front, key, item in walk:
        press(panel, key, ALT)
        assert bench.front == front
        scene.until(lambda wanted=item: panel.item() == wanted and panel.ready())


def test_back_is_not_offered_at_the_start_and_never_leaves_the_first_place(scene, full_place):
    window = scene.open(full_place)
    bench = bench_of(window)
    first = bench.front
    assert not bench.actions_.action("back").isEnabled()
    bench.show_panel("items")
    assert bench.actions_.action("back").isEnabled()
    bench.go_back()
    bench.go_back()
    assert bench.front == first


def test_an_alarm_leads_to_the_items_of_its_task(scene: Scene, place):
    ws = Workspace.open(place)
    alarms.set_alarm(ws, LEAD, Alarm("fleiss_kappa", 1.0, 2, benchmark=BENCHMARK))
    ws.close()
    window = scene.open(place, LEAD)
    bench = bench_of(window)
    panel = scene.at(window, "agreement")
    scene.until(lambda: panel.page.alarms.isVisible() and panel.ready())
    assert MOODS in panel.page.alarms.text()
    button = panel.page.alarms.buttons[0]
    for _ in range(40):  # by the Tab key alone, from where the panel begins
        if button.hasFocus():
            break
        press(panel, Qt.Key.Key_Tab)
    assert button.hasFocus()
    press(panel, Qt.Key.Key_Space)
    assert bench.front == "items"
    items = bench.panel("items")
    assert items.shown_filters == Filters(BENCHMARK, task=MOODS)
    scene.settle(window, items.ready)
    press(panel, Qt.Key.Key_Down)
    assert items.table.currentIndex().row() > 0  # the keys move through the items at once
    press(panel, Qt.Key.Key_Left, ALT)
    assert bench.front == "agreement"
    scene.settle(window, panel.ready)
    assert window.focusWidget() is panel.page.alarms.buttons[0]
    press(panel, Qt.Key.Key_Space)
    assert bench.front == "items"
