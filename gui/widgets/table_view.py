"""The table of this window: fixed row height, whole rows, no grid but the lines between rows."""

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from gui.widgets.table_model import TableModel

ROW_HEIGHT = 30


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

    def fit_columns(self) -> None:
        """Give every column the width that the model asks for, and titles their room.

        Where that is too much, all give way: to what they need to be of use, where that is
        known; else numbers down to what their titles need, words to half of what they asked for.
        """
        model = self.model()
        if not isinstance(model, TableModel):
            return
        hints = [self.horizontalHeader().sectionSizeHint(i) for i in range(len(model.columns))]
        wanted = [max(c.width, h) for c, h in zip(model.columns, hints, strict=True)]
        excess = sum(wanted) - self.viewport().width()
        least = [
            max(h, c.least or (0 if c.number else c.width // 2))
            for c, h in zip(model.columns, hints, strict=True)
        ]
        room = sum(wanted) - sum(least)
        share = min(1.0, excess / room) if excess > 0 and room > 0 else 0.0
        for index, (want, low) in enumerate(zip(wanted, least, strict=True)):
            self.setColumnWidth(index, round(want - (want - low) * share))

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
