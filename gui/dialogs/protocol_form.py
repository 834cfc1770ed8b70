"""A protocol as a form: one field for each setting, built from the typed protocol."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from core.i18n import tr
from core.workflow.protocols import ProtocolSettings, default_protocol
from gui import theme
from gui.labels import SETTING_CHOICES, SETTING_TITLES, setting_title, setting_value
from gui.widgets.elements import caption, label
from gui.widgets.form import Choice


class ProtocolForm(QWidget):
    """Values go in and come out as text; a wrong one is named by who reads them."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, Choice | QLineEdit] = {}
        self._usual: dict[str, object] = {}
        self._notes = {
            name: label("", ink="muted", size=theme.SMALL_PX, wrap=True) for name in SETTING_TITLES
        }
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        for line, name in enumerate(SETTING_TITLES):
            field = self._field(name)
            field.setAccessibleName(setting_title(name))
            self.fields[name] = field
            grid.addWidget(caption(setting_title(name)), line, 0)
            grid.addWidget(field, line, 1)
            grid.addWidget(self._notes[name], line, 2)
        grid.setColumnStretch(2, 1)

    def _field(self, name: str) -> Choice | QLineEdit:
        if name in SETTING_CHOICES:
            box = Choice()
            for value, title in SETTING_CHOICES[name].items():
                box.addItem(title(), value)
            box.currentIndexChanged.connect(self._on_edited)
            return box
        line = QLineEdit()
        line.setFixedWidth(200 if name == "rubric" else 96)
        line.textEdited.connect(self._on_edited)
        return line

    def _on_edited(self, *_value: object) -> None:
        self._note()
        self.edited.emit()

    def show_settings(self, settings: ProtocolSettings, family: str, *, may_edit: bool) -> None:
        """The protocol as it counts now, beside it what is usual in the family."""
        self._usual = default_protocol(family).model_dump()
        blocked = self.blockSignals(True)
        for name, value in settings.model_dump().items():
            field = self.fields.get(name)
            if isinstance(field, QLineEdit):
                field.setText(f"{value:g}" if isinstance(value, float) else str(value))
                field.setReadOnly(not may_edit)
            elif field is not None:
                field.setCurrentIndex(field.findData(value))
                field.setEnabled(may_edit)
        self.blockSignals(blocked)
        self._note()

    def type_in(self, values: Mapping[str, str]) -> None:
        """Put into the fields what somebody typed before."""
        for name, value in values.items():
            field = self.fields[name]
            if isinstance(field, QLineEdit):
                field.setText(value)
            else:
                blocked = field.blockSignals(True)
                data = [str(field.itemData(place)) for place in range(field.count())]
                field.setCurrentIndex(data.index(value))
                field.blockSignals(blocked)
        self._note()

    def _note(self) -> None:
        values = self.values()
        for name, usual in self._usual.items():
            if name in self._notes:
                shown = f"{usual:g}" if isinstance(usual, float) else str(usual)
                other = values[name] != shown
                words = tr("default: {value}", value=setting_value(name, usual)) if other else ""
                self._notes[name].setText(words)

    def values(self) -> dict[str, str]:
        """Every setting as text."""
        values: dict[str, str] = {}
        for name, field in self.fields.items():
            values[name] = (
                field.text().strip() if isinstance(field, QLineEdit) else str(field.currentData())
            )
        return values
