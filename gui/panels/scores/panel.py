"""Scores: what the models reached on frozen splits, what is missing, and one more evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QPushButton,
    QStackedLayout,
    QWidget,
)

from core.errors import InputError, StateError
from core.evaluation.judge_agreement import agreement_figures
from core.evaluation.judge_correction import correction_sentences
from core.evaluation.report_parts.other_judges import other_judges_sentence
from core.evaluation.report_tables import ways_notes
from core.evaluation.usage import usage_lines
from core.families.scp_payload import FORMATS as SCP_FORMATS
from core.i18n import listed, sentences, tr, trn
from core.workflow.analysis.leaderboard_figures import in_percent, share_of
from core.workflow.evaluation import errata, score_run
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.evaluation.run_titles import run_titles
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui import i18n, labels
from gui.context import FILE, WindowContext
from gui.panels.base import Panel
from gui.panels.scores.extras import ScoreExtras
from gui.panels.scores.interval_plot import IntervalPlot, PlottedInterval
from gui.widgets.chips import FlowLayout
from gui.widgets.elements import caption, column, heading, label, scrolled, set_ink, side_by_side
from gui.widgets.empty import EmptyState
from gui.widgets.file_dialogs import ask_folder
from gui.widgets.table_model import Column, TableModel, width_of
from gui.widgets.table_view import ReadingTable

if TYPE_CHECKING:
    from core.evaluation.scoring import AccuracyEstimate, Report
    from core.workflow.splits.surface_gate import SurfaceGate


PEOPLE = "people"  # the engine, as ``core.evaluation.report_parts.human_ceiling`` names it


@dataclass(frozen=True, slots=True)
class ScoresData:
    """The reports of the finished evaluations, and whether there is a split to evaluate on.

    ``damaged`` says of each run that cannot be read why.
    """

    reports: "tuple[Report, ...]"
    splits: int
    damaged: tuple[str, ...] = ()


def read(ws: Workspace, reports_: ReportCache) -> ScoresData:
    """Everything that the panel opens with; runs that did not change are not read again."""
    damaged: list[str] = []

    def figures(run: str) -> "Report | None":
        try:
            return reports_.figures(run)
        except (InputError, StateError) as error:
            damaged.append(str(error))
            return None

    reports = score_run.reports(ws, figures)
    return ScoresData(reports, len(freeze.all_splits(ws)), tuple(damaged))


def read_surface(ws: Workspace, splits: Sequence[str]) -> "Mapping[str, SurfaceGate]":
    """What shallow solvers reach on each of these splits; some seconds the first time."""
    from core.workflow.splits.surface_gate import surface_gate

    return {split: surface_gate(ws, split) for split in splits}


def write_site(ws: Workspace, folder: Path) -> Path:
    """Write the report of everything finished; returns its first page."""
    from core.workflow.analysis.report_site import site

    return site(ws, folder).page


def read_ceiling(reports_: ReportCache, run: str) -> tuple[str, ...]:
    """What people reached in a sitting, in sentences."""
    from core.evaluation.report_parts.human_ceiling import ceiling_sentences, human_ceiling

    ceiling = human_ceiling(reports_.report(run))
    return ceiling_sentences(ceiling) if ceiling else ()


class ScoresPanel(Panel):
    """The sentence, the table of runs, the chosen run by format and domain."""

    topics = ("runs", "splits")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._data: ScoresData | None = None
        self._gates: Mapping[str, SurfaceGate] = {}
        self._wanted = ""
        self.model = TableModel((), self)
        self.table = ReadingTable(self.model)
        self.table.setAccessibleName(tr("Scores"))
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names differ at their ends
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        left = QWidget()
        inner = column(left, spacing=8)
        inner.setContentsMargins(24, 20, 8, 16)
        self.sentence = heading()
        self.sentence.setWordWrap(True)
        self.damaged = label("", ink="reject", wrap=True, selectable=True)
        inner.addWidget(self.sentence)
        inner.addWidget(self.damaged)
        inner.addWidget(self.table, 1)
        line = FlowLayout(gap=8)
        self.evaluate_button = QPushButton(tr("Evaluate a model"))
        self.evaluate_button.clicked.connect(self._to_evaluate)
        self.compare_button = QPushButton(tr("Compare runs"))
        self.compare_button.clicked.connect(self._to_compare)
        line.addWidget(self.evaluate_button)
        line.addWidget(self.compare_button)
        self.report_button = QPushButton(tr("HTML report…"))
        self.report_button.setToolTip(
            tr("Writes the scores of every finished run as pages for a browser.")
        )
        self.report_button.clicked.connect(self.choose_report_folder)
        self.context.actions.bind(
            "html-report", self, self.report_button.click, self.report_button.isEnabled
        )
        line.addWidget(self.report_button)
        inner.addLayout(line)
        right = QWidget()
        right.setProperty("look", "page")
        layout = column(right, spacing=8)
        layout.setContentsMargins(16, 20, 16, 16)
        self.name = label("", bold=True, size=18, wrap=True)
        self.missing = label("", ink="muted", wrap=True)
        self.judged = label("", wrap=True, selectable=True)
        self.surface = label("", wrap=True, selectable=True)
        self.people = label("", wrap=True, selectable=True)
        self.plot_title = caption()
        self.plot = IntervalPlot(context.colours)
        self.extras = ScoreExtras(context)
        self.extras.rated.connect(self.spoil)
        for command_id, button in (("rating-sheet", self.extras.draw),
                                   ("take-ratings", self.extras.take),
                                   ("sign-score", self.extras.sign)):  # fmt: skip
            self.bind_button(command_id, button)
        for part in (
            self.name, self.missing, self.people, self.judged, self.extras, self.plot_title,
            self.plot, self.surface,
        ):  # fmt: skip
            layout.addWidget(part)
        layout.addStretch(1)
        split = side_by_side(left, scrolled(right), widths=(640, 460))
        self.empty = EmptyState()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(split)
        self._stack.addWidget(self.empty)
        self.empty.pressed.connect(self._from_empty)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the reports and the splits."""
        work = partial(read, self.context.workspace, self.context.reports)
        self.context.ask(self, work, self._show, self._on_lost, topic="scores", lane="background")

    def _on_lost(self, sentence: str) -> None:
        if self._data is None:
            self.sentence.setText(sentence)
        self.context.complain(sentence)

    def _show(self, data: ScoresData) -> None:
        run, self._wanted = self._wanted or self.chosen_run(), ""
        self._data = data
        self.damaged.setText("\n".join(data.damaged))
        self.damaged.setVisible(bool(data.damaged))
        if not data.reports and not data.damaged:
            self.empty.say(
                tr("No scores yet."),
                tr("Choose a model and a split; the scores appear here when the run is finished.")
                if data.splits
                else tr("Models are scored on a frozen split; freeze one first."),
                tr("Evaluate a model") if data.splits else tr("Go to Splits"),
            )
            self._stack.setCurrentIndex(1)
            return
        self._stack.setCurrentIndex(0)
        self._fill_table(data)
        self.sentence.setText(headline(data.reports, self._gates))
        if data.reports:
            self.compare_button.setEnabled(len(data.reports) > 1)
            runs = [_run_of(report) for report in data.reports]
            self.table.selectRow(runs.index(run) if run in runs else 0)
        self._show_report(self.table.currentIndex().row())
        splits = tuple(dict.fromkeys(report.split for report in data.reports))
        work = partial(read_surface, self.context.workspace, splits)
        self.context.ask(
            self, work, self._on_surface, self.context.complain, topic="surface",
            lane="background",
        )  # fmt: skip

    def _on_surface(self, gates: "Mapping[str, SurfaceGate]") -> None:
        self._gates = gates
        if self._data is not None and self._data.reports:
            self.sentence.setText(headline(self._data.reports, gates))
            at = self.table.currentIndex().row()
            if 0 <= at < len(self._data.reports):
                self._show_surface(self._data.reports[at].split)

    def _fill_table(self, data: ScoresData) -> None:
        titles = run_titles(
            [(str(one.origin.get("run", "")), one.model, one.split) for one in data.reports]
        )
        columns = (
            Column(tr("Model"), width_of(titles), least=150),
            Column(tr("Split"), width_of(report.split for report in data.reports), least=100),
            Column(tr("Accuracy, 95% CI"), 136, number=True, least=136),
            Column(tr("Items"), 62, number=True),
            Column(tr("Missing"), 80, number=True),
            Column(tr("Unparsed"), 90, number=True),
        )
        rows = [
            (
                title,
                report.split,
                accuracy_words(report.total),
                i18n.number(report.distinct_items),
                i18n.number(report.missing),
                i18n.number(report.unparsed),
            )
            for title, report in zip(titles, data.reports, strict=True)
        ]
        self.model.show_rows(columns, rows)
        self.table.fit_columns()

    def _on_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        self._show_report(current.row())

    def _show_report(self, at: int) -> None:
        reports = self._data.reports if self._data else ()
        shown = 0 <= at < len(reports)
        for part in (self.name, self.missing, self.extras, self.plot_title, self.plot,
                     self.surface):  # fmt: skip
            part.setVisible(shown)
        if not shown:
            return
        report = reports[at]
        self.name.setText(tr("{model} on {split}", model=report.model, split=report.split))
        answered = trn(
            "{answered} of 1 question answered, {missing} without an answer; {unparsed} "
            "unreadable, counted as incorrect.",
            "{answered} of {n} questions answered, {missing} without an answer; {unparsed} "
            "unreadable, counted as incorrect.",
            report.items,
            answered=i18n.number(report.answered),
            missing=i18n.number(report.missing),
            unparsed=i18n.number(report.unparsed),
        )
        ways = ways_notes({report.model: report})
        self.missing.setText("\n".join([answered, *ways, *usage_lines(report)]))
        self._show_people(report)
        lines = (judged_words(report.origin.get("judge")), errata.errata_sentence(report))
        judged = "\n".join(line for line in lines if line)
        self.judged.setText(judged)
        self.judged.setVisible(bool(judged))
        self.extras.show_report(report)
        self.plot_title.setText(
            tr("Accuracy (%) with 95% intervals; chance is 25%")
            if set(report.by.get("format", {})) <= set(SCP_FORMATS)
            else tr("Score (%) with 95% intervals")
        )
        rows = [interval(tr("all"), report.total)]
        for name in ("format", "domain"):
            parts = report.by.get(name, {})
            rows += [
                interval(labels.word(labels.FORMATS, value) if value else tr("none"), part)
                for value, part in (parts.items() if any(parts) else ())
            ]
        self.plot.show_rows(rows, 0.0, 100.0, 0)
        self._show_surface(report.split)

    def _show_people(self, report: "Report") -> None:
        """What people reached, where they answered; their answers are read for it."""
        self.people.setText("")
        self.people.setVisible(report.engine == PEOPLE)
        if report.engine == PEOPLE:
            work = partial(read_ceiling, self.context.reports, _run_of(report))
            done = partial(self._on_people, _run_of(report))
            self.context.ask(
                self, work, done, self.context.complain, topic="people", lane="background"
            )

    def _on_people(self, run: str, sentences: tuple[str, ...]) -> None:
        if run == self.chosen_run():
            self.people.setText("\n".join(sentences))

    def _show_surface(self, split: str) -> None:
        """What shallow solvers reach on the split, beside what the model reached."""
        from core.workflow.splits.surface_gate import strongest_lines, warning

        gate = self._gates.get(split)
        said = warning(gate) if gate else ""
        lines = (said, *strongest_lines(gate)) if gate else ()
        self.surface.setText("\n".join(line for line in lines if line))
        set_ink(self.surface, "return" if said else "muted")

    def take(self, argument: Any) -> None:
        """Choose the run with this id."""
        self._wanted = str(argument)
        self.spoil()

    def choose_report_folder(self) -> None:
        """Ask where the report of everything finished goes."""
        ask_folder(self, tr("Folder for the report"), self.write_report, new=True)

    def write_report(self, folder: str) -> None:
        """Write every finished score as HTML pages below this folder, in one of its own."""
        self.report_button.setEnabled(False)
        work = partial(write_site, self.context.workspace, Path(folder) / "benchseal-report")
        self.context.ask(
            self, work, self._on_report, self._on_no_report, topic="report", lane="background"
        )

    def _on_report(self, page: Path) -> None:
        self.report_button.setEnabled(True)
        written = tr("The report was written to {path}.", path=page)
        self.context.say(written, tr("Open the report"), FILE, page)

    def _on_no_report(self, sentence: str) -> None:
        self.report_button.setEnabled(True)
        self.context.complain(sentence)

    def _to_evaluate(self) -> None:
        self.context.go_to("evaluate")

    def _to_compare(self) -> None:
        self.context.go_to("compare", self.chosen_run() or None)

    def chosen_run(self) -> str:
        """The run whose row is chosen; empty where none is."""
        at = self.table.currentIndex().row()
        reports = self._data.reports if self._data else ()
        return _run_of(reports[at]) if 0 <= at < len(reports) else ""

    def _from_empty(self) -> None:
        self.context.go_to("evaluate" if self._data and self._data.splits else "splits")

    def ready(self) -> bool:
        """Whether the reports are on the screen."""
        return self._data is not None and not self.stale


