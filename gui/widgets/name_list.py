"""A list of names in a narrow column."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from typing_extensions import override

from gui.widgets.elements import tip


class NameList(QListWidget):
    """Names that differ at their ends: too long a one loses its middle and has a tool tip, and the
    list never scrolls sideways."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(title)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setItemDelegate(_AsWideAsTheList(self))

    def add_name(self, words: str) -> QListWidgetItem:
        """Add a row that says ``words``."""
        entry = QListWidgetItem(words, self)
        entry.setToolTip(tip(words))
        return entry


class _AsWideAsTheList(QStyledItemDelegate):
    """Rows that ask for no width, so that the view gives them its own."""

    @override
    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, super().sizeHint(option, index).height())
