"""Runs: a list like that of a download manager; stop, resume, log and result beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QStackedLayout,
    QTabWidget,
    QWidget,
)

from core.errors import InputError, NotFoundError
from core.evaluation.params import IMPORTED
from core.i18n import tr, trn
from core.workflow.runs import runs
from core.workflow.runs.runs import RunInfo
from core.workflow.workspace import Workspace
from gui import labels, theme
from gui.context import WindowContext
from gui.panels.base import Panel
from gui.panels.runs.figures import figures, outcome_of
from gui.panels.runs.model import RunsModel, state, title
from gui.panels.runs.row import RunDelegate
from gui.widgets.action_button import ActionButton
from gui.widgets.elements import column, label, row, set_ink, side_by_side
from gui.widgets.empty import EmptyState
from gui.widgets.steady_fields import NumberBox

if TYPE_CHECKING:
    from gui.panels.runs.run_pages import RunPages

_BEAT_MS = 1000
_WITH_PAGES = ("rewrite", "matrix")
"""Kinds whose figures stand on pages of their own."""
_LARGEST_BUDGET = 2_000_000_000


@dataclass(frozen=True, slots=True)
class RunDetail:
    """One run with the end of its log and its result. ``budget`` is None without one; ``failed``
    are questions without an answer that could be asked again."""

    run: RunInfo
    log: str
    result: dict[str, Any] | None
    budget: int | None = None
    failed: int = 0


def read_detail(ws: Workspace, run_id: str) -> RunDetail:
    """Everything that is shown of one run; what its pages need is imported on the worker."""
    info = runs.info(ws, run_id)
    if info.kind == "rewrite":
        import_module("gui.panels.runs.rewrite_progress")
    try:
        result = runs.result(ws, run_id)
        log, budget = runs.log_tail(ws, run_id), runs.budget_of(ws, run_id)
    except (InputError, NotFoundError) as error:
        # its files are gone or damaged: that is what there is to show of it
        run = info if info.error else replace(info, state="failed", error=str(error))
        return RunDetail(run, "", None)
    return RunDetail(info, log, result, budget, _failed(ws, info, result or {}))


def _failed(ws: Workspace, run: RunInfo, result: Mapping[str, Any]) -> int:
    """How many questions of a finished run could be asked again; none of other programs' runs."""
    outcomes = result.get("outcomes")
    if run.kind not in ("evaluate", "judge") or not isinstance(outcomes, Mapping):
        return 0
    elsewhere = str(runs.find(ws, run.id).params.get("engine", "")).startswith(IMPORTED)
    return 0 if elsewhere else int(outcomes.get("failed", 0))


