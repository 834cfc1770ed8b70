"""Where the panel in front stands: as large as the window lets it be, and never cut."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

_NARROW_PX = 900


class PanelRoom(QScrollArea):
    """The panel in front fills it; where a panel needs more than there is, it can be scrolled."""

    def __init__(self, stack: QStackedWidget) -> None:
        super().__init__()
        self._stack = stack
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(stack)
        stack.installEventFilter(self)
        stack.currentChanged.connect(self.fit)

    def minimumSizeHint(self) -> QSize:
        """Little: the rest scrolls."""
        return QSize(240, 120)

    def fit(self, _place: int = 0) -> None:
        """Give the panel in front the room there is, or what it needs at least."""
        room, panel = self.maximumViewportSize(), self._stack.currentWidget()
        need = QSize() if panel is None else panel.minimumSizeHint().expandedTo(panel.minimumSize())
        across = self.verticalScrollBar().sizeHint().width()
        wide = room.width() - (across if need.height() > room.height() else 0)
        width = max(wide, need.width())
        bar = self.horizontalScrollBar().sizeHint().height() if width > wide else 0
        self._stack.resize(width, max(room.height() - bar, need.height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The panel in front shows other things, and needs more or less than before."""
        done = super().eventFilter(watched, event)
        if watched is self._stack and event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The window has another size."""
        super().resizeEvent(event)
        self.fit()


class PutAwayWhenNarrow(QObject):
    """Hides the places beside the panel while the window is narrow; the menu button shows them."""

    def __init__(self, whole: QWidget, places: QWidget) -> None:
        super().__init__(whole)
        self._places = places
        self._narrow = False
        whole.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The window has another width."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            narrow = watched.width() < _NARROW_PX
            if narrow != self._narrow:
                self._narrow = narrow
                self._places.setVisible(not narrow)
        return False
