"""Fields that keep their value while the wheel scrolls the page that they stand on.

Qt's own fields take each turn of the wheel above them, also without the focus: whoever scrolled a
form to its end had changed what lay under the pointer on the way.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDateEdit,
    QDoubleSpinBox,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from gui.widgets.elements import tip

_BESIDE_TEXT = 2
"""Pixels of the field that a style keeps free beside its text."""

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
    """One of several choices; one that has no room ends in dots, and is told whole by its hint."""

    @property
    def shown_text(self) -> str:
        """The choice as the room of the box lets it be read."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        complex_, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room, metrics = (
            self.style().subControlRect(complex_, option, part, self),
            self.fontMetrics(),
        )
        text = option.currentText
        if (
            metrics.horizontalAdvance(text) <= room.width()
        ):  # Qt may make the box no wider than this
            return text
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() - _BESIDE_TEXT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt would cut the text at the arrow, as if it ended there."""
        shown = self.shown_text
        if self.isEditable() or shown == self.currentText():
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = shown
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:
        """What does not fit is told while the pointer rests on it."""
        told = self.toolTip() or self.isEditable() or self.shown_text == self.currentText()
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and not told:
            QToolTip.showText(event.globalPos(), tip(self.currentText()), self)
            return True
        return super().event(event)


class NumberBox(_Steady, QSpinBox):
    """A whole number."""


class DecimalBox(_Steady, QDoubleSpinBox):
    """A number."""


class DayBox(_Steady, QDateEdit):
    """A day."""
