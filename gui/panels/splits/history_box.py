"""Sealing, opening and expiring a split: what each will do, said before it is done; and what was
done with the split, by whom."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from core.i18n import tr, trn
from core.workflow.splits.lifecycle import SplitLife, SplitStep
from core.workflow.splits.readings import Act, Reading
from gui import i18n, labels
from gui.dialogs.confirm import ConfirmDialog
from gui.widgets.elements import caption, column, label, row

SEAL, OPEN, EXPIRE = "sealed", "opened", "expired"
_SHOWN = 200  # lines of the history, the newest
_TALLEST_PX = 116  # what is older is scrolled to
# What can be done with a split in each state.
_STEPS: dict[str, tuple[str, ...]] = {
    "frozen": (SEAL, EXPIRE),
    "sealed": (OPEN, EXPIRE),
    "opened": (OPEN, EXPIRE),
}


class SplitHistoryBox(QWidget):
    """The steps that a split has taken and how its items were read, and buttons for what can be
    done next."""

    step_chosen = Signal(str, str)  # the step, the reason
    open_wanted = Signal()  # for a model, as the split's policy has it
    receipt_wanted = Signal()
    publish_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = ""
        self._policy = ""
        self.uses = label("", wrap=True)
        self.steps = caption()
        self.steps.setWordWrap(True)
        self.steps.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.steps_area = QScrollArea()
        self.steps_area.setWidget(self.steps)
        self.steps_area.setWidgetResizable(True)
        self.steps_area.setFrameShape(QFrame.Shape.NoFrame)
        self.steps_area.setAccessibleName(tr("History of the split"))
        self.consequence = label("", ink="muted", wrap=True)
        self.seal = QPushButton(tr("Seal…"))
        self.open = QPushButton(tr("Open…"))
        self.expire = QPushButton(tr("Expire…"))
        self.expire.setToolTip(tr("Its items count as public from then on. This cannot be undone."))
        self.receipt = QPushButton(tr("Issue the receipt again…"))
        self.receipt.setToolTip(
            tr("Writes the split's state, openings, evaluations and exports, bound to the ledger.")
        )
        self.receipt.clicked.connect(self.receipt_wanted)
        self.publish = QPushButton(tr("Publish…"))
        self.publish.setToolTip(
            tr("Writes the items as a public data set, with the proof that they are unchanged.")
        )
        self.publish.clicked.connect(self.publish_wanted)
        self.seal.clicked.connect(self._on_seal)
        self.open.clicked.connect(self._on_open)
        self.expire.clicked.connect(self._on_expire)
        layout = column(self, spacing=8)
        layout.addWidget(self.uses)
        layout.addWidget(self.steps_area)
        layout.addWidget(self.consequence)
        line = row()
        for button in (self.seal, self.open, self.expire, self.publish, self.receipt):
            line.addWidget(button)
        line.addStretch(1)
        layout.addLayout(line)
        self.show_state("")

    def show_state(self, state: str) -> None:
        """Offer what a split in this state can do; its steps come with ``show_history``."""
        self._state = state
        self._policy = ""
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
        self.uses.setText("")
        self.steps.setText("")
        can = _STEPS.get(state, ())
        for button, step in ((self.seal, SEAL), (self.open, OPEN), (self.expire, EXPIRE)):
            button.setVisible(step in can)
        self.publish.setVisible(state == EXPIRE)

    def show_history(self, history: SplitLife) -> None:
        """How often the split was opened, evaluated and exported, and the newest of what was done
        with it, the newest first."""
        exports = sum(entry.act == Act.EXPORT for entry in history.readings)
        parts = [
            trn("Opened once", "Opened {n} times", history.openings),
            trn("evaluated once", "evaluated {n} times", history.evaluations),
            trn("exported once", "exported {n} times", exports),
        ]
        self._policy = history.policy
        if history.policy:
            parts.append(tr("each model once for each opening"))
        self.uses.setText(" · ".join(parts))
        entries = [(step.event, _step_line(step)) for step in history.steps]
        entries += [(entry.event, _reading_line(entry)) for entry in history.readings]
        lines = [line for _, line in sorted(entries, reverse=True)]
        left_out = len(lines) - _SHOWN
        if left_out > 0:
            more = trn("… and 1 earlier entry", "… and {n} earlier entries", left_out)
            lines = [*lines[:_SHOWN], more]
        self.steps.setText("\n".join(lines))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the history the height of its lines at the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.steps.heightForWidth(max(200, self.width()))
        self.steps_area.setFixedHeight(max(1, min(room, _TALLEST_PX)))

    def _on_seal(self) -> None:
        says = (
            tr("No one can export or evaluate the split while it is sealed."),
            tr("Opening it later is counted, needs a lead and a reason, and stays in its history."),
        )
        self._ask(SEAL, tr("Seal the split?"), says, tr("Seal"))

    def _on_open(self) -> None:
        if self._policy:
            self.open_wanted.emit()
            return
        says = (
            tr("The split can be exported and evaluated from then on. This opening is counted, and "
               "it cannot be taken back."),
        )  # fmt: skip
        self._ask(OPEN, tr("Open the split?"), says, tr("Open"), tr("Reason for opening it"))

    def _on_expire(self) -> None:
        says = (tr("Its items count as public from then on. This cannot be undone."),)
        self._ask(EXPIRE, tr("Expire the split?"), says, tr("Expire"), tr("Reason for expiring it"))

    def _ask(
        self, step: str, title: str, says: tuple[str, ...], act: str, reason: str = ""
    ) -> None:
        agreed = partial(self.step_chosen.emit, step)
        ConfirmDialog(self, title, says, act, agreed, reason=reason).open()


def _step_line(step: SplitStep) -> str:
    when = i18n.stamp(step.at)
    state = labels.word(labels.SPLIT_STATES, step.state)
    person = step.person or "–"
    if step.model:
        state = tr("{state} for {model}", state=state, model=step.model)
    if step.reason:
        return tr("{when} {state} by {person}: {reason}", when=when, state=state,
                  person=person, reason=step.reason)  # fmt: skip
    return tr("{when} {state} by {person}", when=when, state=state, person=person)


def _reading_line(reading: Reading) -> str:
    when = i18n.stamp(reading.at)
    items = trn("1 item", "{n} items", reading.items) if reading.items else ""
    what = " · ".join(part for part in (items, reading.detail) if part)
    return tr("{when} {state} by {person}: {reason}", when=when, state=reading.title,
              person=reading.person or "–", reason=what)  # fmt: skip
