"""The page on which an item is read: one column of a fixed measure, in the middle."""

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QResizeEvent, QTextDocument, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from core.i18n import tr
from gui import theme
from gui.documents.formulas import text_with_tex
from gui.documents.writer import set_masthead

_GUTTER = 24
_LEAST = 140  # pixels of a line, in however narrow a column
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

    def __init__(self, parent: QWidget | None = None, *, widest: int = 0) -> None:
        super().__init__(parent)
        self._widest = widest  # 0: the measure of the type that is read
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
        self.setLineWrapColumnOrWidth(theme.reading().measure)
        self.setMinimumWidth(_LEAST + 2 * self.verticalScrollBar().sizeHint().width())
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
        # a formula is one character that says nothing to a screen reader: it hears the TeX
        drawn = bool(self.document().property("formulas"))
        self.setAccessibleDescription(text_with_tex(self.document()) if drawn else "")

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
        if round(document.textWidth()) != self.measure:  # it became wider or narrower meanwhile
            set_masthead(document, self.measure)
        document.setParent(self)  # the page deletes the document before when it is its child
        self.setDocument(document)
        self.setCursorWidth(0)  # the width belongs to the document before
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

    def createMimeDataFromSelection(self) -> QMimeData:
        """What is copied: the selected text, with the TeX of its formulas."""
        data = QMimeData()
        cursor = self.textCursor()
        data.setText(text_with_tex(self.document(), cursor.selectionStart(), cursor.selectionEnd()))
        return data

    def scroll_by(self, pages: float) -> None:
        """Up or down by so many pages; two lines of the page before stay in sight."""
        bar = self.verticalScrollBar()
        kept = 2 * round(theme.reading().size * theme.reading().line_height)
        bar.setValue(bar.value() + round(pages * max(kept, bar.pageStep() - kept)))

    def scroll_to(self, end: bool) -> None:
        """To the top, or to the end."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum() if end else bar.minimum())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl do what the window's keys for the size of the text do."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        turned = event.angleDelta().y()
        command = "text-larger" if turned > 0 else "text-smaller"
        action = self.window().findChild(QAction, command)
        if turned and isinstance(action, QAction):
            action.trigger()
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the measure in the middle; a narrow window gets a narrower measure."""
        self.fit()
        super().resizeEvent(event)

    def fit(self) -> None:
        """Take the measure that the width and the size of the text allow."""
        width, bar = self.width(), self.verticalScrollBar().sizeHint().width()
        widest = max(self._widest, theme.reading().measure)
        gutter = max(bar, min(_GUTTER, (width - _LEAST) // 2))
        measure = max(_LEAST, min(widest, width - 2 * gutter))
        side = max(gutter, (width - measure) // 2)
        self.setViewportMargins(side, 16, max(0, side - bar), 0)
        if measure != self.lineWrapColumnOrWidth():
            self.setLineWrapColumnOrWidth(measure)
            set_masthead(self.document(), measure)
