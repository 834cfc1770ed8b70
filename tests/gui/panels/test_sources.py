"""Making items from articles in the window."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton

from db import benchmarks, ledger
from db.importing import pending_imports
from db.vocabulary import EventKind
from gui.panels.sources.panel import SourcesPanel
from gui.widgets.table_view import ReadingTable
from resources import resource
from tests.gui.scene import BENCHMARK, Scene, bench_of, make_small


def test_items_are_made_from_articles_and_what_is_left_out_is_named(scene: Scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "sources")
    assert isinstance(panel, SourcesPanel)
    assert not panel.start_button.isEnabled()
    broken = empty_place / "broken.tar.gz"
    broken.write_bytes(b"\x1f\x8b not an archive")
    panel.add_paths([str(resource("demo")), str(broken), str(broken)])
    assert len(panel.chosen_paths()) == 2
    panel.per_article.setValue(2)
    panel.benchmark.setText(BENCHMARK)
    panel.start_button.click()
    scene.until(panel.ready)
    assert panel.says.text() == ""
    assert "--any-text" not in panel.arguments()
    assert "articles" in panel.made_title.text()
    skipped = panel.findChild(ReadingTable, "skipped").model()
    assert skipped.data(skipped.index(0, 0)) == "broken.tar.gz"
    scene.until(lambda: bench_of(window).context.benchmark == BENCHMARK)
    bench_of(window).context.choose_benchmark("another")
    assert panel.focusWidget() is panel.review_button
    panel.review_button.click()
    scene.until(lambda: bench_of(window).context.benchmark == BENCHMARK)
    scene.until(lambda: bench_of(window).front == "review")
    assert scene.review(window).queue.current is not None


def test_articles_are_generated_from_by_enter_alone_in_a_low_window(scene: Scene, empty_place):
    window = scene.open(empty_place)
    window.resize(1280, 680)
    ways = bench_of(window).stack.currentWidget()
    scene.until(lambda: ways.isVisible() and not window.tasks.busy)
    ways.buttons["generate"].setFocus()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    panel = bench_of(window).panel("sources")
    assert bench_of(window).front == "sources"
    scene.until(panel.isVisible)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    dialog = panel.findChild(QFileDialog)
    dialog.fileSelected.emit(str(resource("demo")))
    dialog.close()
    assert panel.focusWidget() is panel.start_button
    assert panel.start_button.visibleRegion().boundingRect() == panel.start_button.rect()
    QTest.keyClick(panel.start_button, Qt.Key.Key_Return)
    assert panel.isAncestorOf(window.focusWidget())
    assert panel.says.visibleRegion().boundingRect() == panel.says.rect()
    scene.until(panel.ready)
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: bench_of(window).front == "review")


def test_shortcuts_to_the_answers_of_the_items_made_are_looked_for(scene: Scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "sources")
    panel.add_paths([str(resource("demo"))])
    panel.benchmark.setText(BENCHMARK)
    panel.start()
    scene.until(panel.ready)
    card = panel.shortcuts
    assert card.isVisible()
    card.button.click()
    scene.until(card.ready)
    assert "chance" in card.says.text()
    model = card.table.model()
    assert model.rowCount() > 10
    solvers = {model.data(model.index(n, 1)) for n in range(model.rowCount())}
    assert "most like the other options" in solvers
    assert "in at least four audits of five" in card.says.text()
    above = {model.data(model.index(n, 5)) for n in range(model.rowCount())} & {"above chance"}
    lows = [model.data(model.index(n, 3)).split("%")[0] for n in range(model.rowCount())]
    assert (max(map(float, lows)) > 25) == bool(above)  # the interval shown is what decides


def test_texts_that_are_no_articles_are_read_when_asked_for(scene: Scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "sources")
    assert isinstance(panel, SourcesPanel)
    folder = empty_place / "texts"
    folder.mkdir()
    (folder / "README.md").write_text((resource("demo") / "econ__queues.md").read_text("utf-8"))
    panel.add_paths([str(folder)])
    panel.start_button.click()
    scene.until(panel.ready)
    assert "“Any text” reads it anyway." in panel.says.text()
    panel.any_text.setChecked(True)
    assert panel.arguments()[-1] == "--any-text"
    panel.start_button.click()
    scene.until(panel.ready)
    assert "from 1 article" in panel.made_title.text()


def test_a_folder_without_articles_is_said_in_a_sentence(scene: Scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "sources")
    (empty_place / "nothing").mkdir()
    panel.add_paths([str(empty_place / "nothing")])
    panel.start()
    scene.until(panel.ready)
    assert panel.says.text()
    assert "Traceback" not in panel.says.text()


def test_a_lead_gives_up_an_import_that_nobody_finishes(scene: Scene, full_place):
    window = scene.open(full_place)
    context = bench_of(window).context
    with context.workspace.writing() as session:
        task = benchmarks.tasks(session)[0].id
        pending_imports.hide(session, "i", task, "rows.jsonl", [900_001, 900_002], None)
    panel = scene.at(window, "sources")
    assert isinstance(panel, SourcesPanel)
    scene.until(panel.unfinished.isVisible)
    button = panel.findChild(QPushButton, "give up rows.jsonl")
    button.click()
    scene.until(lambda: not panel.unfinished.isVisible())
    with context.workspace.reading() as session:
        (told,) = ledger.of_kind(session, EventKind.IMPORTED)
    assert (told.actor, told.data["items"]) == (context.person.name, 2)


def test_review_shows_the_items_made_first_and_then_what_was_held(scene: Scene, tmp_path):
    window = scene.open(make_small(tmp_path / "two", count=2))
    assert scene.review(window).item() == 1
    panel = scene.at(window, "sources")
    assert isinstance(panel, SourcesPanel)
    panel.add_paths([str(resource("demo") / "econ__queues.md")])
    panel.per_article.setValue(1)
    panel.benchmark.setText(BENCHMARK)
    panel.start()
    scene.until(panel.ready)
    scene.settle(window)
    QTest.keyClick(panel.review_button, Qt.Key.Key_Return)
    scene.settle(window, lambda: bench_of(window).front == "review")
    review, shown = scene.review(window), []
    while (number := review.item()) and number not in shown:
        shown.append(number)
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_A)
        scene.settle(window, review.ready)
    assert shown == [*range(3, len(shown) + 1), 1, 2]
    assert len(shown) > 3
