"""Sources: choose articles, say what to make of them, and see what came of it and what did not."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.i18n import tr, trn
from core.sources.articles.domains import DOMAINS
from core.workflow.people import default_benchmark
from core.workflow.rights import Action
from gui import i18n, labels
from gui.context import ArrivedItem, WindowContext
from gui.panels.base import Panel
from gui.panels.sources.shortcut_card import ShortcutCard
from gui.panels.sources.unfinished_imports import UnfinishedImports
from gui.processes import CommandProcess
from gui.widgets.elements import caption, column, heading, label, row, scrolled, set_ink
from gui.widgets.file_dialogs import FileDialog, ask_folder, worded
from gui.widgets.name_list import NameList
from gui.widgets.steady_fields import ChoiceBox, NumberBox
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ROW_HEIGHT, ReadingTable

_FORMATS = (("s", "sequencing"), ("c", "cloze"), ("p", "prediction"))


class SourcesPanel(Panel):
    """A form on the left, what the newest generation made on the right."""

    topics = ("benchmarks", "items")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._command: CommandProcess | None = None
        self._made_in = self._made_by = ""
        left = QWidget()
        left.setProperty("look", "page")
        layout = column(left, spacing=8)
        layout.setContentsMargins(24, 20, 24, 16)
        self._build_paths(layout)
        layout.addSpacing(8)
        self._build_options(layout)
        layout.addSpacing(8)
        self._build_others(layout)
        layout.addSpacing(8)
        self.unfinished = UnfinishedImports(context, self)
        layout.addWidget(self.unfinished)
        layout.addStretch(1)
        whole = row(self, spacing=0)
        side = QWidget()
        side.setFixedWidth(500)
        parts = column(side, spacing=0)
        parts.addWidget(scrolled(left), 1)
        parts.addWidget(self._build_foot())
        whole.addWidget(side)
        whole.addWidget(self._build_result(), 1)
        context.tasks.destroyed.connect(self._forget)
        self._show_state()

    # -- building ---------------------------------------------------------------------------

    def _build_paths(self, layout: QVBoxLayout) -> None:
        layout.addWidget(heading(tr("Generate items from articles")))
        layout.addWidget(
            label(
                tr("LaTeX, arXiv HTML, Markdown, Word, EPUB, PDF, JATS, notebooks, plain text, and "
                    "archives or folders of these. Files that cannot be read are listed and left "
                    "out."),
                ink="muted",
                wrap=True,
            )
        )  # fmt: skip
        self.paths = NameList(tr("Files and folders"))
        self.paths.setFixedHeight(108)
        self.paths.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        layout.addWidget(self.paths)
        line = row()
        for text, slot, command_id in (
            (tr("Add files…"), self.choose_files, "add-files"),
            (tr("Add folder…"), self.choose_folder, "add-folder"),
            (tr("Remove"), self.take_out, ""),
        ):
            button = QPushButton(text)
            button.clicked.connect(slot)
            if command_id:
                self.bind_button(command_id, button)
            line.addWidget(button)
            if slot == self.choose_folder:  # where one begins
                self.setFocusProxy(button)
        line.addStretch(1)
        layout.addLayout(line)

    def _build_options(self, layout: QVBoxLayout) -> None:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        self.benchmark = QLineEdit(default_benchmark())
        self.domain = ChoiceBox()
        self.domain.addItem(tr("from the article"), "")
        for domain in DOMAINS:
            self.domain.addItem(domain, domain)
        self.per_article = _spin(1, 10_000, 20)
        self.per_article.setToolTip(
            tr("Up to this many of each format, as far as the article allows")
        )
        self.seed = _spin(0, 2_000_000_000, 0)
        self.jobs = _spin(1, 64, 2)
        self.formats = {letter: QCheckBox(labels.word(labels.FORMATS, n)) for letter, n in _FORMATS}
        boxes = QHBoxLayout()
        boxes.setSpacing(12)
        for box in self.formats.values():
            box.setChecked(True)
            box.toggled.connect(self._show_state)
            boxes.addWidget(box)
        boxes.addStretch(1)
        self.any_text = QCheckBox(tr("Any text"))
        self.any_text.setToolTip(
            tr("Also texts that are not articles: documentation, letters, course material")
        )
        self.benchmark.textChanged.connect(self._show_state)
        form.addRow(tr("Benchmark"), self.benchmark)
        form.addRow(tr("Domain"), self.domain)
        form.addRow(tr("Formats"), boxes)
        form.addRow("", self.any_text)
        form.addRow(tr("Items per article"), self.per_article)
        form.addRow(tr("Seed"), self.seed)
        form.addRow(tr("Processes"), self.jobs)
        layout.addLayout(form)

    def _build_foot(self) -> QWidget:
        """What goes on from here, in sight however low the window is."""
        foot = QWidget()
        foot.setProperty("look", "page")
        layout = column(foot, margin=24, spacing=8)
        layout.setContentsMargins(24, 8, 24, 8)
        self.start_button = QPushButton(tr("Generate items"))
        self.start_button.setProperty("look", "filled")
        self.start_button.clicked.connect(self.start)
        self.stop_button = QPushButton(tr("Stop"))
        self.stop_button.clicked.connect(self.stop)
        self.says = label("", ink="muted", wrap=True, selectable=True)
        line = row()
        line.addWidget(self.start_button)
        line.addWidget(self.stop_button)
        line.addStretch(1)
        layout.addLayout(line)
        layout.addWidget(self.says)
        return foot

    def _build_others(self, layout: QVBoxLayout) -> None:
        self.import_button = QPushButton(tr("Import items from a file…"))
        self.import_button.clicked.connect(self.open_import)
        layout.addWidget(self.import_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.rewrite_button = QPushButton(tr("Rewrite labelled data with new knowledge…"))
        self.rewrite_button.clicked.connect(self.open_rewrite)
        layout.addWidget(self.rewrite_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.bind_button("rewrite-data", self.rewrite_button)

    def _build_result(self) -> QWidget:
        page = QWidget()
        page.setProperty("look", "page")
        layout = column(page, margin=24, spacing=8)
        self.made_title = heading()
        self.made_title.setWordWrap(True)
        self.made = label("", ink="muted", wrap=True)
        layout.addWidget(self.made_title)
        layout.addWidget(self.made)
        self.review_button = QPushButton(tr("Review these items"))
        self.review_button.setProperty("look", "filled")
        self.review_button.clicked.connect(self._to_review)
        layout.addWidget(self.review_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._tables: dict[str, tuple[QWidget, TableModel, ReadingTable]] = {}
        for name, title in (
            ("skipped", tr("Files left out, with reasons")),
            ("filtered", tr("Fragments left out, with reasons")),
            ("short", tr("Fewer items than requested")),
        ):
            head = caption(title)
            model = TableModel((), self)
            table = ReadingTable(model)
            table.setObjectName(name)
            layout.addSpacing(8)
            layout.addWidget(head)
            layout.addWidget(table)
            self._tables[name] = (head, model, table)
        layout.addSpacing(8)
        self.shortcuts = ShortcutCard(self.context, page)
        layout.addWidget(self.shortcuts)
        layout.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(page)
        hint = QWidget()
        beside = column(hint, margin=24)
        beside.addStretch(2)
        sentence = label(
            tr("The items generated, and what was left out and why, appear here."),
            ink="muted",
            wrap=True,
        )
        sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        beside.addWidget(sentence)
        beside.addStretch(3)
        self._result = QStackedWidget()
        self._result.addWidget(hint)
        self._result.addWidget(area)
        return self._result

    def open_import(self) -> None:
        """Take items from somebody's file: preview, mapping of its columns, report."""
        from gui.panels.sources.import_dialog import ImportDialog

        ImportDialog(self.context, self).open()

    def open_rewrite(self) -> None:
        """Start a rewriting run: data, knowledge, model, limits."""
        from gui.panels.sources.rewrite_dialog import RewriteDialog

        RewriteDialog(self.context, self).open()

    # -- choosing ---------------------------------------------------------------------------

    def choose_files(self) -> None:
        """Ask for files."""
        dialog = worded(FileDialog(self, tr("Add files…")))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.add_paths)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def choose_folder(self) -> None:
        """Ask for a folder."""
        ask_folder(self, tr("Add folder…"), self.add_path)

    def add_path(self, path: str) -> None:
        """Put one path on the list."""
        self.add_paths([path])

    def add_paths(self, paths: Sequence[str]) -> None:
        """Put paths on the list; one that is there already is left."""
        known = set(self.chosen_paths())
        for path in paths:
            if path and path not in known:
                self.paths.add_name(path)
                known.add(path)
        self._show_state()
        if self.start_button.isEnabled():
            self.start_button.setFocus()

    def take_out(self) -> None:
        """Take the selected paths off the list."""
        for entry in self.paths.selectedItems():
            self.paths.takeItem(self.paths.row(entry))
        self._show_state()

    def chosen_paths(self) -> list[str]:
        """The paths on the list."""
        return [self.paths.item(index).text() for index in range(self.paths.count())]

    def take(self, argument: Any) -> None:
        """Put a path on the list."""
        self.add_paths([str(argument)])

    # -- making -----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Propose the benchmark in front, and name imports that have not ended."""
        self.unfinished.refresh()
        if self.context.benchmark and not self.benchmark.isModified():
            self.benchmark.setText(self.context.benchmark)

    def _show_state(self) -> None:
        ready = (
            self.paths.count() > 0
            and any(box.isChecked() for box in self.formats.values())
            and bool(self.benchmark.text().strip())
        )
        self.start_button.setEnabled(ready and self._command is None)
        self.stop_button.setVisible(self._command is not None)

    def arguments(self) -> list[str]:
        """The command that makes what the form says."""
        arguments = ["generate", "scp", *self.chosen_paths(), "--json"]
        arguments += ["--user", self.context.person.name]
        arguments += ["--benchmark", self.benchmark.text().strip()]
        formats = ",".join(name for name, box in self.formats.items() if box.isChecked())
        arguments += ["--formats", formats]
        arguments += ["--per-article", str(self.per_article.value())]
        arguments += ["--seed", str(self.seed.value()), "--jobs", str(self.jobs.value())]
        if domain := self.domain.currentData():
            arguments += ["--domain", domain]
        if self.any_text.isChecked():
            arguments.append("--any-text")
        return arguments

    def start(self) -> None:
        """Make the items in a process of its own; the window stays free."""
        location = self.context.workspace.place.database
        self._command = CommandProcess(location, self.arguments(), self)
        self._command.progressed.connect(self._on_progress)
        self._command.ended.connect(self._on_ended)
        self._say(tr("Reading articles …"), "muted")
        self.setFocus()  # Qt would move it from a button that rests to the first of the window
        self._show_state()
        self._command.start()

    def stop(self) -> None:
        """End the command; a run that it has started goes on and stands under Runs."""
        if self._command is not None:
            self._command.stop()

    def _say(self, text: str, ink: str) -> None:
        self.says.setText(text)
        set_ink(self.says, ink)

    def _on_progress(self, line: str) -> None:
        self._say(line, "muted")

    def _on_ended(self, outcome: tuple[Mapping[str, Any] | None, str]) -> None:
        document, sentence = outcome
        if self._command is not None:
            self._command.deleteLater()
            self._command = None
        self._show_state()
        if document is None:
            self._say(sentence, "reject")
        else:
            self._say(_any_text_hint(document), "muted")
            self._show_made(document)
            self.context.read_news()
        if document is not None and not self.context.benchmark:
            self.context.choose_benchmark(str(document.get("benchmark", "")))

    def _show_made(self, result: Mapping[str, Any]) -> None:
        self._result.setCurrentIndex(1)
        self._made_in, self._made_by = str(result.get("benchmark", "")), str(result.get("run", ""))
        self.review_button.setVisible(self.context.may(Action.REVIEW))
        self.review_button.setFocus()
        items: Mapping[str, int] = result.get("items", {})
        read = result.get("articles", {}).get("read", 0)
        self.made_title.setText(
            tr(
                "{items} from {articles}.",
                items=trn("1 item", "{n} items", sum(items.values())),
                articles=trn("1 article", "{n} articles", read),
            )
        )
        parts = [
            tr("{count} {format}", count=i18n.number(n), format=labels.word(labels.FORMATS, name))
            for name, n in items.items()
        ]
        if known := result.get("known", 0):
            parts.append(trn("1 of them already exists", "{n} of them already exist", known))
        parts.append(tr("digest {digest}", digest=str(result.get("digest", ""))[:12]))
        self.made.setText(" · ".join(parts))
        self.shortcuts.show_file(str(result.get("file", "")))
        skipped = result.get("articles", {}).get("skipped", [])
        self._fill("skipped", (Column(tr("File"), 300), Column(tr("Reason"), 420)),
                   [(Path(str(s["path"])).name, str(s["reason"])) for s in skipped])  # fmt: skip
        filtered = sorted(result.get("filtered", {}).items(), key=lambda pair: -pair[1])
        self._fill(
            "filtered",
            (Column(tr("Reason"), 420), Column(tr("Fragments"), 110, number=True)),
            [(_reason(name), i18n.number(count)) for name, count in filtered],
        )
        self._fill(
            "short",
            (Column(tr("Article"), 240), Column(tr("Format"), 110),
             Column(tr("generated"), 70, number=True), Column(tr("requested"), 70, number=True),
             Column(tr("Reason"), 320)),
            [(str(s["article"]), labels.word(labels.FORMATS, s["format"]), str(s["made"]),
              str(s["asked"]), _reason(s["reason"])) for s in result.get("short", [])],
        )  # fmt: skip

    def _fill(self, name: str, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        head, model, table = self._tables[name]
        model.show_rows(columns, rows)
        table.fit_columns()
        table.setFixedHeight(min(10, len(rows)) * ROW_HEIGHT + 44)
        for part in (head, table):
            part.setVisible(bool(rows))

    def _to_review(self) -> None:
        from core.workflow.production.take_in_items import first_of_run

        work = partial(first_of_run, self.context.workspace, self._made_by)
        self.context.ask(self, work, self._review, self.context.complain, topic="first")

    def _review(self, first: int) -> None:
        if self._made_in:
            self.context.choose_benchmark(self._made_in)
        self.context.go_to("review", ArrivedItem(first) if first else None)

    def _forget(self) -> None:
        if self._command is not None:
            self._command.dispose()

    def ready(self) -> bool:
        """Whether no command is at work."""
        return not self.stale and self._command is None


def _spin(low: int, high: int, value: int) -> QSpinBox:
    box = NumberBox()
    box.setRange(low, high)
    box.setValue(value)
    box.setMaximumWidth(140)
    box.lineEdit().setTextMargins(8, 0, 8, 0)
    return box


def _any_text_hint(result: Mapping[str, Any]) -> str:
    """What to do about files that were left out because they are no articles, if there are any."""
    from core.sources.articles.prose.no_article import is_no_article
    from core.workflow.production.take_in_items import any_text_hint

    skipped = result.get("articles", {}).get("skipped", [])
    count = sum(is_no_article(str(row["reason"])) for row in skipped)
    return any_text_hint(count) if count else ""


def _reason(name: str) -> str:
    from core.generation.run import reason_text

    return reason_text(name)
