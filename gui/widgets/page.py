"""The page on which an item is read: one column of a fixed measure, in the middle."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from core.i18n import tr
from gui.documents.writer import MEASURE

_GUTTER = 24
_COVERED_MS = 250
"""Where nothing paints (the window is covered), a document counts as seen after so long."""


class ItemPage(QTextEdit):
    """Shows a document that was laid out beforehand, so that turning the page is one paint.

    ``painted`` counts the documents that were painted to the end; a test or a measurement waits
    for it. ``in_sight`` names the item that was painted, once the keys that were pressed while the
    one before it still stood here have been handed out: they do not belong to it.
    """

    turned = Signal()
    """The document that was turned to has been painted."""

    def __init__(self, parent: QWidget | None = None, *, widest: int = MEASURE) -> None:
        super().__init__(parent)
        self._widest = widest
        self.setReadOnly(True)
        self.setAccessibleName(tr("Item text"))
        self.setProperty("look", "paper")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setLineWrapColumnOrWidth(MEASURE)
        self.setCursorWidth(0)  # the focus rests here, but nothing is written here
        # nothing below shows through, so that Qt need not paint the six widgets under the page
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.painted = 0
        self.in_sight = 0
        self._turned = False
        self._item = 0
        # a timer of no length comes after the keys that already wait to be handed out
        self._settled = self._timer(0)
        self._covered = self._timer(_COVERED_MS)

    def _timer(self, interval_ms: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(self._on_seen)
        return timer

    def _on_seen(self) -> None:
        self.in_sight = self._item

    @property
    def measure(self) -> int:
        """Width in pixels at which a document should be laid out before it is shown."""
        return self.lineWrapColumnOrWidth()

    def turn_to(self, document: QTextDocument, item: int = 0) -> None:
        """Show another document from its top; ``item`` is the number of what is read on it."""
        if item != self._item:
            self._item, self.in_sight = item, 0
            self._settled.stop()
            self._covered.start()
        document.setParent(self)  # the page deletes the document before when it is its child
        self.setDocument(document)
        self._turned = True
        self.verticalScrollBar().setValue(0)

    def go_to_mark(self, name: str) -> None:
        """Bring the place of that name to the top, as far as the page goes."""
        block = self.document().findBlockByNumber(int(self.document().property(name) or 0))
        top = self.document().documentLayout().blockBoundingRect(block).top()
        self.verticalScrollBar().setValue(int(top))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and count a page that was turned."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self.palette().base())
        painter.end()
        super().paintEvent(event)
        if self._turned:
            self._turned = False
            self.painted += 1
            self._covered.stop()
            self._settled.start()
            self.turned.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the measure in the middle; a narrow window gets a narrower measure."""
        width = self.width()
        measure = max(240, min(self._widest, width - 2 * _GUTTER))
        side = max(_GUTTER, (width - measure) // 2)
        self.setViewportMargins(side, 16, max(0, side - 12), 0)
        if measure != self.lineWrapColumnOrWidth():
            self.setLineWrapColumnOrWidth(measure)
        super().resizeEvent(event)
