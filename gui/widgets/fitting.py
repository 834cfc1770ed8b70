"""Windows of their own that fit the screen on which they come up."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_BARS = 48  # pixels for the title bar and the frame, which a widget does not know beforehand


def fit(window: QWidget, width: int, height: int) -> None:
    """Give a window this size, or what the screen of its parent allows."""
    parent = window.parentWidget()
    screen = parent.screen() if parent is not None else QGuiApplication.primaryScreen()
    room = screen.availableGeometry()
    window.resize(min(width, room.width() - 16), min(height, room.height() - _BARS))
