"""The small fields of the dialogs that start runs."""

from datetime import date

from PySide6.QtWidgets import QComboBox, QDateEdit

from core.errors import InputError
from core.i18n import tr


def refill(box: QComboBox, choices: list[tuple[str, str]], chosen: str = "") -> None:
    """Offer other choices; ``chosen`` is in front where it is among them."""
    blocked = box.blockSignals(True)
    box.clear()
    for title, value in choices:
        box.addItem(title, value)
    box.setCurrentIndex(max(0, box.findData(chosen)))
    box.blockSignals(blocked)


def keep_narrow(box: QComboBox) -> None:
    """As wide as there is room, however long its choices are."""
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)


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
