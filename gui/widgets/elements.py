"""Labels, rules and rows in the type of the window."""

import html
import re
from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui import theme


def label(
    text: str = "",
    *,
    ink: str = "text",
    size: int = theme.TEXT_PX,
    bold: bool = False,
    wrap: bool = False,
    monospace: bool = False,
    selectable: bool = False,
) -> QLabel:
    """A label; plain text always, since what it shows may come from a file."""
    widget = QLabel(text)
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setFont(theme.font(size, bold=bold, monospace=monospace))
    widget.setProperty("ink", ink)
    widget.setWordWrap(wrap)
    if wrap:
        policy = widget.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Expanding)
        policy.setHeightForWidth(True)
        widget.setSizePolicy(policy)
    if selectable:
        widget.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return widget


class OneLine(QLabel):
    """A line that ends in dots where there is no room for all of it; ``text`` stays whole."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def shown(self) -> str:
        """What there is room for now."""
        if self.wordWrap():
            return self.text()
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what there is room for."""
        shown = self.shown
        if shown == self.text():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        self.style().drawItemText(
            painter, self.contentsRect(), int(self.alignment()), self.palette(), self.isEnabled(),
            shown, self.foregroundRole(),
        )  # fmt: skip
        painter.end()


def tip(text: str) -> str:
    """A text for a tool tip, which shows it letter by letter whatever tags a name has in it."""
    if "<" not in text:
        return text
    return f"<qt>{html.escape(text).replace(chr(10), '<br>')}</qt>"


def breakable(text: str) -> str:
    """A long name or path that has no spaces, as a label may break it: behind its marks."""
    return re.sub(r"([_.\-/\\])", "\\1\u200b", text)


def face(text: str) -> str:
    """A text for a button or a menu, where ``&`` would make the next letter a key."""
    return text.replace("&", "&&")


def caption(text: str = "") -> QLabel:
    """A small, quiet label."""
    return label(text, ink="muted", size=theme.SMALL_PX)


def heading(text: str = "") -> QLabel:
    """The one heading of a panel or a section."""
    return label(text, size=18, bold=True)


def set_ink(widget: QLabel, ink: str) -> None:
    """Write a label in another ink."""
    restyle(widget, "ink", ink)


def restyle(widget: QWidget, property: str, value: str) -> None:
    """Change a property by which the style sheet tells widgets apart."""
    if widget.property(property) != value:
        widget.setProperty(property, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def rule(look: Literal["rule", "column"] = "rule") -> QFrame:
    """A line between two things, lying or standing."""
    return frame(look)


def frame(look: str) -> QFrame:
    """An empty frame of a look of the style sheet."""
    widget = QFrame()
    widget.setProperty("look", look)
    return widget


class Scrolled(QScrollArea):
    """Scrolls in height alone, and is never narrower than what is in it."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)

    def minimumSizeHint(self) -> QSize:
        """The width of the content and a bar beside it; the height scrolls."""
        content, bar = self.widget(), self.verticalScrollBar().sizeHint().width()
        return QSize(content.minimumSizeHint().width() + bar if content is not None else bar, 72)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The content may need another width than before."""
        done = super().eventFilter(watched, event)
        if watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return done


def scrolled(content: QWidget) -> QScrollArea:
    """``content`` in a column that scrolls where it is too high, and hides nothing at its right."""
    return Scrolled(content)


def column(parent: QWidget, margin: int = 0, spacing: int = 8) -> QVBoxLayout:
    """A column as the layout of ``parent``."""
    layout = QVBoxLayout(parent)
    layout.setContentsMargins(margin, margin, margin, margin)
    layout.setSpacing(spacing)
    return layout


def row(parent: QWidget | None = None, margin: int = 0, spacing: int = 8) -> QHBoxLayout:
    """A row as the layout of ``parent``, or to be put into another layout."""
    layout = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    layout.setContentsMargins(margin, margin, margin, margin)
    layout.setSpacing(spacing)
    return layout


def side_by_side(*parts: QWidget, widths: Sequence[int]) -> QSplitter:
    """Parts beside each other with borders that can be dragged; ``widths`` in pixels.

    Qt puts what is added to a splitter below what is there, and a screen reader reads from the
    bottom up: the parts are raised again in their order, and the handles above them.
    """
    split = QSplitter(Qt.Orientation.Horizontal)
    for part in parts:
        split.addWidget(part)
    for widget in (*parts, *(split.handle(place) for place in range(len(parts)))):
        widget.raise_()
    split.setSizes(widths)
    return split


def read_in_order(layout: QLayout) -> None:
    """Let a screen reader meet a layout's widgets as the eye does, however they were added."""
    for place in range(layout.count()):
        entry = layout.itemAt(place)
        if isinstance(entry, QLayout):
            read_in_order(entry)
        elif entry is not None and (widget := entry.widget()):
            widget.raise_()
