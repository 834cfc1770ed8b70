"""The kinds of items of a comparison, with their counts."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from core.i18n import tr
from core.workflow.evaluation.compare_runs import KINDS, Kind, RunComparison
from gui import i18n
from gui.widgets.chips import FlowLayout


def kind_words(kind: Kind) -> str:
    """A kind of items in words."""
    return {
        "a_only": tr("A correct, B incorrect"),
        "b_only": tr("B correct, A incorrect"),
        "alike": tr("both incorrect, same answer"),
        "apart": tr("both incorrect, different answers"),
        "both_right": tr("both correct"),
        "unanswered": tr("no answer"),
        "all_alike": tr("strong models give the same wrong answer"),
        "suspect": tr("key probably wrong"),
        "every": tr("all items"),
    }[kind]


class KindBar(QWidget):
    """One button for each kind with its count; one is pressed."""

    chosen = Signal(object)
    """The ``Kind`` that was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind: Kind = "a_only"
        self._chosen_by_person = False
        self._buttons: dict[Kind, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._flow = FlowLayout(self)
        for kind in KINDS:
            self._flow.addWidget(self._button(kind))
        self._buttons[self.kind].setChecked(True)
        self._group.buttonToggled.connect(self._on_toggled)

    def _button(self, kind: Kind) -> QPushButton:
        button = QPushButton()
        button.setProperty("look", "kind")
        button.setObjectName(kind)
        button.setCheckable(True)
        button.setAutoExclusive(True)  # a screen reader says: one of several
        self._group.addButton(button)
        self._buttons[kind] = button
        return button

    def show_counts(self, comparison: RunComparison) -> None:
        """Say how many items are of each kind; a kind that would repeat another is hidden."""
        for kind, button in self._buttons.items():
            button.setText(
                tr("{kind} {count}", kind=kind_words(kind),
                   count=i18n.number(comparison.count(kind)))
            )  # fmt: skip
        for kind in ("all_alike", "suspect"):
            self._buttons[kind].setVisible(comparison.runs > 2)
        self._flow.invalidate()

    def choose(self, kind: Kind) -> None:
        """Press the button of a kind."""
        self._chosen_by_person = True
        self._press(kind)
        self.chosen.emit(kind)

    def prefer(self, comparison: RunComparison) -> None:
        """Without a word of the person, the first kind that has items."""
        if not self._chosen_by_person and not comparison.count(self.kind):
            self._press(next((kind for kind in KINDS if comparison.count(kind)), "every"))

    def _press(self, kind: Kind) -> None:
        self.kind = kind
        with QSignalBlocker(self._group):
            self._buttons[kind].setChecked(True)

    def next(self) -> None:
        """Press the button after the pressed one."""
        shown = [kind for kind, button in self._buttons.items() if not button.isHidden()]
        self.choose(shown[(shown.index(self.kind) + 1) % len(shown)])

    def _on_toggled(self, button: QPushButton, checked: bool) -> None:
        if checked:
            self.choose(next(kind for kind, known in self._buttons.items() if known is button))
