"""What stands beside the launch form: how much it is, what was found, time, tokens and cost."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from core.text import tr
from core.workflow.planning import Finding, Plan, Tone
from gui import i18n
from gui.widgets.launch_form import launcher_words
from gui.widgets.words import caption, column, heading, label, rule, set_ink

_MARKS: dict[Tone, tuple[str, str]] = {
    "good": ("✓", "accept"),
    "note": ("·", "muted"),
    "warn": ("!", "return"),
    "stop": ("✕", "reject"),
}
_ORDER: tuple[Tone, ...] = ("stop", "warn", "note", "good")


class LaunchChecks(QWidget):
    """Shows a plan: the prompts, the findings (worst first), and the figures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = column(self, spacing=8)
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

    def show_plan(self, plan: Plan) -> None:
        """Show a checked plan."""
        self.sentence.setText(prompts_in_words(plan))
        self._show_findings(plan.findings)
        for part, text in zip(self._said, (time_of(plan), tokens_of(plan), cost_of(plan)),
                              strict=True):  # fmt: skip
            part.setText(text)

    def show_trouble(self, sentence: str) -> None:
        """Show why there is no plan."""
        self.sentence.setText(tr("This cannot be planned yet."))
        self._show_findings((Finding("stop", sentence),))
        for part in self._said:
            part.setText("–")

    def _show_findings(self, findings: Sequence[Finding]) -> None:
        ordered = sorted(findings, key=lambda one: _ORDER.index(one.tone))
        while len(self._rows) < len(ordered):
            mark, text = label("", bold=True), label("", wrap=True, selectable=True)
            place = len(self._rows)
            self._findings.addWidget(mark, place, 0, Qt.AlignmentFlag.AlignTop)
            self._findings.addWidget(text, place, 1)
            self._rows.append((mark, text))
        for place, (mark, text) in enumerate(self._rows):
            shown = place < len(ordered)
            mark.setVisible(shown)
            text.setVisible(shown)
            if shown:
                sign, ink = _MARKS[ordered[place].tone]
                mark.setText(sign)
                set_ink(mark, ink)
                text.setText(ordered[place].text)


def prompts_in_words(plan: Plan) -> str:
    """How many prompts, and what they are made of."""
    told = {
        "prompts": i18n.number(plan.prompts),
        "items": i18n.number(plan.load.items),
        "wordings": plan.load.wordings,
        "models": plan.models,
    }
    if plan.load.wordings > 1:
        return tr("{prompts} prompts: {items} items by up to {wordings} wordings, for {models} "
                  "models.", **told)  # fmt: skip
    if plan.models > 1:
        return tr("{prompts} prompts: {items} items, for {models} models.", **told)
    return tr("{prompts} prompts, one for each item.", **told)


def time_of(plan: Plan) -> str:
    """How long it takes, as far as a trial has shown."""
    if plan.seconds is None or plan.trial is None:
        return tr("not known before a trial")
    return tr(
        "about {time}: {startup} to begin, then {each} ms a prompt",
        time=i18n.duration(plan.seconds),
        startup=i18n.duration(plan.trial.startup_s),
        each=i18n.number(1000 * plan.trial.each_s, 1 if plan.trial.each_s < 0.1 else 0),
    )


def tokens_of(plan: Plan) -> str:
    """How many tokens go in and come out."""
    if not plan.prompt_tokens and not plan.completion_tokens:
        return tr("none")
    asked = i18n.number(plan.prompt_tokens)
    answered = i18n.number(plan.completion_tokens)
    if plan.measured:
        return tr("about {asked} in and {answered} out, by the trial", asked=asked,
                  answered=answered)  # fmt: skip
    return tr("about {asked} in, counted by letters; at most {answered} out", asked=asked,
              answered=answered)  # fmt: skip


def cost_of(plan: Plan) -> str:
    """What it costs by the prices that were given."""
    if plan.wish.prices is None:
        return tr("no price is given")
    cost = i18n.number(plan.cost or 0.0, 2)
    if plan.measured:
        return tr("about {cost}, in the currency of the prices", cost=cost)
    return tr("at most about {cost}, in the currency of the prices", cost=cost)


def start_words(plan: Plan) -> str:
    """What the button will do."""
    return tr(
        "Start {runs} with {prompts} prompts on {where}",
        runs=tr("one run") if plan.models == 1 else tr("{count} runs", count=plan.models),
        prompts=i18n.number(plan.prompts),
        where=launcher_words(plan.wish.launcher),
    )
