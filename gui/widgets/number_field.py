"""A field for a whole number."""

from PySide6.QtWidgets import QSpinBox

from gui.widgets.steady_fields import NumberBox


def number_field(low: int, high: int, value: int, name: str, least: str = "") -> QSpinBox:
    """A field for a whole number; ``least`` is shown in place of the lowest."""
    box = NumberBox()
    box.setRange(low, high)
    box.setValue(value)
    box.setSpecialValueText(least)
    box.setGroupSeparatorShown(True)
    box.setAccessibleName(name)
    box.lineEdit().setTextMargins(8, 0, 8, 0)
    return box
