"""Verdicts with their keys, reasons, a note and a hint: the column where something is decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from core.i18n import tr
from gui import labels, theme
from gui.actions import Actions
from gui.widgets.elements import (
    caption,
    column,
    frame,
    label,
    rule,
    scrolled,
    set_ink,
    tip,
)
from gui.widgets.key_button import KeyButton

_LOW, _HIGH = 52, 96


@dataclass(frozen=True, slots=True)
class VerdictButton:
    """One button: the command that it triggers, its label and its colour."""

    command: str
    label: str
    colour: str


class VerdictColumn(QFrame):
    """Buttons for commands that are bound already; reasons stand under the second of them."""

    reason_chosen = Signal(object)

    def __init__(
        self, actions: Actions, verdicts: Sequence[VerdictButton],
        reasons: Sequence[str] | None, note: str, width: int = 264,
    ) -> None:  # fmt: skip
        """``reasons`` for the second verdict, None where it has a text alone."""
        super().__init__()
        self.setProperty("look", "side")
        self.setFixedWidth(width)
        self._actions = actions
        self._buttons: list[QPushButton] = []
        inside = frame("side")
        whole = column(self, spacing=0)
        whole.addWidget(scrolled(inside), 1)
        self._layout = column(inside, margin=16, spacing=6)
        self._reasons = frame("side")
        self._reason_list = column(self._reasons, spacing=0)
        self._reason_list.setContentsMargins(20, 0, 0, 0)
        self._reason_buttons: list[QPushButton] = []
        self._shown_reasons: tuple[str, ...] = ()
        self._deciding = True
        self.show_reasons(reasons or ())
        for index, verdict in enumerate(verdicts):
            self._layout.addWidget(self._verdict(verdict))
            if index == 1 and reasons is not None:
                self._layout.addWidget(self._reasons)
        self._layout.addSpacing(8)
        self._layout.addWidget(rule())
        self._layout.addSpacing(4)
        self._head = caption(note)
        self._layout.addWidget(self._head)
        self.note = QPlainTextEdit()
        self.note.setFont(theme.font(15))
        self.note.setTabChangesFocus(True)
        self.note.setMinimumHeight(_LOW)  # it gives way to a long hint before anything scrolls
        self.note.setMaximumHeight(_HIGH)
        self.note.setAccessibleName(note)
        self._layout.addWidget(self.note)
        # below what scrolls: what a key needs now is read in the lowest window as well
        self._hint = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        self._hint.setObjectName("hint")
        self._hint.setContentsMargins(16, 6, 16, 8)
        self._hint.hide()
        whole.addWidget(self._hint)
        self._small = QVBoxLayout()
        self._small.setSpacing(0)
        self._layout.addLayout(self._small)
        self._layout.addStretch(1)

    @property
    def body(self) -> QVBoxLayout:
        """The layout, for what a panel adds below."""
        return self._layout

    def add_small(self, command: str, text: str) -> KeyButton:
        """A small button with its key under the note, for what is not a decision."""
        self._layout.setContentsMargins(16, 16, 16, 4)  # two lines of the note have the room
        button = KeyButton(self._actions.key_text(command), text, "", small=True)
        button.setToolTip(self._actions.action(command).text())
        button.clicked.connect(self._actions.action(command).trigger)
        self._small.addWidget(button)
        return button

    def _verdict(self, verdict: VerdictButton) -> QPushButton:
        key = self._actions.key_text(verdict.command)
        button = KeyButton(key, verdict.label, verdict.colour)
        button.setToolTip(self._actions.action(verdict.command).text())
        button.clicked.connect(self._actions.action(verdict.command).trigger)
        self._buttons.append(button)
        return button

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons that are offered, in the order of their digits."""
        return self._shown_reasons

    def show_reasons(self, reasons: Sequence[str]) -> None:
        """Offer the reasons of a task; nothing happens where they are offered already."""
        if tuple(reasons) == self._shown_reasons:
            return
        self._shown_reasons = tuple(reasons)
        for button in self._reason_buttons:
            button.hide()
            button.deleteLater()
        made = [self._reason(number, reason) for number, reason in enumerate(reasons, 1)]
        for button in made:
            button.setEnabled(self._deciding)
            self._reason_list.addWidget(button)
        self._reason_buttons = made
        for before, after in pairwise([*self._buttons[1:2], *made]):
            QWidget.setTabOrder(before, after)  # they come later than what stands below them

    def _reason(self, number: int, reason: str) -> QPushButton:
        says = labels.word(labels.REASONS, reason)
        text = tr("{reason}…", reason=says) if reason == "other" else says
        button = KeyButton(str(number), text, "", small=True)
        button.setObjectName(reason)
        button.setToolTip(tip(says))
        button.clicked.connect(self._on_reason)
        return button

    def _on_reason(self) -> None:
        self.reason_chosen.emit(self.sender().objectName())

    @property
    def text(self) -> str:
        """What stands in the note."""
        return self.note.toPlainText().strip()

    def allow(self, deciding: bool) -> None:
        """Whether a decision is possible now."""
        self._deciding = deciding
        for button in (*self._buttons, *self._reason_buttons):
            if button.isEnabled() != deciding:
                button.setEnabled(deciding)

    def ask_reason(self, asking: bool) -> None:
        """Point at the reasons while a rejection waits for one."""
        look = "card" if asking else "side"
        if self._reasons.property("look") != look:
            self._reasons.setProperty("look", look)
            self._reasons.style().unpolish(self._reasons)
            self._reasons.style().polish(self._reasons)

    def hint(self, text: str, ink: str = "muted") -> None:
        """One quiet sentence under the note."""
        if self._hint.text() != text:
            self._hint.setText(text)
            self._hint.setVisible(bool(text))
        set_ink(self._hint, ink)
