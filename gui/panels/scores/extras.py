"""Beside a run's scores: another metric for its free text, people's ratings of its answers, and the
score as a signed record."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import listed, tr, trn
from core.workflow.rights import Action
from core.workflow.workspace import Workspace
from gui import i18n
from gui.context import WindowContext
from gui.widgets.chips import FlowLayout
from gui.widgets.elements import caption, column, label, row
from gui.widgets.file_dialogs import ask_where, ask_which
from gui.widgets.steady_fields import ChoiceBox

if TYPE_CHECKING:
    from core.evaluation.scoring import Report
    from core.workflow.evaluation.answer_ratings import RatingSheet, SheetImport
    from core.workflow.sealing.score_records import SignedScore

_FREE_TEXT = "triplet"  # the format whose answers are free text
_OWN = ""


def _choices() -> tuple[tuple[str, str], ...]:
    """Name and title of the metrics that are configured here; imports them on the worker."""
    from core.evaluation.metrics import metric
    from core.workflow.evaluation.task_metrics import choices

    return tuple((choice.name, metric(choice.name).title) for choice in choices())


def _measured(ws: Workspace, run: str, name: str) -> str:
    """What a metric finds in a run's free text, in a sentence."""
    from core.workflow.evaluation.score_run import report
    from core.workflow.evaluation.task_metrics import configured, measured_text

    return measured_text(report(ws, run, partial=True, metric=configured(name)).origin)


def _drawn(ws: Workspace, run: str, path: Path, person: str) -> "RatingSheet":
    from core.workflow.evaluation.answer_ratings import draw_sheet

    return draw_sheet(ws, run, path, person)


def _kept(ws: Workspace, run: str, path: Path, person: str) -> "SheetImport":
    from core.workflow.evaluation.answer_ratings import take_in_ratings

    return take_in_ratings(ws, run, path, person)


def _signed(ws: Workspace, run: str, path: Path, person: str) -> "SignedScore":
    from core.workflow.sealing.score_records import sign

    return sign(ws, run, path, person)