class RunsPanel(Panel):
    """The list on the left, the chosen run on the right."""

    topics = ("runs",)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._listed = False
        self._chosen = ""
        self._detail: RunDetail | None = None
        self._busy: set[str] = set()
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self.refresh)
        self.model = RunsModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setAccessibleName(tr("Runs"))
        self.list.setItemDelegate(RunDelegate(context.colours, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.selectionModel().currentChanged.connect(self._on_chosen)
        bind = context.actions.bind
        bind("stop-run", self, self.stop_run, self.can_stop)
        bind("resume-run", self, self.resume_run, self.can_resume)
        bind("log", self, self._show_log, self._has_run)
        self._build()

    def _build(self) -> None:
        right = QWidget()
        layout = column(right, margin=16, spacing=8)
        self.name = label("", bold=True, size=18, wrap=True)
        self.state = label("", wrap=True, selectable=True)
        self.figures = label("", ink="muted", wrap=True, selectable=True)
        buttons = row()
        for command_id in ("stop-run", "resume-run"):
            buttons.addWidget(ActionButton(self.context.actions.action(command_id)))
        self.result_button = QPushButton()
        self.result_button.clicked.connect(self._to_result)
        buttons.addWidget(self.result_button)
        buttons.addStretch(1)
        self.folder = QLineEdit()
        self.folder.setReadOnly(True)
        self.folder.setFont(theme.font(theme.SMALL_PX))
        self.folder.setAccessibleName(tr("Folder of the run"))
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setProperty("look", "log")
        self.log.setFont(theme.font(theme.SMALL_PX, monospace=True))
        self.log.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.log.setMaximumBlockCount(1000)
        self.log.setAccessibleName(tr("Log"))
        for part in (self.name, self.state):
            layout.addWidget(part)
        layout.addLayout(buttons)
        layout.addLayout(self._build_budget())
        layout.addLayout(self._build_again())
        layout.addWidget(self.figures)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.log, tr("Log"))
        self.pages: dict[str, RunPages] = {}
        """Of the kinds of which a run was shown."""
        layout.addWidget(self.tabs, 1)
        layout.addWidget(self.folder)
        left = QWidget()
        inner = column(left)
        inner.setContentsMargins(24, 16, 8, 16)
        inner.addWidget(self.list)
        split = side_by_side(left, right, widths=(400, 680))
        self.empty = EmptyState()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(split)
        self._stack.addWidget(self.empty)
        self.empty.say(
            tr("No runs yet."),
            tr("Generating, screening and evaluating are runs; they continue after the window "
                "is closed."),
            tr("Generate items from articles"),
        )  # fmt: skip
        self.empty.pressed.connect(self._make_items)

    def _build_budget(self) -> QHBoxLayout:
        """Shown while a run with a budget of tokens stands still."""
        self.budget_text = label("", wrap=True)
        self.budget = NumberBox()
        self.budget.setRange(1, _LARGEST_BUDGET)
        self.budget.setGroupSeparatorShown(True)
        self.budget.lineEdit().setTextMargins(8, 0, 8, 0)
        self.budget.setAccessibleName(tr("Token budget"))
        self.budget_button = QPushButton(tr("Resume with this budget"))
        self.budget_button.clicked.connect(self.resume_with_budget)
        line = row()
        line.addWidget(self.budget_text, 1)
        line.addWidget(self.budget)
        line.addWidget(self.budget_button)
        return line

    def _build_again(self) -> QHBoxLayout:
        """Shown where questions of a run that stands still had no answer."""
        self.again_words = label("", wrap=True)
        self.again_button = QPushButton(tr("Retry"))
        self.again_button.clicked.connect(self.ask_again)
        line = row()
        line.addWidget(self.again_words, 1)
        line.addWidget(self.again_button)
        return line

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the list, and the chosen run."""
        work = partial(runs.runs, self.context.workspace)
        self.context.ask(
            self, work, self._on_runs, self.context.complain, topic="runs", lane="background"
        )

    def pause(self) -> None:
        """Nobody looks: stop asking."""
        self._timer.stop()

    def _on_runs(self, all_runs: tuple[RunInfo, ...]) -> None:
        self._listed = True
        self._stack.setCurrentIndex(0 if all_runs else 1)
        self.model.show_runs(all_runs)
        row_ = self.model.row_of(self._chosen)
        if all_runs and row_ < 0:
            row_ = 0
        if all_runs:
            self.list.setCurrentIndex(self.model.index(row_))
            self._read_detail()
        active = any(run.state in ("running", "queued", "preempted") for run in all_runs)
        if active and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()
        self.context.actions.update()

    def _on_chosen(self, current: QModelIndex, _before: QModelIndex) -> None:
        run = self.model.run(current.row())
        if run is not None and run.id != self._chosen:
            self._chosen = run.id
            self._read_detail()

    def _read_detail(self) -> None:
        if self._chosen:
            work = partial(read_detail, self.context.workspace, self._chosen)
            self.context.ask(
                self,
                work,
                self._on_detail,
                self.context.complain,
                topic="detail",
                lane="background",
            )

    def _on_detail(self, detail: RunDetail) -> None:
        before, self._detail = self._detail, detail
        run = detail.run
        self.name.setText(title(run))
        self.state.setText(state(run))
        set_ink(self.state, labels.ink_of(run.state))
        self.figures.setText(figures(detail.result or run.notes))
        self.figures.setVisible(bool(self.figures.text()) and run.kind not in _WITH_PAGES)
        outcome = outcome_of(run)
        self.result_button.setVisible(outcome is not None)
        self.result_button.setText("" if outcome is None else outcome.words)
        self._show_pages(run)
        self._show_budget(detail, fresh=before is None or before.run.id != run.id)
        self._show_again(detail)
        self.folder.setText(str(run.folder))
        self.folder.setCursorPosition(0)
        if before is None or before.run.id != run.id or before.log != detail.log:
            self.log.setPlainText(detail.log)
            bar = self.log.verticalScrollBar()
            bar.setValue(bar.maximum())
        self.context.actions.update()

    def _show_pages(self, run: RunInfo) -> None:
        """A rewriting run has its funnel and its items beside the log, a matrix its cells."""
        for kind, pages in self.pages.items():
            if kind != run.kind:
                pages.take_down()
        if run.kind in _WITH_PAGES:
            if run.kind not in self.pages:
                self.pages[run.kind] = self._pages_of(run.kind)
            self.pages[run.kind].put_up()
            self.pages[run.kind].show_run(run)

    def _pages_of(self, kind: str) -> "RunPages":
        from gui.panels.runs.matrix_page import MatrixPage
        from gui.panels.runs.rewrite_progress import RewriteRun

        made = RewriteRun if kind == "rewrite" else MatrixPage
        return made(self.context, self.tabs)

    def _show_budget(self, detail: RunDetail, *, fresh: bool) -> None:
        still = self.can_resume() and detail.budget is not None
        for part in (self.budget_text, self.budget, self.budget_button):
            part.setVisible(still)
        if detail.budget is None or not still:
            return
        reached = bool(detail.run.notes.get("budget_reached"))
        budget = trn("1 token", "{n} tokens", detail.budget)
        self.budget_text.setText(
            tr("The budget of {budget} is used up. Increase it to continue where the run "
                "stopped.",
               budget=budget)
            if reached
            else tr("The budget is {budget}.", budget=budget)
        )  # fmt: skip
        if fresh or self.budget.value() < detail.budget:
            self.budget.setValue(min(_LARGEST_BUDGET, detail.budget * (2 if reached else 1)))

    def _show_again(self, detail: RunDetail) -> None:
        still = detail.run.state == "finished" and detail.run.id not in self._busy
        shown = still and detail.failed > 0
        self.again_words.setVisible(shown)
        self.again_button.setVisible(shown)
        self.again_words.setText(
            trn(
                "1 question failed and has no answer.",
                "{n} questions failed and have no answer.",
                detail.failed,
            )
        )

    # -- doing ------------------------------------------------------------------------------

    def _has_run(self) -> bool:
        return self._detail is not None

    def can_stop(self) -> bool:
        """Whether the chosen run is at work."""
        return self._state_in("running", "queued", "preempted")

    def can_resume(self) -> bool:
        """Whether the chosen run can go on."""
        return self._state_in(
            "stopped", "interrupted", "failed", "prepared", "preempted", "timeout"
        )

    def _state_in(self, *states: str) -> bool:
        detail = self._detail
        return detail is not None and detail.run.state in states and detail.run.id not in self._busy

    def stop_run(self) -> None:
        """Ask the chosen run to stop; what is finished stays finished."""
        self._do(runs.stop, tr("Stopping; items in progress are finished first."))

    def resume_run(self) -> None:
        """Let the chosen run go on where it was."""
        self._do(runs.resume, tr("Resuming; finished items are not repeated."))

    def resume_with_budget(self) -> None:
        """Let the chosen run spend more, and go on where it was."""
        tokens = self.budget.value()
        self._do(
            partial(_resume_with, tokens=tokens),
            trn(
                "Continuing with a budget of 1 token.",
                "Continuing with a budget of {n} tokens.",
                tokens,
            ),
        )

    def ask_again(self) -> None:
        """Ask the questions that failed once more; the other answers stay."""
        self.again_button.setVisible(False)
        self._do(_ask_again, tr("Retrying the questions that failed; the other answers stay."))

    def _do(self, use_case: Any, says: str) -> None:
        if self._detail is None:
            return
        run_id = self._detail.run.id
        self._busy.add(run_id)
        self.state.setText(says)
        self.context.actions.update()
        work = partial(use_case, self.context.workspace, run_id)
        self.context.write(self, work, self._on_done, self._on_refused, lane="background")

    def _on_done(self, run: RunInfo) -> None:
        self._busy.discard(run.id)
        self.refresh()

    def _on_refused(self, sentence: str) -> None:
        self._busy.clear()
        self.context.complain(sentence)
        self.refresh()

    def _show_log(self) -> None:
        self.tabs.setCurrentWidget(self.log)
        self.log.setFocus()

    def take(self, argument: Any) -> None:
        """Choose the run with this id."""
        self._chosen = str(argument)
        self.refresh()

    def _to_result(self) -> None:
        if self._detail is not None and (outcome := outcome_of(self._detail.run)) is not None:
            self.context.go_to(outcome.panel, outcome.argument)

    def _make_items(self) -> None:
        self.context.go_to("sources")

    def ready(self) -> bool:
        """Whether the list and the chosen run are on the screen."""
        if self.stale or not self._listed:
            return False
        if self.model.rowCount() == 0:
            return True
        shown = self._detail
        if shown is None or shown.run.id != self._chosen:
            return False
        pages = self.pages.get(shown.run.kind)
        return pages is None or pages.ready()


def _resume_with(ws: Workspace, run_id: str, tokens: int) -> RunInfo:
    runs.set_budget(ws, run_id, tokens)
    return runs.resume(ws, run_id)


def _ask_again(ws: Workspace, run_id: str) -> RunInfo:
    from core.workflow.evaluation import start  # takes longer than a frame of the window

    start.forget_failed(ws, run_id)
    return runs.resume(ws, run_id)
