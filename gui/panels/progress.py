"""Progress: how many items stand in which state, per task; the counts always add up."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QStackedLayout, QWidget

from core.text import tr
from core.workflow import look
from core.workflow.workspace import Workspace
from gui import i18n, words
from gui.desk import Desk
from gui.models.table import Column, TableModel
from gui.panels.base import Panel
from gui.widgets.empty import EmptyState
from gui.widgets.figures import StackedBars
from gui.widgets.table import Table
from gui.widgets.words import caption, column, heading, label

ORDER = (
    "draft",
    "screening",
    "screened_out",
    "in_review",
    "accepted",
    "rejected",
    "returned",
    "approved",
    "frozen",
)


@dataclass(frozen=True, slots=True)
class ProgressData:
    """Items per state in all, and per task."""

    counts: dict[str, int]
    tasks: dict[str, dict[str, int]]


def read(ws: Workspace, benchmark: str) -> ProgressData:
    """Both tables in one go."""
    return ProgressData(look.counts(ws, benchmark), look.progress(ws, benchmark))


class ProgressPanel(Panel):
    """One sentence, one figure, one table."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._shown = False
        work = QWidget()
        layout = column(work, margin=24, spacing=8)
        self.sentence = heading()
        self.sentence.setWordWrap(True)
        self.balance = label("", ink="muted")
        self.bars = StackedBars(desk.colours)
        self.model = TableModel((), self)
        self.table = Table(self.model)
        layout.addWidget(self.sentence)
        layout.addWidget(self.balance)
        layout.addSpacing(8)
        layout.addWidget(caption(tr("Items of each task by state")))
        layout.addWidget(self.bars)
        layout.addSpacing(8)
        layout.addWidget(self.table, 1)
        self.empty = EmptyState()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)
        self.empty.pressed.connect(self._make_items)

    def refresh(self) -> None:
        """Count again."""
        if not self.desk.benchmark:
            self._show_empty()
            return
        work = partial(read, self.desk.workspace, self.desk.benchmark)
        self.desk.ask(
            self, work, self._show, self.desk.complain, topic="progress", lane="background"
        )

    def _show_empty(self) -> None:
        self.empty.say(
            tr("There are no items to count yet."),
            tr("Make some from articles; every item then stands here in exactly one state."),
            tr("Make items from articles"),
        )
        self._stack.setCurrentIndex(1)
        self._shown = True

    def _show(self, data: ProgressData) -> None:
        self._shown = True
        total = sum(data.counts.values())
        if not total:
            self._show_empty()
            return
        self._stack.setCurrentIndex(0)
        good = sum(data.counts.get(state, 0) for state in ("accepted", "approved", "frozen"))
        waiting = sum(data.counts.get(state, 0) for state in ("draft", "screening", "in_review"))
        self.sentence.setText(
            tr(
                "{good} of {total} items are accepted, {waiting} still wait.",
                good=i18n.number(good),
                total=i18n.number(total),
                waiting=i18n.number(waiting),
            )
        )
        parts = [
            tr("{count} {state}", count=i18n.number(count), state=words.word(words.ITEM_STATES, s))
            for s in ORDER
            if (count := data.counts.get(s, 0))
        ]
        self.balance.setText(
            tr("{parts} = {total}", parts=" + ".join(parts), total=i18n.number(total))
        )
        self.bars.show_rows(
            [(task, {s: states.get(s, 0) for s in ORDER}) for task, states in data.tasks.items()]
        )
        self._fill_table(data)

    def _fill_table(self, data: ProgressData) -> None:
        used = [state for state in ORDER if data.counts.get(state, 0)]
        columns = [Column(tr("Task"), 220)]
        columns += [Column(words.word(words.ITEM_STATES, s), 104, number=True) for s in used]
        columns.append(Column(tr("all"), 90, number=True))
        rows = [
            (task, *[i18n.number(states.get(s, 0)) for s in used],
             i18n.number(sum(states.values())))
            for task, states in data.tasks.items()
        ]  # fmt: skip
        self.model.show_rows(columns, rows)
        self.table.fit_columns()

    def _make_items(self) -> None:
        self.desk.go_to("sources")

    def ready(self) -> bool:
        """Whether the counts are on the screen."""
        return self._shown and not self.stale
