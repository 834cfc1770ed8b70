"""Evaluate: what is to be asked of which model, checked while it is filled in, then started."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtWidgets import QPushButton, QStackedLayout, QWidget

from core.errors import BenchsealError
from core.i18n import tr, trn
from core.workflow.evaluation.plan import (
    DryRunResult,
    EvaluationPlan,
    EvaluationRequest,
    Planner,
    StartedRuns,
    start_runs,
)
from core.workflow.workspace import Workspace
from gui.context import WindowContext
from gui.panels.base import Panel
from gui.panels.evaluate.checks import LaunchChecks, start_words, where_words
from gui.panels.evaluate.form import EngineChoice, FormChoices, LaunchForm
from gui.timers import single_shot
from gui.widgets.elements import caption, column, label, row, scrolled, set_ink, side_by_side
from gui.widgets.empty import EmptyState

ITEMS = 20
"""Items of a trial."""
_PAUSE_MS = 250  # after a change, before it is checked


def read(ws: Workspace) -> FormChoices:
    """The frozen splits, the engines with what is missing for them, the launchers."""
    from core.evaluation.engines import ENGINES
    from core.workflow.evaluation.start import run_targets
    from core.workflow.splits import freeze

    targets = run_targets(ws)
    needs = {engine.name: (engine.needs_model, engine.needs_server) for engine in ENGINES}
    engines = tuple(
        EngineChoice(
            engine.name,
            engine.title,
            engine.usable,
            engine.reason,
            engine.answers_by,
            *needs[engine.name],
        )
        for engine in targets.engines
    )
    return FormChoices(freeze.all_splits(ws), engines, targets.launchers, targets.gpus)


def try_some(
    ws: Workspace, request: EvaluationRequest, person: str, stopping: Callable[[], bool]
) -> DryRunResult:
    """A trial of a few items; imports what it needs on the worker."""
    from core.llm.keys import consent
    from core.workflow.evaluation.dry_run import try_out

    with consent(*request.params.named_servers()):
        return try_out(ws, request, items=ITEMS, stopping=stopping, person=person)


def start_allowed(ws: Workspace, request: EvaluationRequest, person: str) -> StartedRuns:
    """Start what the form says; whoever does agrees to the servers in it."""
    from core.llm.keys import consent

    with consent(*request.params.named_servers()):
        return start_runs(ws, request, person)


class EvaluatePanel(Panel):
    """The form on the left; on the right what it comes to, a trial, and the one button."""

    topics = ("splits",)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._choices: FormChoices | None = None
        self._planner = Planner(context.workspace)
        self._plan: EvaluationPlan | None = None
        self._trial: DryRunResult | None = None
        self._wanted_split = ""
        self._starting = self._asking = False
        self._cancel: threading.Event | None = None
        self._pause = single_shot(self, _PAUSE_MS, self.check)
        self.form = LaunchForm(context)
        self.form.edited.connect(self._on_edited)
        self.checks = LaunchChecks()
        self._build()
        bind = context.actions.bind
        bind("launch-start", self, self.start, self.can_start)
        bind("launch-try", self, self.try_some, self.can_try)
        bind("launch-cancel", self, self.cancel_trial, self.is_trying)
        bind("launch-form", self, self._into_form)

    def _build(self) -> None:
        inner = QWidget()
        inner.setProperty("look", "page")
        layout = column(inner, spacing=12)
        layout.setContentsMargins(16, 20, 24, 16)
        layout.addWidget(self.checks)
        self.try_button = QPushButton()
        self.try_button.clicked.connect(self._on_try)
        self.trial_says = label("", ink="muted", wrap=True)
        line = row()
        line.addWidget(self.try_button)
        line.addWidget(self.trial_says, 1)
        layout.addLayout(line)
        layout.addStretch(1)
        self.start_button = QPushButton()
        self.start_button.setProperty("look", "filled")
        self.start_button.clicked.connect(self.start)
        layout.addWidget(self.start_button)
        self.where = caption()
        self.where.setWordWrap(True)
        layout.addWidget(self.where)
        split = side_by_side(scrolled(self.form), scrolled(inner), widths=(560, 540))
        split.setChildrenCollapsible(False)
        self.empty = EmptyState()
        self.empty.say(
            tr("No splits to evaluate on yet."),
            tr("Models are scored on a frozen split; freeze one first."),
            tr("Go to Splits"),
        )
        self.empty.pressed.connect(self._to_splits)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(split)
        self._stack.addWidget(self.empty)
        self._show_state()

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read what can be chosen, and check the form again."""
        work = partial(read, self.context.workspace)
        self.context.ask(
            self, work, self._on_choices, self.context.complain, topic="choices", lane="background"
        )

    def take(self, argument: Any) -> None:
        """Choose the split of this name."""
        self._wanted_split = str(argument)
        self.spoil()

    def _on_choices(self, choices: FormChoices) -> None:
        self._choices = choices
        self._stack.setCurrentIndex(0 if choices.splits else 1)
        if not choices.splits:
            return
        self.form.offer(choices)
        if self._wanted_split:
            self.form.choose_split(self._wanted_split)
            self._wanted_split = ""
        self.check()

    # -- checking ---------------------------------------------------------------------------

    def _on_edited(self) -> None:
        self._plan = None
        self._pause.start()
        self._show_state()

    def check(self) -> None:
        """Check what the form says, off the window's thread."""
        self._pause.stop()
        request = self._request()
        if request is None:
            return
        self._asking = True
        work = partial(self._planner.plan, request, self._trial)
        self.context.ask(
            self, work, self._on_plan, self._on_no_plan, topic="plan", lane="background"
        )
        self._show_state()

    def _request(self) -> EvaluationRequest | None:
        try:
            return self.form.request()
        except BenchsealError as error:
            self._on_no_plan(str(error))
            return None

    def _on_plan(self, plan: EvaluationPlan) -> None:
        self._asking = False
        self._plan = plan
        self.checks.show_plan(plan)
        self._show_state()

    def _on_no_plan(self, sentence: str) -> None:
        self._asking = False
        self._plan = None
        self.checks.show_trouble(sentence)
        self._show_state()

    def _show_state(self) -> None:
        """The two buttons say what they would do now, and can be pressed when they would do it."""
        plan = self._plan
        if plan is not None:
            self.start_button.setText(start_words(plan))
        elif not self.start_button.text():
            self.start_button.setText(tr("Start"))
        self.where.setText(where_words(plan))
        self.start_button.setEnabled(self.can_start())
        trying = self.is_trying()
        self.try_button.setText(tr("Cancel the trial run") if trying else _try_words(plan))
        self.try_button.setEnabled(trying or self.can_try())
        if trying:
            self.trial_says.setText(tr("Trial run in progress; its answers are discarded."))
            set_ink(self.trial_says, "accent")
        else:
            self.trial_says.setText(tr("A trial run measures time, tokens and cost."))
            set_ink(self.trial_says, "muted")
        self.context.actions.update()

    # -- trying -----------------------------------------------------------------------------

    def is_trying(self) -> bool:
        """Whether a trial is at work."""
        return self._cancel is not None

    def can_try(self) -> bool:
        """Whether a trial would work now."""
        plan = self._plan
        return (
            plan is not None
            and plan.may_start
            and plan.request.launcher == "local"
            and not self.is_trying()
        )

    def _on_try(self) -> None:
        if self.is_trying():
            self.cancel_trial()
        else:
            self.try_some()

    def try_some(self) -> None:
        """Run a few items in the background and learn from it."""
        if not self.can_try() or self._plan is None:
            return
        self._cancel = cancel = threading.Event()
        self.destroyed.connect(cancel.set)
        person = self.context.person.name
        work = partial(try_some, self.context.workspace, self._plan.request, person, cancel.is_set)
        self.context.ask(
            self, work, self._on_tried, self._on_not_tried, topic="trial", lane="background"
        )
        self._show_state()

    def cancel_trial(self) -> None:
        """End the trial; nothing of it stays."""
        if self._cancel is not None:
            self._cancel.set()

    def _on_tried(self, trial: DryRunResult) -> None:
        self._cancel = None
        if not trial.cancelled:
            self._trial = trial
        self.check()

    def _on_not_tried(self, sentence: str) -> None:
        self._cancel = None
        self.context.complain(sentence)
        self.check()

    def pause(self) -> None:
        """A window that closes takes its trial with it; another panel in front does not."""
        if not self.window().isVisible():
            self.cancel_trial()

    # -- starting ---------------------------------------------------------------------------

    def can_start(self) -> bool:
        """Whether the form was checked and nothing stands in the way."""
        return self._plan is not None and self._plan.may_start and not self._starting

    def start(self) -> None:
        """Start what the button says, and go to the runs."""
        if not self.can_start() or self._plan is None:
            return
        self._starting = True
        self._show_state()
        work = partial(
            start_allowed, self.context.workspace, self._plan.request, self.context.person.name
        )
        self.context.write(self, work, self._on_started, self._on_refused, lane="background")

    def _on_started(self, started: StartedRuns) -> None:
        self._starting = False
        self._show_state()
        if started.refusal:
            self.context.complain(started.refusal)
        self.context.go_to("runs", started.runs[0])

    def _on_refused(self, sentence: str) -> None:
        self._starting = False
        self._show_state()
        self.context.complain(sentence)

    def _into_form(self) -> None:
        self.form.split.setFocus()

    def _to_splits(self) -> None:
        self.context.go_to("splits")

    def ready(self) -> bool:
        """Whether the form is filled and what it says was checked."""
        return (
            self._choices is not None
            and not self.stale
            and not self._asking
            and not self._pause.isActive()
        )


def _try_words(plan: EvaluationPlan | None) -> str:
    """What a trial would do: on a server it asks for real."""
    count = min(ITEMS, plan.load.prompts) if plan else ITEMS
    return trn("Trial run with 1 prompt", "Trial run with {n} prompts", count)
