"""Importing a file: where it goes, which column is which, what is wrong, and what comes next."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QWidget,
)

from core.errors import InputError
from core.families import FAMILIES, family
from core.families.intake import WHOLE_ITEMS, ImportPreview
from core.i18n import listed, tr, trn, with_note
from core.sources.imports import IMPORT_FORMATS, RefusedRow
from core.sources.tables import place_words
from core.sources.text_columns import refuse_row_for_names
from core.workflow import tasks
from core.workflow.names import task_named_after
from core.workflow.people import own_benchmark
from core.workflow.production import import_items
from core.workflow.production.import_check import ImportFinding
from core.workflow.production.import_items import ImportOrder, ImportReport
from core.workflow.rights import Action
from core.workflow.workspace import Workspace
from gui import i18n, labels
from gui.context import ArrivedItem, WindowContext
from gui.panels.sources.busy_dialog import BusyDialog
from gui.panels.sources.fields import cell_words, in_line, keep_narrow, refill, spoken_columns
from gui.panels.sources.file_look import FileLook, look_at
from gui.widgets.elements import caption, label, row, scrolled
from gui.widgets.file_dialogs import ask_folder, ask_which
from gui.widgets.languages import LanguageField
from gui.widgets.steady_fields import ChoiceBox
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_LISTED = 2000


def _checked(ws: Workspace, order: ImportOrder) -> ImportReport | InputError:
    """What an import would do, or why it cannot, which may be about one of the fields."""
    try:
        return import_items.import_file(ws, order)
    except InputError as error:
        return error


class ImportDialog(BusyDialog):
    """One file into one task. Nothing is written before the button that says so."""

    imported = Signal(object)
    ink = "muted"

    def __init__(self, context: WindowContext, parent: QWidget, task: str = "") -> None:
        super().__init__(parent, tr("Import items from a file"), (980, 700))
        self._context = context
        self._looked: FileLook | None = None
        self._checked: ImportReport | None = None
        self._overrides: dict[str, str] = {}
        self._beside: tuple[str, ...] = ()
        self._dropped: tuple[str, ...] = ()
        self._done: ImportReport | None = None
        self._known: Mapping[str, tuple[str, str]] = {}
        self._preset = False
        """Whether the task is one that stood there already and nobody chose for the file."""
        self._put_aside = ""
        """The task that was preset, and whose items the file does not give."""
        self._named = ""
        """The task that was named after the file before."""
        self._fields: dict[str, QComboBox] = {}
        self.source = ChoiceBox(self)
        self.source.hide()
        """The column of what rows share; the page of the mapping has it once a file was read."""
        body, foot = self.with_body()
        body.addLayout(self._build_target(task))
        body.addWidget(self.says)
        self.kept = label("", ink="return", wrap=True, selectable=True)
        self.leave_out = QCheckBox(tr("Leave these columns out"))
        self.leave_out.toggled.connect(self._on_leave_out)
        for part in (self.kept, self.leave_out):
            part.hide()
            body.addWidget(part)
        body.addWidget(self._build_tables(), 1)
        self._build_buttons(foot)
        self._say(tr("Choose a file; its first rows are shown before anything is written."))
        self.focus_first(self.path)
        work = partial(_names, context.workspace, context.benchmark)
        context.ask(self, work, self._on_names, self._fail, topic="names", lane="background")

    # -- building ---------------------------------------------------------------------------

    def _build_target(self, task: str) -> QFormLayout:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(6)
        self.path = QLineEdit()
        self.path.setAccessibleName(tr("File"))
        self.path.setPlaceholderText(tr("CSV, Excel, JSON lines, Parquet … or a folder"))
        self.path.returnPressed.connect(self._on_path)
        choose, folder = QPushButton(tr("Choose a file…")), QPushButton(tr("Choose a folder…"))
        for button, slot in ((choose, self.choose_file), (folder, self.choose_folder)):
            button.clicked.connect(slot)
        self.benchmark = QLineEdit(self._context.benchmark or own_benchmark())
        self.benchmark.setAccessibleName(tr("Benchmark"))
        self.task = ChoiceBox()
        self.task.setEditable(True)
        self.task.setAccessibleName(tr("Task"))
        self.task.setCurrentText(task)
        self.family = ChoiceBox()
        self.family.setAccessibleName(tr("Item type"))
        self.family.addItem(tr("detect automatically"), ("", ""))
        for known in FAMILIES:
            for name in known.formats or ("",):
                title = tr("{family} · {format}", family=labels.word(labels.FAMILIES, known.name),
                           format=labels.word(labels.FORMATS, name)) if name else (
                               labels.word(labels.FAMILIES, known.name))  # fmt: skip
                self.family.addItem(title, (known.name, name))
        self.format = ChoiceBox()
        self.format.setAccessibleName(tr("File format"))
        self.format.addItem(tr("detect automatically"), "")
        for entry in IMPORT_FORMATS:
            self.format.addItem(tr(entry.title), entry.name)
        self.sheet = ChoiceBox()
        self.sheet.setAccessibleName(tr("Sheet"))
        self.language = LanguageField()
        self.wrote = QCheckBox(tr("I wrote these items myself (then only others review them)"))
        self._sheet_title = caption(tr("Sheet"))
        form.addRow(tr("File"), in_line(self.path, choose, folder))
        second = in_line(self.benchmark, caption(tr("Task")), self.task)
        second.setStretch(2, 1)
        form.addRow(tr("Benchmark"), second)
        form.addRow(tr("File format"), in_line(self.format, self._sheet_title, self.sheet))
        form.addRow(tr("Item type"), in_line(self.family, caption(tr("Language")), self.language))
        form.addRow("", self.wrote)
        for box in (self.family, self.format, self.sheet, self.task, self.language):
            keep_narrow(box)
        self._show_sheets((), "")
        self._connect()
        return form

    def _connect(self) -> None:
        for box in (self.family, self.format, self.sheet):
            box.activated.connect(self.look)
        self.task.currentTextChanged.connect(self._on_task_chosen)
        self.benchmark.textChanged.connect(self._show_state)
        self.language.edited.connect(self.look)

    def _build_tables(self) -> QTabWidget:
        self._mapping = QWidget()
        self.model, self.problems = TableModel((), self), TableModel((), self)
        self.table, self.problem_table = ReadingTable(self.model), ReadingTable(self.problems)
        self.table.setAccessibleName(tr("The first rows of the file"))
        self.problem_table.setAccessibleName(tr("Problems"))
        self._area = scrolled(self._mapping)
        self._area.setFixedWidth(250)
        first = QWidget()
        beside = row(first, spacing=16)
        beside.setContentsMargins(0, 8, 0, 0)
        beside.addWidget(self._area)
        beside.addWidget(self.table, 1)
        self.tabs = QTabWidget()
        self.tabs.addTab(first, tr("First rows"))
        self.tabs.addTab(self.problem_table, tr("Problems"))
        self.tabs.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.tabs.setMinimumHeight(220)
        return self.tabs

    def _build_buttons(self, foot: QHBoxLayout) -> None:
        self.check_button = QPushButton(tr("Check again"))
        self.import_button = QPushButton(tr("Import"))
        self.review_button = QPushButton(tr("Review them"))
        self.close_button = QPushButton(tr("Close"))
        for button in (self.import_button, self.review_button):
            button.setProperty("look", "filled")
        foot.addWidget(self.close_button)
        foot.addStretch(1)
        for button in (self.check_button, self.import_button, self.review_button):
            foot.addWidget(button)
        self.check_button.clicked.connect(self.look)
        self.import_button.clicked.connect(self.start)
        self.review_button.clicked.connect(self.review)
        self.close_button.clicked.connect(self.reject)
        self._show_state()

    def _choose_kind(self, family_name: str, item_format: str) -> None:
        """Choose an item type; without a format the family's first."""
        for place in range(self.family.count()):
            name, kind = self.family.itemData(place)
            if name == family_name and item_format in ("", kind):
                self.family.setCurrentIndex(place)
                return

    def _on_names(self, known: Mapping[str, tuple[str, str]]) -> None:
        typed = self.task.currentText()
        self._known, names = known, list(known)
        blocked = self.task.blockSignals(True)
        self.task.addItems(names)
        self.task.setCurrentText(typed or (names[0] if len(names) == 1 else ""))
        self.task.blockSignals(blocked)
        self._preset = self.task.currentText() in known
        self._on_task()

    # -- the file ---------------------------------------------------------------------------

    def choose_file(self) -> None:
        """Ask for a file."""
        ask_which(self, tr("Choose a file…"), self.open_path)

    def choose_folder(self) -> None:
        """Ask for a folder, as TweetEval has them."""
        ask_folder(self, tr("Choose a folder…"), self.open_path)

    def open_path(self, path: str) -> None:
        """Look at a file or folder; a task without a name takes the file's."""
        self.path.setText(path)
        self._show_sheets((), "")
        self._dropped, self._put_aside = (), ""
        self.source.setCurrentIndex(0)
        with QSignalBlocker(self.leave_out):
            self.leave_out.setChecked(False)
        if self.task.currentText().strip() in ("", self._named):  # nobody chose another
            self._named = task_named_after(Path(path))
            self.task.setCurrentText(self._named)
        self.look()

    def _on_path(self) -> None:
        if self.path.text().strip():
            self.open_path(self.path.text().strip())

    def _on_task_chosen(self) -> None:
        self._preset, self._put_aside = False, ""
        self._on_task()

    def _on_task(self) -> None:
        kind = self._known.get(self.task.currentText())
        if kind is None and not self.family.isEnabled():
            self.family.setCurrentIndex(0)
        self.family.setEnabled(kind is None)
        if kind is not None:
            self._choose_kind(*kind)
            self.look()
        self._show_state()

    def _show_sheets(self, names: tuple[str, ...], chosen: str) -> None:
        self.sheet.clear()
        self.sheet.addItems(list(names))
        self.sheet.setCurrentText(chosen)
        for part in (self.sheet, self._sheet_title):
            part.setVisible(len(names) > 1)

    def order(self, *, dry_run: bool = False) -> ImportOrder:
        """What the sheet says shall be imported."""
        family_name, item_format = self.family.currentData()
        mapping = {name: text for name, text in self._overrides.items() if name in self._fields}
        return ImportOrder(
            Path(self.path.text().strip()).expanduser(), self.task.currentText().strip(),
            self.benchmark.text().strip(), self.format.currentData(), mapping, family_name,
            item_format, self._context.person.name, dry_run, self.sheet.currentText(),
            self.language.code if self.language.chosen else "", self.wrote.isChecked(),
            self._dropped, self.source.currentData() or "",
        )  # fmt: skip

    def look(self) -> None:
        """Read the beginning of the file, and then every row as an import would."""
        if not self.path.text().strip():
            return
        self._busy, self._done, self._checked = True, None, None
        self._say(tr("Reading all rows …"))
        self._show_state()
        other = task_named_after(Path(self.path.text().strip())) if self._preset else ""
        work = partial(look_at, self._context.workspace, self.order(), other)
        self._context.ask(
            self, work, self._on_look, self._on_unread, topic="look", lane="background"
        )

    def _on_unread(self, sentence: str) -> None:
        self._looked, self._fields, self._overrides = None, {}, {}
        for part in (self.kept, self.leave_out):
            part.hide()
        self._fail(sentence)
        self.path.setFocus()

    def _on_look(self, looked: FileLook) -> None:
        again = self._looked is not None and same_mapping(self._looked.preview, looked.preview)
        self._busy, self._looked = False, looked
        preview = looked.preview
        self._show_task(looked.task)
        self._show_sheets(looked.sheets, looked.sheet)
        self.language.propose(preview.language)
        found = labels.word(labels.FAMILIES, preview.family)
        self.family.setItemText(0, tr("detected: {family}", family=found))
        self._show_rows(preview)
        if not (again and self._fields):
            self._build_fields(preview)
        elif "labels" in self._fields and "labels" not in self._overrides:
            with QSignalBlocker(self._fields["labels"]):  # as the column of the labels has them
                self._fields["labels"].setCurrentText(preview.mapping.get("labels", ""))
        self._show_problems((), ())
        self._show_missing()
        if missing := self._missing():
            self._fields[missing[0]].setFocus()
        if not missing and self.task.currentText().strip():
            self._check()
        self._show_state()

    def _show_task(self, task: str) -> None:
        """The task that the file was read for: another one where it does not suit the preset."""
        before = self.task.currentText().strip()
        if task != before:
            with QSignalBlocker(self.task):
                self.task.setCurrentText(task)
            self._preset, self._put_aside = False, before
            self.family.setCurrentIndex(0)
            self.family.setEnabled(task not in self._known)

    def _look_again(self) -> None:
        """A field of the mapping was left: read again if it was changed."""
        if self._checked is None and self._done is None and not self._busy:
            self.look()

    def _check(self) -> None:
        self._busy = True
        self._say(tr("Checking all rows …"))
        order = self.order(dry_run=True)
        work = partial(_checked, self._context.workspace, order)
        self._context.ask(
            self, work, self._on_checked, self._fail, topic="check", lane="background"
        )

    def _on_checked(self, report: ImportReport | InputError) -> None:
        if isinstance(report, InputError):
            self._fail(str(report))
            if report.field in self._fields:
                self._fields[report.field].setFocus()
            return
        self._busy, self._checked = False, report
        self._show_kept(report)
        self._show_report(report)
        self._show_state()
        if self.import_button.isEnabled():
            self.import_button.setFocus()

    def _show_rows(self, preview: ImportPreview) -> None:
        columns = [Column(place_words(name), 180) for name in preview.columns]
        rows = [
            [cell_words(row.values.get(name)) for name in preview.columns]
            for row in preview.rows
            if not isinstance(row, RefusedRow)
        ]
        self.model.show_rows(columns, rows)

    def _build_fields(self, preview: ImportPreview) -> None:
        page = QWidget()
        page.setProperty("look", "page")
        form = QFormLayout(page)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setVerticalSpacing(4)
        kind = family(preview.family)
        titles = {field.path: field.title for field in kind.form(preview.item_format)}
        self._fields, self._overrides = {}, {}
        for name, info in kind.payload_model(preview.item_format).model_fields.items():
            box = ChoiceBox()
            box.setEditable(True)
            keep_narrow(box)
            box.addItems(["", *map(place_words, preview.columns)])
            box.setCurrentText(spoken_columns(preview.mapping.get(name, "")))
            title = titles.get(name, name)
            box.setAccessibleName(title)
            box.setToolTip(tr("A column name; first+second to join columns; =value for the same "
                              "value in every row"))  # fmt: skip
            box.currentTextChanged.connect(partial(self._on_mapping, name))
            box.activated.connect(self._look_again)
            if edit := box.lineEdit():
                edit.setCursorPosition(0)  # the first of several columns
                edit.returnPressed.connect(self._look_again)
            self._fields[name] = box
            needed = tr("{field} (required)", field=title) if info.is_required() else title
            form.addRow(caption(needed), box)
        self.source = ChoiceBox()
        keep_narrow(self.source)
        self.source.setAccessibleName(tr("Source that rows share"))
        self.source.setToolTip(
            tr("The column that names each row's article or other source; intervals and tests "
               "count its rows as one source")
        )  # fmt: skip
        columns = [(place_words(name), name) for name in preview.columns]
        refill(self.source, [(tr("detect automatically"), ""), *columns])
        self.source.activated.connect(self.look)
        form.addRow(caption(self.source.accessibleName()), self.source)
        self._area.setWidget(page)
        self._area.setVisible(preview.format != WHOLE_ITEMS)

    def _on_mapping(self, name: str, text: str) -> None:
        self._overrides[name] = self._source_of(text)
        self._checked = None
        if self._missing():
            self._show_missing()
        self._show_state()

    def _mapping_now(self) -> dict[str, str]:
        said = {name: self._source_of(box.currentText()) for name, box in self._fields.items()}
        return {name: text for name, text in said.items() if text}

    def _source_of(self, text: str) -> str:
        """What stands in a field of the mapping, with the names of columns as the file's are."""
        columns = self._looked.preview.columns if self._looked else ()
        named = {said: name for name in columns if (said := place_words(name)) != name}
        parts = [text] if text.startswith("=") else text.split("+")
        return "+".join(named.get(part.strip(), part) for part in parts).strip()

    def _missing(self) -> list[str]:
        if self._looked is None:
            return []
        missing = self._looked.preview.missing
        return [n for n in missing if n in self._fields and not self._mapping_now().get(n)]

    def _show_missing(self) -> None:
        if missing := self._missing():
            names = [self._fields[name].accessibleName() for name in missing]
            said = [
                tr("Choose the column for: {fields}. Or type = and a text for the same in every "
                   "row.", fields=listed(names))
            ]  # fmt: skip
            if "options" in missing:
                said.append(tr("Options in several columns: choose the first, then type + and the "
                               "name of the next."))  # fmt: skip
            if self._looked is not None and self._looked.preview.format in ("csv", "excel"):
                said += self._doubts_names(self._looked.preview)
            self._say("\n".join(said), "return")

    def _doubts_names(self, preview: ImportPreview) -> list[str]:
        """Why the first row may hold no names of columns."""
        rows = [row.values for row in preview.rows if not isinstance(row, RefusedRow)]
        try:
            refuse_row_for_names(self.order().path, rows)
        except InputError as error:
            return [str(error)]
        if preview.mapping:
            return []
        return [tr("The first row was read as the names of the columns: if it is an item, put a "
                   "row of names above it.")]  # fmt: skip

    def _show_kept(self, report: ImportReport) -> None:
        """Columns that no field takes: kept beside the items, unless somebody leaves them out."""
        columns = report.beside
        names = listed(
            with_note(place_words(name), i18n.number(count)) for name, count in columns.items()
        )
        self._beside = tuple(columns)
        for part in (self.kept, self.leave_out):
            part.setVisible(bool(columns))
        if report.dropped:
            said = trn("1 column is left out: {columns}.", "{n} columns are left out: {columns}.",
                       len(columns), columns=names)  # fmt: skip
        else:
            said = trn("1 column is kept beside the items: {columns}.",
                       "{n} columns are kept beside the items: {columns}.",
                       len(columns), columns=names)  # fmt: skip
        self.kept.setText(said)

    def _on_leave_out(self) -> None:
        self._dropped = self._beside if self.leave_out.isChecked() else ()
        self.look()

    # -- what would happen, and what happened ---------------------------------------------------

    def _show_report(self, report: ImportReport) -> None:
        figures = {
            "total": trn("1 row", "{n} rows", report.total),
            "taken": i18n.number(report.taken),
            "known": i18n.number(report.existed),
            "refused": i18n.number(len(report.refused)),
        }
        words = (
            tr("{total}: {taken} can be imported, {known} already there, {refused} cannot be "
               "imported.", **figures)
            if report.dry_run
            else tr("{total}: {taken} imported, {known} already existed, {refused} could not be "
                    "imported.", **figures)
        )  # fmt: skip
        said = [words]
        if self._put_aside:
            said.append(self._why_aside())
        sheets = [self.sheet.itemText(place) for place in range(self.sheet.count())]
        if others := [name for name in sheets if name != self.sheet.currentText()]:
            said.append(trn("1 other sheet is not part of this import: {names}.",
                            "{n} other sheets are not part of this import: {names}.",
                            len(others), names=listed(others)))  # fmt: skip
        if report.repeated:
            said.append(report.repeated_text)
        if report.waiting:
            said.append(report.waiting_text)
        doubted = sum(finding.count for finding in report.findings if finding.name)
        if doubted:
            said.append(trn("1 of them has a defect.", "{n} defects were found in them.", doubted))
        if report.note:
            said.append(report.note)
        wrong = report.refused or report.repeated or report.waiting or doubted or report.advises
        self._say("\n".join(said), "return" if wrong else "accept")
        left = sorted((*report.refused, *report.known_rows), key=lambda entry: entry.line)
        self._show_problems(report.findings, tuple(left))

    def _why_aside(self) -> str:
        """Why the file does not go into the task that was preset."""
        names = {"task": self._put_aside, "other": self.task.currentText().strip()}
        if self._looked is not None and self._looked.is_foreign:
            return tr("It is in another language than the items of the task “{task}”; its items go "
                      "into “{other}”.", **names)  # fmt: skip
        return tr("Its columns do not suit the task “{task}”; they go into “{other}”.", **names)

    def _show_problems(
        self, findings: tuple[ImportFinding, ...], left: tuple[RefusedRow, ...]
    ) -> None:
        columns = (
            Column(tr("Rows"), 70, number=True), Column(tr("Line"), 150),
            Column(tr("Problem"), 560),
        )  # fmt: skip
        rows = [(i18n.number(f.count), f.first_lines(), f.problem) for f in findings]
        rows += [("1", str(entry.line), entry.reason) for entry in left[:_LISTED]]
        self.problems.show_rows(columns, rows)
        self.problem_table.fit_columns()
        title = tr("Problems ({count})", count=i18n.number(len(rows))) if rows else tr("Problems")
        self.tabs.setTabText(1, title)

    def _show_state(self) -> None:
        looked = self._looked
        done = self._done is not None
        ready = (
            looked is not None
            and not self._busy
            and not done
            and not self._missing()
            and bool(self.task.currentText().strip())
            and bool(self.benchmark.text().strip())
        )
        self.import_button.setEnabled(
            ready and self._checked is not None and bool(self._checked.taken)
        )
        self.check_button.setEnabled(looked is not None and not self._busy)
        made = self._done is not None and bool(self._done.taken or self._done.known)
        self.review_button.setVisible(made and self._context.may(Action.REVIEW))
        self.import_button.setVisible(not made)
        self.language.setEnabled(self.task.currentText() not in self._known)
        self.enter_presses(self.review_button if made else self.import_button)

    def start(self) -> None:
        """Import, all in one step; a bad row is reported and blocks nothing."""
        if not self.import_button.isEnabled():
            return
        self._busy = True
        self._show_state()
        self._say(tr("Reading all rows …"))
        work = partial(import_items.import_file, self._context.workspace, self.order())
        self._context.write(self, work, self._on_report, self._fail, lane="background")

    def _on_report(self, report: ImportReport) -> None:
        self._busy, self._done = False, report
        self.leave_out.hide()  # it is too late for that
        self._show_report(report)
        self._show_state()
        self.imported.emit(report)
        if not self._context.benchmark:
            self._context.choose_benchmark(report.benchmark)
        if self.review_button.isVisible():
            self.review_button.setFocus()

    def review(self) -> None:
        """Go on where the items are: Review shows them, or says what they wait for."""
        done = self._done
        if done is not None:
            self.accept()
            self._context.choose_benchmark(done.benchmark)
            self._context.go_to("review", ArrivedItem(done.first) if done.first else None)


def same_mapping(before: ImportPreview, now: ImportPreview) -> bool:
    """Whether two looks have the same fields to be mapped from the same columns."""
    names = ("path", "columns", "family", "item_format", "format")
    return all(getattr(before, name) == getattr(now, name) for name in names)


def _names(ws: Workspace, benchmark: str) -> dict[str, tuple[str, str]]:
    """The family and the format of each task of a benchmark."""
    known = tasks.uncounted(ws, benchmark) if benchmark else ()
    return {row.name: (row.family, row.format) for row in known}
