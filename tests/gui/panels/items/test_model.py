"""The list of items: read by pages, shown when they come, forgotten when long unseen."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt

from core.workflow.items.search import ItemLine
from gui import theme
from gui.panels.items.model import COLUMNS, KEPT, PAGE, ItemsModel

MOMENT = datetime(2026, 7, 1, 9, 30, tzinfo=UTC)


def line(number: int) -> ItemLine:
    values = {
        "id": number,
        "task": "scp-cloze-CS",
        "family": "scp",
        "format": "cloze",
        "domain": "CS",
        "state": "accepted",
        "revision": 1,
        "disputed": False,
        "content_hash": "0" * 64,
        "changed_at": MOMENT,
    }
    fields = ItemLine.__dataclass_fields__
    return ItemLine(**{name: values.get(name) for name in fields})


def lines(page: int) -> list[ItemLine]:
    return [line(page * PAGE + n + 1) for n in range(PAGE)]


@pytest.fixture
def model(qapp):
    return ItemsModel(theme.LIGHT)


def test_the_items_model_is_sound(model, qtmodeltester):
    model.start(3 * PAGE, lines(0))
    qtmodeltester.check(model)


def test_a_family_is_called_by_its_title_and_not_as_it_is_stored(model):
    model.start(1, [replace(line(1), family="choice", format="options")])
    place = COLUMNS.index("family")
    assert model.data(model.index(0, place)) == "multiple choice"


def test_a_page_is_asked_for_once_and_shown_when_it_comes(model, qtbot):
    asked = []
    model.page_wanted.connect(asked.append)
    model.start(3 * PAGE, lines(0))
    far = model.index(2 * PAGE + 5, 0)
    assert model.data(far) == "…"
    assert model.data(far) == "…"
    assert asked == [2]
    with qtbot.waitSignal(model.dataChanged):
        model.take_page(2, lines(2))
    assert model.data(far) == str(2 * PAGE + 6)


def test_pages_seen_long_ago_are_forgotten_and_asked_for_again(model):
    asked = []
    model.page_wanted.connect(asked.append)
    model.start((KEPT + 5) * PAGE, lines(0))
    for page in range(1, KEPT + 2):
        model.take_page(page, lines(page))
    assert model.line(0) is None
    assert asked == [0]


def test_a_state_is_written_in_its_ink_and_in_a_word(model):
    model.start(1, [line(1)])
    cell = model.index(0, COLUMNS.index("state"))
    assert model.data(cell) == "accepted"
    ink = model.data(cell, int(Qt.ItemDataRole.ForegroundRole))
    assert ink.color().name().upper() == theme.LIGHT.accept


def test_a_million_rows_cost_nothing_to_begin(model):
    model.start(1_000_000, lines(0))
    assert model.rowCount() == 1_000_000


def test_the_text_is_shown_and_leaves_by_no_copy_of_the_table(qtbot, model):
    from dataclasses import replace

    from gui.panels.items.model import cells_of
    from gui.widgets.table_export import shown_table
    from gui.widgets.table_view import ReadingTable

    known = replace(line(1), text="How it begins")
    model.start(1, [known])
    place = COLUMNS.index("text")
    assert model.data(model.index(0, place)) == "How it begins"
    view = ReadingTable(model)
    qtbot.addWidget(view)
    assert "How it begins" not in repr(shown_table(view, ""))
    assert "How it begins" not in cells_of(known)
    assert len(cells_of(known)) == len(COLUMNS) - 1
