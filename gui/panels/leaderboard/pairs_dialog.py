"""Models compared in pairs by a judge: which models, which judge, on how many items."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from core.i18n import tr, trn
from core.workflow.workspace import Workspace
from gui.context import WindowContext
from gui.widgets.elements import caption, label
from gui.widgets.number_field import number_field
from gui.widgets.sheet import Sheet

_MOST = 1_000_000


def evaluated(ws: Workspace, split: str) -> Mapping[str, str]:
    """The finished run that stands for every model on a split, by model."""
    from core.workflow.evaluation.finished_runs import finished_runs

    return finished_runs(ws).get(split, {})


def begin(
    ws: Workspace, names: tuple[str, ...], judge: tuple[str, str], most: int | None, person: str
) -> str:
    """Start the comparison; the run's name."""
    from core.evaluation.params import PairwiseParams
    from core.workflow.evaluation import pairwise_judging

    params = PairwiseParams(model=judge[0], base_url=judge[1])
    return pairwise_judging.start(ws, names, params, person, most=most).spec().id


class PairsDialog(Sheet):
    """A judge sees the answers of every two models, each pair in both orders."""

    def __init__(self, context: WindowContext, split: str, parent: QWidget) -> None:
        super().__init__(parent, tr("Compare in pairs"), (560, 480))
        self._context, self._split = context, split
        self.models = QListWidget()
        self.models.setAccessibleName(tr("Models"))
        self.judge, self.server = QLineEdit(), QLineEdit()
        self.server.setPlaceholderText("http://127.0.0.1:8000/v1")
        self.most = number_field(0, _MOST, 0, tr("Items, drawn at random"), tr("all"))
        self.cost = label("", ink="muted", wrap=True)
        self.start = QPushButton(tr("Compare"))
        self._build()
        context.ask(self, partial(evaluated, context.workspace, split), self._offer, self._fail)

    def _build(self) -> None:
        body, foot = self.with_body()
        body.addWidget(caption(tr("A judge sees the answers of every two models in both orders")))
        body.addWidget(self.models, 1)
        form = QFormLayout()
        for words, field in (
            (tr("Judge"), self.judge),
            (tr("Judge server"), self.server),
            (tr("Items, drawn at random"), self.most),
        ):
            field.setAccessibleName(words)
            form.addRow(words, field)
        body.addLayout(form)
        body.addWidget(self.cost)
        foot.addStretch(1)
        foot.addWidget(self.start)
        self.start.clicked.connect(self._begin)
        self.models.itemChanged.connect(self._count)
        self.enter_presses(self.start)
        self.focus_first(self.judge)

    def _offer(self, runs: Mapping[str, str]) -> None:
        for model, run in runs.items():
            entry = QListWidgetItem(model)
            entry.setData(Qt.ItemDataRole.UserRole, run)
            entry.setCheckState(Qt.CheckState.Checked)
            self.models.addItem(entry)
        self._count()

    def chosen(self) -> tuple[str, ...]:
        """The runs of the models that are ticked."""
        entries = (self.models.item(place) for place in range(self.models.count()))
        return tuple(
            str(entry.data(Qt.ItemDataRole.UserRole))
            for entry in entries
            if entry.checkState() == Qt.CheckState.Checked
        )

    def _count(self) -> None:
        models = len(self.chosen())
        self.start.setEnabled(models > 1)
        self.cost.setText(
            trn("1 question to the judge for each item.",
                "{n} questions to the judge for each item.", models * (models - 1))
        )  # fmt: skip

    def _begin(self) -> None:
        judge = self.judge.text().strip(), self.server.text().strip()
        if not all(judge):
            self._fail(tr("Name the judge and its server."))
            return
        context, most = self._context, self.most.value() or None
        work = partial(begin, context.workspace, self.chosen(), judge, most, context.person.name)
        self.start.setEnabled(False)
        context.write(self, work, self._on_begun, self._fail, lane="background")

    def _on_begun(self, run: str) -> None:
        self._context.say(tr("Started run {run}.", run=run), tr("Open the run"), "runs", run)
        self.accept()

    def _fail(self, sentence: str) -> None:
        self.start.setEnabled(len(self.chosen()) > 1)
        self.say_trouble(sentence)
