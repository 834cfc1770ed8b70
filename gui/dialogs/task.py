"""A task in a window of its own: what it asks for, its wordings, its protocol, its versions.

Leads edit it; everybody else reads it. What saving would do is said while it is edited.
"""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTextBrowser,
    QWidget,
)

from core.i18n import tr
from core.workflow.production import task_view
from core.workflow.production.task_view import TaskEdit, TaskEdited, TaskView
from core.workflow.production.write import SubmittedItem
from core.workflow.rights import Action
from core.workflow.rubrics import rubric_text
from core.workflow.tasks import TaskInfo
from gui import labels, theme
from gui.context import WindowContext
from gui.dialogs.new_task import NewTaskDialog
from gui.dialogs.protocol_form import ProtocolForm
from gui.dialogs.protocols import ProtocolsDialog
from gui.dialogs.rubric_editor import RubricEditor
from gui.dialogs.task_text import edit_words, facts_words, protocol_words, version_lines
from gui.documents.writer import is_chinese
from gui.widgets.elements import caption, column, label, row, scrolled, set_ink
from gui.widgets.guideline import show_guideline
from gui.widgets.sheet import Sheet, SheetTabs
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_PREVIEW_MS = 300


class TaskDialog(Sheet):
    """Opens on the task of that name, or on the first of the benchmark in front."""

    def __init__(self, context: WindowContext, task: str, parent: QWidget) -> None:
        super().__init__(parent, tr("Task"), (820, 660))
        self._context = context
        self._wanted = task
        self._benchmark = context.benchmark
        self.shown: TaskView | None = None
        self._protocol_read: dict[str, str] = {}
        self.tasks = QComboBox()
        self.tasks.setAccessibleName(tr("Task"))
        self.tasks.activated.connect(self._on_task)
        self.add = QPushButton(tr("New task…"))
        self.add.setAutoDefault(False)
        self.add.clicked.connect(self.open_new)
        self.add.setEnabled(context.may(Action.ADD_TASK))
        self.facts = label("", ink="muted", wrap=True)
        self.guideline, self.instruction = QPlainTextEdit(), QPlainTextEdit()
        self.labels, self.reasons = QPlainTextEdit(), QPlainTextEdit()
        self.judge = QPlainTextEdit()
        self.rubric = RubricEditor(context.colours.muted)
        self.protocol = ProtocolForm()
        self.which = label("", ink="muted", wrap=True)
        self._variants, self._versions = TableModel((), self), TableModel((), self)
        self.variants, self.versions = ReadingTable(self._variants), ReadingTable(self._versions)
        self.variant = QLineEdit()
        self.public = QCheckBox(tr("public"))
        self.add_variant = QPushButton(tr("Add variant"))
        self.preview = label("", wrap=True)
        self.save = QPushButton(tr("Save as new version"))
        self._preview_timer = QTimer(self)
        self._preview_timer.setSingleShot(True)
        self._preview_timer.setInterval(_PREVIEW_MS)
        self._preview_timer.timeout.connect(self._read_preview)
        self._build()
        self._connect()
        self._read_names()

    # -- the parts --------------------------------------------------------------------------

    def _build(self) -> None:
        layout, last = self.with_body()
        line = row()
        line.addWidget(self.tasks, 1)
        self.many = QPushButton(tr("Several tasks…"))
        self.many.setToolTip(tr("Change the protocols of several tasks at once."))
        self.many.setAutoDefault(False)
        self.many.clicked.connect(self.open_many)
        self.many.setEnabled(self._context.may(Action.EDIT_PROTOCOL))
        line.addWidget(self.many)
        line.addWidget(self.add)
        layout.addLayout(line)
        layout.addWidget(self.facts)
        tabs = SheetTabs(least=220)
        tabs.addTab(scrolled(self._build_texts()), tr("Task description"))
        tabs.addTab(self._build_reading(), tr("Preview"))
        tabs.addTab(self.rubric, tr("Rubric"))
        tabs.addTab(self._build_protocol(), tr("Protocol"))
        tabs.addTab(self._build_variants(), tr("Instruction variants"))
        tabs.addTab(self._build_versions(), tr("Versions"))
        self.tabs = tabs
        if not self._context.may(Action.EDIT_TASK):
            tabs.setCurrentWidget(self.reading)  # empty fields that cannot be filled say nothing
        layout.addWidget(tabs, 1)
        layout.addWidget(self.preview)
        last.addStretch(1)
        last.addWidget(self.save)
        self.save.setProperty("look", "filled")
        self.save.setAutoDefault(False)
        self.save.setEnabled(False)
        self.preview.setMinimumHeight(40)
        self.focus_first(self.tasks)

    def _build_texts(self) -> QWidget:
        page = QWidget()
        layout = column(page, margin=12, spacing=4)
        parts = (
            (tr("Guideline"), self.guideline, 8),
            (tr("Instruction"), self.instruction, 2),
            (tr("Label space, one label per line (empty for open answers)"), self.labels, 3),
            (tr("Rejection reasons, one per line (empty for the usual ones)"), self.reasons, 2),
            (tr("Instructions for models that judge the answers"), self.judge, 2),
        )
        for name, field, lines in parts:
            field.setAccessibleName(name)
            field.setTabChangesFocus(True)
            field.setMinimumHeight(lines * field.fontMetrics().lineSpacing() + 18)
            layout.addWidget(caption(name))
            layout.addWidget(field, lines)
        return page

    def _build_reading(self) -> QWidget:
        """The guideline as those who review see it, with what is typed and not saved yet."""
        self.reading = QTextBrowser()
        self.reading.setOpenLinks(False)
        self.reading.setAccessibleName(tr("Preview"))
        self.reading.document().setDocumentMargin(16)
        return self.reading

    def _show_reading(self, _index: int = 0) -> None:
        if self.shown is not None and self.tabs.currentWidget() is self.reading:
            edit = self._edit()
            texts = replace(
                self.shown.versions[-1], guideline=edit.guideline, instruction=edit.instruction,
                labels=edit.labels,
            )  # fmt: skip
            profile = {**self.shown.info.profile, "reasons": list(edit.reasons or ())}
            info = replace(self.shown.info, profile=profile)
            drafted = replace(self.shown, info=info, versions=(*self.shown.versions, texts))
            show_guideline(self.reading, drafted, self._context.colours.muted)

    def _build_protocol(self) -> QWidget:
        page = QWidget()
        layout = column(page, margin=12, spacing=8)
        layout.addWidget(self.which)
        inside = QWidget()
        inside.setProperty("look", "page")
        inner = column(inside)
        inner.addWidget(self.protocol)
        inner.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inside)
        layout.addWidget(area, 1)
        return page

    def _build_variants(self) -> QWidget:
        page = QWidget()
        layout = column(page, margin=12, spacing=8)
        layout.addWidget(self.variants, 1)
        line = row()
        self.variant.setPlaceholderText(tr("New instruction variant"))
        self.variant.setAccessibleName(tr("New instruction variant"))
        self.add_variant.setAutoDefault(False)
        for part, stretch in ((self.variant, 1), (self.public, 0), (self.add_variant, 0)):
            line.addWidget(part, stretch)
        layout.addLayout(line)
        return page

    def _build_versions(self) -> QWidget:
        page = QWidget()
        layout = column(page, margin=12, spacing=8)
        layout.addWidget(self.versions, 1)
        self.bring_back = QPushButton(tr("Copy the texts of this version to the form"))
        self.bring_back.setAutoDefault(False)
        self.bring_back.clicked.connect(self._on_bring_back)
        line = row()
        line.addStretch(1)
        line.addWidget(self.bring_back)
        layout.addLayout(line)
        return page

    def _connect(self) -> None:
        for field in (self.guideline, self.instruction, self.labels, self.reasons, self.judge):
            field.textChanged.connect(self._on_edited)
        self.protocol.edited.connect(self._on_edited)
        self.rubric.edited.connect(self._on_edited)
        self.save.clicked.connect(self._on_save)
        self.tabs.currentChanged.connect(self._show_reading)
        self.add_variant.clicked.connect(self._on_add_variant)
        self.variant.returnPressed.connect(self._on_add_variant)

    # -- reading ----------------------------------------------------------------------------

    def _read_names(self) -> None:
        if not self._benchmark:
            self._show_names(())
            return
        work = partial(task_view.names, self._context.workspace, self._benchmark)
        self._context.ask(self, work, self._show_names, self._fail, topic="names")

    def _show_names(self, names: tuple[str, ...]) -> None:
        self.tasks.clear()
        self.tasks.addItems(list(names))
        if not names:
            self.facts.setText(tr("No tasks yet."))
            self.tabs.setEnabled(False)
            return
        self.tabs.setEnabled(True)
        self.tasks.setCurrentText(self._wanted if self._wanted in names else names[0])
        self.read()

    def read(self) -> None:
        """Read the chosen task again."""
        context, task = self._context, self.tasks.currentText()
        work = partial(
            task_view.task_view, context.workspace, task, self._benchmark, context.person.name
        )
        context.ask(self, work, self.show_task, self._fail, topic="task")

    def _on_task(self, _place: int) -> None:
        self.read()

    def show_task(self, shown: TaskView) -> None:
        """Write a task into the fields."""
        self.shown = None
        info, texts = shown.info, shown.versions[-1]
        self.facts.setText(facts_words(shown))
        for field, text in (
            (self.guideline, texts.guideline),
            (self.instruction, texts.instruction),
            (self.labels, "\n".join(texts.labels)),
            (self.reasons, "\n".join(texts.reasons)),
            (self.judge, texts.judge),
        ):
            field.setFont(theme.font(chinese=is_chinese(text) or None))
            field.setPlainText(text)
            field.setReadOnly(not shown.may_edit)
        self.rubric.show_rubric(texts.rubric, info.protocol.rubric, may_edit=shown.may_edit)
        self.protocol.show_settings(info.protocol, info.family, may_edit=shown.may_edit)
        self._protocol_read = self.protocol.values()
        self.which.setText(protocol_words(shown))
        self._show_variants(shown)
        self._show_versions(shown)
        for part in (self.save, self.bring_back):
            part.setVisible(shown.may_edit)
        wordings = info.family == "instruction"
        for wording in (self.variant, self.public, self.add_variant):
            wording.setVisible(wordings)
        self.preview.setText("" if shown.may_edit else tr("Only a lead can edit this."))
        set_ink(self.preview, "muted")
        self.save.setEnabled(False)
        self.shown = shown
        self._show_reading()

    def _show_variants(self, shown: TaskView) -> None:
        columns = (
            Column(tr("Number"), 76, number=True),
            Column(tr("Instruction variant"), 430),
            Column(tr("Public"), 90),
            Column(tr("State"), 100),
        )
        lines = [
            (str(v.number), v.text, tr("public") if v.public else tr("private"),
             labels.word(labels.ITEM_STATES, v.state))
            for v in shown.variants
        ]  # fmt: skip
        self._variants.show_rows(columns, lines)
        self.variants.fit_columns()

    def _show_versions(self, shown: TaskView) -> None:
        columns = (
            Column(tr("Changed"), 140),
            Column(tr("By"), 90),
            Column(tr("Version"), 180),
            Column(tr("What changed"), 320),
        )
        self._versions.show_rows(columns, version_lines(shown))
        self.versions.fit_columns()

    # -- editing ----------------------------------------------------------------------------

    def unsaved(self) -> bool:
        shown = self.shown
        if shown is None or not shown.may_edit:
            return bool(self.variant.text().strip())
        texts = shown.versions[-1]
        before = TaskEdit(
            texts.guideline, texts.instruction, texts.labels, self._protocol_read, texts.reasons,
            rubric_text(texts.rubric), texts.judge,
        )  # fmt: skip
        return self._edit() != before or bool(self.variant.text().strip())

    def _edit(self) -> TaskEdit:
        lines = self.labels.toPlainText().splitlines()
        return TaskEdit(
            self.guideline.toPlainText(),
            self.instruction.toPlainText(),
            tuple(line.strip() for line in lines if line.strip()),
            self.protocol.values(),
            tuple(line.strip() for line in self.reasons.toPlainText().splitlines() if line.strip()),
            self.rubric.text,
            self.judge.toPlainText(),
        )

    def _on_edited(self) -> None:
        if self.shown is not None and self.shown.may_edit:
            self.save.setEnabled(False)
            self._preview_timer.start()

    def _work(self, *, dry_run: bool) -> "partial[TaskEdited]":
        assert self.shown is not None
        context = self._context
        return partial(
            task_view.edit, context.workspace, self.shown.info.name, self._benchmark,
            context.person.name, self._edit(), dry_run=dry_run,
        )  # fmt: skip

    def _read_preview(self) -> None:
        if self.shown is not None:
            work = self._work(dry_run=True)
            self._context.ask(
                self, work, self._on_preview, self._fail, topic="preview", lane="background"
            )

    def _on_preview(self, edit: TaskEdited) -> None:
        set_ink(self.preview, "text")
        self.preview.setText(edit_words(edit))
        self.save.setEnabled(edit.differs)

    def _on_save(self) -> None:
        self._preview_timer.stop()
        self.save.setEnabled(False)
        self._context.write(self, self._work(dry_run=False), self._on_saved, self._fail)

    def _on_saved(self, done: TaskEdited) -> None:
        self._context.say(tr("Saved: {task}. {what}", task=done.task.task, what=edit_words(done)))
        self.read()

    def _on_add_variant(self) -> None:
        text = self.variant.text().strip()
        if self.shown is None or not text:
            return
        context = self._context
        work = partial(
            task_view.add_variant, context.workspace, self.shown.info.name, self._benchmark,
            context.person.name, text, public=self.public.isChecked(),
        )  # fmt: skip
        context.write(self, work, self._on_variant, self._fail)

    def _on_variant(self, _done: SubmittedItem) -> None:
        self.variant.clear()
        self.read()

    def _on_bring_back(self) -> None:
        rows = self.versions.selectionModel().selectedRows()
        if self.shown is None or not rows:
            return
        texts = list(reversed(self.shown.versions))
        place = rows[0].row()
        if place < len(texts):
            self.guideline.setPlainText(texts[place].guideline)
            self.instruction.setPlainText(texts[place].instruction)
            self.labels.setPlainText("\n".join(texts[place].labels))
            self.reasons.setPlainText("\n".join(texts[place].reasons))
            self.judge.setPlainText(texts[place].judge)
            self.rubric.set_text(rubric_text(texts[place].rubric))
            self.tabs.setCurrentIndex(0)

    def open_many(self) -> None:
        """Change a setting of the protocols of several tasks."""
        dialog = ProtocolsDialog(self._context, self)
        dialog.saved.connect(self.read)
        dialog.open()

    def open_new(self) -> None:
        """Add a task, from the catalogue or by hand."""
        dialog = NewTaskDialog(self._context, self)
        dialog.added.connect(self._on_added)
        dialog.open()

    def _on_added(self, made: TaskInfo) -> None:
        self._benchmark, self._wanted = made.benchmark, made.name
        self._read_names()

    def _fail(self, sentence: str) -> None:
        set_ink(self.preview, "reject")
        self.preview.setText(sentence)
