"""In which language the items of a task are written: chosen, or typed as a code."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from core.families.languages import LANGUAGES
from core.i18n import tr
from gui import labels
from gui.widgets.steady_fields import ChoiceBox


class LanguageField(ChoiceBox):
    """Chinese, English, or any other code; what a file shows is proposed until one is chosen."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName(tr("Language"))
        self.setToolTip(tr("Language of the items, as a code such as zh, en or fr"))
        self.setMinimumWidth(110)
        self.addItem(tr("not stated"), "")
        for code in LANGUAGES:
            self.addItem(labels.word(labels.LANGUAGES, code), code)
        self.chosen = False
        self.activated.connect(self._on_chosen)
        if edit := self.lineEdit():
            edit.editingFinished.connect(self._on_typed)

    @property
    def code(self) -> str:
        """The code in the field; empty where none is stated."""
        place = self.findText(self.currentText())
        return str(self.itemData(place)) if place >= 0 else self.currentText().strip()

    def propose(self, code: str) -> None:
        """Show a language unless a person chose one."""
        if not self.chosen:
            place = self.findData(code)
            if place >= 0:
                self.setCurrentIndex(place)
            else:
                self.setCurrentText(code)

    def _on_chosen(self, _place: int) -> None:
        self.chosen = True
        self.edited.emit()

    def _on_typed(self) -> None:
        if self.findText(self.currentText()) < 0:
            self.chosen = True
            self.edited.emit()
