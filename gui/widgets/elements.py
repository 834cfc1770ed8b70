"""Labels, rules and rows in the type of the window."""

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
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
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setFont(theme.font(size, bold=bold, monospace=monospace))
    made.setProperty("ink", ink)
    made.setWordWrap(wrap)
    if wrap:
        policy = made.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Expanding)
        policy.setHeightForWidth(True)
        made.setSizePolicy(policy)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


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
    made = QFrame()
    made.setProperty("look", look)
    return made


def frame(look: str) -> QFrame:
    """An empty frame of a look of the style sheet."""
    made = QFrame()
    made.setProperty("look", look)
    return made


def scrolled(content: QWidget) -> QScrollArea:
    """``content`` in a column that scrolls where it is too high."""
    made = QScrollArea()
    made.setWidgetResizable(True)
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setWidget(content)
    return made


def column(parent: QWidget, margin: int = 0, spacing: int = 8) -> QVBoxLayout:
    """A column as the layout of ``parent``."""
    made = QVBoxLayout(parent)
    made.setContentsMargins(margin, margin, margin, margin)
    made.setSpacing(spacing)
    return made


def row(parent: QWidget | None = None, margin: int = 0, spacing: int = 8) -> QHBoxLayout:
    """A row as the layout of ``parent``, or to be put into another layout."""
    made = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    made.setContentsMargins(margin, margin, margin, margin)
    made.setSpacing(spacing)
    return made
