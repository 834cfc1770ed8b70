"""What stands beside the launch form: how much it is, what was found, time, tokens and cost."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from core.i18n import tr, trn
from core.workflow.evaluation.plan import EvaluationPlan, PlanCheck, Severity
from core.workflow.evaluation.plan_text import (
    MARKS,
    cost_of,
    prompts_text,
    time_of,
    tokens_of,
    worst_first,
)
from gui.panels.evaluate.form import launcher_words
from gui.widgets.elements import caption, column, heading, label, read_in_order, rule, set_ink

_INKS: dict[Severity, str] = {"good": "accept", "note": "muted", "warn": "return", "stop": "reject"}


class LaunchChecks(QWidget):
    """Shows a plan: the prompts, the findings (worst first), and the figures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = layout = column(self, spacing=8)
        self.sentence = heading()
        self.sentence.setWordWrap(True)
        self._findings = QGridLayout()
        self._findings.setColumnStretch(1, 1)
        self._findings.setHorizontalSpacing(8)
        self._findings.setVerticalSpacing(6)
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._figures = QGridLayout()
        self._figures.setColumnStretch(1, 1)
        self._figures.setHorizontalSpacing(16)
        self._figures.setVerticalSpacing(4)
        self._said: list[QLabel] = []
        for place, words in enumerate((tr("Time"), tr("Tokens"), tr("Cost"))):
            value = label("", wrap=True, selectable=True)
            value.setAccessibleName(words)
            self._figures.addWidget(caption(words), place, 0, Qt.AlignmentFlag.AlignTop)
            self._figures.addWidget(value, place, 1)
            self._said.append(value)
        layout.addWidget(self.sentence)
        layout.addLayout(self._findings)
        layout.addSpacing(4)
        layout.addWidget(rule())
        layout.addLayout(self._figures)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    @property
    def words(self) -> str:
        """Everything that is shown, for tests and screen readers."""
        shown = [text.text() for _, text in self._rows if not text.isHidden()]
        return "\n".join([self.sentence.text(), *shown, *(part.text() for part in self._said)])

    def show_plan(self, plan: EvaluationPlan) -> None:
        """Show a checked plan."""
        self.sentence.setText(prompts_text(plan))
        self._show_findings(plan.findings)
        for part, text in zip(self._said, (time_of(plan), tokens_of(plan), cost_of(plan)),
                              strict=True):  # fmt: skip
            part.setText(text)

    def show_trouble(self, sentence: str) -> None:
        """Show why there is no plan."""
        self.sentence.setText(tr("The evaluation cannot be planned yet."))
        self._show_findings((PlanCheck("stop", sentence),))
        for part in self._said:
            part.setText("–")

    def _show_findings(self, findings: Sequence[PlanCheck]) -> None:
        ordered = worst_first(findings)
        while len(self._rows) < len(ordered):
            mark, text = label("", bold=True), label("", wrap=True, selectable=True)
            place = len(self._rows)
            self._findings.addWidget(mark, place, 0, Qt.AlignmentFlag.AlignTop)
            self._findings.addWidget(text, place, 1)
            self._rows.append((mark, text))
            read_in_order(self._layout)
        for place, (mark, text) in enumerate(self._rows):
            shown = place < len(ordered)
            mark.setVisible(shown)
            text.setVisible(shown)
            if shown:
                mark.setText(MARKS[ordered[place].severity])
                set_ink(mark, _INKS[ordered[place].severity])
                text.setText(ordered[place].text)


def start_words(plan: EvaluationPlan) -> str:
    """What the button will do."""
    return tr(
        "Start {runs} with {prompts}",
        runs=trn("1 run", "{n} runs", plan.models),
        prompts=trn("1 prompt", "{n} prompts", plan.prompts),
    )


def where_words(plan: EvaluationPlan | None) -> str:
    """Where the runs will be, and where to follow them."""
    if plan is None:
        return tr("The evaluation runs in the background; follow it under Runs.")
    return tr(
        "The evaluation runs in the background on {where}; follow it under Runs.",
        where=launcher_words(plan.request.launcher),
    )
