"""Leaderboard: models by domain, format or category, how rugged their scores are, since when."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtWidgets import (
    QComboBox,
    QMenu,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from core.i18n import tr
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.rights import Action
from core.workflow.workspace import Workspace
from gui import labels
from gui.charts.dashboard_page import DashboardPage
from gui.charts.figure_card import Step
from gui.context import WindowContext
from gui.panels.base import Panel
from gui.panels.leaderboard.model import LeaderboardModel, LeaderboardTable, laid_out
from gui.panels.leaderboard.table import LeaderTable
from gui.widgets.elements import label, read_in_order, row
from gui.widgets.empty import EmptyState
from gui.widgets.file_dialogs import ask_which
from gui.widgets.steady_fields import ChoiceBox
from gui.widgets.table_view import ROW_HEIGHT

if TYPE_CHECKING:
    from core.workflow.analysis.leaderboard import Leaderboard
    from core.workflow.dashboards.figures import Pick

_MOST_ROWS = 12
_CARD_HEIGHT = 380
_FRAME = 52  # pixels of a table beside its rows: titles and the scroll bar


def read(
    ws: Workspace, reports: ReportCache, split: str, cut: str, benchmark: str
) -> "tuple[Leaderboard, LeaderboardTable]":
    """The leaderboard that is asked for, and its table; a worker also imports here what the figures
    need."""
    from importlib import import_module

    from core.workflow.analysis import leaderboard

    import_module("pyqtgraph")
    request = leaderboard.LeaderboardRequest(split, cut, benchmark)
    found = leaderboard.read(ws, request, reports, part_name)
    return found, laid_out(found, part_name)


def add_public(ws: Workspace, path: Path, person: str) -> Path:
    """Keep a file with public scores in the workspace."""
    from core.workflow.evaluation import public_score_files

    return public_score_files.add(ws, path, person)


class LeaderboardPanel(Panel):
    """Choices, the sentence, the table, what the chosen cell is made of, the figures."""

    topics = ("runs", "splits", "public_scores")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.shown: Leaderboard | None = None
        self._split, self._cut = "", "domain"
        self._asking = self._again = False
        self._steps: list[Step] = []
        self._next = QTimer(self)
        self._next.setInterval(0)
        self._next.timeout.connect(self._step)
        self.page = DashboardPage(context.colours)
        self.page.card_height = _CARD_HEIGHT
        self.page.sentence.setText(tr("Reading…"))
        self.page.wanted.connect(self._on_mark)
        self.page.refused.connect(context.complain)
        self._build_choices()
        self._build_table()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(self.page)
        self.empty = EmptyState()
        self.empty.pressed.connect(self._on_empty_pressed)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(area)
        self._stack.addWidget(self.empty)

    def _build_choices(self) -> None:
        self.split_box, self.cut_box = ChoiceBox(), ChoiceBox()
        self.split_box.setAccessibleName(tr("Split"))
        self.cut_box.setAccessibleName(tr("Columns"))
        self.split_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.cut_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.split_box.activated.connect(self._on_split)
        self.cut_box.activated.connect(self._on_cut)
        self.public_button = QPushButton(tr("Add public scores…"))
        self.public_button.setToolTip(
            tr(
                "A CSV file with model, domain and accuracy, lm_eval results or a record of Every "
                "Eval Ever"
            )
        )
        self.public_button.clicked.connect(self._choose_public)
        self.pairs_button = QPushButton(tr("Compare in pairs…"))
        self.pairs_button.setToolTip(tr("A judge compares the models' answers; gives Elo"))
        self.pairs_button.clicked.connect(self.open_pairs)
        self.adaptive_button = QPushButton(tr("Adaptive evaluation…"))
        self.adaptive_button.setToolTip(tr("The item bank, and a model asked only a part of it"))
        self.adaptive_button.clicked.connect(self.open_adaptive)
        self.export_button = QPushButton()
        self.export_button.setText(tr("Export ▾"))
        self.export_button.clicked.connect(self._open_export)
        for widget in (self.split_box, self.cut_box, self.public_button, self.pairs_button,
                       self.adaptive_button, self.export_button):  # fmt: skip
            self.page.add_choice(widget)
        for button in (self.pairs_button, self.adaptive_button):
            button.setVisible(self.context.may(Action.EVALUATE))
        for command_id, button in (
            ("public-scores", self.public_button),
            ("compare-in-pairs", self.pairs_button),
            ("adaptive", self.adaptive_button),
        ):
            self.context.actions.bind(command_id, self, button.click, button.isVisible)

    def _build_table(self) -> None:
        self.model = LeaderboardModel(self)
        self.table = LeaderTable(self.model, self.context.colours)
        self.table.setAccessibleName(tr("Leaderboard"))
        self.table.activated.connect(self._on_activated)
        self.table.selectionModel().currentChanged.connect(self._on_cell)
        self.description = label("", ink="muted", wrap=True, selectable=True)
        self.open_button = QPushButton(tr("Open the run"))
        self.open_button.clicked.connect(self._open_chosen)
        below = QWidget()
        line = row(below)
        line.addWidget(self.description, 1)
        line.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignTop)
        layout = self.page.layout()
        assert isinstance(layout, QVBoxLayout)
        place = layout.indexOf(self.page.alarms) + 1
        layout.insertWidget(place, self.table)
        layout.insertWidget(place + 1, below)
        read_in_order(layout)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read again; while an answer is awaited, once more after it."""
        if self._asking:
            self._again = True
            return
        self._asking = True
        context = self.context
        work = partial(
            read, context.workspace, context.reports, self._split, self._cut, context.benchmark
        )
        self.context.ask(self, work, self._show, self._on_failed, lane="background")

    def _on_failed(self, sentence: str) -> None:
        self._asking = False
        if self._again:  # something else was asked for meanwhile: that answer is awaited
            self._again = False
            self.refresh()
            return
        self.page.sentence.setText(sentence)
        self.context.complain(sentence)

    def _show(self, found: "tuple[Leaderboard, LeaderboardTable]") -> None:
        leaderboard, table = found
        self._asking = False
        if self._again:
            self._again = False
            self.refresh()
            return
        self.shown = leaderboard
        missing = leaderboard.dashboard.missing
        self._stack.setCurrentIndex(1 if missing else 0)
        if missing is not None:
            self.empty.say(missing.title, missing.text, missing.button)
            return
        self._steps = [
            partial(self._show_choices, leaderboard),
            partial(self._show_table, table),
            *self.page.steps(leaderboard.dashboard),
            self._invite,
        ]
        self._next.start()

    def _step(self) -> None:
        """One piece of the picture, then the window's turn."""
        if self._steps:
            self._steps.pop(0)()
        if not self._steps:
            self._next.stop()

    def _show_choices(self, leaderboard: "Leaderboard") -> None:
        titles = {
            "domain": tr("By domain"),
            "format": tr("By format"),
            "format_domain": tr("By format and domain"),
            "category": tr("By CIF-Bench category"),
        }
        request = leaderboard.request
        _fill(self.split_box, [(name, name) for name in leaderboard.splits], request.split)
        _fill(self.cut_box, [(cut, titles[cut]) for cut in leaderboard.cuts], request.cut)

    def _show_table(self, table: LeaderboardTable) -> None:
        front = self.table.currentIndex()
        model = self.model.row_at(front.row()).model if front.isValid() else ""
        self.model.show_table(table)
        self.table.show_columns()
        rows = min(_MOST_ROWS, len(table.rows))
        self.table.setFixedHeight(rows * ROW_HEIGHT + _FRAME)
        if not self.table.choose(model, front.column()):
            self.table.setCurrentIndex(self.model.index(0, 1))

    def _invite(self) -> None:
        for card in self.page.cards.values():
            card.invite(tr("Click a mark to open its run; right-click to export"))

    # -- choices ----------------------------------------------------------------------------

    def _on_split(self, _index: int) -> None:
        self._split = str(self.split_box.currentData())
        self.spoil()

    def _on_cut(self, _index: int) -> None:
        self._cut = str(self.cut_box.currentData())
        self.spoil()

    def _on_benchmark(self, name: str) -> None:
        self._split = ""
        super()._on_benchmark(name)

    def _choose_public(self) -> None:
        shown = tr("Scores (*.csv *.tsv *.xlsx *.parquet *.feather *.json)")
        ask_which(self.window(), tr("Add public scores…"), self.add_public, shown)

    def add_public(self, name: str) -> None:
        """Keep a file with public scores, and compare with it from now on."""
        work = partial(add_public, self.context.workspace, Path(name), self.context.person.name)
        self.context.write(self, work, self._on_public, self.context.complain, lane="background")

    def _on_public(self, path: Path) -> None:
        self.context.say(
            tr("The public scores in {name} are now stored in the workspace.", name=path.name)
        )
        self.spoil()

    def _open_export(self) -> None:
        from gui.charts.export import open_export_menu

        leaderboard = self.shown
        if leaderboard is not None and leaderboard.dashboard.missing is None:
            table = leaderboard.table()
            open_export_menu(
                self.export_button, self.page, leaderboard.dashboard, self.context.complain, table
            )

    def open_pairs(self) -> None:
        """Have a judge compare models of the split in pairs."""
        from gui.panels.leaderboard.pairs_dialog import PairsDialog

        if self.shown is not None:
            PairsDialog(self.context, self.shown.request.split, self).open()

    def open_adaptive(self) -> None:
        """Look at the split's item bank, and evaluate a model by it."""
        from gui.panels.leaderboard.adaptive_dialog import AdaptiveDialog

        if self.shown is not None:
            AdaptiveDialog(self.context, self.shown.request.split, self).open()

    # -- runs behind ------------------------------------------------------------------------

    def _on_cell(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.description.setText(
                self.model.cell(current.row(), max(1, current.column())).description
            )
        self.open_button.setEnabled(current.isValid())

    def _on_activated(self, index: QModelIndex) -> None:
        self.open_runs((self.model.row_at(index.row()).run,))

    def _open_chosen(self) -> None:
        if self.table.currentIndex().isValid():
            self._on_activated(self.table.currentIndex())

    def _on_mark(self, mark: "tuple[str, Pick]") -> None:
        if self.shown is not None:
            for number in mark[1]():
                self.open_runs(self.shown.runs_behind[number])

    def open_runs(self, runs: tuple[str, ...]) -> None:
        """Go to the run behind a number; of several the person chooses one."""
        if len(runs) == 1:
            self.context.go_to("runs", runs[0])
        elif runs:
            menu = QMenu(self)
            menu.aboutToHide.connect(menu.deleteLater)
            for run in runs:
                menu.addAction(run).triggered.connect(partial(self.context.go_to, "runs", run))
            menu.popup(self.mapToGlobal(QPoint(self.width() // 2, self.height() // 3)))

    def _on_empty_pressed(self) -> None:
        if self.shown is not None and self.shown.dashboard.missing is not None:
            self.context.go_to(self.shown.dashboard.missing.panel)

    def ready(self) -> bool:
        """Whether everything is on the screen."""
        return self.shown is not None and not self.stale and not self._asking and not self._steps

    def take(self, argument: Any) -> None:
        """Another panel asks for a split."""
        self._split = str(argument)
        self.spoil()


def part_name(part: str) -> str:
    """A column in words: a format, a domain, both, or a dash for what has no name."""
    format_name, slash, domain = part.partition("/")
    title = (
        labels.word(labels.FORMATS, format_name) if format_name in labels.FORMATS else format_name
    )
    return f"{title} · {domain}" if slash and domain else title or "–"


def _fill(box: QComboBox, entries: list[tuple[str, str]], chosen: str) -> None:
    if [(box.itemData(i), box.itemText(i)) for i in range(box.count())] != entries:
        box.clear()
        for value, title in entries:
            box.addItem(title, value)
    box.setCurrentIndex(max(0, box.findData(chosen)))
