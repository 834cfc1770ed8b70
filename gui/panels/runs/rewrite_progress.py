"""A rewriting run in the Runs panel: its funnel, live, and its items with their journeys."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QModelIndex
from PySide6.QtWidgets import QLineEdit, QPushButton, QScrollArea, QTabWidget, QWidget
from typing_extensions import override

from core.i18n import tr, trn
from core.rewriting.record import OUTCOMES
from core.rewriting.run_progress import RewriteProgress, RewriteProgressReader
from core.rewriting.step_labels import budget_text, outcome_text, reason_text, round_text, step_text
from core.workflow.runs.runs import RunInfo
from gui import i18n, theme
from gui.context import WindowContext
from gui.dialogs.rewrite_trace import RewriteTraceDialog
from gui.panels.runs.funnel import FunnelView
from gui.panels.runs.run_pages import RunPages
from gui.panels.runs.trace_model import WIDTHS, TraceFilter, TraceModel
from gui.widgets.elements import caption, column, label, row
from gui.widgets.steady_fields import ChoiceBox
from gui.widgets.table_view import ReadingTable


class RewriteRun(RunPages):
    """Two pages for the tabs of a run: the picture, and the items behind it. Both grow while the
    run goes on."""

    def __init__(self, context: WindowContext, tabs: QTabWidget) -> None:
        super().__init__(context, tabs)
        self._reader: RewriteProgressReader | None = None
        self._reading: RewriteProgressReader | None = None
        self._run = ""
        self._choices: tuple[TraceFilter, ...] = ()
        self.progress: RewriteProgress | None = None
        self.funnel_page = self._build_funnel()
        self.items_page = self._build_items()

    @override
    def pages(self) -> Sequence[tuple[QWidget, str]]:
        """The funnel and the items."""
        return ((self.funnel_page, tr("Funnel")), (self.items_page, tr("Items")))

    def _build_funnel(self) -> QWidget:
        page = QWidget()
        page.setProperty("look", "page")
        layout = column(page, spacing=8)
        layout.setContentsMargins(0, 8, 8, 8)
        self.headline = label("", wrap=True)
        self.funnel = FunnelView(self._context.colours)
        self.funnel.picked.connect(self.show_left_at)
        self.rounds_head = caption(tr("Reflection rounds"))
        self.rounds = label("", wrap=True, selectable=True)
        self.bill = label("", ink="muted", wrap=True, selectable=True)
        for part in (self.headline, self.funnel, self.rounds_head, self.rounds, self.bill):
            layout.addWidget(part)
        layout.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(page)
        return area

    def _build_items(self) -> QWidget:
        page = QWidget()
        layout = column(page, spacing=8)
        layout.setContentsMargins(0, 8, 0, 0)
        self.choice = ChoiceBox()
        self.choice.setAccessibleName(tr("Filter items"))
        self.choice.currentIndexChanged.connect(self._narrow)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Text or id"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._narrow)
        line = row()
        line.addWidget(self.choice, 2)
        line.addWidget(self.search, 1)
        self.model = TraceModel(self)
        self.table = ReadingTable(self.model)
        for index, width in enumerate(WIDTHS):
            self.table.setColumnWidth(index, width)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.setAccessibleName(tr("Items of the run"))
        self.table.activated.connect(self._on_activated)
        self.open_button = QPushButton(tr("Open the trace"))
        self.open_button.clicked.connect(self.open_trace)
        below = row()
        self.count = label("", ink="muted", size=theme.SMALL_PX)
        below.addWidget(self.count)
        below.addStretch(1)
        below.addWidget(self.open_button)
        layout.addLayout(line)
        layout.addWidget(self.table, 1)
        layout.addLayout(below)
        return page

    # -- reading ----------------------------------------------------------------------------

    @override
    def show_run(self, run: RunInfo) -> None:
        """Show this run; of the one that is shown already, read what was added."""
        if run.id != self._run or self._reader is None:
            self._run, self._reader = run.id, RewriteProgressReader(Path(run.folder))
            self.progress = None
            self.headline.setText(tr("Reading…"))
            self.model.show_items(())
        reader = self._reader
        if self._reading is reader:
            return  # the read under way is of this run: the next beat asks again
        self._reading = reader
        self._context.ask(
            self,
            reader.read,
            partial(self._on_progress, reader),
            partial(self._on_failed, reader),
            lane="background",
        )

    def _on_failed(self, reader: RewriteProgressReader, sentence: str) -> None:
        if self._reading is reader:
            self._reading = None
        if reader is self._reader:
            self.headline.setText(sentence)

    def _on_progress(self, reader: RewriteProgressReader, progress: RewriteProgress) -> None:
        if self._reading is reader:
            self._reading = None
        if reader is not self._reader or progress == self.progress:
            return
        self.progress = progress
        accepted = int(progress.funnel["accepted"])
        self.headline.setText(
            trn(
                "{accepted} of 1 finished item accepted; {total} in total.",
                "{accepted} of {n} finished items accepted; {total} in total.",
                progress.finished,
                accepted=i18n.number(accepted),
                total=i18n.number(progress.total),
            )
        )
        self.funnel.show_progress(progress)
        rounds = progress.funnel["rounds"]
        self.rounds.setText("\n".join(round_text(*entry) for entry in rounds.items()))
        for part in (self.rounds_head, self.rounds):
            part.setVisible(bool(rounds))
        self.bill.setText(budget_text(progress))
        self.model.show_items(progress.items)
        self._fill_choices(progress)
        self._show_count()

    # -- the items --------------------------------------------------------------------------

    def _fill_choices(self, progress: RewriteProgress) -> None:
        """Everything, each outcome, each place where items left with its reason; with counts."""
        entries: list[tuple[str, TraceFilter]] = [
            (
                tr("All finished items ({count})", count=i18n.number(progress.finished)),
                TraceFilter(),
            )
        ]
        for outcome in OUTCOMES:
            if count := int(progress.funnel[outcome]):
                title = tr(
                    "{outcome} ({count})", outcome=outcome_text(outcome), count=i18n.number(count)
                )
                entries.append((title, TraceFilter(outcome)))
        for stage in progress.stages:
            for why, count in sorted(stage.left.items(), key=lambda pair: -pair[1]):
                title = tr(
                    "{step}: {reason} ({count})",
                    step=step_text(stage.step),
                    reason=reason_text(why),
                    count=i18n.number(count),
                )
                entries.append((title, TraceFilter(step=stage.step, reason=why)))
        before = self._chosen()
        self._choices = tuple(narrowed for _, narrowed in entries)
        blocked = self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([title for title, _ in entries])
        if before in self._choices:
            self.choice.setCurrentIndex(self._choices.index(before))
        self.choice.blockSignals(blocked)

    def _chosen(self) -> TraceFilter:
        index = self.choice.currentIndex()
        return self._choices[index] if 0 <= index < len(self._choices) else TraceFilter()

    def _narrow(self) -> None:
        chosen = self._chosen()
        words = self.search.text().strip()
        self.model.narrow(TraceFilter(chosen.outcome, chosen.step, chosen.reason, words))
        self._show_count()

    def show_left_at(self, step: str) -> None:
        """List the items that went no further than a step, or those that were accepted."""
        wanted = TraceFilter("accepted") if step == "accepted" else TraceFilter(step=step)
        if wanted not in self._choices:
            self._choices += (wanted,)
            self.choice.addItem(tr("All items that ended at {step}", step=step_text(step)))
        self.choice.setCurrentIndex(self._choices.index(wanted))
        self._tabs.setCurrentWidget(self.items_page)

    def _show_count(self) -> None:
        shown = self.model.rowCount()
        self.count.setText(trn("1 item", "{n} items", shown))
        if shown and not self.table.currentIndex().isValid():
            self.table.selectionModel().setCurrentIndex(
                self.model.index(0, 0),
                QItemSelectionModel.SelectionFlag.ClearAndSelect
                | QItemSelectionModel.SelectionFlag.Rows,
            )
        self.open_button.setEnabled(shown > 0)

    def _on_activated(self, index: QModelIndex) -> None:
        self._open(index.row())

    def open_trace(self) -> None:
        """Open the journey of the chosen item."""
        self._open(self.table.currentIndex().row())

    def _open(self, row_: int) -> None:
        line = self.model.line(row_)
        reader = self._reader
        if line is not None and reader is not None:
            dialog = RewriteTraceDialog(
                self._context, line.id, partial(reader.trace, line.id), self._tabs
            )
            dialog.open()

    @override
    def ready(self) -> bool:
        """Whether what was asked for is on the screen."""
        return self.progress is not None and self._reading is None
