"""How the Items panel stands: search and chips above, the table on the left, the preview beside."""

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QWidget,
)

from core.i18n import tr
from core.workflow.rights import Action
from gui.context import WindowContext
from gui.panels.items.model import ItemsModel
from gui.panels.items.saved_filters import SavedFilters
from gui.widgets.chips import ChipBar
from gui.widgets.elements import caption, column, frame, label, row, side_by_side
from gui.widgets.empty import EmptyState
from gui.widgets.page import ItemPage
from gui.widgets.table_view import ReadingTable


class ItemsLayout:
    """The parts of the panel, put into it."""

    def __init__(self, context: WindowContext, model: ItemsModel, panel: QWidget) -> None:
        self._context = context
        self.table = ReadingTable(model)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setAccessibleName(tr("Items"))
        for index, spec in enumerate(model.columns):
            self.table.setColumnWidth(index, spec.width)
        # the head asks of each column whether all of its rows are chosen: seconds for many rows
        head = self.table.horizontalHeader()
        head.setSelectionModel(QItemSelectionModel(model, head))
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search item texts"))
        self.search.setAccessibleName(tr("Search item texts"))
        self.search.setClearButtonEnabled(True)
        self.saved = SavedFilters(context)
        self.saved.overseer = context.may(Action.SEARCH_BY_PERSON)
        self.many = QPushButton(tr("Bulk actions ▾"))
        if not context.may(Action.CHANGE_MANY):
            self.many.hide()
        self.chips = ChipBar()
        self.sum = label("", ink="muted")
        self.preview = ItemPage()
        self.preview_state = caption()
        self.empty = EmptyState()
        work = QWidget()
        layout = column(work, spacing=0)
        layout.addWidget(self._build_head())
        layout.addWidget(self._build_split(), 1)
        self._stack = QStackedLayout(panel)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)

    def _build_head(self) -> QWidget:
        top = QWidget()
        head = column(top, spacing=8)
        head.setContentsMargins(24, 16, 24, 8)
        line = row()
        line.addWidget(self.search, 1)
        line.addWidget(self.saved)
        line.addWidget(self.many)
        head.addLayout(line)
        head.addWidget(self.chips)
        head.addWidget(self.sum)
        return top

    def _build_split(self) -> QSplitter:
        left = QWidget()
        inner = column(left)
        inner.setContentsMargins(24, 0, 12, 16)
        inner.addWidget(self.table)
        right = frame("paper")
        inner = column(right, spacing=0)
        line = row()
        line.setContentsMargins(24, 12, 24, 0)
        line.addWidget(self.preview_state)
        line.addStretch(1)
        inner.addLayout(line)
        inner.addWidget(self.preview, 1)
        split = side_by_side(left, right, widths=(640, 430))
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        return split

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be listed at all."""
        return self._stack.currentIndex() == 1

    def show_empty(self, empty: bool) -> None:
        """Say that there are no items yet, or show the list."""
        if empty:
            self.empty.say(
                tr("No items yet."),
                tr("Generate items from articles; each appears here with its state and history."),
                tr("Generate items from articles") if self._context.may(Action.MAKE_ITEMS) else "",
            )
        self._stack.setCurrentIndex(int(empty))

    def say_nothing_found(self) -> None:
        """No row, and why."""
        self.preview_state.setText(tr("No items match these filters."))
        self.preview.clear()
