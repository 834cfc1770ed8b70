"""How far solvers get with the items just generated that do not understand the question."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from core.analysis.artifacts.solvers import (
    below_chance_sentence,
    beside_chance,
    found_from_sentence,
    solver_names,
)
from core.i18n import sentences, tr, trn
from gui import labels
from gui.context import WindowContext
from gui.processes import CommandProcess
from gui.widgets.elements import caption, column, label, set_ink
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ROW_HEIGHT, ReadingTable

_ROWS = 14


class ShortcutCard(QWidget):
    """A button, one sentence with the outcome, and a row for each solver and format."""

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._file = ""
        self._command: CommandProcess | None = None
        layout = column(self, spacing=8)
        layout.addWidget(caption(tr("Shortcuts to the answers")))
        self.button = QPushButton(tr("Look for shortcuts"))
        self.button.setToolTip(tr("How often solvers are right that never read the question"))
        self.button.clicked.connect(self.start)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self.says = label("", ink="muted", wrap=True, selectable=True)
        layout.addWidget(self.says)
        self._model = TableModel((), self)
        self.table = ReadingTable(self._model)
        self.table.setObjectName("shortcuts")
        layout.addWidget(self.table)
        context.tasks.destroyed.connect(self.dispose)
        self.show_file("")

    def show_file(self, path: str) -> None:
        """Offer the audit of a file of items; nothing is offered for an empty path."""
        self._file = path
        self.setVisible(bool(path))
        self.table.hide()
        self._say("", "muted")

    def start(self) -> None:
        """Audit the items in a process of its own."""
        location = self._context.workspace.place.database
        arguments = ["check", "--artifacts", self._file, "--json"]
        self._command = CommandProcess(location, arguments, self, answers=(0, 1))
        self._command.ended.connect(self._on_ended)
        self.button.setEnabled(False)
        self._say(tr("Looking for shortcuts …"), "muted")
        self._command.start()

    def ready(self) -> bool:
        """Whether no audit is at work."""
        return self._command is None

    def dispose(self) -> None:
        """End the audit before the window goes."""
        if self._command is not None:
            self._command.dispose()

    def _say(self, text: str, ink: str) -> None:
        self.says.setText(text)
        self.says.setVisible(bool(text))
        set_ink(self.says, ink)

    def _on_ended(self, outcome: tuple[Mapping[str, Any] | None, str]) -> None:
        document, sentence = outcome
        if self._command is not None:
            self._command.deleteLater()
            self._command = None
        self.button.setEnabled(True)
        if document is None:
            self._say(sentence, "reject")
            return
        names = solver_names()
        rows = [
            (
                labels.word(labels.FORMATS, kind["kind"]),
                names[solver["solver"]],
                _percent(solver["accuracy"]),
                f"{_percent(solver['all_low'])} – {_percent(solver['all_high'])}",
                _percent(solver["chance"]),
                beside_chance(above=solver["above_chance"], below=solver["below_chance"]),
            )
            for kind in document["kinds"]
            for solver in kind["solvers"]
        ]
        rows.sort(key=lambda row: not row[-1])
        found = [solver for kind in document["kinds"] for solver in kind["solvers"]]
        above = sum(solver["above_chance"] for solver in found)
        below = sum(solver["below_chance"] for solver in found)
        if not rows:
            self._say(tr("There are too few items of each format for an audit."), "muted")
            return
        said = [
            trn("1 solver is above chance.", "{n} solvers are above chance.", above)
            if above
            else tr("No solver is above chance.")
        ]
        if below:
            said.append(below_chance_sentence(below))
        if known := [kind["found_from"] for kind in document["kinds"] if kind["found_from"]]:
            said.append(found_from_sentence(max(known)))
        self._say(sentences(said), "muted")
        self._model.show_rows(
            (Column(tr("Format"), 110), Column(tr("Solver"), 320),
             Column(tr("Accuracy"), 90, number=True), Column(tr("95% interval"), 140, number=True),
             Column(tr("Chance"), 80, number=True), Column("", 110)),
            rows,
        )  # fmt: skip
        self.table.fit_columns()
        self.table.setFixedHeight(min(_ROWS, len(rows)) * ROW_HEIGHT + 44)
        self.table.show()


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"
