"""The page of an item: its masthead keeps to the edges, and no caret stands in what is read."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPalette, QTextCursor, QTextDocument

from gui import theme
from gui.documents.writer import Writer
from gui.widgets.page import ItemPage


def page(qtbot) -> ItemPage:
    made = ItemPage()
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    writer = Writer(theme.LIGHT, chinese=False).masthead("cloze · cs", "#482", made.measure)
    writer.block().text("Some text. " * 30)
    made.turn_to(writer.finish(made.measure), 482)
    return made


def test_the_masthead_stays_one_line_when_the_page_becomes_narrower(qtbot):
    made = page(qtbot)
    lines = made.document().begin().layout().lineCount
    assert lines() == 1
    made.resize(420, 400)
    assert made.document().textWidth() < 400
    assert lines() == 1
    made.resize(900, 400)
    assert lines() == 1


def test_what_was_laid_out_for_another_width_has_its_masthead_on_one_line_too(qtbot):
    made = page(qtbot)
    for before, after in ((900, 420), (420, 900)):
        made.resize(before, 400)
        writer = Writer(theme.LIGHT, chinese=False).masthead("cloze · cs", "#483", made.measure)
        following = writer.finish(made.measure)
        made.resize(after, 400)
        made.turn_to(following, 483)
        (tab,) = made.document().begin().blockFormat().tabPositions()
        assert tab.position == made.measure
        assert made.document().begin().layout().lineCount() == 1


def test_no_caret_is_painted_on_a_page_that_has_the_focus(qtbot):
    made = page(qtbot)
    assert made.cursorWidth() == 0


@pytest.mark.parametrize("width", [100, 170, 200, 420, 900])
def test_no_line_is_cut_in_however_narrow_a_column(qtbot, width):
    made = page(qtbot)
    made.resize(width, 200)
    made.document().setPlainText("Some text. " * 80)
    qtbot.waitUntil(lambda: made.verticalScrollBar().maximum() > 0)
    assert made.measure <= made.viewport().width()


PASSAGE = "The treaty was signed in the old town hall. " * 60


def item(made: ItemPage, number: int, *texts: str) -> QTextDocument:
    writer = Writer(theme.LIGHT, chinese=False).masthead("answer", f"#{number}", made.measure)
    for text in texts:
        writer.block().text(text)
    return writer.finish(made.measure)


def in_front(made: ItemPage, number: int, *texts: str) -> int:
    """Turns to an item; where its bar stands."""
    made.turn_to(item(made, number, *texts), number)
    return made.verticalScrollBar().value()


def test_the_next_question_on_the_same_passage_is_where_the_one_before_was_read(qtbot):
    made = page(qtbot)
    bar = made.verticalScrollBar()
    in_front(made, 1, PASSAGE, "Where was it signed?")
    made.scroll_to(end=True)
    end = bar.value()
    assert end > 0
    assert in_front(made, 2, PASSAGE, "What was signed there?") == bar.maximum()
    bar.setValue(end // 2)
    assert abs(in_front(made, 3, PASSAGE, "In which town?") - end // 2) <= 1
    assert in_front(made, 4, PASSAGE.replace("old", "new"), "In which town?") == 0
    made.scroll_to(end=True)
    assert in_front(made, 5, PASSAGE, "Another passage before it?") == 0


def test_nothing_that_was_not_read_lies_above_the_edge(qtbot):
    made = page(qtbot)
    in_front(made, 1, PASSAGE, "Where was it signed?")
    made.scroll_to(end=True)
    at = in_front(made, 2, PASSAGE, "A question that goes on and on. " * 60)
    assert 0 < at < made.verticalScrollBar().maximum()
    first = made.cursorForPosition(QPoint(0, 0)).block().text()
    assert first.startswith("The treaty")


def test_another_text_begins_at_its_top_however_little_the_one_before_was_scrolled(qtbot):
    """The head of an item was above the edge where its own text was not even the same."""
    made = page(qtbot)
    bar = made.verticalScrollBar()
    for scrolled in (1, 5, 12, 40, 400):
        in_front(made, 1, PASSAGE, "Where was it signed?")
        bar.setValue(scrolled)
        assert bar.value() == scrolled
        assert in_front(made, 2, "Another text. " * 200, "What does it say?") == 0
        in_front(made, 3, PASSAGE, "Where was it signed?")
        made.scroll_to(end=True)
        assert in_front(made, 4, "Another text. " * 200, "What does it say?") == 0


def test_a_text_that_stood_at_its_top_in_a_wider_column_leaves_the_next_one_at_its_top(qtbot):
    made = page(qtbot)
    made.resize(420, 400)
    in_front(made, 1, "A question that fills the narrow column. " * 20)
    made.scroll_to(end=True)
    assert made.verticalScrollBar().value() > 0
    made.resize(900, 800)
    assert made.verticalScrollBar().value() == 0
    assert in_front(made, 2, "A question that fills the wide column. " * 80) == 0
    assert in_front(made, 3, PASSAGE * 3) == 0


def test_a_text_that_one_has_not_scrolled_begins_at_its_top(qtbot):
    made = page(qtbot)
    in_front(made, 1, PASSAGE, "Where was it signed?")
    assert in_front(made, 2, PASSAGE, "What was signed there?") == 0


FORMULA = "Of $E = mc^2$ and 中文, **bold**: " * 12
BEFOREHAND = {
    "nothing changes": lambda made: None,
    "the page becomes narrower": lambda made: made.resize(500, 400),
    "the page becomes lower": lambda made: made.resize(900, 300),
    "the page becomes higher": lambda made: made.resize(900, 700),
    "the page becomes wider": lambda made: made.resize(1800, 400),
    "other colours": lambda made: made.setPalette(QPalette(Qt.GlobalColor.darkCyan)),
    "another item comes between": lambda made: painted(made, item(made, 7, "Another."), 7),
}


def painted(made: ItemPage, document: QTextDocument, number: int) -> QImage:
    """The page as it is painted first after turning to a document."""
    made.turn_to(document, number)
    return made.viewport().grab().toImage()


@pytest.mark.parametrize("what", BEFOREHAND)
def test_a_page_that_was_painted_beforehand_looks_as_if_it_were_painted_now(qtbot, what):
    pages = page(qtbot), page(qtbot)
    documents = [item(made, 483, PASSAGE, FORMULA) for made in pages]
    pages[0].paint_beforehand(documents[0])
    for made in pages:
        BEFOREHAND[what](made)
    ahead, now = (painted(*each, 483) for each in zip(pages, documents, strict=True))
    assert ahead == now
    again = pages[0].viewport().grab().toImage()
    assert again == now  # the second time nothing is copied


def test_a_passage_read_on_is_not_hidden_by_a_picture_of_its_top(qtbot):
    made = page(qtbot)
    painted(made, item(made, 1, PASSAGE, "Where was it signed?"), 1)
    made.scroll_to(end=True)
    following = item(made, 2, PASSAGE, "What was signed there?")
    made.paint_beforehand(following)
    first = painted(made, following, 2)
    assert made.verticalScrollBar().value() > 0
    assert first == made.viewport().grab().toImage()


def test_a_picture_is_what_a_turned_page_shows(qtbot):
    made = page(qtbot)
    following = item(made, 2, PASSAGE)
    made.paint_beforehand(following)
    QTextCursor(following).insertText("Inserted after it was painted. ")
    first = painted(made, following, 2)
    assert first != made.viewport().grab().toImage()  # so that the tests above compare two ways
