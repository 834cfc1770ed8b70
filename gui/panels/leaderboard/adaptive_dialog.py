"""The item bank of a split, and a model asked a part of it: the items that tell most, or any."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from core.i18n import tr
from core.workflow.workspace import Workspace
from gui.context import WindowContext
from gui.labels import engine_words
from gui.widgets.elements import caption, label
from gui.widgets.file_dialogs import ask_where
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox, DecimalBox

if TYPE_CHECKING:
    from core.analysis.adaptive.sampled_score import Choice


@dataclass(frozen=True)
class BankState:
    """What the bank can come to, in sentences; ``engines`` are (name, title, needs model, needs
    server) of those that work here. ``missing`` says why there is no bank."""

    sentences: tuple[str, ...]
    engines: tuple[tuple[str, str, bool, bool], ...]
    missing: str = ""


def read_state(
    ws: Workspace, split: str, within: float, most: float, choice: "Choice"
) -> BankState:
    """The bank of the models evaluated on a split, fitted on the worker's thread."""
    from core.errors import BenchsealError
    from core.evaluation.engines import ENGINES
    from core.workflow.analysis import adaptive_runs

    engines = tuple(
        (one.name, tr(one.title), one.needs_model, one.needs_server)
        for one in ENGINES
        if one.available().usable
    )
    try:
        found = adaptive_runs.bank_of(ws, split)
    except BenchsealError as error:
        return BankState((), engines, str(error))
    return BankState(adaptive_runs.sentences(found, within, most, choice), engines)


def begin(ws: Workspace, values: dict[str, Any], person: str) -> str:
    """Start the run; its name."""
    from core.evaluation.params import AdaptiveParams
    from core.workflow.analysis import adaptive_runs

    return adaptive_runs.start(ws, AdaptiveParams(**values), person).spec().id


def save(ws: Workspace, split: str, path: str) -> str:
    """Write the bank's items as a table; where they are."""
    from core.table_writer import write_table
    from core.workflow.analysis import adaptive_runs

    write_table(Path(path), adaptive_runs.bank_table(adaptive_runs.bank_of(ws, split)))
    return path


class AdaptiveDialog(Sheet):
    """What the bank can come to stands above; below, which model is asked and how far."""

    def __init__(self, context: WindowContext, split: str, parent: QWidget) -> None:
        super().__init__(parent, tr("Adaptive evaluation"), (600, 480))
        self._context, self._split = context, split
        self._engines: dict[str, tuple[bool, bool]] = {}
        self.state = label(tr("Reading…"), wrap=True, selectable=True)
        self.engine = ChoiceBox()
        self.model, self.server = QLineEdit(), QLineEdit()
        self.server.setPlaceholderText("http://127.0.0.1:8000/v1")
        self.within, self.most = DecimalBox(), DecimalBox()
        for box, value, suffix in (
            (self.within, 1.5, tr(" points")),
            (self.most, 100.0, " %"),
        ):
            box.setRange(0.1, 100)
            box.setDecimals(1)
            box.setValue(value)
            box.setSuffix(suffix)
            box.lineEdit().setTextMargins(8, 0, 8, 0)
            box.editingFinished.connect(self._read)
        self.choice = ChoiceBox()
        self.choice.addItem(tr("most informative"), "telling")
        self.choice.addItem(tr("at random"), "random")
        self.choice.currentIndexChanged.connect(self._read)
        self.save_button = QPushButton(tr("Save the item bank…"))
        self.start = QPushButton(tr("Start"))
        self._build()
        self._read()

    def _build(self) -> None:
        body, foot = self.with_body()
        body.addWidget(caption(tr("A part of the items is asked, the score on all estimated")))
        body.addWidget(self.state)
        self._form = QFormLayout()
        for words, field in (
            (tr("Engine"), self.engine),
            (tr("Server"), self.server),
            (tr("Model"), self.model),
            (tr("Items"), self.choice),
            (tr("Half-width of the interval"), self.within),
            (tr("At most, of the items"), self.most),
        ):
            field.setAccessibleName(words)
            self._form.addRow(words, field)
        body.addLayout(self._form)
        body.addStretch(1)
        foot.addWidget(self.save_button)
        foot.addStretch(1)
        foot.addWidget(self.start)
        for button in (self.save_button, self.start):
            button.setEnabled(False)
        self.save_button.clicked.connect(self._ask_where)
        self.start.clicked.connect(self._begin)
        self.engine.currentIndexChanged.connect(self._on_engine)
        self.enter_presses(self.start)
        self.focus_first(self.engine)

    # -- the bank ---------------------------------------------------------------------------

    def _read(self) -> None:
        work = partial(
            read_state, self._context.workspace, self._split,
            self.within.value() / 100, self.most.value() / 100, self.choice.currentData(),
        )  # fmt: skip
        self._context.ask(self, work, self._show, self._fail, topic="bank", lane="background")

    def _show(self, state: BankState) -> None:
        self.state.setText(state.missing or "\n".join(state.sentences))
        for button in (self.save_button, self.start):
            button.setEnabled(not state.missing)
        if not self._engines:
            self._engines = {name: needs for name, _, *needs in state.engines}  # type: ignore[misc]  # two of them
            for name, title, _, _ in state.engines:
                self.engine.addItem(engine_words(name, title), name)
            self._on_engine()

    def _on_engine(self) -> None:
        model, server = self._engines.get(str(self.engine.currentData()), (True, True))
        self._form.setRowVisible(self.model, model)
        self._form.setRowVisible(self.server, server)

    def _ask_where(self) -> None:
        ask_where(self, tr("Save the item bank"), f"bank-{self._split}.csv", self.save)

    def save(self, path: str) -> None:
        """Write the bank's items to a table."""
        work = partial(save, self._context.workspace, self._split, path)
        self._context.ask(self, work, self._on_saved, self._fail, lane="background")

    def _on_saved(self, path: str) -> None:
        self._context.say(tr("Wrote {path}.", path=path))

    # -- the run ----------------------------------------------------------------------------

    def values(self) -> dict[str, Any]:
        """What the form says."""
        name = str(self.engine.currentData() or "")
        needs_model, needs_server = self._engines.get(name, (True, True))
        return {
            "split": self._split,
            "engine": name,
            "model": self.model.text().strip() if needs_model else "",
            "base_url": self.server.text().strip() if needs_server else "",
            "within": self.within.value() / 100,
            "most": self.most.value() / 100,
            "choice": self.choice.currentData(),
        }

    def _begin(self) -> None:
        context = self._context
        self.start.setEnabled(False)
        work = partial(begin, context.workspace, self.values(), context.person.name)
        context.write(self, work, self._on_begun, self._fail, lane="background")

    def _on_begun(self, run: str) -> None:
        self._context.say(tr("Started run {run}.", run=run), tr("Open the run"), "runs", run)
        self.accept()

    def _fail(self, sentence: str) -> None:
        self.start.setEnabled(True)
        self.say_trouble(sentence)
