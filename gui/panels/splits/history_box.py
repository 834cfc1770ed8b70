"""Sealing, opening and expiring a split: what each will do, said before it is done."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from core.i18n import tr
from core.workflow.splits.lifecycle import SplitLife
from gui import labels
from gui.widgets.elements import caption, column, label, row

SEAL, OPEN, EXPIRE = "sealed", "opened", "expired"
# What can be done with a split in each state.
_STEPS: dict[str, tuple[str, ...]] = {
    "frozen": (SEAL, EXPIRE),
    "sealed": (OPEN, EXPIRE),
    "opened": (OPEN, EXPIRE),
}


class SplitHistoryBox(QWidget):
    """The steps that a split has taken, and buttons for those it can take next."""

    step_chosen = Signal(str, str)  # the step, the reason

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = ""
        self.steps = caption()
        self.steps.setWordWrap(True)
        self.consequence = label("", ink="muted", wrap=True)
        self.reason = QLineEdit()
        self.reason.setPlaceholderText(tr("Reason for opening or expiring it"))
        self.reason.setAccessibleName(tr("Reason for opening or expiring the split"))
        self.reason.setMaximumWidth(360)
        self.reason.textChanged.connect(self._enable)
        self.seal = QPushButton(tr("Seal"))
        self.open = QPushButton(tr("Open"))
        self.expire = QPushButton(tr("Expire"))
        self.expire.setToolTip(tr("Its items count as public from then on. This cannot be undone."))
        self.seal.clicked.connect(self._on_seal)
        self.open.clicked.connect(self._on_open)
        self.expire.clicked.connect(self._on_expire)
        layout = column(self, spacing=8)
        layout.addWidget(self.steps)
        layout.addWidget(self.consequence)
        layout.addWidget(self.reason)
        line = row()
        for button in (self.seal, self.open, self.expire):
            line.addWidget(button)
        line.addStretch(1)
        layout.addLayout(line)
        self.show_state("")

    def show_state(self, state: str) -> None:
        """Offer what a split in this state can do; its steps come with ``show_history``."""
        self._state = state
        sentences = {
            "frozen": tr("A sealed split cannot be exported or evaluated until a lead opens it."),
            "sealed": tr(
                "An opened split can be exported and evaluated; every opening is counted."
            ),
            "opened": tr("Opened splits can be evaluated. Once expired, items count as public."),
            "expired": tr("Expired; its items count as public."),
        }
        self.setVisible(state in sentences)
        self.consequence.setText(sentences.get(state, ""))
        self.steps.setText("")
        self.reason.clear()
        can = _STEPS.get(state, ())
        self.reason.setVisible(bool(can))
        for button, step in ((self.seal, SEAL), (self.open, OPEN), (self.expire, EXPIRE)):
            button.setVisible(step in can)
        self._enable()

    def show_history(self, history: SplitLife) -> None:
        """The steps taken so far, the newest last."""
        lines = []
        for step in history.steps:
            when = step.at[:16].replace("T", " ")
            state = labels.word(labels.SPLIT_STATES, step.state)
            person = step.person or "–"
            if step.reason:
                lines.append(tr("{when} {state} by {person}: {reason}", when=when, state=state,
                                person=person, reason=step.reason))  # fmt: skip
            else:
                lines.append(tr("{when} {state} by {person}", when=when, state=state,
                                person=person))  # fmt: skip
        self.steps.setText("\n".join(lines))

    def _enable(self) -> None:
        # Neither can be taken back, so neither is done by one stray click.
        worded = bool(self.reason.text().strip())
        self.open.setEnabled(worded)
        self.expire.setEnabled(worded)

    def _on_seal(self) -> None:
        self.step_chosen.emit(SEAL, "")

    def _on_open(self) -> None:
        self.step_chosen.emit(OPEN, self.reason.text().strip())

    def _on_expire(self) -> None:
        self.step_chosen.emit(EXPIRE, self.reason.text().strip())
