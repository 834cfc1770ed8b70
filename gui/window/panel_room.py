"""Where the panel in front stands: as large as the window lets it be, and never cut."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget


class PanelRoom(QScrollArea):
    """The panel in front fills it; where a panel needs more than there is, it can be scrolled."""

    def __init__(self, stack: QStackedWidget) -> None:
        super().__init__()
        self._stack = stack
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(stack)
        stack.currentChanged.connect(self.fit)

    def minimumSizeHint(self) -> QSize:
        """Little: the rest scrolls."""
        return QSize(240, 120)

    def fit(self, _place: int = 0) -> None:
        """Give the panel in front the room there is, or what it needs at least."""
        room, panel = self.maximumViewportSize(), self._stack.currentWidget()
        need = QSize() if panel is None else panel.minimumSizeHint().expandedTo(panel.minimumSize())
        width = max(room.width(), need.width())
        bar = self.horizontalScrollBar().sizeHint().height() if width > room.width() else 0
        self._stack.resize(width, max(room.height() - bar, need.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The window has another size."""
        super().resizeEvent(event)
        self.fit()
