"""The page of an item: its masthead keeps to the edges, and no caret stands in what is read."""

import pytest

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
