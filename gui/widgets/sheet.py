"""The dialog of this window: it fits the screen, typing works at once, Esc throws nothing away."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.i18n import tr
from gui.actions import printed_key
from gui.widgets.elements import column, frame, label, row

_MARGIN = 24
"""Pixels of the screen that a sheet leaves free, for the frame of the window manager."""


_ABOUT_FOCUS = 80
"""Pixels above and below what has the focus that are in sight with it: what it is about."""


class Sheet(QDialog):
    """A dialog of which Qt forgets nothing: it is deleted when it is closed.

    Enter presses the button that has the focus, else the one that ``enter_presses`` named, and
    Ctrl+Enter that of ``ctrl_enter_presses``; Esc and the window's cross ask first where
    ``unsaved`` says that something would be lost. Where one types is always in sight, and so is
    ``trouble``.
    """

    def __init__(self, parent: QWidget | None, title: str, size: tuple[int, int] | None = None):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._first: QWidget | None = None
        self._enter: QPushButton | None = None
        self._meant: QPushButton | None = None
        self._asking: QFrame | None = None
        self._given_up = False
        self._room: _Room | None = None
        self.trouble = label("", ink="reject", wrap=True)
        """What went wrong, above the buttons; said only in sheets that have a body."""
        self.trouble.setParent(self)
        self.trouble.hide()
        if size is not None:
            self.resize(*size)

    # -- its parts --------------------------------------------------------------------------

    def with_body(self, margin: int = 16, spacing: int = 8) -> tuple[QVBoxLayout, QHBoxLayout]:
        """A column that scrolls where the screen is low, and a row of buttons that always shows."""
        page = QWidget()
        page.setProperty("look", "page")
        body = column(page, spacing=spacing)
        body.setContentsMargins(margin, margin, margin, 4)
        self._room = _Room(page)
        self.trouble.setContentsMargins(margin, 4, margin, 0)
        foot = row()
        foot.setContentsMargins(margin, 8, margin, margin)
        whole = column(self, spacing=0)
        whole.addWidget(self._room, 1)
        whole.addWidget(self.trouble)
        whole.addLayout(foot)
        return body, foot

    def say_trouble(self, sentence: str, field: QWidget | None = None) -> None:
        """Say what went wrong, and put the focus into the field that is."""
        self.trouble.setText(sentence)
        self.trouble.show()
        if field is not None:
            field.setFocus()
        if isinstance(field, QLineEdit):
            field.selectAll()

    def make_room(self) -> None:
        """Become as high as the content wants once it is all shown, as far as the screen is."""
        QTimer.singleShot(0, self, self._grow)

    def _grow(self) -> None:
        if self._room is None:
            return
        more = self._room.wanted_height() - self._room.viewport().height()
        if more > 0:
            self.resize(self.width(), self.height() + more)
            self._fit()

    def focus_first(self, widget: QWidget) -> None:
        """Where typing goes when the sheet opens."""
        self._first = widget
        widget.setFocus()

    def enter_presses(self, button: QPushButton) -> None:
        """The button that Enter presses: what one expects, and never what cannot be undone."""
        self._enter = button
        button.setDefault(True)

    def ctrl_enter_presses(self, button: QPushButton) -> None:
        """The button of what cannot be undone: Enter alone changes nothing."""
        self._meant = button

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses what somebody went to; Ctrl+Enter, from every field, the button that was
        named for it, else the main one; what is read is searched as it is in the window."""
        entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        meant = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        focused = self.focusWidget()
        if entered and meant and (main := self._main()) is not None:
            main.click()
        elif entered and not meant and isinstance(focused, QPushButton):
            focused.click()  # Qt would press the default one instead
        elif entered and self._meant is not None and self._room is not None and not self._enter:
            self._tell_of_ctrl_enter(self._meant)
        elif event.matches(QKeySequence.StandardKey.Find) and (page := self._read_here()):
            from gui.widgets.find_bar import find_in

            find_in(page)
        else:
            super().keyPressEvent(event)

    def _main(self) -> QPushButton | None:
        """The button for which the sheet is there; None where it is only read."""
        if self._meant is not None:
            return self._meant
        filled = (button for button in self.findChildren(QPushButton)
                  if button.property("look") == "filled" and button.window() is self
                  and button.isVisible())  # fmt: skip
        return next(filled, None)

    def _tell_of_ctrl_enter(self, button: QPushButton) -> None:
        """What Enter alone does not do is said, in the place of what goes wrong."""
        self.say_trouble(
            tr("{key} presses “{button}”; {enter} alone changes nothing.",
               key=printed_key("Ctrl+Return"), button=button.text().replace("&&", "&"),
               enter=printed_key("Return"))
        )  # fmt: skip

    def _read_here(self) -> QTextEdit | None:
        """The text that is read here."""
        pages = self.findChildren(QTextEdit)
        return next((page for page in pages if page.isReadOnly() and page.isVisible()), None)

    def unsaved(self) -> bool:
        """Whether something that was typed would be lost if the sheet went now."""
        return self.typed()

    def typed(self) -> bool:
        """Whether somebody typed into a field, and what they typed is still there."""
        lines = any(
            line.isModified()
            and line.text().strip()
            and not (line.isReadOnly() or line.property("searches"))
            for line in self.findChildren(QLineEdit)
        )
        return lines or any(
            text.document().isModified() and not text.isReadOnly()
            for text in self.findChildren(QPlainTextEdit)
        )

    # -- coming -----------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the screen, and put the focus where one begins."""
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        if self._enter is not None:
            self._enter.setDefault(True)
        self._fit()
        super().showEvent(event)
        if self._first is not None:
            self._first.setFocus()

    def _fit(self) -> None:
        screen = self.screen()
        if screen is None:
            return
        room = screen.availableGeometry()
        self.resize(self.size().boundedTo(room.size() - QSize(_MARGIN, 2 * _MARGIN)))
        below = self.frameGeometry().bottom() - room.bottom()
        if below > 0:
            self.move(self.x(), max(room.top(), self.y() - below))

    # -- going ------------------------------------------------------------------------------

    def reject(self) -> None:
        """Leave; where something would be lost, ask first. Esc again keeps it."""
        if self._asking is not None:
            self.keep()
        elif self.unsaved() and not self._given_up:
            self.ask_first()
        else:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The window's cross is as careful as Esc."""
        if self._asking is not None or (self.unsaved() and not self._given_up and self.isVisible()):
            event.ignore()
            if self._asking is None:
                self.ask_first()
            return
        super().closeEvent(event)

    def leave_for(self, go: Callable[[], None]) -> None:
        """Do what loses what was typed here; where something would be lost, ask first."""
        if self.unsaved():
            self.ask_first(go)
        else:
            go()

    def ask_first(self, go: Callable[[], None] | None = None) -> None:
        """Ask whether what was typed may be lost, and go on (by itself: away) where it may."""
        if self._asking is not None:
            self.keep()
        self._asking = frame("strip")
        line = row(self._asking)
        line.setContentsMargins(16, 8, 16, 8)
        line.addWidget(label(tr("What you typed here is not saved. Discard it?"), wrap=True), 1)
        keep, drop = QPushButton(tr("Keep editing")), QPushButton(tr("Discard"))
        leave = self.drop if go is None else partial(self._discard_for, go)
        for button, slot in ((keep, self.keep), (drop, leave)):
            button.setAutoDefault(False)
            button.clicked.connect(slot)
            line.addWidget(button)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self._asking)
        self._asking.show()
        keep.setDefault(True)
        keep.setFocus()

    def _discard_for(self, go: Callable[[], None], _checked: bool = False) -> None:
        self.keep()
        go()

    def keep(self) -> None:
        """Back to what was typed."""
        if self._asking is not None:
            self._asking.hide()
            self._asking.deleteLater()
            self._asking = None
        if self._enter is not None:
            self._enter.setDefault(True)
        if self._first is not None:
            self._first.setFocus()

    def drop(self) -> None:
        """Leave without what was typed."""
        self._given_up, self._asking = True, None
        super().reject()


