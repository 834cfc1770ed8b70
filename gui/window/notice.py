"""The notice: one sentence that floats over the page and leaves by itself."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QEnterEvent
from PySide6.QtWidgets import QFrame, QPushButton, QStackedWidget, QToolButton

from core.i18n import tr
from gui.context import FILE, Notice
from gui.icons import icon
from gui.timers import single_shot
from gui.widgets.elements import face, label, restyle, row, set_ink

_WIDEST = 720
_MARGIN = 16
_SHORTEST_MS = 5_000
_PER_LETTER_MS = 60  # about 200 words a minute, and again as much to look up
_MOVED = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.LayoutRequest)
_TROUBLE = 2  # what went wrong stays so many times as long


class NoticeBar(QFrame):
    """Stands over the bottom of ``page``, which never moves for it.

    Leaves after a time that grows with its length, but not while the pointer rests on it; Esc and
    its button take it away at once. It never takes the focus.
    """

    followed = Signal(object, object)
    """``(panel id, argument), benchmark``: the person wants to see what the sentence is about."""

    def __init__(self, ink: str, page: QStackedWidget) -> None:
        super().__init__(page.parentWidget())
        self.setObjectName("notice")
        self.shortest_ms, self.per_letter_ms = _SHORTEST_MS, _PER_LETTER_MS
        self._page = page
        self._held = False
        self._link: tuple[str, Any] = ("", None)
        self._benchmark = ""
        self._text = label("", wrap=True, selectable=True)
        self.link = QPushButton()
        self.link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.link.clicked.connect(self._follow)
        close = QToolButton()
        close.setProperty("look", "flat")
        close.setIcon(icon("reject", ink, 14))
        close.setAccessibleName(tr("Close this notice"))
        close.setToolTip(tr("Close this notice"))
        close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        close.clicked.connect(self.dismiss)
        self._close = close
        layout = row(self)
        layout.setContentsMargins(12, 6, 6, 6)
        layout.addWidget(self._text, 1)
        layout.addWidget(self.link)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self._leave = single_shot(self, 0, self.dismiss)
        page.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence that is shown, or was shown last."""
        return self._text.text()

    @property
    def is_leaving(self) -> bool:
        """Whether it goes by itself now, if nobody holds it."""
        return self._leave.isActive()

    def show_notice(self, notice: Notice) -> None:
        """Show a sentence in place of the one before."""
        self._text.setText(notice.text)
        set_ink(self._text, "reject" if notice.tone == "reject" else "text")
        restyle(self, "tone", notice.tone)
        self._link, self._benchmark = (notice.panel, notice.argument), notice.benchmark
        self.link.setText(face(notice.link))
        self.link.setVisible(bool(notice.link))
        self.setAccessibleName(notice.text)
        panel = self._page.currentWidget()
        if panel is not None:
            panel.installEventFilter(self)  # once, however often
        self._place()
        self.show()
        self.raise_()
        times = _TROUBLE if notice.tone == "reject" else 1
        wait = self.shortest_ms + self.per_letter_ms * len(notice.text)
        self._leave.setInterval(times * wait)
        self.hold(self._held)

    def dismiss(self) -> None:
        """Take the notice away; nothing else changes."""
        self._leave.stop()
        self._held = False
        self.hide()

    def hold(self, held: bool) -> None:
        """Stay as long as the pointer rests here."""
        self._held = held
        if held:
            self._leave.stop()
        elif self.isVisible():
            self._leave.start()

    def enterEvent(self, event: QEnterEvent) -> None:
        """The notice is being read."""
        super().enterEvent(event)
        self.hold(True)

    def leaveEvent(self, event: QEvent) -> None:
        """It was read."""
        super().leaveEvent(event)
        self.hold(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the page when the window changes its size, and when what it shows changes."""
        if event.type() in _MOVED and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        """As wide as its words need and the page allows, at the bottom of the page."""
        page = self._page.geometry()
        layout = self.layout()
        assert layout is not None
        beside = self.link.sizeHint().width() + 8 if self.link.text() else 0
        beside += self._close.sizeHint().width() + 48
        lines = self._text.text().split("\n")
        natural = max(self._text.fontMetrics().horizontalAdvance(line) for line in lines)
        width = min(_WIDEST, page.width() - 2 * _MARGIN, natural + beside)
        height = layout.totalHeightForWidth(width)
        self.resize(width, min(max(height, layout.minimumSize().height()), page.height()))
        left = (page.width() - width) // 2
        bottom = page.height() - self._strip_height() - _MARGIN
        here = QRect(left, max(0, bottom - self.height()), width, self.height())
        self.move(page.topLeft() + self._beside_buttons(here).topLeft())

    def _beside_buttons(self, here: QRect) -> QRect:
        """Higher up where it would cover a button, as far as the lower half of the page has room;
        else where it would cover what one presses to go on, as far as there is room at all."""
        page = self._page
        seen = [button for button in page.findChildren(QPushButton) if button.isVisible()]
        place = self._above(here, seen)
        if place.top() >= page.height() // 2 - here.height():
            return place
        return self._above(here, [b for b in seen if b.property("look") == "filled"])

    def _above(self, here: QRect, buttons: Sequence[QPushButton]) -> QRect:
        page = self._page
        places = [QRect(button.mapTo(page, QPoint()), button.size()) for button in buttons]
        while covered := [place for place in places if place.intersects(here)]:
            above = min(place.top() for place in covered) - _MARGIN - here.height()
            if above < 0:
                break
            here = QRect(QPoint(here.left(), above), here.size())
        return here

    def _strip_height(self) -> int:
        """Pixels at the foot of the page that a strip has: what it says is read with the notice."""
        page = self._page
        strips = (part for part in page.findChildren(QFrame) if part.property("look") == "strip")
        at_foot = (
            strip.height()
            for strip in strips
            if strip.isVisible() and strip.mapTo(page, strip.rect().bottomLeft()).y()
            >= page.height() - 2
        )  # fmt: skip
        return max(at_foot, default=0)

    def _follow(self) -> None:
        panel, argument = self._link
        if panel != FILE:
            self.dismiss()
            self.followed.emit(self._link, self._benchmark)
        elif QDesktopServices.openUrl(QUrl.fromLocalFile(str(argument))):
            self.dismiss()
        else:
            sentence = tr("No program on this computer opens {path}.", path=argument)
            self.show_notice(Notice(sentence, "reject"))
