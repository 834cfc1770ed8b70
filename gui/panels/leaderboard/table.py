"""The table of a leaderboard: names that stay in sight, and grounds that grow with the numbers."""

from functools import lru_cache

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.i18n import tr
from gui import theme
from gui.panels.leaderboard.model import SHADE, LeaderboardModel
from gui.theme import Tokens
from gui.widgets.table_export import open_table_menu
from gui.widgets.table_view import ReadingTable

ENOUGH = 4.5
"""Least contrast of a number on its ground (WCAG 2, level AA)."""
_NAMES_PX = 220
_WIDEST_TITLE_PX = 150
_PAD = 10


@lru_cache(maxsize=4)
def deepest(text: str, low: str, high: str) -> float:
    """How much of ``high`` may be mixed into ``low`` so that ``text`` keeps its contrast, 0…1."""
    steps, stride = 256, 8

    def is_legible(step: int) -> bool:
        return theme.contrast(text, mixed(low, high, step / steps)) >= ENOUGH

    least = next((step for step in range(0, steps + 1, stride) if not is_legible(step)), steps + 1)
    return next((step / steps for step in range(least - 1, 0, -1) if is_legible(step)), 0.0)


def mixed(low: str, high: str, share: float) -> str:
    """A colour between two, as ``#RRGGBB``."""
    start, end = QColor(low), QColor(high)
    parts = zip(start.getRgb()[:3], end.getRgb()[:3], strict=True)  # type: ignore[index]  # a tuple
    return QColor(*(round(a + (b - a) * share) for a, b in parts)).name()


def ground_of(shade: float, colours: Tokens) -> str:
    """The ground of a cell: the surface for the lowest accuracy, towards the accent above it."""
    most = deepest(colours.text, colours.surface, colours.accent)
    return mixed(colours.surface, colours.accent, most * min(1.0, max(0.0, shade)))


class ShadeDelegate(QStyledItemDelegate):
    """Paints a number on its ground; the cell in front gets a frame, its row stays shaded."""

    def __init__(self, colours: Tokens, parent: QWidget) -> None:
        super().__init__(parent)
        self.colours = colours

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Ground, number, frame."""
        colours = self.colours
        area: QRect = option.rect
        state = option.state
        shade = index.data(SHADE)
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        if shade is not None:
            painter.fillRect(area, QColor(ground_of(shade, colours)))
        elif chosen:
            painter.fillRect(area, QColor(colours.selection))
        painter.setPen(QColor(colours.text))
        aligned = int(index.data(int(Qt.ItemDataRole.TextAlignmentRole)) or 0)
        inner = area.adjusted(_PAD, 0, -_PAD, 0)
        text = painter.fontMetrics().elidedText(
            str(index.data() or ""), Qt.TextElideMode.ElideMiddle, inner.width()
        )
        painter.drawText(inner, aligned, text)
        if chosen:
            painter.setPen(QPen(QColor(colours.accent), 1))
            painter.drawLine(area.topLeft(), area.topRight())
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(colours.text), 2))
            painter.drawRect(area.adjusted(1, 1, -2, -2))


class LeaderTable(ReadingTable):
    """Sorts by a click on a title, numbers from the highest; the names lie over the scrolling."""

    def __init__(self, model: LeaderboardModel, colours: Tokens) -> None:
        super().__init__(model)
        self._board = model
        self.sorted_by = (1, Qt.SortOrder.DescendingOrder)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        delegate = ShadeDelegate(colours, self)
        self.setItemDelegate(delegate)
        self.names = ReadingTable(model, self)
        self._build_names(delegate)
        for head in (self.horizontalHeader(), self.names.horizontalHeader()):
            head.setSectionsClickable(True)
            head.sectionClicked.connect(self.on_title)
        self.verticalScrollBar().valueChanged.connect(self.names.verticalScrollBar().setValue)
        self.names.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)

    def _build_names(self, delegate: ShadeDelegate) -> None:
        names = self.names
        names.setAccessibleName(tr("Model"))
        names.setSelectionModel(self.selectionModel())
        names.setItemDelegate(delegate)
        line = delegate.colours.line
        names.setStyleSheet(
            f"QTableView {{ border: none; border-right: 1px solid {line}; border-radius: 0px; }}"
        )
        names.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names.activated.connect(self.activated)
        names.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        names.customContextMenuRequested.connect(self._open_menu)
        self.viewport().stackUnder(names)

    def _open_menu(self, at: QPoint) -> None:
        """Over the names too it is about the whole table."""
        open_table_menu(self, at)

    def show_columns(self) -> None:
        """Widths for what is shown now, and the order that the person chose."""
        head = self.horizontalHeader()
        metrics = self.fontMetrics()
        for column in range(self._board.columnCount()):
            self.names.setColumnHidden(column, column > 0)
            number = metrics.horizontalAdvance(self._board.widest(column)) + 3 * _PAD
            wide = max(number, min(_WIDEST_TITLE_PX, head.sectionSizeHint(column)))
            self.setColumnWidth(column, wide if column else _NAMES_PX)
        self.names.setColumnWidth(0, _NAMES_PX)
        if self.sorted_by[0] >= self._board.columnCount():
            self.sorted_by = (1, Qt.SortOrder.DescendingOrder)
        self._sort()
        self._place_names()

    def on_title(self, column: int) -> None:
        """Sort by this column; again turns the order around."""
        first = Qt.SortOrder.DescendingOrder if column else Qt.SortOrder.AscendingOrder
        order = first
        if self.sorted_by[0] == column:
            order = Qt.SortOrder(1 - self.sorted_by[1].value)
        self.sorted_by = (column, order)
        self._sort()

    def _sort(self) -> None:
        column, order = self.sorted_by
        chosen = self.currentIndex()
        model = self._board.row_at(chosen.row()).model if chosen.isValid() else ""
        self._board.sort(column, order)
        if model:
            self.choose(model, chosen.column())
        self.viewport().update()
        self.names.viewport().update()

    def choose(self, model: str, column: int) -> bool:
        """Bring a model's cell to the front, wherever its row is now; whether it is there."""
        for row in range(self._board.rowCount()):
            if self._board.row_at(row).model == model:
                flags = QItemSelectionModel.SelectionFlag
                self.selectionModel().setCurrentIndex(
                    self._board.index(row, column), flags.ClearAndSelect | flags.Rows
                )
                return True
        return False

    def fit_columns(self) -> None:
        """Columns keep the width of their numbers; the table scrolls."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the names beside the numbers."""
        super().resizeEvent(event)
        self._place_names()

    def _place_names(self) -> None:
        frame = self.frameWidth()
        high = self.horizontalHeader().height() + self.viewport().height()
        self.names.setGeometry(frame, frame, self.columnWidth(0), high)
        self.names.horizontalHeader().setFixedHeight(self.horizontalHeader().height())

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """The first column is always in sight; others come out from below it."""
        if not index.column():
            return
        super().scrollTo(index, hint)
        hidden = self.columnWidth(0) - self.columnViewportPosition(index.column())
        if hidden > 0:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - hidden)
