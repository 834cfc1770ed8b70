"""Start a screening: which drafts, which model, below which score they leave."""

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QWidget

from core.i18n import listed, tr, trn
from core.workflow.production import task_view
from core.workflow.workspace import Workspace
from gui.context import WindowContext
from gui.widgets.elements import caption, label
from gui.widgets.server_test import ServerTest
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox

if TYPE_CHECKING:
    from core.workflow.check.screen import ScreeningPlan


def _plan(ws: Workspace, benchmark: str, task: str) -> "ScreeningPlan":
    from core.workflow.check import screen

    return screen.plan(ws, benchmark, task)


def _start(ws: Workspace, benchmark: str, task: str, fields: dict[str, object]) -> str:
    from core.llm.keys import NamedServer, consent
    from core.screening.run import PrescreenParams
    from core.workflow.check import screen

    params = PrescreenParams.model_validate(fields)
    with consent(NamedServer(params.base_url, params.key_env)):
        return screen.start(ws, benchmark, params, task).spec().id


class ScreeningDialog(Sheet):
    """Drafts of the benchmark in front, or of one task; the run goes on without the window."""

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent, tr("Start screening"), (600, 440))
        self._context = context
        self._plan: ScreeningPlan | None = None
        self.task = ChoiceBox()
        self.task.addItem(tr("all tasks with a gate"), "")
        self.server, self.model, self.key = QLineEdit(), QLineEdit(), QLineEdit()
        self.server.setPlaceholderText("http://127.0.0.1:8000/v1")
        self.key.setPlaceholderText(tr("none"))
        self.threshold = QLineEdit("6")
        self.server_test = ServerTest(context, self.server, self.model.text, self.key.text)
        self.says = label(tr("Counting…"), wrap=True)
        self.says.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.run_button = QPushButton(tr("Start"))
        self.run_button.setProperty("look", "filled")
        self._build()
        for field in (self.server, self.model):
            field.textChanged.connect(self._allow)
        for field in (self.server, self.model, self.key):
            field.textChanged.connect(self.server_test.forget)
        self.task.activated.connect(self._count)
        self.run_button.clicked.connect(self.run)
        self._allow()
        self._read()

    def _build(self) -> None:
        layout, last = self.with_body()
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        rows: tuple[tuple[str, QWidget], ...] = (
            (tr("Task"), self.task),
            (tr("Server (OpenAI-compatible)"), self.server),
            (tr("Model"), self.model),
            (tr("Environment variable that holds the key"), self.key),
            (tr("Lowest passing score (0 to 10)"), self.threshold),
        )
        for line, (title, field) in enumerate(rows):
            field.setAccessibleName(title)
            grid.addWidget(caption(title), line, 0)
            grid.addWidget(field, line, 1)
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)
        layout.addWidget(self.server_test)
        layout.addWidget(self.says)
        layout.addStretch(1)
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        last.addWidget(cancel)
        last.addStretch(1)
        last.addWidget(self.run_button)
        self.focus_first(self.server)

    def _read(self) -> None:
        context = self._context
        if not context.benchmark:
            self.says.setText(tr("No benchmarks yet."))
            return
        work = partial(task_view.names, context.workspace, context.benchmark)
        context.ask(self, work, self._show_names, self._fail, topic="names", lane="background")
        self._count()

    def _show_names(self, names: tuple[str, ...]) -> None:
        for name in names:
            self.task.addItem(name, name)

    def _count(self, _place: int = 0) -> None:
        context = self._context
        work = partial(_plan, context.workspace, context.benchmark, str(self.task.currentData()))
        context.ask(self, work, self._show, self._fail, topic="plan", lane="background")

    def _show(self, plan: "ScreeningPlan") -> None:
        first, self._plan = self._plan is None, plan
        if first:
            usual = self._context.preferences  # where nothing was screened yet
            known = (plan.base_url or usual.server, plan.model or usual.model, plan.key_env)
            for field, text in zip((self.server, self.model, self.key), known, strict=True):
                if not field.isModified() and not field.text():  # what was typed meanwhile stays
                    field.setText(text)
        if plan.thresholds:
            most = Counter(plan.thresholds.values()).most_common(1)[0][0]
            self.threshold.setText(f"{most:g}")
        self.says.setText(plan_words(plan))
        self._allow()

    def _allow(self, _text: str = "") -> None:
        waits = self._plan is not None and self._plan.drafts > 0
        named = bool(self.server.text().strip() and self.model.text().strip())
        self.run_button.setEnabled(waits and named)

    def run(self) -> None:
        """Start the run, or take an unfinished one up again."""
        if not self.run_button.isEnabled():
            return
        threshold = _score(self.threshold.text())
        if threshold is None:
            self._fail(tr("The lowest passing score must be a number from 0 to 10."))
            return
        self.trouble.hide()
        self.run_button.setEnabled(False)
        context = self._context
        fields = {
            "base_url": self.server.text().strip(),
            "model": self.model.text().strip(),
            "key_env": self.key.text().strip(),
            "threshold": threshold,
        }
        task = str(self.task.currentData())
        work = partial(_start, context.workspace, context.benchmark, task, fields)
        context.write(self, work, self._on_started, self._fail, lane="background")

    def _on_started(self, _run: str) -> None:
        self._context.say(tr("Screening is running; items that pass go to review automatically."))
        self.accept()
        self._context.go_to("runs")

    def _fail(self, sentence: str) -> None:
        self.say_trouble(sentence)
        self._allow()


def _score(text: str) -> float | None:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if 0 <= value <= 10 else None


def plan_words(plan: "ScreeningPlan") -> str:
    """How many drafts would be asked about, and whether the tasks want different thresholds."""
    if not plan.drafts:
        return tr("Nothing to screen: tasks with a gate have no drafts.")
    lines = [trn("1 draft will be screened.", "{n} drafts will be screened.", plan.drafts)]
    if plan.in_queue:
        lines.append(
            trn(
                "1 of them leaves the review queue until the screening ends.",
                "{n} of them leave the review queue until the screening ends.",
                plan.in_queue,
            )
        )
    if plan.failed:
        lines.append(
            trn(
                "1 of them had no usable reply before and will be sent again.",
                "{n} of them had no usable reply before and will be sent again.",
                plan.failed,
            )
        )
    values = sorted(set(plan.thresholds.values()))
    if len(values) > 1:
        scores = listed(f"{value:g}" for value in values)
        lines.append(
            tr("The tasks' protocols have different thresholds ({values}); screen the tasks "
                "one at a time.",
               values=scores)
        )  # fmt: skip
    return "\n".join(lines)