def _run_of(report: "Report") -> str:
    return str(report.origin.get("run", ""))


def judged_words(judge: Mapping[str, Any] | None) -> str:
    """How far the judging of a run is, what it found, and how far people agree with it."""
    if not judge:
        return ""
    lines = [
        trn(
            "{model} has judged {done} of 1 answer: {state}.",
            "{model} has judged {done} of {n} answers: {state}.",
            judge["answers"],
            model=judge["model"],
            done=i18n.number(judge["judged"]),
            state=labels.word(labels.RUN_STATES, judge["state"]),
        )
    ]
    for judge_entry in judge["judges"]:
        means = [
            tr(
                "{name} {percent}%",
                name=labels.word(labels.JUDGED, name),
                percent=i18n.number(100 * value, 1),
            )
            for name, value in judge_entry["means"].items()
            if value is not None
        ]
        lines += [listed(means)] if means else []
        for name, agreement in judge_entry["agreement"].items():
            lines.append(
                trn(
                    "Agreement with people on 1 answer, {criterion}: {figures}.",
                    "Agreement with people on {n} answers, {criterion}: {figures}.",
                    agreement["answers"],
                    criterion=labels.word(labels.JUDGED, name),
                    figures=agreement_figures(agreement["coefficients"]),
                )
            )
        lines += correction_sentences(
            judge_entry.get("corrected", {}), lambda name: labels.word(labels.JUDGED, name)
        )
    return "\n".join([*lines, *filter(None, (other_judges_sentence(judge),))])


