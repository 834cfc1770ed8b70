"""Rows of a list whose words wrap."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override


class WrappedRows(QStyledItemDelegate):
    """Rows as high as their words need at the width at which they are painted: a view with a style
    sheet asks without the padding beside them, so that a last line may find no room."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    @override
    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        painted = QStyleOptionViewItem(option)
        self.initStyleOption(painted, index)
        width = self._view.viewport().width() - 2 * self._view.spacing()
        painted.rect = QRect(0, 0, width, 1000)
        part = QStyle.SubElement.SE_ItemViewItemText
        words = self._view.style().subElementRect(part, painted, self._view)
        narrow = QStyleOptionViewItem(option)
        narrow.rect = QRect(0, 0, words.width(), 1000)
        return super().sizeHint(narrow, index)
