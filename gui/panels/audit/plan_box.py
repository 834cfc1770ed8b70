"""The sampling plan of a lot: what it means, and another to compare it with."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QSpinBox, QWidget

from core.audit.sampling import SamplingPlan
from core.i18n import tr
from core.workflow.audit.lead_view import PlanOdds
from gui import theme
from gui.panels.audit.odds import OddsCurve, odds_words
from gui.theme import Tokens
from gui.widgets.elements import caption, column, label
from gui.widgets.steady_fields import NumberBox


class PlanBox(QWidget):
    """The odds in a sentence and a curve; below them two numbers that make another plan."""

    compared = Signal(object)
    """The ``SamplingPlan`` that was typed in."""

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = label("", size=14, wrap=True)
        self.curve = OddsCurve(colours)
        self.comparison = QWidget()
        self.choose_button = QPushButton(tr("Use this plan for the task"))
        self._other_plans = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        inner = column(self.comparison, spacing=6)
        inner.addWidget(caption(tr("Compare other plans")))
        inner.addLayout(self._numbers())
        inner.addWidget(self.choose_button)
        inner.addWidget(self._other_plans)
        layout = column(self, spacing=6)
        layout.addWidget(caption(tr("Plan")))
        for part in (self.sentence, self.curve, self.comparison):
            layout.addWidget(part)

    def _numbers(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(6)
        self.sample = _spin(1, 100_000, tr("Drawn"))
        self.allowed = _spin(0, 99_999, tr("Failures allowed"))
        for spin in (self.sample, self.allowed):
            spin.valueChanged.connect(self._on_number)
        for place, (spin, says) in enumerate(
            ((self.sample, tr("drawn,")), (self.allowed, tr("may fail")))
        ):
            grid.addWidget(spin, place, 0)
            grid.addWidget(caption(says), place, 1)
        grid.setColumnStretch(0, 1)
        return grid

    def _on_number(self) -> None:
        sample = self.sample.value()
        self.compared.emit(SamplingPlan(sample, min(self.allowed.value(), sample - 1)))

    def show_plan(self, plan: SamplingPlan | None) -> None:
        """Put a plan's numbers into the fields."""
        sample, allowed = (plan.sample, plan.allowed) if plan else (0, 0)
        for spin, value in ((self.sample, sample), (self.allowed, allowed)):
            blocked = spin.blockSignals(True)
            spin.setValue(value)
            spin.blockSignals(blocked)

    def show_odds(self, odds: PlanOdds | None) -> None:
        """What the plan means; None where the protocol draws no sample."""
        if odds is not None and odds.own.lot is not None and odds.own.plan.sample >= odds.own.lot:
            self.sentence.setText(odds_words(odds.own))
            self.curve.hide()
            self._other_plans.setText("")
            return
        self.curve.show_odds(odds)
        self.curve.setVisible(odds is not None)
        self.sentence.setText(
            odds_words(odds.own)
            if odds is not None
            else tr("The protocol draws no sample; the lot is approved without an audit.")
        )
        others = [] if odds is None else [odds_words(other) for other in odds.others[:2]]
        self._other_plans.setText("\n\n".join(others))


def _spin(low: int, high: int, name: str) -> QSpinBox:
    box = NumberBox()
    box.setRange(low, high)
    box.setAccessibleName(name)
    box.lineEdit().setTextMargins(6, 0, 6, 0)
    box.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
    return box
