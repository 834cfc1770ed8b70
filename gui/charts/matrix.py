"""A matrix painted by value, its numbers in the cells: raters, tasks by criteria, confusion."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPaintEvent, QPen

from core.i18n import printed
from core.workflow.dashboards.figures import Figure, Grid
from gui import theme
from gui.charts.figure_card import HandDrawnBody, Spot
from gui.theme import Tokens

_HEAD = 24
_TALL_HEAD = 84
_WIDEST = 150
_TALLEST = 46


class MatrixFigure(HandDrawnBody):
    """Rows and columns of cells, shaded from the surface (low) to the accent (high)."""

    def __init__(self, colours: Tokens) -> None:
        super().__init__(colours)
        self._grid: Grid | None = None

    def show_figure(self, figure: Figure) -> None:
        """Show another matrix."""
        assert isinstance(figure, Grid)
        self._grid = figure
        self.lay_out()
        self.update()

    def _name_width(self, grid: Grid) -> float:
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(f"{name}  99") for name in grid.rows), default=0)
        return float(min(_WIDEST, widest + 12))

    def _head(self, grid: Grid, wide: float) -> float:
        """Height above the cells: names that are too long for their columns stand upright."""
        metrics = QFontMetrics(theme.font(theme.SMALL_PX))
        widest = max((metrics.horizontalAdvance(name) for name in grid.columns), default=0)
        upright = widest + 4 > wide and grid.rows != grid.columns
        return float(min(_TALL_HEAD, widest + 12)) if upright else _HEAD

    def lay_out(self) -> None:
        """Put every mark where it belongs at this size."""
        grid = self._grid
        if grid is None or not grid.rows:
            self._spots = ()
            return
        left = self._name_width(grid)
        wide = (self.width() - left - 2) / max(1, len(grid.columns))
        head = self._head(grid, wide)
        tall = min(_TALLEST, (self.height() - head - 22) / max(1, len(grid.rows)))
        self._spots = tuple(
            Spot(
                grid.label(r, c),
                cell.pick,
                QRectF(left + c * wide, head + r * tall, wide, tall),
            )
            for r, line in enumerate(grid.cells)
            for c, cell in enumerate(line)
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Names, cells, numbers."""
        grid = self._grid
        if grid is None or not self._spots:
            return
        painter = QPainter(self)
        painter.setFont(theme.font(theme.SMALL_PX))
        self._paint_names(painter, grid)
        columns = len(grid.columns)
        for index, spot in enumerate(self._spots):
            value = grid.cells[index // columns][index % columns].value
            self._paint_cell(painter, spot.area, value, grid)
        if 0 <= self.at < len(self._spots):
            painter.setPen(QPen(QColor(self.colours.text), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self._spots[self.at].area.adjusted(1, 1, -1, -1))

    def _paint_names(self, painter: QPainter, grid: Grid) -> None:
        columns = len(grid.columns)
        metrics = painter.fontMetrics()
        painter.setPen(QColor(self.colours.muted))
        heads, sides = self._names(grid)
        for place, name in enumerate(heads):
            self._paint_head(painter, self._spots[place].area, name)
        for place, name in enumerate(sides):
            cell = self._spots[place * columns].area
            area = QRectF(0, cell.top(), cell.left() - 8, cell.height())
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(area.width()))
            aligned = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
            painter.drawText(area, aligned, shown)
        bottom = self._spots[-1].area.bottom()
        if grid.row_title and bottom + 20 <= self.height():
            text = f"{grid.row_title} ↓  {grid.column_title} →"
            area = QRectF(0, bottom + 4, self.width(), 18)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignRight), text)

    @staticmethod
    def _paint_head(painter: QPainter, cell: QRectF, name: str) -> None:
        """A name over its column; from below upwards where the head is high."""
        upright = cell.top() > _HEAD
        room = cell.top() - 8 if upright else cell.width() - 4
        shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, int(room))
        if not upright:
            area = QRectF(cell.left(), 0, cell.width(), _HEAD)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), shown)
            return
        painter.save()
        painter.translate(cell.left(), cell.top() - 4)
        painter.rotate(-90)
        aligned = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        painter.drawText(QRectF(0, 0, room, cell.width()), aligned, shown)
        painter.restore()

    def _names(self, grid: Grid) -> tuple[Sequence[str], Sequence[str]]:
        """(over the columns, beside the rows): numbers where both are the same names, too long."""
        metrics = self.fontMetrics()
        room = self._spots[0].area.width() - 4
        fits = all(metrics.horizontalAdvance(name) <= room for name in grid.columns)
        if fits or grid.rows != grid.columns:
            return grid.columns, grid.rows
        numbers = [str(place) for place in range(1, len(grid.columns) + 1)]
        return numbers, [f"{name}  {n}" for name, n in zip(grid.rows, numbers, strict=True)]

    def _paint_cell(self, painter: QPainter, area: QRectF, value: float | None, grid: Grid) -> None:
        inner = area.adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if value is None:
            hatch = QBrush(QColor(self.colours.line), Qt.BrushStyle.BDiagPattern)
            painter.fillRect(inner, hatch)
            return
        ground = self._ground((value - grid.low) / ((grid.high - grid.low) or 1.0))
        painter.fillRect(inner, ground)
        inks = (self.colours.text, self.colours.surface)
        ink = max(inks, key=lambda colour: theme.contrast(colour, ground.name()))
        painter.setPen(QColor(ink))
        text = printed(value, grid.digits, thousands=True)
        metrics = painter.fontMetrics()
        if metrics.horizontalAdvance(text) + 8 > area.width() and abs(value) < 1:
            text = text.replace("0.", ".", 1)  # as tables of correlations are printed
        if metrics.horizontalAdvance(text) + 4 <= area.width() and area.height() > 13:
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), text)

    def _ground(self, share: float) -> QColor:
        share = min(1.0, max(0.0, share))
        low, high = QColor(self.colours.background), QColor(self.colours.accent)
        mixed = [
            round(a + (b - a) * share)
            for a, b in (
                (low.red(), high.red()),
                (low.green(), high.green()),
                (low.blue(), high.blue()),
            )
        ]
        return QColor(*mixed)
