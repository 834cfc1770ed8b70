"""How large a split must be: the wished difference in, what the items can show out."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import tr
from core.workflow.workspace import Workspace
from gui.widgets.chips import FlowLayout
from gui.widgets.elements import caption, column, label
from gui.widgets.steady_fields import ChoiceBox, DecimalBox, NumberBox


@dataclass(frozen=True, slots=True)
class SizeQuestion:
    """A wished difference in 0…1, how many models are compared, and the split whose runs say how
    alike models answer (empty: the usual assumptions)."""

    difference: float
    models: int
    pilot: str


def answered(ws: Workspace, benchmark: str, split: str, question: SizeQuestion) -> tuple[str, ...]:
    """What the items of a benchmark that can be frozen now, or those of a split, can show: the
    sentences of the plan. Raises StateError where there are no items or too few pilot runs."""
    from core.evaluation.power import ComparisonSettings, PairAssumptions
    from core.workflow.analysis import plan_size

    sizes = plan_size.sizes_of(ws, benchmark=benchmark, split=split)
    pilot = plan_size.pilot_of(ws, question.pilot) if question.pilot else None
    assumed = pilot.assumed if pilot else PairAssumptions()
    settings = ComparisonSettings(models=question.models)
    found = plan_size.plan(sizes, assumed, settings, question.difference, curve=False, pilot=pilot)
    return plan_size.sentences(found)


class SizeCard(QWidget):
    """The question in one line, the answer in sentences below it."""

    asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.difference = DecimalBox()
        self.difference.setRange(0.1, 99.0)
        self.difference.setDecimals(1)
        self.difference.setValue(5.0)
        self.difference.setAccessibleName(tr("Difference to find, in points"))
        self.models = NumberBox()
        self.models.setRange(2, 100)
        self.models.setAccessibleName(tr("Number of models compared"))
        self.pilot = ChoiceBox()
        self.pilot.setAccessibleName(tr("How alike models answer"))
        self.pilot.addItem(tr("usual assumptions"), "")
        for number in (self.difference, self.models):
            number.lineEdit().setTextMargins(6, 0, 6, 0)
        for box in (self.difference, self.models, self.pilot):
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button = QPushButton(tr("Calculate"))
        self.button.clicked.connect(self.asked)
        for signal in (self.difference.valueChanged, self.models.valueChanged,
                       self.pilot.activated):  # fmt: skip
            signal.connect(self.forget)
        self.answer = label("", wrap=True, selectable=True)
        self.answer.setVisible(False)
        line = FlowLayout(gap=8)
        for part in (
            caption(tr("Points to find")), self.difference, caption(tr("Models")), self.models,
            self.pilot, self.button,
        ):  # fmt: skip
            line.addWidget(part)
        layout = column(self)
        layout.addWidget(label(tr("Is the split large enough?"), bold=True))
        layout.addLayout(line)
        layout.addWidget(self.answer)

    def show_pilots(self, splits: Sequence[str]) -> None:
        """Offer the runs on these splits as pilots; keeps what was chosen."""
        chosen = self.pilot.currentData()
        self.pilot.clear()
        self.pilot.addItem(tr("usual assumptions"), "")
        for name in splits:
            self.pilot.addItem(tr("as on {split}", split=name), name)
        self.pilot.setCurrentIndex(max(0, self.pilot.findData(chosen)))

    def question(self) -> SizeQuestion:
        """What stands in the line."""
        return SizeQuestion(
            self.difference.value() / 100, self.models.value(), str(self.pilot.currentData() or "")
        )

    def show_answer(self, text: str) -> None:
        """Show the answer, or what stands against one."""
        self.answer.setText(text)
        self.answer.setVisible(bool(text))
        self.button.setEnabled(True)

    def forget(self, _value: object = None) -> None:
        """An answer to another question is not shown any more."""
        self.show_answer("")

    def wait(self) -> None:
        """Say that the answer is being computed."""
        self.show_answer(tr("Calculating …"))
        self.button.setEnabled(False)
