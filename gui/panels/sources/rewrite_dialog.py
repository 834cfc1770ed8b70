"""Starting a rewrite: the data and their first rows, the knowledge, the model, what it will ask."""

from functools import partial
from pathlib import Path

from pydantic import ValidationError
from PySide6.QtCore import QDate, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from core.errors import BenchsealError, InputError
from core.families.base import first_problem
from core.i18n import listed, tr, trn
from core.rewriting.estimate import estimate
from core.rewriting.params import RewriteParams
from core.rewriting.step_labels import estimate_text, left_out_rows
from core.sources.labelled.dataset_files import Columns
from core.sources.labelled.datasets import TASKS, LabelledTask, own_task
from core.sources.labelled.preview import LabelledPreview, preview_labelled
from core.workflow.people import default_benchmark
from gui import i18n
from gui.context import WindowContext
from gui.panels.sources.busy_dialog import BusyDialog
from gui.panels.sources.fields import day_of, price_of, refill
from gui.panels.sources.rewrite_order import RewriteOrder, start_rewrite
from gui.timers import single_shot
from gui.widgets.elements import caption, column, label, row, set_ink
from gui.widgets.file_dialogs import ask_folder, ask_which
from gui.widgets.number_field import number_field
from gui.widgets.steady_fields import ChoiceBox, DayBox
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_ROLES = ("text", "second", "label", "target", "id")
_PAIRINGS = ("none", "equivalence", "entailment", "other")
_SETTLE_MS = 250  # of quiet typing before the data are read again
_LARGEST = 2_000_000_000


