"""A line of chips, wrapped where the line ends; each can be taken off."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLayout, QLayoutItem, QPushButton, QWidget

from core.text import tr


@dataclass(frozen=True, slots=True)
class Chip:
    """One condition: an id and the words for it."""

    id: str
    text: str


class FlowLayout(QLayout):
    """Widgets one after the other, going on below where the line ends."""

    def __init__(self, parent: QWidget, gap: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)

    def count(self) -> int:
        """How many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """The item at a place, None beyond the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take an item out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        """A narrower line is a higher one."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Height at a width, in pixels."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        """The size of one line."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Room for the largest item."""
        size = QSize(0, 0)
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def setGeometry(self, area: QRect) -> None:
        """Put the items in their places."""
        super().setGeometry(area)
        self._place(area, move=True)

    def _place(self, area: QRect, *, move: bool) -> int:
        x, y, line = area.x(), area.y(), 0
        for item in self._items:
            size = item.sizeHint()
            if x > area.x() and x + size.width() > area.right() + 1:
                x, y, line = area.x(), y + line + self._gap, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + self._gap
            line = max(line, size.height())
        return y + line - area.y()


class ChipBar(QWidget):
    """The chips in use, and a button for one more."""

    removed = Signal(object)
    add_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self.add = QPushButton(tr("Filter…"))
        self.add.clicked.connect(self.add_clicked)
        self._flow.addWidget(self.add)
        self._chips: list[QPushButton] = []

    def show_chips(self, chips: Sequence[Chip]) -> None:
        """Replace the chips."""
        for old in self._chips:
            self._flow.removeWidget(old)
            old.deleteLater()
        self._chips = []
        for chip in chips:
            button = QPushButton(tr("{text}  ✕", text=chip.text))
            button.setProperty("look", "chip")
            button.setObjectName(chip.id)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setToolTip(tr("Take this filter off"))
            button.clicked.connect(self._on_clicked)
            button.setFixedHeight(self.add.sizeHint().height())
            self._flow.addWidget(button)
            self._chips.append(button)
        self._flow.invalidate()
        self.updateGeometry()

    def _on_clicked(self) -> None:
        self.removed.emit(self.sender().objectName())
