"""Lists of names in narrow columns."""

import pytest
from PySide6.QtCore import Qt

from gui.widgets.checked_list import CheckedList
from gui.widgets.name_list import NameList

LONG = "scp-sequencing-Quantitative-Finance"


def test_a_long_name_never_makes_the_list_scroll_sideways(qtbot):
    names = NameList("Disputed items")
    qtbot.addWidget(names)
    names.resize(120, 200)
    names.add_name(f"#7  {LONG}")
    names.show()

    assert names.horizontalScrollBar().maximum() == 0
    assert names.visualItemRect(names.item(0)).width() <= names.viewport().width()
    assert names.item(0).toolTip() == f"#7  {LONG}"
    assert names.textElideMode() == Qt.TextElideMode.ElideMiddle


def test_a_row_of_a_name_is_as_high_as_its_letters_ask(qtbot):
    names = NameList("Disputed items")
    qtbot.addWidget(names)
    names.resize(120, 200)
    names.add_name(LONG)
    names.show()

    assert names.visualItemRect(names.item(0)).height() >= names.fontMetrics().height()


@pytest.mark.parametrize("name", ["Q&A", "a && b", "&first"])
def test_a_ticked_name_is_shown_as_it_is_written(name, qtbot):
    names = CheckedList("Tasks")
    qtbot.addWidget(names)
    names.show_names([name], ticked=[name])

    assert names.item(0).text() == name
    assert names.chosen() == [name]
