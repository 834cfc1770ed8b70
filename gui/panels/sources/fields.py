"""The small fields of the dialogs that start runs."""

from datetime import date

from PySide6.QtWidgets import QComboBox, QDateEdit, QHBoxLayout, QLabel, QPushButton, QWidget

from core.errors import InputError
from core.sources.tables import place_words
from gui.widgets.elements import row

_CELL = 80
"""Letters of a cell that are shown."""


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
        raise InputError.tr("“{price}” is not a price.", price=text) from error


def in_line(*parts: QWidget) -> QHBoxLayout:
    """A row in which fields have the room that words and buttons leave."""
    line = row()
    for part in parts:
        line.addWidget(part, 0 if isinstance(part, QLabel | QPushButton) else 1)
    return line


def spoken_columns(source: str) -> str:
    """Where a field of an item comes from, as it is typed: columns joined by +, or =text."""
    if source.startswith("="):
        return source
    return "+".join(map(place_words, source.split("+")))


def cell_words(value: object) -> str:
    """What stands in a cell, on one line and not too long."""
    text = "" if value is None else " ".join(str(value).split())
    return text if len(text) <= _CELL else text[:_CELL] + "…"