class RewriteDialog(BusyDialog):
    """One rewriting run. Nothing is asked of a model before the button that says so."""

    started = Signal(object)
    """The id of the run."""

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent, tr("Rewrite labelled data with new knowledge"), (1120, 680))
        self._context = context
        self._preview: LabelledPreview | None = None
        self._columns: dict[str, QComboBox] = {}
        self._settle = single_shot(self, _SETTLE_MS, self.look)
        whole = row(margin=16, spacing=16)
        column(self).addLayout(whole, 1)
        form = QWidget()
        form.setProperty("look", "page")
        self._fields = QFormLayout(form)
        self._fields.setContentsMargins(0, 0, 12, 0)
        self._fields.setHorizontalSpacing(12)
        self._fields.setVerticalSpacing(6)
        self._fields.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for title, build in (
            (tr("Data"), self._build_data),
            (tr("Knowledge"), self._build_knowledge),
            (tr("Model"), self._build_model),
            (tr("Limits"), self._build_limits),
        ):
            head = label(title, bold=True)
            head.setContentsMargins(0, 8, 0, 2)
            self._fields.addRow(head)
            build(self._fields)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setMinimumWidth(280)
        area.setMaximumWidth(500)
        area.setWidget(form)
        whole.addWidget(area, 3)
        whole.addLayout(self._build_right(), 2)
        self._show_kind()
        self._show_state()
        self.focus_first(self.path)

    # -- building ---------------------------------------------------------------------------

    def _line(self, name: str, text: str = "", hint: str = "") -> QLineEdit:
        field = QLineEdit(text)
        field.setAccessibleName(name)
        field.setPlaceholderText(hint)
        field.textChanged.connect(self._on_changed)
        return field

    def _build_data(self, form: QFormLayout) -> None:
        self.path = self._line(tr("File or folder"))
        line = row()
        line.addWidget(self.path, 1)
        for text, slot in ((tr("File…"), self.choose_file), (tr("Folder…"), self.choose_folder)):
            button = QPushButton(text)
            button.setAutoDefault(False)
            button.clicked.connect(slot)
            line.addWidget(button)
        self.sheet = self._line(tr("Sheet"), hint=tr("if there are several"))
        self.benchmark = self._line(tr("Benchmark"), self._context.benchmark or default_benchmark())
        self.kind = ChoiceBox()
        self.kind.setAccessibleName(tr("Task type"))
        for task in TASKS:
            self.kind.addItem(task.name, task.name)
        self.kind.addItem(tr("a task of your own"), "")
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.name = self._line(tr("Name of the task"))
        self.labels = self._line(tr("Labels"), hint=tr("all labels, separated by commas"))
        self.question = self._line(tr("Question"), hint=tr("question that the label answers"))
        self.pairing = ChoiceBox()
        self.pairing.setAccessibleName(tr("Texts per item"))
        pairs = (tr("one text"), tr("two texts: same meaning"), tr("two texts: entailment"),
                 tr("two texts: another relation"))  # fmt: skip
        for name, title in zip(_PAIRINGS, pairs, strict=True):
            self.pairing.addItem(title, name)
        self.pairing.currentIndexChanged.connect(self._on_changed)
        self.split = ChoiceBox()
        self.split.setAccessibleName(tr("Part of the data set"))
        self.split.currentIndexChanged.connect(self._on_split)
        form.addRow(tr("File or folder"), line)
        form.addRow(tr("Sheet"), self.sheet)
        form.addRow(tr("Split"), self.split)
        form.addRow(tr("Task type"), self.kind)
        form.addRow(tr("Name of the task"), self.name)
        form.addRow(tr("Labels"), self.labels)
        form.addRow(tr("Question"), self.question)
        form.addRow(tr("Texts"), self.pairing)
        titles = {"text": tr("Text column"), "second": tr("Second text"), "label": tr(
            "Label column"),
                  "target": tr("Target column"), "id": tr("Id column")}  # fmt: skip
        for role in _ROLES:
            box = self._columns[role] = ChoiceBox()
            box.setAccessibleName(titles[role])
            box.setObjectName(role)
            box.currentIndexChanged.connect(self._on_mapped)
            form.addRow(titles[role], box)
        form.addRow(tr("Benchmark"), self.benchmark)

    def _build_knowledge(self, form: QFormLayout) -> None:
        self.source = ChoiceBox()
        self.source.setAccessibleName(tr("Source"))
        for title, name in (
            (tr("folder of GDELT files"), "gdelt-files"),
            (tr("GDELT DOC service (free, slow)"), "gdelt-doc"),
            (tr("BigQuery (paid, with a cap)"), "gdelt-bigquery"),
        ):
            self.source.addItem(title, name)
        self.source.currentIndexChanged.connect(self._on_source)
        self.place = self._line(tr("News folder"))
        self.place_button = QPushButton(tr("Folder…"))
        self.place_button.setAutoDefault(False)
        self.place_button.clicked.connect(self.choose_news)
        line = row()
        line.addWidget(self.place, 1)
        line.addWidget(self.place_button)
        self.since, self.until = DayBox(), DayBox()
        today = QDate.currentDate()
        for box, name, value in (
            (self.since, tr("From"), today.addDays(-90)),
            (self.until, tr("To"), today),
        ):
            box.setAccessibleName(name)
            box.setDisplayFormat("yyyy-MM-dd")
            box.setDate(value)
            box.lineEdit().setTextMargins(8, 0, 8, 0)
            box.dateChanged.connect(self._on_changed)
        dates = row()
        dates.addWidget(self.since, 1)
        dates.addWidget(caption("–"))
        dates.addWidget(self.until, 1)
        form.addRow(tr("Source"), self.source)
        form.addRow(tr("Location"), line)
        form.addRow(tr("News period"), dates)
        form.addRow(
            "",
            label(tr("Start at the release date of the newest model to be evaluated."),
                  ink="muted", wrap=True, size=13),
        )  # fmt: skip

    def _build_model(self, form: QFormLayout) -> None:
        self.base_url = self._line(tr("Server"), hint="http://127.0.0.1:8000/v1")
        self.model = self._line(tr("Model"))
        self.critic = self._line(tr("Critic"), hint=tr("the same model"))
        form.addRow(tr("Server"), self.base_url)
        form.addRow(tr("Model"), self.model)
        form.addRow(tr("Critic"), self.critic)

    def _build_limits(self, form: QFormLayout) -> None:
        self.limit = number_field(0, 10_000_000, 0, tr("Maximum number of items"), tr("all"))
        self.rounds = number_field(1, 20, 3, tr("Maximum number of rounds"))
        self.concurrency = number_field(1, 1024, 16, tr("Concurrent requests"))
        self.budget = number_field(0, _LARGEST, 0, tr("Token budget"), tr("none"))
        self.price_prompt = self._line(tr("Prompt price"))
        self.price_completion = self._line(tr("Completion price"))
        prices = row()
        prices.addWidget(self.price_prompt)
        prices.addWidget(self.price_completion)
        for box in (self.limit, self.rounds, self.concurrency, self.budget):
            box.valueChanged.connect(self._on_changed)
        form.addRow(tr("Maximum number of items"), self.limit)
        form.addRow(tr("Maximum number of rounds"), self.rounds)
        form.addRow(tr("Number of concurrent requests"), self.concurrency)
        form.addRow(tr("Token budget"), self.budget)
        self.keep_unchanged = QCheckBox(tr("Keep items without new knowledge"))
        self.keep_unchanged.setToolTip(tr("They are marked as unchanged."))
        self.keep_unchanged.setChecked(True)
        form.addRow("", self.keep_unchanged)
        form.addRow(tr("Prices per million tokens"), prices)

    def _build_right(self) -> QHBoxLayout:
        right = row()
        page = QWidget()
        layout = column(page, spacing=8)
        self.model_rows = TableModel((), self)
        self.table = ReadingTable(self.model_rows)
        self.table.setAccessibleName(tr("First rows of the data"))
        self.estimate = label("", ink="muted", wrap=True, selectable=True)
        self.start_button = QPushButton(tr("Start rewriting"))
        self.start_button.setProperty("look", "filled")
        self.start_button.setAutoDefault(False)
        self.start_button.clicked.connect(self.start)
        line = row()
        line.addWidget(self.start_button)
        line.addStretch(1)
        layout.addWidget(self.says)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.estimate)
        layout.addLayout(line)
        right.addWidget(page)
        return right

    # -- choosing ---------------------------------------------------------------------------

    def choose_file(self) -> None:
        """Ask for a file of labelled data."""
        ask_which(self, tr("Choose a file…"), self.path.setText)

    def choose_folder(self) -> None:
        """Ask for a TweetEval folder."""
        ask_folder(self, tr("Choose a folder…"), self.path.setText)

    def choose_news(self) -> None:
        """Ask for the folder of GDELT files."""
        ask_folder(self, tr("Choose a folder…"), self.place.setText)

    def _show_kind(self) -> None:
        """A task of one's own has labels to be named; the others have theirs."""
        own = not self.kind.currentData()
        for field in (self.labels, self.question, self.pairing):
            self._fields.setRowVisible(field, own)
        if not own:
            self.name.setText(str(self.kind.currentData()))
        self._settle.start()

    def _on_source(self) -> None:
        local = self.source.currentData() == "gdelt-files"
        self.place_button.setVisible(local)
        hints = {"gdelt-doc": tr("public service"), "gdelt-bigquery": tr("your project")}
        self.place.setPlaceholderText(hints.get(self.source.currentData(), ""))
        self._show_state()

    def _on_changed(self) -> None:
        if self.sender() in (self.path, self.sheet, self.labels, self.pairing):
            self._settle.start()
        self._show_state()

    def _on_split(self) -> None:
        self.look()

    def _on_mapped(self) -> None:
        self.look()

    # -- the data ---------------------------------------------------------------------------

    def task(self) -> LabelledTask:
        """The task that the sheet describes; InputError where its labels are not clear."""
        for known in TASKS:
            if known.name == self.kind.currentData():
                return known
        labels = tuple(part for part in self.labels.text().replace("，", ",").split(","))
        return own_task(
            self.name.text().strip() or "own",
            labels,
            pairing=self.pairing.currentData(),
            question=self.question.text().strip(),
            targeted=bool(self._columns["target"].currentData()),
        )

    def columns(self) -> Columns | None:
        """The columns that were chosen; None where all are to be guessed."""
        chosen = {role: str(box.currentData() or "") for role, box in self._columns.items()}
        return Columns(**chosen) if any(chosen.values()) else None

    def look(self) -> None:
        """Read the data as the sheet now says; the answer shows their first rows."""
        self._preview = None
        text = self.path.text().strip()
        if not text:
            self._say(tr("Choose labelled data: a TweetEval folder or a table (CSV, Excel, JSON "
                         "lines, Parquet, Feather)."))  # fmt: skip
            self._show_state()
            return
        try:
            task = self.task()
        except InputError as error:
            self._say(str(error), "return")
            self._show_state()
            return
        split = str(self.split.currentData() or "test")
        work = partial(
            preview_labelled,
            Path(text).expanduser(),
            task,
            columns=self.columns(),
            split=split,
            sheet=self.sheet.text().strip(),
        )
        self._context.ask(
            self, work, self._on_preview, self._fail, topic="preview", lane="background"
        )

    def _on_preview(self, preview: LabelledPreview) -> None:
        self._preview = preview
        widths = [260 if "text" in name.casefold() else 120 for name in preview.columns]
        heads = [Column(n, w) for n, w in zip(preview.columns, widths, strict=True)]
        self.model_rows.show_rows(heads, preview.rows)
        self.table.fit_columns()
        if preview.splits and preview.splits != tuple(
            self.split.itemData(i) for i in range(self.split.count())
        ):
            refill(self.split, [(name, name) for name in preview.splits])
        self._fields.setRowVisible(self.split, bool(preview.splits))
        self._fill_columns(preview)
        if preview.problem:
            self._say(preview.problem, "reject")
        else:
            counts = listed(
                tr("{label} {count}", label=name, count=i18n.number(count))
                for name, count in preview.label_counts.items()
            )
            sentence = trn(
                "1 usable item: {labels}.",
                "{n} usable items: {labels}.",
                len(preview.examples),
                labels=counts,
            )
            left_out = left_out_rows(preview.left_out)
            self._say(tr("{said} {more}", said=sentence, more=left_out).strip())
        self._show_state()

    def _fill_columns(self, preview: LabelledPreview) -> None:
        is_file = bool(preview.columns) and not preview.splits
        for role, box in self._columns.items():
            chosen = str(box.currentData() or "")
            guessed = str(getattr(preview.guessed, role))
            usual = tr("detected: {column}", column=guessed) if guessed else tr("detect by name")
            choices = [(usual, ""), *((name, name) for name in preview.columns)]
            refill(box, choices, chosen)
            self._fields.setRowVisible(box, is_file and self._is_needed(role))

    def _is_needed(self, role: str) -> bool:
        """Whether the chosen kind of task has this column."""
        known = next((task for task in TASKS if task.name == self.kind.currentData()), None)
        if role == "second":
            return known.is_pair if known else self.pairing.currentData() != "none"
        return role != "target" or known is None or known.targeted

    # -- starting ---------------------------------------------------------------------------

    @property
    def preview(self) -> LabelledPreview | None:
        """What was found in the file; None before it is read."""
        return self._preview

    def params(self) -> RewriteParams:
        """What the run will be told; InputError in words where something does not fit."""
        kind = str(self.source.currentData())
        place = self.place.text().strip()
        since, until = (day_of(box) for box in (self.since, self.until))
        try:
            params = RewriteParams(
                task=self.task(),
                base_url=self.base_url.text().strip(),
                model=self.model.text().strip(),
                critic_model=self.critic.text().strip(),
                knowledge=f"{kind}:{place}" if place else kind,
                since=since,
                until=until,
                max_rounds=self.rounds.value(),
                keep_unchanged=self.keep_unchanged.isChecked(),
                concurrency=self.concurrency.value(),
                budget_tokens=self.budget.value() or None,
                price_prompt=price_of(self.price_prompt.text()),
                price_completion=price_of(self.price_completion.text()),
            )
        except ValidationError as error:
            raise InputError(first_problem(error)) from error
        params.server()
        params.window()
        return params

    def order(self) -> RewriteOrder:
        """Everything together; InputError where something is missing."""
        return RewriteOrder(
            self.benchmark.text().strip(),
            self.name.text().strip(),
            Path(self.path.text().strip()).expanduser(),
            self.task(),
            self.columns(),
            str(self.split.currentData() or "test"),
            self.params(),
            self.limit.value() or None,
            self.sheet.text().strip(),
        )

    def _missing(self) -> str:
        """What still has to be said, in one sentence; empty when nothing is missing."""
        preview = self._preview
        if preview is None or not preview.examples:
            return tr("Choose the data first.")
        if not self.benchmark.text().strip() or not self.name.text().strip():
            return tr("Enter the names of the benchmark and the task.")
        if self.source.currentData() == "gdelt-files" and not self.place.text().strip():
            return tr("Choose the news folder.")
        if not self.base_url.text().strip() or not self.model.text().strip():
            return tr("Choose the server and the model that rewrites.")
        return ""

    def _show_state(self) -> None:
        missing = self._missing()
        ready = not missing and not self._busy
        sentence, ink = missing, "muted"
        if ready and self._preview is not None:
            try:
                limit = self.limit.value() or None
                guessed = estimate(self.params(), self._preview.examples[:limit])
                sentence = estimate_text(guessed)
                if self.budget.value() and guessed.tokens > self.budget.value():
                    sentence = tr("{estimate} This exceeds the budget: the run will stop and can "
                                  "continue "
                        "with a larger one.", estimate=sentence)  # fmt: skip
                    ink = "return"
            except BenchsealError as error:
                sentence, ink, ready = str(error), "reject", False
        self.estimate.setText(sentence)
        set_ink(self.estimate, ink)
        self.start_button.setEnabled(ready)

    def start(self) -> None:
        """Start the run; it goes on outside of the window."""
        try:
            order = self.order()
        except BenchsealError as error:
            self._fail(str(error))
            return
        self._busy = True
        self._show_state()
        self._say(tr("Starting …"))
        work = partial(start_rewrite, self._context.workspace, order)
        self._context.write(self, work, self._on_started, self._fail, lane="background")

    def _on_started(self, run_id: str) -> None:
        self._busy = False
        self._show_state()
        self.started.emit(run_id)
        self.close()
        self._context.go_to("runs", run_id)

    def done(self, result: int) -> None:
        """Stop waiting for quiet typing before the sheet goes."""
        self._settle.stop()
        super().done(result)
