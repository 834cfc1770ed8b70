"""What a person answers: one of the choices, a text, or that they do not know."""

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QPlainTextEdit, QPushButton, QWidget

from core.i18n import tr
from gui import theme
from gui.widgets.elements import caption, column, label, scrolled, set_ink

_TEXT_HEIGHT = 180


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A choice, a text, or neither where the person does not know."""

    choice: str | None = None
    text: str = ""
    unknown: bool = False


class AnswerColumn(QFrame):
    """A button for each choice, or a field for text; the button that hands in is below."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "side")
        self.setFixedWidth(308)
        inside = QWidget()
        inside.setProperty("look", "page")
        layout = column(inside, margin=16, spacing=8)
        layout.addWidget(caption(tr("Your answer")))
        self._choices = QWidget()
        self._rows = column(self._choices, spacing=4)
        layout.addWidget(self._choices)
        self.text = QPlainTextEdit()
        self.text.setFont(theme.font(15))
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(_TEXT_HEIGHT)
        self.text.setAccessibleName(tr("Your answer"))
        self.text.textChanged.connect(self.changed)
        layout.addWidget(self.text)
        self.unknown = QPushButton()
        self.unknown.setCheckable(True)
        self.unknown.toggled.connect(self._on_unknown)
        layout.addWidget(self.unknown)
        self.submit = QPushButton()
        self.submit.setProperty("look", "filled")
        layout.addSpacing(8)
        layout.addWidget(self.submit)
        self.hint = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        layout.addWidget(self.hint)
        layout.addStretch(1)
        column(self).addWidget(scrolled(inside))
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._group.buttonToggled.connect(self._on_choice)
        self._names: tuple[str, ...] = ()

    def show_question(self, choices: tuple[str, ...]) -> None:
        """Offer these choices, or a field for text where there are none."""
        for button in self._group.buttons():
            self._group.removeButton(button)
            self._rows.removeWidget(button)
            button.deleteLater()
        self._names = choices
        for place, name in enumerate(choices):
            words = f"{place + 1}   {name}" if place < 9 else name
            button = QPushButton(words)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._group.addButton(button, place)
            self._rows.addWidget(button)
        self._choices.setVisible(bool(choices))
        self.text.setVisible(not choices)
        self.text.clear()
        self._mark(-1)

    def choose(self, place: int) -> None:
        """Choose the answer of that place, from 0; nothing where there is none."""
        if 0 <= place < len(self._names):
            self._mark(place)

    def choose_unknown(self) -> None:
        """Say that one does not know, or take it back."""
        self.unknown.setChecked(not self.unknown.isChecked())

    def begin(self) -> None:
        """The focus goes to the field, where there is one."""
        if not self._names:
            self.text.setFocus()

    def _on_choice(self, button: QPushButton) -> None:
        self._mark(self._group.id(button))

    def _mark(self, place: int, *, unknown: bool = False) -> None:
        """One choice, that one does not know, or neither (-1)."""
        with QSignalBlocker(self._group), QSignalBlocker(self.unknown):
            for button in self._group.buttons():
                button.setChecked(self._group.id(button) == place)
            self.unknown.setChecked(unknown)
        self.changed.emit()

    def _on_unknown(self, checked: bool) -> None:
        self._mark(-1, unknown=checked)

    @property
    def given(self) -> GivenAnswer:
        """What was chosen or written so far."""
        if self.unknown.isChecked():
            return GivenAnswer(unknown=True)
        chosen = [self._group.id(b) for b in self._group.buttons() if b.isChecked()]
        if chosen:
            return GivenAnswer(choice=self._names[chosen[0]])
        return GivenAnswer(text="" if self._names else self.text.toPlainText())

    @property
    def complete(self) -> bool:
        """Whether there is an answer to hand in."""
        given = self.given
        return given.unknown or given.choice is not None or bool(given.text.strip())

    def say(self, sentence: str, ink: str = "muted") -> None:
        """One sentence below the button."""
        self.hint.setText(sentence)
        set_ink(self.hint, ink)
