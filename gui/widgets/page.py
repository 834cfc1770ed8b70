"""The page on which an item is read: one column of a fixed measure, in the middle."""

from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QMimeData, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QAction,
    QInputMethodEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QTextBlock,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from core.i18n import tr
from gui import theme
from gui.documents.formulas import text_with_tex
from gui.documents.writer import set_masthead
from gui.timers import single_shot

_GUTTER = 24
_LEAST = 140  # pixels of a line, in however narrow a column
_COVERED_MS = 250
"""Where nothing paints (the window is covered), a document counts as seen after so long."""


class _Place(NamedTuple):
    """Where a page is scrolled to, in whatever width and type: the line at the upper edge, by its
    block and the share of the block's text before it, and the pixels of it above the edge; or the
    end."""

    block: int = 0
    share: float = 0.0
    above: float = 0.0
    at_end: bool = False


class _Picture(NamedTuple):
    """The top of a document as it was painted before it was turned to."""

    document: QTextDocument
    pixels: QPixmap
    size: QSize
    width: float
    colours: int
    """Key of the palette that it was painted with."""


class ItemPage(QTextEdit):
    """Shows a document that was laid out beforehand, so that turning the page is one paint; or one
    copy, where it was painted beforehand as well.

    What was in sight stays so where the page becomes wider or narrower and where its item is laid
    out again.

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
        self._beforehand: _Picture | None = None
        self._item = 0
        self._kept: tuple[int, _Place] | None = None
        """Where the page was scrolled to when its place was kept last, and that place."""
        # a timer of no length comes after the keys that already wait to be handed out
        self._settled = single_shot(self, 0, self._on_seen)
        self._covered = single_shot(self, _COVERED_MS, self._on_seen)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Take nothing in: Qt would write into a page that is only read."""
        event.ignore()

    def _on_seen(self) -> None:
        self.in_sight = self._item
        # a formula is one character that says nothing to a screen reader: it hears the TeX
        drawn = bool(self.document().property("formulas"))
        self.setAccessibleDescription(text_with_tex(self.document()) if drawn else "")

    @property
    def measure(self) -> int:
        """Width in pixels at which a document should be laid out before it is shown."""
        return self.lineWrapColumnOrWidth()

    def paint_beforehand(self, document: QTextDocument) -> None:
        """Paint the top of a document that will be turned to, while the one before is read: of what
        is left to do between a key and the next item in sight, painting takes half."""
        if self._beforehand is not None and self._beforehand.document is document:
            return
        view, ratio = self.viewport(), self.devicePixelRatio()
        bar = self.verticalScrollBar().sizeHint().width()  # which may leave
        size = view.size() + QSize(bar, 0)
        pixels = QPixmap(size * ratio)
        pixels.setDevicePixelRatio(ratio)
        pixels.fill(self.palette().base().color())
        layout, context = document.documentLayout(), QAbstractTextDocumentLayout.PaintContext()
        layout.setPaintDevice(view)
        context.palette, context.clip = self.palette(), QRectF(QPointF(), size)
        painter = QPainter(pixels)
        layout.draw(painter, context)
        painter.end()
        colours = self.palette().cacheKey()
        self._beforehand = _Picture(document, pixels, size, document.textWidth(), colours)

    def _shows(self, picture: _Picture) -> bool:
        """Whether painting the page now would give this picture."""
        return (
            picture.document is self.document()
            and picture.width == self.document().textWidth()
            and picture.colours == self.palette().cacheKey()
            and picture.size.expandedTo(self.viewport().size()) == picture.size
            and picture.pixels.devicePixelRatio() == self.devicePixelRatio()
            and self.verticalScrollBar().value() == 0
            and not self.textCursor().hasSelection()
        )

    def turn_to(self, document: QTextDocument, item: int = 0) -> None:
        """Show another document from its top; ``item`` is the number of what is read on it.

        An item that is on the page already is shown from where it was read, and so is one whose
        text is the same as far as one has scrolled, such as a question on the same passage.
        """
        place = self._place() if item and self._item else _Place()
        if round(document.textWidth()) != self.measure:  # it became wider or narrower meanwhile
            set_masthead(document, self.measure)
        if item != self._item:
            place = self._shared(document, place)
            self._item, self.in_sight = item, 0
            self._settled.stop()
            self._covered.start()
        document.setParent(self)  # the page deletes the document before when it is its child
        self.setDocument(document)
        self.setCursorWidth(0)  # the width belongs to the document before
        self._turned = True
        self._return_to(place)

    def _shared(self, after: QTextDocument, place: _Place) -> _Place:
        """Where the page is in another item, ``after``; its top where another text is above it."""
        before, top = self.document(), self.verticalScrollBar().value()
        if place == _Place() or not top:  # a place may be kept for when the column is narrow again
            return _Place()
        same = _same_text(before, after)
        if place.at_end:
            end = ceil(after.size().height()) - self.viewport().height()
            if end > 0 and max(0, _position_at(after, end) - _below_masthead(after)) < same:
                return place
        below = max(0, _position_at(before, top) - _below_masthead(before))
        if below >= same:
            return _Place()
        position = below + _below_masthead(after)
        block = after.findBlock(position)
        share = (position - block.position()) / block.length()
        return _Place(block.blockNumber(), share, self._place_at(top).above)

    def _place(self) -> _Place:
        bar = self.verticalScrollBar()
        top = bar.value()
        if self._kept is not None and self._kept[0] == top:
            # nobody has scrolled: two changes that undo each other move nothing
            return self._kept[1]
        if top == 0 or top >= bar.maximum():
            return _Place(at_end=top > 0)
        return self._place_at(top)

    def _place_at(self, top: int) -> _Place:
        position = _position_at(self.document(), top)
        block = self.document().findBlock(position)
        share = (position - block.position()) / block.length()
        return _Place(block.blockNumber(), share, top - self._top_of(block, share))

    def _return_to(self, place: _Place) -> None:
        bar = self.verticalScrollBar()
        if place == _Place():
            bar.setValue(0)
        elif place.at_end:
            self._let_bar_reach_end()
            bar.setValue(bar.maximum())
        else:
            self._let_bar_reach_end()
            block = self.document().findBlockByNumber(place.block)
            bar.setValue(round(self._top_of(block, place.share) + place.above))
        self._kept = (bar.value(), place)

    def _let_bar_reach_end(self) -> None:
        # Qt lays a new document out bit by bit, and the bar reaches no farther meanwhile
        height = ceil(self.document().size().height())
        self.verticalScrollBar().setMaximum(max(0, height - self.viewport().height()))

    def _top_of(self, block: QTextBlock, share: float) -> float:
        """Top, in pixels on the page, of the line in which that share of a block's text ends."""
        whole = self.document().documentLayout().blockBoundingRect(block)  # lays it out as well
        line = block.layout().lineForTextPosition(round(share * block.length()))
        return block.layout().position().y() + line.y() if line.isValid() else whole.top()

    def go_to_mark(self, name: str) -> None:
        """Bring the place of that name to the top, as far as the page goes."""
        self._let_bar_reach_end()
        block = self.document().findBlockByNumber(int(self.document().property(name) or 0))
        self.verticalScrollBar().setValue(int(self._top_of(block, 0.0)))

    def show_mark(self, name: str) -> None:
        """Bring the place of that name into sight where it is not; nothing where there is none."""
        number, bar = self.document().property(name), self.verticalScrollBar()
        if number is not None:
            self._let_bar_reach_end()
            block = self.document().findBlockByNumber(int(number))
            down, seen = self._top_of(block, 0.0) - bar.value(), self.viewport().height()
            if not 0 <= down < seen - 2 * theme.reading().size:
                bar.setValue(bar.value() + int(down) - seen // 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and count a page that was turned."""
        picture = self._beforehand if self._turned else None
        if self._turned:
            self._beforehand = None
        if picture is not None and self._shows(picture):
            QPainter(self.viewport()).drawPixmap(0, 0, picture.pixels)
        else:
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
        place = self._place()
        self.fit()
        super().resizeEvent(event)
        self._return_to(place)

    def fit(self) -> None:
        """Take the measure that the width and the size of the text allow."""
        width, bar = self.width(), self.verticalScrollBar().sizeHint().width()
        widest = max(self._widest, theme.reading().measure)
        gutter = max(bar, min(_GUTTER, (width - _LEAST) // 2))
        measure = max(_LEAST, min(widest, width - 2 * gutter))
        side = max(gutter, (width - measure) // 2)
        self.setViewportMargins(side, 16, max(0, side - bar), 0)
        if measure != self.lineWrapColumnOrWidth():
            place = self._place()
            self.setLineWrapColumnOrWidth(measure)
            set_masthead(self.document(), measure)
            self._return_to(place)


def _position_at(document: QTextDocument, top: float) -> int:
    """Position of the first character of the line that is so many pixels below the top."""
    return document.documentLayout().hitTest(QPointF(0, top), Qt.HitTestAccuracy.FuzzyHit)


def _below_masthead(document: QTextDocument) -> int:
    """Position of the first character that is not the item's number."""
    return document.begin().next().position()


def _same_text(before: QTextDocument, after: QTextDocument) -> int:
    """How many characters below the masthead two items share from the first on."""
    first, second, same = before.begin().next(), after.begin().next(), 0
    while first.isValid() and second.isValid():
        texts = _text_of(before, first), _text_of(after, second)
        if texts[0] != texts[1]:
            # a character beyond the first plane has two places in Qt and one in Python
            codes = tuple(text.encode("utf-16-le", "surrogatepass") for text in texts)
            pairs = enumerate(zip(*codes, strict=False))
            differs = next((at for at, (a, b) in pairs if a != b), min(map(len, codes)))
            return same + (0 if "\ufffc" in first.text() else differs // 2)
        same += first.length()
        first, second = first.next(), second.next()
    return same


def _text_of(document: QTextDocument, block: QTextBlock) -> str:
    """The text of a block, formulas as their TeX: all of them are the same character."""
    text = block.text()
    end = block.position() + block.length() - 1
    return text_with_tex(document, block.position(), end) if "\ufffc" in text else text
