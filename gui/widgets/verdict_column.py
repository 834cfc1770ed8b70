"""Verdicts with their keys, reasons, a note and a hint: the column where something is decided."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QVBoxLayout

from core.i18n import tr
from gui import labels, theme
from gui.actions import Actions
from gui.widgets.elements import caption, column, frame, label, rule, scrolled, set_ink
from gui.widgets.key_button import KeyButton


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
        self, actions: Actions, verdicts: Sequence[VerdictButton], reasons: Sequence[str],
        note: str, width: int = 264,
    ) -> None:  # fmt: skip
        super().__init__()
        self.setProperty("look", "side")
        self.setFixedWidth(width)
        self._actions = actions
        self._buttons: list[QPushButton] = []
        inside = frame("side")
        column(self).addWidget(scrolled(inside))
        self._layout = column(inside, margin=16, spacing=6)
        self._reasons = frame("side")
        inner = column(self._reasons, spacing=0)
        inner.setContentsMargins(20, 0, 0, 0)
        for number, reason in enumerate(reasons, 1):
            inner.addWidget(self._reason(number, reason))
        for index, verdict in enumerate(verdicts):
            self._layout.addWidget(self._verdict(verdict))
            if index == 1 and reasons:
                self._layout.addWidget(self._reasons)
        self._layout.addSpacing(8)
        self._layout.addWidget(rule())
        self._layout.addSpacing(4)
        self._head = caption(note)
        self._layout.addWidget(self._head)
        self.note = QPlainTextEdit()
        self.note.setFont(theme.font(15))
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(96)
        self.note.setAccessibleName(note)
        self._layout.addWidget(self.note)
        self._hint = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        self._hint.setObjectName("hint")
        self._layout.addWidget(self._hint)
        self._layout.addStretch(1)

    @property
    def body(self) -> QVBoxLayout:
        """The layout, for what a panel adds below."""
        return self._layout

    def _verdict(self, verdict: VerdictButton) -> QPushButton:
        key = self._actions.key_text(verdict.command)
        button = KeyButton(key, verdict.label, verdict.colour)
        button.setToolTip(self._actions.action(verdict.command).text())
        button.clicked.connect(self._actions.action(verdict.command).trigger)
        self._buttons.append(button)
        return button

    def _reason(self, number: int, reason: str) -> QPushButton:
        says = labels.word(labels.REASONS, reason)
        text = tr("{reason}…", reason=says) if reason == "other" else says
        button = KeyButton(str(number), text, "", small=True)
        button.setObjectName(reason)
        button.clicked.connect(self._on_reason)
        self._buttons.append(button)
        return button

    def _on_reason(self) -> None:
        self.reason_chosen.emit(self.sender().objectName())

    @property
    def text(self) -> str:
        """What stands in the note."""
        return self.note.toPlainText().strip()

    def allow(self, deciding: bool) -> None:
        """Whether a decision is possible now."""
        for button in self._buttons:
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
        set_ink(self._hint, ink)
