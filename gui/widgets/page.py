"""The page on which an item is read: one column of a fixed measure, in the middle."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from gui.editors.base import MEASURE

_GUTTER = 24


class ItemPage(QTextEdit):
    """Shows a document that was laid out beforehand, so that turning the page is one paint.

    ``painted`` counts the documents that were painted to the end; a test or a measurement waits
    for it.
    """

    turned = Signal()
    """The document that was turned to has been painted."""

    def __init__(self, parent: QWidget | None = None, *, widest: int = MEASURE) -> None:
        super().__init__(parent)
        self._widest = widest
        self.setReadOnly(True)
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
        # nothing below shows through, so that Qt need not paint the six widgets under the page
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.painted = 0
        self._turned = False

    @property
    def measure(self) -> int:
        """Width in pixels at which a document should be laid out before it is shown."""
        return self.lineWrapColumnOrWidth()

    def turn_to(self, document: QTextDocument) -> None:
        """Show another document from its top."""
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
