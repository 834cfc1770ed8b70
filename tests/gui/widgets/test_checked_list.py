"""A list of names with boxes: the only choice is ticked, and nothing else by itself."""

import pytest

from gui.widgets.checked_list import CheckedList


@pytest.fixture
def names(qtbot) -> CheckedList:
    entries = CheckedList("Tasks")
    qtbot.addWidget(entries)
    return entries


def test_the_only_name_begins_ticked_and_a_tick_that_was_taken_away_stays_away(names: CheckedList):
    names.show_names(["titles"])
    assert names.chosen() == ["titles"]
    names.tick_all(False)
    names.show_names(["titles"], notes=["overlap 2"])
    assert names.chosen() == []


def test_of_several_names_none_is_ticked_unless_it_was_asked_for(names: CheckedList):
    names.show_names(["titles", "moods"])
    assert names.chosen() == []
    names.show_names(["titles", "moods"], ["moods"])
    assert names.chosen() == ["moods"]
