"""A line of chips, wrapped where the line ends; each can be taken off."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLayout, QLayoutItem, QPushButton, QWidget

from core.i18n import tr
from gui.widgets.elements import face


@dataclass(frozen=True, slots=True)
class Chip:
    """One condition: an id and the words for it."""

    id: str
    text: str


class FlowLayout(QLayout):
    """Widgets one after the other, going on below where the line ends."""

    def __init__(self, parent: QWidget | None = None, gap: int = 6) -> None:
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
        inner = QRect(0, 0, width, 0).marginsRemoved(self.contentsMargins())
        around = self.contentsMargins()
        return self._place(inner, move=False) + around.top() + around.bottom()

    def sizeHint(self) -> QSize:
        """The size of one line."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Room for the largest item."""
        size = QSize(0, 0)
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size.grownBy(self.contentsMargins())

    def setGeometry(self, area: QRect) -> None:
        """Put the items in their places."""
        super().setGeometry(area)
        self._place(area.marginsRemoved(self.contentsMargins()), move=True)

    def _place(self, area: QRect, *, move: bool) -> int:
        y = area.y()
        for line in self._lines(area.width()):
            x, tall = area.x(), max(item.sizeHint().height() for item in line)
            for item in line if move else ():
                size = item.sizeHint()
                item.setGeometry(QRect(QPoint(x, y + (tall - size.height()) // 2), size))
                x += size.width() + self._gap
            y += tall + self._gap
        return max(0, y - self._gap - area.y())

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        """The items as they follow each other, line by line; those of a line share its middle."""
        lines: list[list[QLayoutItem]] = []
        x = 0
        for item in self._items:
            if item.isEmpty():  # hidden
                continue
            wide = item.sizeHint().width()
            if not lines or (x and x + wide > width):
                lines.append([])
                x = 0
            lines[-1].append(item)
            x += wide + self._gap
        return lines


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
        before: QWidget = self.add
        for chip in chips:
            button = QPushButton(face(tr("{text}  ✕", text=chip.text)))
            button.setProperty("look", "chip")
            button.setObjectName(chip.id)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setToolTip(tr("Remove this filter"))
            button.clicked.connect(self._on_clicked)
            button.setFixedHeight(self.add.sizeHint().height())
            self._flow.addWidget(button)
            self._chips.append(button)
            QWidget.setTabOrder(before, button)  # they come later than what stands below them
            before = button
        self._flow.invalidate()
        self.updateGeometry()

    def _on_clicked(self) -> None:
        self.removed.emit(self.sender().objectName())
