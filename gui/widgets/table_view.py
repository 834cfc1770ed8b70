"""The table of this window: fixed row height, whole rows, no grid but the lines between rows."""

from bisect import bisect_right
from collections.abc import Mapping

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from gui.widgets.table_export import open_table_menu
from gui.widgets.table_model import Column

ROW_HEIGHT = 30
_WIDEST_PX = 420  # of a column that others stand beside


class ReadingTable(QTableView):
    """A table view dressed for reading; columns are as wide as the model says."""

    def __init__(self, model: QAbstractItemModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        rows = self.verticalHeader()
        rows.setVisible(False)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        rows.setMinimumSectionSize(ROW_HEIGHT)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setStretchLastSection(False)
        head.setMinimumSectionSize(48)
        head.setResizeContentsPrecision(0)  # of the rows in sight alone, however many there are
        model.modelReset.connect(self.fit_columns)

    def fit_columns(self) -> None:
        """Columns as wide as their titles and the cells in sight need, within the width there is.

        Where that is too much, words give way before numbers and the longest first, down to what
        the model says or to half of what was asked for; where there is more, the longest words get
        the rest.
        """
        specs = getattr(self.model(), "columns", None)
        if not isinstance(specs, tuple) or not specs or not isinstance(specs[0], Column):
            return
        head = self.horizontalHeader()
        shown = [index for index in range(len(specs)) if not head.isSectionHidden(index)]
        room = self.viewport().width()
        low, wanted, whole = {}, {}, {}
        for index in shown:
            spec, title = specs[index], head.sectionSizeHint(index)
            whole[index] = max(title, self.sizeHintForColumn(index) + 1)
            wanted[index] = min(whole[index], max(title, spec.width, _WIDEST_PX))
            usual = wanted[index] if spec.number else spec.width // 2
            least = wanted[index] if spec.short else spec.least or usual
            low[index] = min(wanted[index], max(title, least))
        widths = _within(room, low, wanted)
        words = [index for index in shown if not specs[index].number]
        if words and (rest := room - sum(widths.values())) > 0:
            widths[max(words, key=lambda index: (whole[index], index))] += rest
        for index, width in widths.items():
            if self.columnWidth(index) != width:
                self.setColumnWidth(index, width)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with the whole table."""
        open_table_menu(self, event.pos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self.fit_columns()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The cells, and a thin line under every row."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setPen(QPen(QColor(self.palette().mid().color()), 1))
        first = self.rowAt(0)
        last = self.rowAt(self.viewport().height())
        if first >= 0:
            last = self.model().rowCount() - 1 if last < 0 else last
            end = self.horizontalHeader().length() - self.horizontalHeader().offset()
            chosen = self.selectionModel()
            for row in range(first, last + 1):
                if chosen.isRowSelected(row, QModelIndex()):
                    # no further than the table: a picture in vectors does not cut it off
                    rest = max(0, self.viewport().width() - end)
                    area = (end, self.rowViewportPosition(row), rest, self.rowHeight(row))
                    painter.fillRect(*area, self.palette().highlight())
                bottom = self.rowViewportPosition(row) + self.rowHeight(row) - 1
                painter.drawLine(0, bottom, self.viewport().width(), bottom)


def _within(room: int, low: Mapping[int, int], wanted: Mapping[int, int]) -> dict[int, int]:
    """Widths that together take no more than ``room`` pixels, if they can: all that are wider than
    some width give way down to it, so that a short name stays whole beside a long text."""

    def cut(most: int) -> dict[int, int]:
        return {index: max(low[index], min(wanted[index], most)) for index in wanted}

    most = max(wanted.values(), default=0)
    return cut(bisect_right(range(most + 1), room, key=lambda n: sum(cut(n).values())) - 1)
