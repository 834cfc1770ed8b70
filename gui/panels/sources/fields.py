"""The small fields of the dialogs that start runs."""

from datetime import date

from PySide6.QtWidgets import QComboBox, QDateEdit, QSpinBox

from core.errors import InputError
from core.i18n import tr


def number_field(low: int, high: int, value: int, name: str, least: str = "") -> QSpinBox:
    """A field for a whole number; ``least`` is shown in place of the lowest."""
    box = QSpinBox()
    box.setRange(low, high)
    box.setValue(value)
    box.setSpecialValueText(least)
    box.setGroupSeparatorShown(True)
    box.setAccessibleName(name)
    box.lineEdit().setTextMargins(8, 0, 8, 0)
    return box


def refill(box: QComboBox, choices: list[tuple[str, str]], chosen: str = "") -> None:
    """Offer other choices; ``chosen`` is in front where it is among them."""
    blocked = box.blockSignals(True)
    box.clear()
    for title, value in choices:
        box.addItem(title, value)
    box.setCurrentIndex(max(0, box.findData(chosen)))
    box.blockSignals(blocked)


def day_of(box: QDateEdit) -> date:
    """The day in a field."""
    day = box.date()
    return date(day.year(), day.month(), day.day())


def price_of(text: str) -> float:
    """A price as it is typed, with a point or a comma; InputError for what is none."""
    plain = text.strip().replace(",", ".")
    try:
        return float(plain) if plain else 0.0
    except ValueError as error:
        raise InputError(tr("“{price}” is not a price.", price=text)) from error