def headline(
    reports: Sequence["Report"], surface: "Mapping[str, SurfaceGate] | None" = None
) -> str:
    """Who is best on the newest split; scores on different items are not compared. It begins with
    the warning of the split's surface gate, where there is one."""
    from core.workflow.splits.surface_gate import short_warning

    defined = [report for report in reports if report.total.accuracy is not None]
    if not defined:
        return tr("No finished evaluations yet.")
    ours = [report for report in defined if report.split == defined[0].split]
    best = max(ours, key=lambda report: report.total.accuracy or 0.0)
    level = [report.model for report in ours if report.total.accuracy == best.total.accuracy]
    gate = (surface or {}).get(best.split)
    best_of = trn(
        "The only evaluation on {split}: {models}, {accuracy}.",
        "Best of {n} evaluations on {split}: {models}, {accuracy}.",
        len(ours),
        split=best.split,
        models=listed(dict.fromkeys(level)),
        accuracy=in_percent(share_of(best.total)),
    )
    return sentences((short_warning(gate) if gate else "", best_of))


def accuracy_words(part: "AccuracyEstimate") -> str:
    """``41.2 [37.1, 45.3]``: accuracy and 95% interval in percent; a dash for no accuracy."""
    share = share_of(part)
    if share.value is None or share.low is None or share.high is None:
        return "–"
    return f"{100 * share.value:.1f} [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def interval(name: str, part: "AccuracyEstimate") -> PlottedInterval:
    """An accuracy in percent with its 95% interval."""
    share = share_of(part)
    if share.value is None or share.low is None or share.high is None:
        return PlottedInterval(name, None, note=tr("no items answered"))
    return PlottedInterval(
        name, 100 * share.value, 100 * share.low, 100 * share.high, share.caution, part.n
    )
