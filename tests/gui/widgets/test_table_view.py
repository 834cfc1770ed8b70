"""The table of the window: it uses the width there is, and gives its contents away as a file."""

from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QApplication

from core.sources.tables import read_table
from gui import i18n
from gui.widgets.table_export import copy_table, save_table, shown_table
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable
from tests.gui.scene import BENCHMARK, Scene, bench_of

WORDS = "a sentence that goes on for quite a while and then some more " * 3
COLUMNS = (Column("Number", 60, number=True), Column("State", 80), Column("Reason", 120))


@pytest.fixture
def view(qtbot) -> ReadingTable:
    model = TableModel(())
    made = ReadingTable(model)
    model.setParent(made)
    qtbot.addWidget(made)
    model.show_rows(COLUMNS, [("1,234", "draft", WORDS), ("2", "frozen", "short"), ("–", "", "")])
    made.resize(900, 200)
    made.show()
    return made


def widths(view: ReadingTable) -> list[int]:
    return [view.columnWidth(index) for index in range(3)]


def test_the_column_of_the_longest_words_gets_the_width_that_is_left(view):
    assert sum(widths(view)) == view.viewport().width()
    small = widths(view)
    assert small[2] > 600
    view.resize(1400, 200)
    assert widths(view)[:2] == small[:2]
    assert sum(widths(view)) == view.viewport().width()


def test_titles_and_numbers_stay_whole_in_a_narrow_table(view):
    view.resize(260, 200)
    head = view.horizontalHeader()
    for index in range(3):
        assert view.columnWidth(index) >= head.sectionSizeHint(index)
    assert view.columnWidth(0) >= view.sizeHintForColumn(0)


def test_a_short_name_stays_whole_beside_a_long_text(view):
    columns = (Column("#", 40, number=True), Column("Task", 150, least=30),
               Column("Text", 240, least=60))  # fmt: skip
    view.model().show_rows(columns, [("1", "emotion-classes", WORDS)])
    needed = view.sizeHintForColumn(1)
    view.resize(view.columnWidth(0) + 2 * needed + 10, 200)
    assert view.columnWidth(1) >= needed
    assert sum(widths(view)) <= view.viewport().width()


def test_hidden_columns_take_no_width_and_are_not_written(view):
    view.setColumnHidden(1, True)
    view.fit_columns()
    assert view.columnWidth(0) + view.columnWidth(2) == view.viewport().width()
    assert shown_table(view, "t").columns == ("Number", "Reason")


def test_figures_are_numbers_and_nothing_is_nothing(view):
    assert shown_table(view, "t").rows[0][0] == 1234
    assert shown_table(view, "t").rows[2] == (None, "", "")


def test_a_table_is_copied_with_tabs(view):
    copy_table(view)
    lines = QApplication.clipboard().text().split("\n")
    assert lines[0] == "Number\tState\tReason"
    assert lines[2] == "2\tfrozen\tshort"


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_table_of_a_panel_is_saved_and_read_again(ending, scene: Scene, full_place, tmp_path):
    window = scene.open(full_place)
    panel = scene.at(window, "splits")
    path = tmp_path / f"splits.{ending}"
    save_table(panel.table, "Splits", str(path))
    scene.until(lambda: str(path) in bench_of(window).notice.text)
    table = read_table(path)
    assert list(table.columns)[:2] == ["Split", "Benchmark"]
    assert [str(cell) for cell in table.frame.iloc[0]][:3] == ["july", BENCHMARK, "11"]


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_whole_list_of_items_is_saved_not_the_rows_in_sight(
    ending, scene: Scene, full_place, tmp_path
):
    window = scene.open(full_place)
    panel = scene.at(window, "items")
    path = tmp_path / f"items.{ending}"
    panel.export(panel.shown_filters, str(path))
    scene.until(lambda: "exported to" in bench_of(window).notice.text)
    table = read_table(path)
    assert len(table.frame) == panel.model.rowCount() > 30
    assert table.columns[0] == "Number"


def test_a_place_that_cannot_be_written_is_said(scene: Scene, full_place, tmp_path):
    window = scene.open(full_place)
    panel = scene.at(window, "splits")
    save_table(panel.table, "Splits", str(tmp_path / "none" / "s.csv"))
    scene.until(lambda: "Could not write" in bench_of(window).notice.text)


def test_a_time_of_today_leaves_the_window_with_its_date(qtbot):
    # a table that was saved the day it was made held only hours
    now = datetime.now(UTC).replace(microsecond=0)
    model = TableModel(())
    model.show_rows([Column("When"), Column("Made")], [[i18n.moment(now), i18n.stamp(str(now))]])
    view = ReadingTable(model)
    qtbot.addWidget(view)
    assert len(model.index(0, 0).data()) == len("12:34")
    assert shown_table(view, "t").rows == ((now.isoformat(), now.isoformat()),)
    copy_table(view)
    assert now.isoformat() in QApplication.clipboard().text()
