"""Settling a disagreement from the work list: the item, what was said without names, a verdict."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QLayout, QLineEdit, QPushButton, QWidget

from core.text import tr
from core.workflow import adjudicate
from core.workflow.adjudicate import DisputedCard, Settled
from core.workflow.review import REASONS
from gui import words
from gui.desk import Desk
from gui.editors.card import CardText, card_document
from gui.widgets.page import ItemPage
from gui.widgets.words import caption, column, label, row

_VERDICTS = ("accept", "reject", "return")


class SettlingDialog(QDialog):
    """One disputed item. It opens when the item has been read, or says why it cannot be settled."""

    settled = Signal(object)

    def __init__(self, desk: Desk, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Settle item #{number}", number=number))
        self.resize(820, 720)
        self._desk = desk
        self._number = number
        self.page = ItemPage()
        self.opinions = label("", wrap=True)
        self.reason = QComboBox()
        for name in REASONS:
            self.reason.addItem(words.word(words.REASONS, name), name)
        self.note = QLineEdit()
        self.note.setPlaceholderText(tr("note (a return needs one)"))
        self.trouble = label("", ink="reject", wrap=True)
        self.trouble.hide()
        self.buttons = {
            name: QPushButton(words.word(words.VERDICT_NAMES, name)) for name in _VERDICTS
        }
        layout = column(self, margin=16, spacing=8)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        layout.addWidget(self.page, 1)
        layout.addWidget(caption(tr("What the reviewers said, in no order")))
        layout.addWidget(self.opinions)
        line = row()
        line.addWidget(caption(tr("Reason of a rejection")))
        line.addWidget(self.reason)
        line.addWidget(self.note, 1)
        layout.addLayout(line)
        layout.addWidget(self.trouble)
        last = row()
        last.addStretch(1)
        for name, button in self.buttons.items():
            button.setObjectName(name)
            button.setAutoDefault(False)
            button.clicked.connect(self._on_verdict)
            last.addWidget(button)
        layout.addLayout(last)

    def ask(self) -> None:
        """Read the item, then open."""
        desk = self._desk
        work = partial(adjudicate.card, desk.workspace, desk.person.name, self._number)
        desk.ask(self, work, self._on_card, self._on_refused)

    def _on_refused(self, sentence: str) -> None:
        self._desk.complain(sentence)
        self.deleteLater()

    def _on_card(self, disputed: DisputedCard) -> None:
        text = CardText(disputed.card.number, disputed.card.content, key=True)
        self.page.turn_to(card_document(text, self._desk.colours, self.page.measure))
        lines = []
        for one in disputed.opinions:
            parts = [words.word(words.VERDICT_NAMES, one.verdict)]
            parts += [words.word(words.REASONS, one.reason)] if one.reason else []
            parts += [one.note] if one.note else []
            lines.append(" · ".join(parts))
        self.opinions.setText("\n".join(lines))
        self.open()

    def _on_verdict(self) -> None:
        desk, verdict = self._desk, self.sender().objectName()
        for button in self.buttons.values():
            button.setEnabled(False)
        work = partial(
            adjudicate.settle,
            desk.workspace,
            desk.person.name,
            self._number,
            verdict,
            reason=str(self.reason.currentData()) if verdict == "reject" else "",
            note=self.note.text().strip(),
        )
        desk.write(self, work, self._on_settled, self._on_trouble)

    def _on_trouble(self, sentence: str) -> None:
        self.trouble.setText(sentence)
        self.trouble.show()
        for button in self.buttons.values():
            button.setEnabled(True)

    def _on_settled(self, settled: Settled) -> None:
        self._desk.say(
            tr(
                "Item #{number} is settled: {state}.",
                number=settled.number,
                state=words.word(words.ITEM_STATES, settled.state),
            )
        )
        self._desk.tell("decisions", "items")
        self.settled.emit(settled)
        self.accept()
