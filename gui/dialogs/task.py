"""A task in a window of its own: what it asks for, its wordings, its protocol, its versions.

Leads edit it; everybody else reads it. What saving would do is said while it is edited.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTextBrowser,
    QWidget,
)

from core.i18n import listed, tr
from core.workflow.labels import METRICS, TASK_PARTS, word
from core.workflow.production import task_view
from core.workflow.production.task_view import TaskEdit, TaskEdited, TaskView
from core.workflow.production.write import SubmittedItem
from core.workflow.rights import Action
from core.workflow.rubrics import rubric_text
from core.workflow.tasks import IN_FREE_TEXT, TASK_METRICS, TaskInfo, TaskVersion
from gui import labels, theme
from gui.context import Change, WindowContext, touches
from gui.dialogs.new_task import NewTaskDialog
from gui.dialogs.protocol_form import ProtocolForm
from gui.dialogs.protocols import ProtocolsDialog
from gui.dialogs.rubric_editor import RubricEditor
from gui.dialogs.task_text import edit_words, facts_words, protocol_words, version_lines
from gui.documents.writer import is_chinese
from gui.labels import setting_title
from gui.timers import single_shot
from gui.widgets.elements import caption, column, label, row, scrolled, set_ink
from gui.widgets.guideline import show_guideline
from gui.widgets.sheet import Sheet, SheetTabs
from gui.widgets.steady_fields import ChoiceBox
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_PREVIEW_MS = 300


class TaskDialog(Sheet):
    """Opens on the task of that name, or on the first of the benchmark in front.

    What others change meanwhile is shown at once, beside what is typed here and not saved; saving
    writes only what was typed.
    """

    def __init__(self, context: WindowContext, task: str, parent: QWidget) -> None:
        super().__init__(parent, tr("Task"), (820, 660))
        self._context = context
        self._wanted = task
        self._benchmark = context.benchmark
        self.shown: TaskView | None = None
        self._parts_read: dict[str, Any] = {}
        self._protocol_read: dict[str, str] = {}
        """What the fields said when the task was last read."""
        self._replaced = ""
        self.tasks = ChoiceBox()
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
        self.measured_by = ChoiceBox()
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
        self._preview_timer = single_shot(self, _PREVIEW_MS, self._read_preview)
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
        self.measured_by.addItem(tr("the metric of the catalogue or of each item"), "")
        for metric in TASK_METRICS:
            self.measured_by.addItem(word(METRICS, metric), metric)
        self.measured_by_caption = caption(tr("Metric of answers in free text"))
        self.measured_by.setAccessibleName(self.measured_by_caption.text())
        layout.addWidget(self.measured_by_caption)
        layout.addWidget(self.measured_by)
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
            parts = self._parts()
            texts = replace(
                self.shown.versions[-1], guideline=parts["guideline"],
                instruction=parts["instruction"], labels=parts["labels"],
            )  # fmt: skip
            profile = {**self.shown.info.profile, "reasons": list(parts["reasons"])}
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
        self.measured_by.currentIndexChanged.connect(self._on_edited)
        self.protocol.edited.connect(self._on_edited)
        self.rubric.edited.connect(self._on_edited)
        self.save.clicked.connect(self._on_save)
        self.tabs.currentChanged.connect(self._show_reading)
        self._context.changed.connect(self._on_changed)
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

    def _on_task(self, place: int) -> None:
        shown, wanted = self.shown, self.tasks.itemText(place)
        if shown is None:
            self.read()
        elif wanted != shown.info.name:
            self.tasks.setCurrentText(shown.info.name)
            self.leave_for(partial(self._turn_to, wanted))

    def _turn_to(self, task: str) -> None:
        self.variant.clear()
        self.tasks.setCurrentText(task)
        self.read()

    def show_task(self, shown: TaskView) -> None:
        """Write a task into the fields."""
        self._fill(shown, {}, {})
        self.preview.setText("" if shown.may_edit else tr("Only a lead can edit this."))
        set_ink(self.preview, "muted")

    def _fill(self, shown: TaskView, typed: dict[str, Any], settings: dict[str, str]) -> None:
        """Write a task into the fields, all but what was typed into them."""
        self.shown, self._replaced = None, ""
        info, texts = shown.info, shown.versions[-1]
        self.facts.setText(facts_words(shown))
        protocol = self.protocol.values()
        for name, field, text in (
            ("guideline", self.guideline, texts.guideline),
            ("instruction", self.instruction, texts.instruction),
            ("labels", self.labels, "\n".join(texts.labels)),
            ("reasons", self.reasons, "\n".join(texts.reasons)),
            ("judge", self.judge, texts.judge),
        ):
            field.setReadOnly(not shown.may_edit)
            if name not in typed:
                field.setFont(theme.font(chinese=is_chinese(text) or None))
                field.setPlainText(text)
        self.measured_by.setEnabled(shown.may_edit)
        for measure in (self.measured_by, self.measured_by_caption):
            measure.setVisible(info.family in IN_FREE_TEXT)
        if "metric" not in typed:
            self.measured_by.setCurrentIndex(max(0, self.measured_by.findData(texts.metric)))
        written = self.rubric.text
        self.rubric.show_rubric(texts.rubric, info.protocol.rubric, may_edit=shown.may_edit)
        self.protocol.show_settings(info.protocol, info.family, may_edit=shown.may_edit)
        self._parts_read, self._protocol_read = self._parts(), self.protocol.values()
        for name in typed:
            self._parts_read[name] = _as_read(texts, name)
        if "rubric" in typed:
            self.rubric.set_text(written)
        self.protocol.type_in({name: protocol[name] for name in settings})
        self.which.setText(protocol_words(shown))
        self._show_variants(shown)
        self._show_versions(shown)
        for part in (self.save, self.bring_back):
            part.setVisible(shown.may_edit)
        wordings = info.family == "instruction"
        for wording in (self.variant, self.public, self.add_variant):
            wording.setVisible(wordings)
        self.save.setEnabled(False)
        self.shown = shown
        self._show_reading()

    def _on_changed(self, change: Change) -> None:
        """Read what was changed elsewhere, in this window or in another."""
        if change.by is not self and touches(change, ("benchmarks",)):
            self._read_news()

    def _read_news(self) -> None:
        if self.shown is None:
            return
        context, task = self._context, self.shown.info.name
        work = partial(
            task_view.task_view, context.workspace, task, self._benchmark, context.person.name
        )
        context.ask(self, work, self._follow, self._fail, topic="news", lane="background")

    def _follow(self, shown: TaskView) -> None:
        """Show what is new of the task, and keep what is typed; say what saving would replace."""
        before = self.shown
        if before is None or before.info.name != shown.info.name:
            return
        if len(shown.versions) < len(before.versions):
            return  # it was read before what was just saved
        if _written(before) == _written(shown):
            self.facts.setText(facts_words(shown))
            return
        typed, settings = self._typed(), self._typed_settings()
        self._fill(shown, typed, settings)
        self._replaced = _replaced(before, shown, typed, settings)
        if typed or settings:
            self._on_edited()
        elif shown.may_edit:
            self.preview.setText("")

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
        edited = shown is not None and shown.may_edit and (self._typed() or self._typed_settings())
        return bool(edited or self.variant.text().strip())

    def _parts(self) -> dict[str, Any]:
        """What the fields say, by the part of the task that they hold."""
        return {
            "guideline": self.guideline.toPlainText(),
            "instruction": self.instruction.toPlainText(),
            "labels": _lines(self.labels),
            "reasons": _lines(self.reasons),
            "rubric": self.rubric.text,
            "judge": self.judge.toPlainText(),
            "metric": self.measured_by.currentData(),
        }

    def _typed(self) -> dict[str, Any]:
        """The texts that differ from what was read."""
        return {n: said for n, said in self._parts().items() if said != self._parts_read.get(n)}

    def _typed_settings(self) -> dict[str, str]:
        """The settings of the protocol that differ from what was read."""
        values = self.protocol.values()
        return {n: said for n, said in values.items() if said != self._protocol_read.get(n)}

    def _edit(self) -> TaskEdit:
        seen = self.shown.info if self.shown is not None else None
        return TaskEdit(**self._typed(), settings=self._typed_settings(), seen=seen)

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
        self.preview.setText("\n".join(filter(None, (edit_words(edit), self._replaced))))
        self.save.setEnabled(edit.differs)

    def _on_save(self) -> None:
        self._preview_timer.stop()
        self.save.setEnabled(False)
        self._context.write(self, self._work(dry_run=False), self._on_saved, self._on_not_saved)

    def _on_not_saved(self, sentence: str) -> None:
        """Another lead may have been first: what they wrote is shown beside what is typed here."""
        self._fail(sentence)
        self._read_news()

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
        """The list has one more; what is typed in other fields stays."""
        self.variant.clear()
        self._read_news()

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
            self.measured_by.setCurrentIndex(max(0, self.measured_by.findData(texts[place].metric)))
            self.rubric.set_text(rubric_text(texts[place].rubric))
            self.tabs.setCurrentIndex(0)

    def open_many(self) -> None:
        """Change a setting of the protocols of several tasks."""
        ProtocolsDialog(self._context, self).open()

    def open_new(self) -> None:
        """Add a task, from the catalogue or by hand."""
        self.leave_for(self._open_new)

    def _open_new(self) -> None:
        if self.shown is not None:
            self.show_task(self.shown)
        self.variant.clear()
        dialog = NewTaskDialog(self._context, self)
        dialog.added.connect(self._on_added)
        dialog.open()

    def _on_added(self, made: TaskInfo) -> None:
        self._benchmark, self._wanted = made.benchmark, made.name
        self._read_names()

    def _fail(self, sentence: str) -> None:
        set_ink(self.preview, "reject")
        self.preview.setText(sentence)


def _lines(field: QPlainTextEdit) -> tuple[str, ...]:
    return tuple(line.strip() for line in field.toPlainText().splitlines() if line.strip())


def _as_read(texts: TaskVersion, name: str) -> Any:
    """A part of a task as its field would say it."""
    return rubric_text(texts.rubric) if name == "rubric" else getattr(texts, name)


def _written(shown: TaskView) -> tuple[object, ...]:
    """What people wrote of a task."""
    return shown.versions, shown.protocols, shown.variants, shown.may_edit


def _replaced(
    before: TaskView, now: TaskView, typed: dict[str, Any], settings: dict[str, str]
) -> str:
    """What others changed in the fields that are typed into; empty for nothing."""
    old, new = before.versions[-1], now.versions[-1]
    was, is_ = before.info.protocol.model_dump(), now.info.protocol.model_dump()
    parts = [word(TASK_PARTS, n) for n in typed if _as_read(old, n) != _as_read(new, n)]
    parts += [setting_title(name) for name in settings if was[name] != is_[name]]
    if not parts:
        return ""
    return tr(
        "Others have changed this meanwhile: {parts}. Saving replaces it; “Versions” has what "
        "they wrote.",
        parts=listed(parts),
    )
