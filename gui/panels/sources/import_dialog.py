"""Importing a file: its beginning, which column goes where, and a report of every row."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from core.families import FAMILIES, family
from core.families.intake import ImportPreview
from core.i18n import tr, trn
from core.sources.imports import IMPORT_FORMATS, RefusedRow
from core.workflow import tasks
from core.workflow.production import import_items
from core.workflow.production.import_items import ImportOrder, ImportReport
from core.workflow.workspace import Workspace
from gui import i18n
from gui.context import WindowContext
from gui.panels.sources.busy_dialog import BusyDialog
from gui.widgets.elements import caption, column, row
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_CELL = 80
_LISTED = 2000


class ImportDialog(BusyDialog):
    """One file into one task. Nothing is written before the button that says so."""

    imported = Signal(object)
    ink = "muted"

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Import items from a file"))
        self.resize(960, 720)
        self._context = context
        self._path: Path | None = None
        self._preview: ImportPreview | None = None
        self._fields: dict[str, QComboBox] = {}
        layout = column(self, margin=16, spacing=8)
        layout.addLayout(self._build_target())
        layout.addWidget(self.says)
        body = row(spacing=16)
        body.addWidget(self._build_mapping())
        body.addLayout(self._build_table(), 1)
        layout.addLayout(body, 1)
        layout.addLayout(self._build_buttons())
        self._say(tr("Choose a file; its first rows are shown before anything is written."))
        work = partial(_names, context.workspace, context.benchmark)
        context.ask(self, work, self._on_names, self._fail, topic="names", lane="background")

    # -- building ---------------------------------------------------------------------------

    def _build_target(self) -> QFormLayout:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(6)
        self.path = QLineEdit()
        self.path.setReadOnly(True)
        self.path.setAccessibleName(tr("File"))
        choose, folder = QPushButton(tr("Choose a file…")), QPushButton(tr("Choose a folder…"))
        for button, slot in ((choose, self.choose_file), (folder, self.choose_folder)):
            button.setAutoDefault(False)
            button.clicked.connect(slot)
        first = row()
        first.addWidget(self.path, 1)
        first.addWidget(choose)
        first.addWidget(folder)
        self.benchmark = QLineEdit(self._context.benchmark)
        self.benchmark.setAccessibleName(tr("Benchmark"))
        self.task = QComboBox()
        self.task.setEditable(True)
        self.task.setAccessibleName(tr("Task"))
        second = row()
        second.addWidget(self.benchmark, 1)
        second.addWidget(caption(tr("Task")))
        second.addWidget(self.task, 2)
        self.family = QComboBox()
        for known in FAMILIES:
            for name in known.formats or ("",):
                self.family.addItem(f"{known.name} · {name}" if name else known.name,
                                    (known.name, name))  # fmt: skip
        self.family.setCurrentText("instruction · triplet")
        self.format = QComboBox()
        self.format.addItem(tr("detect automatically"), "")
        for entry in IMPORT_FORMATS:
            self.format.addItem(entry.title, entry.name)
        third = row()
        third.addWidget(self.family, 1)
        third.addWidget(caption(tr("File format")))
        third.addWidget(self.format, 1)
        self.sheet = QLineEdit()
        self.sheet.setAccessibleName(tr("Sheet"))
        self.sheet.setPlaceholderText(tr("of a workbook with several"))
        third.addWidget(caption(tr("Sheet")))
        third.addWidget(self.sheet, 1)
        form.addRow(tr("File"), first)
        form.addRow(tr("Benchmark"), second)
        form.addRow(tr("Item type"), third)
        self.family.currentIndexChanged.connect(self.look)
        self.format.currentIndexChanged.connect(self.look)
        self.sheet.editingFinished.connect(self.look)
        self.task.currentTextChanged.connect(self._on_task)
        self.benchmark.textChanged.connect(self._show_state)
        return form

    def _build_mapping(self) -> QScrollArea:
        self._mapping = QWidget()
        self._mapping.setProperty("look", "page")
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFixedWidth(330)
        area.setWidget(self._mapping)
        self._area = area
        return area

    def _build_table(self) -> QHBoxLayout:
        holder = row()
        self.model = TableModel((), self)
        self.table = ReadingTable(self.model)
        self.table.setHorizontalScrollMode(ReadingTable.ScrollMode.ScrollPerPixel)
        holder.addWidget(self.table)
        return holder

    def _build_buttons(self) -> QHBoxLayout:
        line = row()
        self.check_button = QPushButton(tr("Check without importing"))
        self.import_button = QPushButton(tr("Import"))
        self.import_button.setProperty("look", "filled")
        for button in (self.check_button, self.import_button):
            button.setAutoDefault(False)
            line.addWidget(button)
        self.check_button.clicked.connect(self.check)
        self.import_button.clicked.connect(self.start)
        line.addStretch(1)
        self._show_state()
        return line

    def _on_names(self, names: tuple[str, ...]) -> None:
        typed = self.task.currentText()
        self.task.addItems(list(names))
        self.task.setCurrentText(typed)

    # -- the file ---------------------------------------------------------------------------

    def choose_file(self) -> None:
        """Ask for a file."""
        self._choose(QFileDialog.FileMode.ExistingFile)

    def choose_folder(self) -> None:
        """Ask for a folder, as TweetEval has them."""
        self._choose(QFileDialog.FileMode.Directory)

    def _choose(self, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self, tr("Choose a file…"))
        dialog.setFileMode(mode)
        dialog.fileSelected.connect(self.open_path)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def open_path(self, path: str) -> None:
        """Look at a file or folder; a task without a name takes the file's."""
        self._path = Path(path)
        self.path.setText(path)
        if not self.task.currentText().strip():
            self.task.setCurrentText(self._path.stem)
        self.look()

    def _on_task(self) -> None:
        self._show_state()
        if self.task.findText(self.task.currentText()) >= 0:
            self.look()

    def order(self, *, dry_run: bool = False) -> ImportOrder:
        """What the sheet says shall be imported."""
        assert self._path is not None
        family_name, item_format = self.family.currentData()
        mapping = {}
        suggested = self._preview.mapping if self._preview else {}
        for name, box in self._fields.items():
            column = box.currentText().strip()
            if column and column != suggested.get(name):
                mapping[name] = column
        return ImportOrder(
            self._path, self.task.currentText().strip(), self.benchmark.text().strip(),
            self.format.currentData(), mapping, family_name, item_format,
            self._context.person.name, dry_run, self.sheet.text().strip(),
        )  # fmt: skip

    def look(self) -> None:
        """Read the beginning of the file."""
        self._preview, self._fields = None, {}
        if self._path is None:
            return
        work = partial(import_items.preview, self._context.workspace, self.order())
        self._context.ask(
            self, work, self._on_preview, self._fail, topic="preview", lane="background"
        )

    def _on_preview(self, preview: ImportPreview) -> None:
        self._preview = preview
        columns = [Column(name, 180) for name in preview.columns]
        rows = [
            [_cell(row.values.get(name)) for name in preview.columns]
            for row in preview.rows
            if not isinstance(row, RefusedRow)
        ]
        self.model.show_rows(columns, rows)
        for index, spec in enumerate(columns):
            self.table.setColumnWidth(index, spec.width)
        self._build_fields(preview)
        self._show_missing()
        self._show_state()

    def _build_fields(self, preview: ImportPreview) -> None:
        page = QWidget()
        page.setProperty("look", "page")
        form = QFormLayout(page)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setVerticalSpacing(4)
        family_name, item_format = self.family.currentData()
        model = family(family_name).payload_model(item_format)
        self._fields = {}
        for name, info in model.model_fields.items():
            box = QComboBox()
            box.setEditable(True)
            box.addItems(["", *preview.columns])
            box.setCurrentText(preview.mapping.get(name, ""))
            box.setAccessibleName(name)
            box.setToolTip(
                tr(
                    "A column name; first+second to join columns; =value for the same value in "
                    "every row"
                )
            )
            box.currentTextChanged.connect(self._on_mapping)
            self._fields[name] = box
            needed = tr("{field} (required)", field=name)
            form.addRow(caption(needed if info.is_required() else name), box)
        self._area.setWidget(page)

    def _on_mapping(self) -> None:
        self._show_missing()
        self._show_state()

    def _missing(self) -> list[str]:
        if self._preview is None:
            return []
        return [n for n in self._preview.missing if not self._fields[n].currentText().strip()]

    def _show_missing(self) -> None:
        preview = self._preview
        if preview is None:
            return
        if missing := self._missing():
            self._say(tr("Choose the column for: {fields}.", fields=", ".join(missing)), "return")
        else:
            self._say(
                trn(
                    "{format}, 1 column. The first rows are shown below.",
                    "{format}, {n} columns. The first rows are shown below.",
                    len(preview.columns),
                    format=preview.format,
                )
            )

    # -- importing --------------------------------------------------------------------------

    def _show_state(self) -> None:
        ready = (
            self._preview is not None
            and not self._busy
            and not self._missing()
            and bool(self.task.currentText().strip())
            and bool(self.benchmark.text().strip())
        )
        self.check_button.setEnabled(ready)
        self.import_button.setEnabled(ready)

    def check(self) -> None:
        """Read every row and say what would become of it."""
        self._run(dry_run=True)

    def start(self) -> None:
        """Import, all in one step; a bad row is reported and blocks nothing."""
        self._run(dry_run=False)

    def _run(self, *, dry_run: bool) -> None:
        self._busy = True
        self._show_state()
        self._say(tr("Reading all rows …"))
        work = partial(
            import_items.import_file, self._context.workspace, self.order(dry_run=dry_run)
        )
        if dry_run:
            self._context.ask(
                self, work, self._on_report, self._fail, topic="check", lane="background"
            )
        else:
            self._context.write(self, work, self._on_report, self._fail, lane="background")

    def _on_report(self, report: ImportReport) -> None:
        self._busy = False
        figures = {
            "total": trn("1 row", "{n} rows", report.total),
            "taken": i18n.number(report.taken),
            "known": i18n.number(report.known),
            "refused": i18n.number(len(report.refused)),
        }
        self._say(
            tr("{total}: {taken} can be imported, {known} already there, {refused} cannot be "
                "imported.",
               **figures)
            if report.dry_run
            else tr("{total}: {taken} imported, {known} already existed, {refused} could not be "
                "imported.", **figures),
            "return" if report.refused else "accept",
        )  # fmt: skip
        left = sorted((*report.refused, *report.known_rows), key=lambda row: row.line)
        if left or not report.dry_run:
            columns = (Column(tr("Line"), 80, number=True), Column(tr("Why not imported"), 460))
            self.model.show_rows(columns, [(str(r.line), r.reason) for r in left[:_LISTED]])
            self.table.fit_columns()
        self._show_state()
        if not report.dry_run:
            self.imported.emit(report)
            if not self._context.benchmark:
                self._context.choose_benchmark(report.benchmark)


def _names(ws: Workspace, benchmark: str) -> tuple[str, ...]:
    return tuple(info.name for info in tasks.tasks(ws, benchmark)) if benchmark else ()


def _cell(value: object) -> str:
    text = "" if value is None else " ".join(str(value).split())
    return text if len(text) <= _CELL else text[:_CELL] + "…"
