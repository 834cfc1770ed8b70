"""Notices float over the page: nothing moves under the hand, and they leave by themselves."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from core.evaluation.run import EvaluateParams
from core.workflow.check import questions
from core.workflow.evaluation import start
from core.workflow.production import import_items
from core.workflow.workspace import Workspace
from gui.panels.items.panel import ItemsPanel
from gui.panels.my_work.panel import MyWorkPanel
from tests.gui.scene import BENCHMARK, LEAD, SECOND, THIRD, Scene, bench_of, copy_of, press


def places(panel: QWidget) -> dict[int, QRect]:
    """Where every widget of a panel stands in its window."""
    window = panel.window()
    return {
        id(widget): QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())
        for widget in (panel, *panel.findChildren(QWidget))
        if widget.isVisible()
    }


@pytest.mark.parametrize("name", ["review", "splits", "items"])
def test_nothing_moves_while_a_notice_is_shown(name, scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.at(window, name)
    bench = bench_of(window)
    scene.settle(window)
    before = places(panel)
    for say in (bench.context.say, bench.context.complain):
        say("Three lines of a notice. " * 20)
        scene.until(bench.notice.isVisible)
        scene.settle(window)
        assert places(panel) == before
    bench.notice.dismiss()
    scene.settle(window)
    assert places(panel) == before


def test_a_notice_stands_inside_the_page_at_every_size(scene: Scene, full_place):
    window = scene.open(full_place)
    bench = bench_of(window)
    bench.context.complain("Words that go on. " * 60)
    scene.until(bench.notice.isVisible)
    for size in ((1024, 700), (1500, 900), (960, 600)):
        window.resize(*size)
        scene.until(lambda: bench.stack.geometry().contains(bench.notice.geometry()))
        layout = bench.notice.layout()
        assert layout is not None
        assert bench.notice.height() >= layout.heightForWidth(bench.notice.width())


def test_a_notice_leaves_what_one_presses_to_go_on_in_sight(
    scene: Scene, stages_template, tmp_path
):
    window = scene.open(copy_of(stages_template, tmp_path / "stages"), THIRD)
    panel, bench = scene.at(window, "write"), bench_of(window)
    window.resize(1280, 720)
    scene.settle(window)
    bench.context.complain("Words that go on. " * 12)
    scene.until(bench.notice.isVisible)
    main = [b for b in panel.findChildren(QPushButton) if b.property("look") == "filled"]
    seen = [QRect(b.mapTo(bench.stack, QPoint()), b.size()) for b in main if b.isVisible()]
    assert seen
    origin = bench.stack.mapFrom(bench, bench.notice.mapTo(bench, QPoint()))
    notice = QRect(origin, bench.notice.size())
    assert not [place for place in seen if place.intersects(notice)]
    assert bench.stack.rect().contains(notice)


def test_escape_takes_a_notice_away_wherever_the_focus_is(scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.at(window, "review")
    bench = bench_of(window)
    for field in (panel, panel.decision.note):
        field.setFocus()
        bench.context.say("Done.")
        scene.until(bench.notice.isVisible)
        press(panel, Qt.Key.Key_Escape)
        assert not bench.notice.isVisible()


def test_a_notice_leaves_by_itself_but_not_while_it_is_read(scene: Scene, full_place):
    window = scene.open(full_place)
    scene.at(window, "review")
    bench = bench_of(window)
    bench.notice.shortest_ms = 1
    bench.notice.per_letter_ms = 0
    bench.context.say("Done.")
    scene.until(lambda: bench.notice.text == "Done." and not bench.notice.isVisible())
    bench.notice.hold(True)
    bench.context.say("Read me.")
    assert bench.notice.isVisible()
    assert not bench.notice.is_leaving
    bench.notice.hold(False)
    scene.until(lambda: not bench.notice.isVisible())


def test_a_notice_never_takes_the_focus(scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.at(window, "review")
    panel.decision.note.setFocus()
    bench_of(window).context.say("Done.")
    scene.until(bench_of(window).notice.isVisible)
    assert QApplication.focusWidget() is panel.decision.note


def test_a_notice_leaves_the_strip_below_the_item_in_sight(scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.review(window)
    bench = bench_of(window)
    scene.until(lambda: not bench.context.tasks.busy)
    bench.context.say("Your decision on #3 is now: rejected.")
    scene.until(bench.notice.isVisible)
    strip = QRect(panel.strip.mapTo(window, QPoint()), panel.strip.size())
    notice = QRect(bench.notice.mapTo(window, QPoint()), bench.notice.size())
    assert not strip.intersects(notice)


OTHER = "second"


@pytest.fixture
def two_benchmarks(full_place, tmp_path):
    """A second benchmark beside the full one, with one item."""
    path = tmp_path / "one.csv"
    path.write_text("instruction,input,output\nSay it.,A text of one.,yes\n", encoding="utf-8")
    ws = Workspace.open(full_place)
    import_items.import_file(ws, import_items.ImportOrder(path, "one", OTHER, person=LEAD))
    ws.close()
    return full_place


def test_the_button_of_a_notice_acts_in_the_benchmark_that_it_tells_of(
    scene: Scene, two_benchmarks
):
    window = scene.open(two_benchmarks)
    scene.at(window, "progress")
    bench = bench_of(window)
    bench.context.choose_benchmark(BENCHMARK)
    bench.context.say("Three items came in.", "Show the items", "items")
    bench.context.choose_benchmark(OTHER)
    scene.settle(window)
    bench.notice.link.click()
    panel = bench.panel("items")
    assert isinstance(panel, ItemsPanel)
    scene.settle(window, panel.ready)
    assert (bench.front, bench.context.benchmark) == ("items", BENCHMARK)
    assert panel.model.rowCount() > 1
    bench.go_back()
    scene.settle(window)
    assert (bench.front, bench.context.benchmark) == ("progress", OTHER)


def test_a_run_that_finished_in_another_benchmark_leads_there(scene: Scene, two_benchmarks):
    window = scene.open(two_benchmarks)
    scene.at(window, "progress")
    bench = bench_of(window)
    bench.context.choose_benchmark(OTHER)
    scene.settle(window)
    ws = Workspace.open(two_benchmarks)
    start.start(ws, "july", EvaluateParams(engine="baseline:random", split="july", seed=4))
    ws.close()
    bench.poll()
    scene.until(lambda: bench.notice.link.text() == "Show the scores")
    bench.notice.link.click()
    scene.settle(window)
    assert (bench.front, bench.context.benchmark) == ("scores", BENCHMARK)


def test_a_question_in_another_benchmark_leads_to_its_list(scene: Scene, two_benchmarks):
    window = scene.open(two_benchmarks)
    scene.at(window, "progress")
    bench = bench_of(window)
    bench.context.choose_benchmark(OTHER)
    scene.settle(window)
    ws = Workspace.open(two_benchmarks)
    questions.ask_question(ws, SECOND, 1, "Is B not right as well?")
    ws.close()
    bench.poll()
    scene.until(lambda: bench.notice.link.text() == "Show in My work")
    bench.notice.link.click()
    mine = bench.panel("my_work")
    assert isinstance(mine, MyWorkPanel)
    scene.settle(window, mine.ready)
    assert (bench.front, bench.context.benchmark) == ("my_work", BENCHMARK)
    assert mine.table.model().rowCount() == 1
