"""A radar: the places of a chart around a middle, every series a line around it.

Importing this module imports pyqtgraph, whose markers the figures share.
"""

import math

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF

from core.workflow.dashboards.figures import Chart, Figure, Mark, Series, mark_text
from gui import theme
from gui.charts.chart import look_of
from gui.charts.figure_card import HandDrawnBody, Spot
from gui.theme import Tokens

_RINGS = (0.25, 0.5, 0.75, 1.0)
_NAMES = 22  # pixels above and below for the names of spokes
_WIDEST = 150
_REACH = 9.0  # half the width of the square in which a mark is meant


class RadarFigure(HandDrawnBody):
    """One radar, drawn by hand: rings with their numbers, spokes with their names, lines."""

    def __init__(self, colours: Tokens) -> None:
        super().__init__(colours)
        self.chart: Chart | None = None
        self._marks: list[tuple[int, Series, Mark]] = []

    def show_figure(self, figure: Figure) -> None:
        """Draw another chart."""
        assert isinstance(figure, Chart)
        self.chart = figure
        self._marks = [
            (place, series, mark)
            for place, series in enumerate(figure.series)
            for mark in series.marks
            if mark.value is not None
        ]
        self.lay_out()
        self.mark_spot(-1)

    def lay_out(self) -> None:
        """Put every mark where it belongs at this size."""
        chart = self.chart
        if chart is None:
            return
        spots = []
        for _, series, mark in self._marks:
            at = self._at(mark.at, mark.value or 0.0)
            area = QRectF(at.x() - _REACH, at.y() - _REACH, 2 * _REACH, 2 * _REACH)
            spots.append(Spot(mark_text(chart, series, mark), mark.pick, area))
        self._spots = tuple(spots)

    @property
    def _radius(self) -> float:
        return max(20.0, min(self.width() / 2 - 60, self.height() / 2 - _NAMES))

    def _at(self, spoke: float, value: float) -> QPointF:
        """A value on a spoke; the first spoke points up, the others follow the clock."""
        chart = self.chart
        assert chart is not None
        high = chart.values.high or 1.0
        share = min(1.0, max(0.0, value / high))
        angle = 2 * math.pi * spoke / max(1, len(chart.places.names)) - math.pi / 2
        away = self._radius * share
        middle = QPointF(self.width() / 2, self.height() / 2)
        return middle + QPointF(away * math.cos(angle), away * math.sin(angle))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Rings and spokes, then the lines, then their marks."""
        chart = self.chart
        if chart is None or not chart.places.names:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL_PX))
        self._paint_ground(painter, chart)
        for place, series in enumerate(chart.series):
            self._paint_line(painter, chart, place, series)
        for place, series, mark in self._marks:
            self._paint_mark(painter, place, series, mark)
        if 0 <= self.at < len(self._spots):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self.colours.text), 2))
            painter.drawEllipse(self.place_of(self.at), 8, 8)

    def _paint_ground(self, painter: QPainter, chart: Chart) -> None:
        names = chart.places.names
        high = chart.values.high or 1.0
        painter.setPen(QPen(QColor(self.colours.line), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for ring in _RINGS:
            painter.drawPolygon(
                QPolygonF([self._at(spoke, ring * high) for spoke in range(len(names))])
            )
        for spoke in range(len(names)):
            painter.drawLine(self._at(0, 0), self._at(spoke, high))
        painter.setPen(QColor(self.colours.muted))
        for ring in _RINGS[:-1]:
            at = self._at(0, ring * high)
            painter.drawText(at + QPointF(4, 5), f"{ring * high:g}")
        for spoke, name in enumerate(names):
            self._paint_name(painter, self._at(spoke, high), name)

    def _paint_name(self, painter: QPainter, at: QPointF, name: str) -> None:
        """A spoke's name outside its end: beside it, or above and below where it points so."""
        metrics = painter.fontMetrics()
        off = at.x() - self.width() / 2
        upright = abs(off) < 0.2 * self._radius
        room = _WIDEST if upright else self.width() / 2 - abs(off) - 10
        text = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(max(24.0, room)))
        wide, tall = metrics.horizontalAdvance(text), metrics.height()
        if upright:
            above = at.y() < self.height() / 2
            left, top = at.x() - wide / 2, at.y() - tall - 2 if above else at.y() + 2
        else:
            left = at.x() + 6 if off > 0 else at.x() - wide - 6
            top = at.y() - tall / 2
        painter.drawText(QRectF(left, top, wide + 2, tall), text)

    def _paint_line(self, painter: QPainter, chart: Chart, place: int, series: Series) -> None:
        marks = [mark for mark in series.marks if mark.value is not None]
        corners = [self._at(mark.at, mark.value or 0.0) for mark in marks]
        painter.setPen(QPen(QColor(look_of(series, place, self.colours).colour), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if len(marks) == len(chart.places.names):
            painter.drawPolygon(QPolygonF(corners))
            return
        for (one, start), (two, end) in zip(
            zip(marks, corners, strict=True),
            zip(marks[1:], corners[1:], strict=True),
            strict=False,
        ):
            if two.at - one.at == 1:  # a gap stays a gap
                painter.drawLine(start, end)

    def _paint_mark(self, painter: QPainter, place: int, series: Series, mark: Mark) -> None:
        look = look_of(series, place, self.colours)
        painter.save()
        painter.translate(self._at(mark.at, mark.value or 0.0))
        painter.scale(8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.colour))
        painter.drawPath(Symbols[look.marker])
        painter.restore()
