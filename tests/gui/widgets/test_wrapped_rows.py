"""Rows that wrap show their last line, whatever their width."""

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QListWidget, QStyle, QStyleOptionViewItem

from gui import theme
from gui.app import application
from gui.preferences import Preferences
from gui.widgets.wrapped_rows import WrappedRows

WORDS = [f"scp-cloze-{'i' * n} · round 1\n4 items, not started" for n in range(36)]


@pytest.mark.parametrize("spacing", [0, 2, 6])
def test_each_row_has_room_for_its_last_line(qtbot, spacing):
    theme.apply(application(Preferences()), "light")  # whose rows have a padding
    rows = QListWidget()
    qtbot.addWidget(rows)
    delegate = WrappedRows(rows)
    rows.setItemDelegate(delegate)
    rows.setFont(theme.font(14))
    rows.setWordWrap(True)
    rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    rows.setSpacing(spacing)
    rows.setResizeMode(QListWidget.ResizeMode.Adjust)
    rows.addItems(WORDS)
    rows.resize(200, 540)
    with qtbot.waitExposed(rows):
        rows.show()
    margin = rows.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1
    for place, words in enumerate(WORDS):
        shown = QStyleOptionViewItem()
        delegate.initStyleOption(shown, rows.indexFromItem(rows.item(place)))
        shown.rect = rows.visualItemRect(rows.item(place))
        part = QStyle.SubElement.SE_ItemViewItemText
        room = rows.style().subElementRect(part, shown, rows)
        wanted = rows.fontMetrics().boundingRect(
            QRect(0, 0, room.width() - 2 * margin, 1000), int(Qt.TextFlag.TextWordWrap), words
        )
        assert shown.rect.right() < rows.viewport().width(), words
        assert room.height() >= wanted.height(), words