class ScoreExtras(QWidget):
    """Shows what a run allows, and nothing for a run that allows none of it.

    ``rated`` is emitted when ratings were taken in: the report says something else now.
    """

    rated = Signal()

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._run = ""
        layout = column(self, spacing=8)
        self.metrics = QWidget()
        choice = FlowLayout(self.metrics, gap=8)
        name = caption(tr("Metric for free text"))
        self.metric_box = ChoiceBox()
        self.metric_box.setAccessibleName(tr("Metric for free text"))
        self.metric_box.addItem(tr("the task's own metric"), _OWN)
        self.metric_box.activated.connect(self._on_metric)
        name.setBuddy(self.metric_box)
        choice.addWidget(name)
        choice.addWidget(self.metric_box)
        self.measured = label("", wrap=True, selectable=True)
        self.people = QWidget()
        buttons = FlowLayout(self.people, gap=8)
        self.draw = QPushButton(tr("Sample answers for rating…"))
        self.draw.clicked.connect(self._ask_sheet)
        self.take = QPushButton(tr("Import ratings…"))
        self.take.clicked.connect(self._ask_ratings)
        for button in (self.draw, self.take):
            buttons.addWidget(button)
        self.record = QWidget()
        line = row(self.record)
        self.sign = QPushButton(tr("Signed record…"))
        self.sign.setToolTip(
            tr("Writes the score as a signed file that others can check without an item.")
        )
        self.sign.clicked.connect(self._ask_record)
        line.addWidget(self.sign)
        line.addStretch(1)
        for part in (self.metrics, self.measured, self.people, self.record):
            layout.addWidget(part)
        context.ask(
            self, _choices, self._offer, context.complain, topic="metrics", lane="background"
        )

    def show_report(self, report: "Report") -> None:
        """Offer what this run allows."""
        run = str(report.origin.get("run", ""))
        if run != self._run:
            self._run = run
            self.metric_box.setCurrentIndex(0)
            self._say("")
        free = _FREE_TEXT in report.by.get("format", {})
        self.metrics.setVisible(free)
        self.measured.setVisible(free and bool(self.measured.text()))
        allowed = self._context.may(Action.RATE_ANSWERS)
        judged = allowed and bool(report.origin.get("judge"))
        self.people.setVisible(judged)
        signs = self._context.may(Action.EVALUATE) and not report.missing and bool(report.total.n)
        self.record.setVisible(signs)
        self.setVisible(free or judged or signs)

    # -- metric -----------------------------------------------------------------------------

    @property
    def run(self) -> str:
        """The run whose scores are shown; empty for none."""
        return self._run

    def _offer(self, known: tuple[tuple[str, str], ...]) -> None:
        for name, title in known:
            self.metric_box.addItem(tr(title), name)

    def _on_metric(self, _index: int) -> None:
        name = str(self.metric_box.currentData())
        if name == _OWN:
            self._say("")
            return
        self._say(tr("Scoring…"))
        work = partial(_measured, self._context.workspace, self._run, name)
        done = partial(self._on_measured, self._run, name)
        self._context.ask(self, work, done, self._fail, topic="measure", lane="background")

    def _on_measured(self, run: str, name: str, sentence: str) -> None:
        if (run, name) == (self._run, str(self.metric_box.currentData())):
            self._say(sentence)

    def _fail(self, sentence: str) -> None:
        self._say("")
        self.metric_box.setCurrentIndex(0)
        self._context.complain(sentence)

    def _say(self, sentence: str) -> None:
        self.measured.setText(sentence)
        self.measured.setVisible(bool(sentence))

    # -- record -----------------------------------------------------------------------------

    def _ask_record(self) -> None:
        sign = partial(self.sign_record, self._run)
        ask_where(self, tr("Signed record of a score"), f"{self._run}-score.json", sign)

    def sign_record(self, run: str, path: str) -> None:
        """Write a run's score as a signed record; no single result is shown in it."""
        self._write(_signed, run, path, self._on_signed)

    def _on_signed(self, signed: "SignedScore") -> None:
        self._context.say(
            tr("Signed record of {model} on {split} written to {path}; key {key}.",
               model=signed.model, split=signed.split, path=signed.path, key=signed.key_id[:16])
        )  # fmt: skip

    # -- people's ratings -------------------------------------------------------------------

    def _ask_sheet(self) -> None:
        draw = partial(self.draw_sheet, self._run)
        ask_where(self, tr("Sample answers for rating"), "ratings.csv", draw)

    def draw_sheet(self, run: str, path: str) -> None:
        """Write a sheet with a sample of a run's judged answers."""
        self._write(_drawn, run, path, self._on_drawn)

    def _on_drawn(self, drawn: "RatingSheet") -> None:
        self._context.say(
            trn(
                "Wrote {answers} of 1 answer to {path}. Fill in the columns rater and "
                "value, then import the ratings.",
                "Wrote {answers} of {n} answers to {path}. Fill in the columns rater and "
                "value, then import the ratings.",
                drawn.of,
                answers=i18n.number(drawn.answers),
                path=drawn.path,
            )
        )

    def _ask_ratings(self) -> None:
        ask_which(self, tr("Import ratings"), partial(self.take_in, self._run))

    def take_in(self, run: str, path: str) -> None:
        """Keep the ratings of a filled-in sheet as those of a run's answers."""
        self._write(_kept, run, path, self._on_kept)

    def _write(
        self, use_case: Callable[..., Any], run: str, path: str, done: Callable[[Any], None]
    ) -> None:
        context = self._context
        work = partial(use_case, context.workspace, run, Path(path), context.person.name)
        context.write(self, work, done, context.complain, lane="background")

    def _on_kept(self, sheet: "SheetImport") -> None:
        self._context.say(
            tr(
                "{new} and {changed} of {answers} by {raters}.",
                new=trn("1 new rating", "{n} new ratings", sheet.new),
                changed=trn("1 changed rating", "{n} changed ratings", sheet.changed),
                answers=trn("1 answer", "{n} answers", sheet.answers),
                raters=listed(sheet.raters),
            )
        )
        self.rated.emit()
