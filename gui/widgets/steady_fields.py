"""Fields that keep their value while the wheel scrolls the page that they stand on.

Qt's own fields take each turn of the wheel above them, also without the focus: whoever scrolled a
form to its end had changed what lay under the pointer on the way.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDateEdit, QDoubleSpinBox, QSpinBox, QWidget

if TYPE_CHECKING:
    _Base = QWidget
else:
    _Base = object


class _Steady(_Base):
    """What the fields below have in common: the wheel neither changes them nor brings the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()


class ChoiceBox(_Steady, QComboBox):
    """One of several choices."""


class NumberBox(_Steady, QSpinBox):
    """A whole number."""


class DecimalBox(_Steady, QDoubleSpinBox):
    """A number."""


class DayBox(_Steady, QDateEdit):
    """A day."""
