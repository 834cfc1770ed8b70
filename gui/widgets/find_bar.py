"""Looking for words in what is read: a small bar over a corner of the page, which moves nothing."""

from math import ceil

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QLineEdit, QTextEdit, QToolButton, QWidget
from shiboken6 import isValid

from core.i18n import tr, trn
from gui import theme
from gui.documents.found_places import SearchableText
from gui.icons import icon
from gui.widgets.elements import caption, row, set_ink

_WIDEST = 380
_MARGIN = 8
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Words(QLineEdit):
    """Keeps its own keys from the commands of the window: Enter and Esc, with or without others."""

    left = Signal()
    stepped = Signal(object)

    def event(self, event: QEvent) -> bool:
        """Say that a key is meant for this field."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if pressed and event.key() in (*_ENTER, Qt.Key.Key_Escape):  # type: ignore[attr-defined]  # pressed says so
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leaves; Enter goes on, with Shift back, and arrows do so, too."""
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in _ENTER:
            self.stepped.emit(-1 if back else 1)
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.stepped.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)


class FindBar(QFrame):
    """Marks every place at which the words stand, and goes from one to the next.

    The words stay when another item comes, whose places are marked then; Esc takes the bar and the
    marks away and gives the focus back.
    """

    def __init__(self, page: QTextEdit) -> None:
        super().__init__(page)
        self.setProperty("look", "card")
        self.setAutoFillBackground(True)
        self._page = page
        self._document: QTextDocument | None = None
        self._text: SearchableText | None = None
        self._before: QWidget | None = None
        self.places: list[tuple[int, int]] = []
        """First place, and the one behind the last, of all that was found."""
        self.at = -1
        """Which of ``places`` one has gone to; -1 for none."""
        self.words = _Words()
        self.words.setProperty("searches", True)  # no sheet asks about it before it goes
        self.words.setPlaceholderText(tr("Find in this text"))
        self.words.setAccessibleName(tr("Find in this text"))
        self.says = caption()
        self.says.setMinimumWidth(self.says.fontMetrics().horizontalAdvance("000 / 000"))
        layout = row(self, spacing=4)
        layout.setContentsMargins(6, 4, 4, 4)
        layout.addWidget(self.words, 1)
        layout.addWidget(self.says)
        for name, text, do in (
            ("up", tr("Previous match"), self.back),
            ("down", tr("Next match"), self.go_on),
            ("reject", tr("Close"), self.leave),
        ):
            layout.addWidget(self._button(name, text, do))
        self.words.textChanged.connect(self._on_words)
        self.words.left.connect(self.leave)
        self.words.stepped.connect(self.step)
        page.textChanged.connect(self.search_again)
        page.installEventFilter(self)
        self.hide()

    def _button(self, name: str, text: str, do: object) -> QToolButton:
        button = QToolButton()
        button.setProperty("look", "flat")
        button.setIcon(icon(name, self.palette().color(QPalette.ColorRole.Text).name(), 14))
        button.setAccessibleName(text)
        button.setToolTip(text)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(do)
        return button

    # -- coming and going -------------------------------------------------------------------

    def come(self) -> None:
        """Ask for words; those that were looked for last are there, to be typed over."""
        focus = self.window().focusWidget()
        if focus is not self.words:
            self._before = focus
        chosen = self._page.textCursor().selectedText()
        if chosen and "\u2029" not in chosen and "\ufffc" not in chosen:
            self.words.setText(chosen)
        self._place()
        self.show()
        self.raise_()
        self.words.setFocus()
        self.words.selectAll()
        self.search_again()

    def leave(self) -> None:
        """Take the bar and its marks away; keys are for what they were for before."""
        had_focus = self.window().focusWidget() is self.words
        self.hide()
        self._text = self._document = None
        self._page.setExtraSelections([])
        before, self._before = self._before, None
        if had_focus:
            there = before is not None and isValid(before) and before.isVisible()
            (before if there and before is not None else self._page).setFocus()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Keep to the corner of a page that changes its size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        """At the top, or at the foot of the page where it would cover what one has gone to."""
        room = self._page.contentsRect()
        bar = self._page.verticalScrollBar()
        right = room.right() - (bar.width() if bar.isVisible() else 0) - _MARGIN
        width = min(_WIDEST, right - room.left() - _MARGIN)
        height = self.sizeHint().height()
        self.setGeometry(right - width, room.top() + _MARGIN, width, height)
        if self.at >= 0 and self.places:
            first = self._page.cursorRect(self._cursor(*self.places[self.at]))
            first.translate(self._page.viewport().pos())
            if first.top() <= self.geometry().bottom() + _MARGIN:
                self.move(self.x(), room.bottom() - height - _MARGIN)

    # -- searching --------------------------------------------------------------------------

    def search_again(self) -> None:
        """Look in what stands on the page now, and go nowhere."""
        if not self.isVisible():
            return
        here = self.places[self.at] if self.at >= 0 and self.places else None
        same = self._document is self._page.document()
        self._read()
        self.at = self.places.index(here) if same and here in self.places else -1
        self._show()

    def _read(self) -> None:
        self._document = self._page.document()
        self._text = SearchableText(self._document)
        self.places = self._text.places(self.words.text())

    def _on_words(self, words: str) -> None:
        if self._text is None or self._document is not self._page.document():
            self._read()
        assert self._text is not None
        here = self.places[self.at][0] if self.at >= 0 and self.places else self._first_in_sight()
        self.places = self._text.places(words)
        after = (at for at, (start, _) in enumerate(self.places) if start >= here)
        self.at = next(after, 0) if self.places else -1
        self._go()

    def _first_in_sight(self) -> int:
        return self._page.cursorForPosition(self._page.viewport().rect().topLeft()).position()

    def go_on(self) -> None:
        """To the next place; after the last comes the first."""
        self.step(1)

    def back(self) -> None:
        """To the place before; before the first comes the last."""
        self.step(-1)

    def step(self, by: int) -> None:
        """To another place."""
        if not self.places:
            return
        if self.at < 0:
            here = self._first_in_sight()
            after = [at for at, (start, _) in enumerate(self.places) if start >= here]
            self.at = (after[0] if after else 0) - (by < 0)
        else:
            self.at += by
        self.at %= len(self.places)
        self._go()

    def _go(self) -> None:
        """Bring the place into sight where it is not, and mark it."""
        if self.at >= 0:
            page, bar = self._page, self._page.verticalScrollBar()
            # Qt lays a document out bit by bit, and the bar reaches no farther meanwhile
            height = ceil(page.document().size().height()) - page.viewport().height()
            bar.setMaximum(max(bar.maximum(), height))
            first = page.cursorRect(self._cursor(*self.places[self.at]))
            if first.top() < 0 or first.bottom() > page.viewport().height():
                bar.setValue(bar.value() + first.top() - page.viewport().height() // 3)
        self._show()

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self._page.document())
        cursor.setPosition(end)
        cursor.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _show(self) -> None:
        colours, marks = self.palette(), []
        for at, place in enumerate(self.places):
            form = QTextCharFormat()
            form.setFontUnderline(True)
            form.setBackground(colours.color(QPalette.ColorRole.Highlight))
            if at == self.at:
                form.setBackground(colours.color(QPalette.ColorRole.Accent))
                form.setForeground(colours.color(QPalette.ColorRole.BrightText))
            mark = QTextEdit.ExtraSelection()
            mark.cursor, mark.format = self._cursor(*place), form
            marks.append(mark)
        self._page.setExtraSelections(marks)
        found = len(self.places)
        if not self.words.text():
            text = ""
        elif not found:
            text = tr("not found")
        elif self.at >= 0:
            text = tr("{n} of {total}", n=self.at + 1, total=found)
        else:
            text = trn("1 match", "{n} matches", found)
        self.says.setText(text)
        set_ink(self.says, "reject" if self.words.text() and not found else "muted")
        self.words.setAccessibleDescription(text)
        self._place()


def find_in(page: QTextEdit) -> FindBar:
    """Open the bar over a page, which keeps it."""
    bar = page.findChild(FindBar)
    if bar is None:
        bar = FindBar(page)
        bar.words.setFont(theme.font(theme.SMALL_PX))
    bar.come()
    return bar
