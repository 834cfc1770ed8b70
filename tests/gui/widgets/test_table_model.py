"""The model of small tables."""

import pytest
from PySide6.QtCore import Qt

from gui import theme
from gui.panels.items.model import ItemsModel
from gui.widgets.table_model import Column, TableModel


@pytest.fixture
def model(qapp):
    return ItemsModel(theme.LIGHT)


def test_the_table_model_is_sound(qapp, qtmodeltester):
    model = TableModel(())
    model.show_rows((Column("Task"), Column("Items", number=True)), [("a", "1"), ("b", "2")])
    qtmodeltester.check(model)
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Items"
