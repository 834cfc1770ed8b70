"""Items: all items in pages, filters as chips above, a preview beside, the life on double click."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSplitter, QStackedLayout, QWidget

from core.text import tr
from core.workflow import finding, look
from core.workflow.finding import Filters, FoundPage
from core.workflow.look import ItemLife
from core.workflow.workspace import Workspace
from gui import i18n, words
from gui.desk import Desk
from gui.editors.card import CardText, card_document
from gui.models.items import PAGE, ItemsModel
from gui.panels.base import Panel
from gui.widgets.chips import Chip, ChipBar
from gui.widgets.empty import EmptyState
from gui.widgets.life import LifeDialog
from gui.widgets.page import ItemPage
from gui.widgets.table import Table
from gui.widgets.words import caption, column, frame, label, row


@dataclass(frozen=True, slots=True)
class _First:
    page: FoundPage
    counts: dict[str, int]
    tasks: tuple[str, ...]


def _first(ws: Workspace, chosen: Filters, viewer: str) -> _First:
    tasks = tuple(look.progress(ws, chosen.benchmark))
    page = finding.page(ws, chosen, 0, PAGE, exact=True, viewer=viewer)
    return _First(page, look.counts(ws, chosen.benchmark), tasks)


class ItemsPanel(Panel):
    """The table, its filters and the preview."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._filters = Filters()
        self._first: _First | None = None
        self._life: ItemLife | None = None
        self.model = ItemsModel(desk.colours, self)
        self.table = Table(self.model)
        self.table.horizontalHeader().setSectionsMovable(True)
        self.chips = ChipBar()
        self.sum = label("", ink="muted")
        self.preview = ItemPage()
        self._preview_state = caption()
        self._build()
        self._connect()

    def _build(self) -> None:
        work = QWidget()
        layout = column(work, spacing=0)
        top = QWidget()
        head = column(top, spacing=8)
        head.setContentsMargins(24, 16, 24, 8)
        head.addWidget(self.chips)
        head.addWidget(self.sum)
        layout.addWidget(top)
        split = QSplitter(Qt.Orientation.Horizontal)
        left = QWidget()
        inner = column(left)
        inner.setContentsMargins(24, 0, 12, 16)
        inner.addWidget(self.table)
        right = frame("paper")
        beside = column(right, spacing=0)
        line = row()
        line.setContentsMargins(24, 12, 24, 0)
        line.addWidget(self._preview_state)
        line.addStretch(1)
        beside.addLayout(line)
        beside.addWidget(self.preview, 1)
        split.addWidget(left)
        split.addWidget(right)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([640, 430])
        layout.addWidget(split, 1)
        self.empty = EmptyState()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)
        for index, spec in enumerate(self.model.columns):
            self.table.setColumnWidth(index, spec.width)
        for hidden in (5, 7):
            self.table.setColumnHidden(hidden, True)

    def _connect(self) -> None:
        bind = self.desk.actions.bind
        bind("filter", self, self.open_filter_menu, self._has_items)
        bind("life", self, self.open_life, self._has_selection)
        self.model.page_wanted.connect(self._ask_page, Qt.ConnectionType.QueuedConnection)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.doubleClicked.connect(self._on_double_click)
        self.chips.add_clicked.connect(self.open_filter_menu)
        self.chips.removed.connect(self._remove_filter)
        self.empty.pressed.connect(self._make_items)
        header = self.table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open_column_menu)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the first page and the counts."""
        if not self.desk.benchmark:
            self._show_empty()
            return
        self._filters = replace(self._filters, benchmark=self.desk.benchmark)
        work = partial(_first, self.desk.workspace, self._filters, self.desk.person.name)
        self.desk.ask(self, work, self._show, self.desk.complain, topic="first", lane="background")

    def _on_benchmark(self, name: str) -> None:
        self._filters = Filters()
        super()._on_benchmark(name)

    def _show_empty(self) -> None:
        self._first = _First(FoundPage((), 0, False, 0), {}, ())
        self.empty.say(
            tr("There are no items yet."),
            tr("Make some from articles; each stands here with its state and its whole life."),
            tr("Make items from articles"),
        )
        self._stack.setCurrentIndex(1)

    def _show(self, first: _First) -> None:
        self._first = first
        total = sum(first.counts.values())
        if not total:
            self._show_empty()
            return
        self._stack.setCurrentIndex(0)
        selected = self.table.currentIndex().row()
        self.model.start(first.page.total, first.page.rows)
        self._show_chips()
        shown = first.page.total
        self.sum.setText(
            tr("{total} items", total=i18n.number(total))
            if shown == total
            else tr("{shown} of {total} items", shown=i18n.number(shown), total=i18n.number(total))
        )
        if shown:
            self.table.selectRow(max(0, min(selected, shown - 1)))
        else:
            self._preview_state.setText(tr("No item passes these filters."))
        self.desk.actions.update()

    def _ask_page(self, number: int) -> None:
        work = partial(
            finding.page,
            self.desk.workspace,
            self._filters,
            number * PAGE,
            PAGE,
            exact=True,
            viewer=self.desk.person.name,
        )
        self.desk.ask(self, work, self._on_page, self.desk.complain, lane="background")

    def _on_page(self, page: FoundPage) -> None:
        if page.total == self.model.rowCount():
            self.model.take_page(page.offset // PAGE, page.rows)
            self._on_row(self.table.currentIndex(), QModelIndex())
        else:
            self.spoil()

    # -- preview and life -------------------------------------------------------------------

    def _on_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        line = self.model.line(current.row()) if current.isValid() else None
        if line is not None:
            self._read_life(line.id)
        self.desk.actions.update()

    def _read_life(self, number: int) -> None:
        viewer = self.desk.person.name
        work = partial(look.life, self.desk.workspace, number, viewer)
        self.desk.ask(
            self, work, self._on_life, self.desk.complain, topic="life", lane="background"
        )

    def _on_life(self, life: ItemLife) -> None:
        self._life = life
        state = words.word(words.ITEM_STATES, life.state)
        self._preview_state.setText(tr("{task} · {state}", task=life.task, state=state))
        newest = life.revisions[-1]
        text = CardText(life.number, newest.content, key=True, defects=newest.defects)
        self.preview.turn_to(card_document(text, self.desk.colours, self.preview.measure))

    def take(self, argument: Any) -> None:
        """Show the life of the item with this number, or the items that pass some ``Filters``."""
        if isinstance(argument, Filters):
            if argument.benchmark:
                self.desk.choose_benchmark(argument.benchmark)
            self.narrow(argument)
            return
        if isinstance(argument, tuple):
            self.narrow(Filters(numbers=argument))
            return
        work = partial(look.life, self.desk.workspace, int(argument), self.desk.person.name)
        self.desk.ask(self, work, self._open, self.desk.complain, topic="wanted", lane="background")

    def _on_double_click(self, _index: QModelIndex) -> None:
        self.open_life()

    def open_life(self) -> None:
        """Open the life of the selected item."""
        if self._life is not None:
            self._open(self._life)

    def _open(self, life: ItemLife) -> None:
        LifeDialog(life, self.desk.colours, self).open()

    def _has_items(self) -> bool:
        return self._stack.currentIndex() == 0

    def _has_selection(self) -> bool:
        return self._has_items() and self._life is not None

    # -- filters ----------------------------------------------------------------------------

    def _show_chips(self) -> None:
        chips = [
            Chip(f"state:{state}", words.word(words.ITEM_STATES, state))
            for state in self._filters.states
        ]
        if self._filters.format:
            chips.append(Chip("format", words.word(words.FORMATS, self._filters.format)))
        if self._filters.task:
            chips.append(Chip("task", self._filters.task))
        if self._filters.numbers:
            count = i18n.number(len(self._filters.numbers))
            chips.append(Chip("numbers", tr("{count} chosen items", count=count)))
        if self._filters.disputed:
            chips.append(Chip("disputed", tr("disputed")))
        self.chips.show_chips(chips)

    def _remove_filter(self, chip: str) -> None:
        if chip.startswith("state:"):
            kept = tuple(s for s in self._filters.states if s != chip.removeprefix("state:"))
            self.narrow(replace(self._filters, states=kept))
        elif chip == "numbers":
            self.narrow(replace(self._filters, numbers=()))
        elif chip == "disputed":
            self.narrow(replace(self._filters, disputed=None))
        elif chip == "task":
            self.narrow(replace(self._filters, task=""))
        else:
            self.narrow(replace(self._filters, format=""))

    def narrow(self, filters: Filters) -> None:
        """Show the items that pass these filters."""
        self._filters = filters
        self.spoil()

    def open_filter_menu(self) -> None:
        """Every condition that narrows the list, with the number of items in each state."""
        if self._first is None:
            return
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        states = menu.addMenu(tr("State"))
        for state, count in self._first.counts.items():
            if count:
                text = tr("{state} ({count})", state=words.word(words.ITEM_STATES, state),
                          count=i18n.number(count))  # fmt: skip
                self._add_entry(states, text, ("state", state))
        formats = menu.addMenu(tr("Format"))
        for name in words.FORMATS:
            self._add_entry(formats, words.word(words.FORMATS, name), ("format", name))
        tasks = menu.addMenu(tr("Task"))
        for task in self._first.tasks:
            self._add_entry(tasks, task, ("task", task))
        self._add_entry(menu, tr("Disputed only"), ("disputed", "yes"))
        menu.popup(self.chips.add.mapToGlobal(QPoint(0, self.chips.add.height())))

    def _add_entry(self, menu: QMenu, text: str, condition: tuple[str, str]) -> None:
        entry = menu.addAction(text)
        entry.setData(condition)
        entry.triggered.connect(self._on_filter)

    def _on_filter(self) -> None:
        action = self.sender()
        if not isinstance(action, QAction):
            return
        kind, value = action.data()
        if kind == "state":
            states = tuple(dict.fromkeys((*self._filters.states, value)))
            self.narrow(replace(self._filters, states=states))
        elif kind == "disputed":
            self.narrow(replace(self._filters, disputed=True))
        elif kind == "task":
            self.narrow(replace(self._filters, task=value))
        else:
            self.narrow(replace(self._filters, format=value))

    def _open_column_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for index, spec in enumerate(self.model.columns):
            entry = menu.addAction(spec.title)
            entry.setCheckable(True)
            entry.setChecked(not self.table.isColumnHidden(index))
            entry.setData(index)
            entry.setEnabled(index > 0)
            entry.toggled.connect(self._on_column)
        menu.popup(self.table.horizontalHeader().mapToGlobal(at))

    def _on_column(self, shown: bool) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.table.setColumnHidden(int(action.data()), not shown)

    def _make_items(self) -> None:
        self.desk.go_to("sources")

    def ready(self) -> bool:
        """Whether the first page and the preview are on the screen."""
        return self._first is not None and not self.stale