class SheetTabs(QTabWidget):
    """Pages of a sheet that scroll by themselves: no wrapped sentence in one makes it taller."""

    def __init__(self, least: int) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.setMinimumHeight(least)

    def hasHeightForWidth(self) -> bool:
        """Never; the page has the height that there is."""
        return False


class _Room(QScrollArea):
    """As large as its content wants to be, and smaller where the screen is; what has the focus is
    in sight."""

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setWidget(page)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The content may push what has the focus out of sight."""
        done = super().eventFilter(watched, event)
        if watched is self.widget() and event.type() == QEvent.Type.Resize:
            self._follow(None, self.window().focusWidget())
        return done

    def _follow(self, _left: QWidget | None, focused: QWidget | None) -> None:
        page = self.widget()
        if focused is not None and page is not None and page.isAncestorOf(focused):
            self.ensureWidgetVisible(focused, 0, _ABOUT_FOCUS)

    def wanted_height(self) -> int:
        """The height of the whole content at the width that there is."""
        page = self.widget()
        layout = page.layout() if page is not None else None
        assert layout is not None
        layout.activate()
        width = self.viewport().width()
        return (
            layout.heightForWidth(width)
            if layout.hasHeightForWidth()
            else (layout.sizeHint().height())
        )

    def sizeHint(self) -> QSize:
        """What the content wants, whole."""
        inside = self.widget()
        return inside.sizeHint() if inside is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Little: the rest scrolls."""
        return QSize(240, 120)
