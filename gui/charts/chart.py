"""A chart of pyqtgraph: bars, lines with bands, points with intervals, rules, on named axes.

Importing this module imports pyqtgraph: do it only when a dashboard is shown.
"""

import html
from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QMouseEvent, QPainter, QPen, QResizeEvent

from core.i18n import printed
from core.workflow.dashboards.figures import Axis, Chart, Figure, Mark, Series, mark_text
from gui import theme
from gui.charts.figure_card import STATE_FILL, FigureBody, LegendEntry, Spot
from gui.theme import DARK, SERIES, Tokens
from gui.widgets.elements import column

MARKERS = ("o", "s", "t1", "d", "star", "p", "t")
_ON_DARK = (4, 1, 2, 3, 6, 5, 0)  # the same colours; the dark blue last, where the ground is dark
_NEAR = 14.0  # pixels within which a point is meant
_MOST_MARKERS = 24  # a longer line is drawn without a marker on every point
_BAR = 0.62
_RIGHT = 18  # pixels that half a tick's words may stand out


class AxisNames(pg.AxisItem):
    """An axis that says numbers, shares, dates and names in the window's way."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.kind = "number"
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: Sequence[float], _scale: float, spacing: float) -> list[str]:
        """The words at the ticks."""
        if self.kind == "percent":
            return [f"{value:.0%}" for value in values]
        if self.kind == "date":
            return [date.fromordinal(max(1, round(value))).strftime("%m-%d") for value in values]
        digits = 0 if spacing >= 1 else 1 if spacing >= 0.1 else 2
        return [printed(value, digits, thousands=True) for value in values]

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """One level of ticks; whole days for dates."""
        levels = super().tickSpacing(low, high, size)[:1]
        if self.kind in ("date", "count"):
            return [(max(1.0, round(levels[0][0])), 0)]
        return [(spacing, offset) for spacing, offset in levels]


class Bars(pg.GraphicsObject):
    """Rectangles in data coordinates, filled in screen coordinates so that patterns stay fine."""

    def __init__(self) -> None:
        super().__init__()
        self._rects: list[QRectF] = []
        self._brush = QBrush()
        self._pen = QPen()
        self._bounds = QRectF()

    def set_bars(self, rects: list[QRectF], brush: QBrush, pen: QPen) -> None:
        """Replace the bars."""
        self.prepareGeometryChange()
        self._rects, self._brush, self._pen = rects, brush, pen
        bounds = QRectF()
        for rect in rects:
            bounds = bounds.united(rect)
        self._bounds = bounds
        self.update()

    def boundingRect(self) -> QRectF:
        """The area of all bars."""
        return self._bounds

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Every bar at least two pixels long."""
        transform = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(self._pen)
        painter.setBrush(self._brush)
        for rect in self._rects:
            drawn = transform.mapRect(rect).normalized()
            drawn.setWidth(max(2.0, drawn.width()))
            drawn.setHeight(max(2.0, drawn.height()))
            painter.drawRect(drawn)
        painter.restore()


class Layer:
    """The items that draw one series; kept from one refresh to the next."""

    def __init__(self, plot: pg.PlotItem, form: str) -> None:
        self.form = form
        self._plot = plot
        self.items: list[Any] = []
        self.parts: dict[str, Any] = {}

    def part(self, name: str, make: Any, under: bool = False) -> Any:
        """The item of that name, made when it is first needed."""
        if name not in self.parts:
            part = make()
            if under:
                part.setZValue(-10)
            self._plot.addItem(part, ignoreBounds=True)
            self.parts[name] = part
        return self.parts[name]

    def drop(self) -> None:
        """Take everything off the plot."""
        for part in self.parts.values():
            self._plot.removeItem(part)
        self.parts.clear()


def look_of(series: Series, place: int, colours: Tokens) -> LegendEntry:
    """Colour, marker and pattern of a series: by state, else by its place in the palette."""
    if series.state == "target":
        return LegendEntry(series.name, colours.text, "target")
    if series.form == "rule":
        return LegendEntry(series.name, colours.muted, "", dashed=True)
    if series.state in STATE_FILL:
        ink, pattern = STATE_FILL[series.state]
        marker = "bar" if series.form == "bars" else "o"
        return LegendEntry(series.name, colours.inks[ink], marker, pattern)
    order = _ON_DARK if colours == DARK else range(len(SERIES))
    colour = SERIES[order[place % len(SERIES)]]
    if series.form == "bars":
        return LegendEntry(series.name, colour, "bar")
    dashed = series.form == "band"
    return LegendEntry(series.name, colour, MARKERS[place % len(MARKERS)], dashed=dashed)


def legend_of(chart: Chart, colours: Tokens) -> tuple[LegendEntry, ...]:
    """The legend of a chart; series without a name are left out."""
    return tuple(
        look_of(series, place, colours)
        for place, series in enumerate(chart.series)
        if series.name and series.marks
    )


class ChartFigure(FigureBody):
    """One chart. A refresh moves the marks and rebuilds nothing."""

    def __init__(self, colours: Tokens) -> None:
        super().__init__(colours)
        self.chart: Chart | None = None
        self._axes = {side: AxisNames(side) for side in ("left", "bottom")}
        self.plot = pg.PlotWidget(
            axisItems=self._axes, background=colours.surface, enableMenu=False
        )
        self.plot.setCacheMode(self.plot.CacheModeFlag.CacheNone)  # a cached ground is not a vector
        self.plot.setFrameShape(self.plot.Shape.NoFrame)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # pyqtgraph makes this one all the same, with no parent: it would outlive the window
        menu = self.plot.getPlotItem().getMenu()
        menu.setParent(self.plot, menu.windowFlags())
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.hideButtons()
        self.plot.getPlotItem().disableAutoRange()
        self.plot.getPlotItem().layout.setContentsMargins(0, 4, _RIGHT, 0)
        self.plot.getPlotItem().getViewBox().setDefaultPadding(0.0)
        for axis in self._axes.values():
            axis.setPen(pg.mkPen(colours.line))
            axis.setTextPen(pg.mkPen(colours.muted))
            axis.setStyle(
                tickFont=theme.font(theme.SMALL_PX), tickLength=4, hideOverlappingLabels=False
            )
            axis.setZValue(-1000)  # the grid belongs under the marks
        column(self).addWidget(self.plot)
        self._layers: list[Layer] = []
        self._notes: list[Any] = []
        self._marks: list[tuple[Series, Mark]] = []
        self._bars: dict[int, QRectF] = {}
        self._said: list[Spot] = []
        self._ring = pg.ScatterPlotItem(
            size=16, symbol="o", pen=pg.mkPen(colours.text, width=2), brush=None
        )
        self._ring.setZValue(50)
        self.plot.addItem(self._ring, ignoreBounds=True)
        viewport = self.plot.viewport()
        viewport.setMouseTracking(True)
        viewport.installEventFilter(self)

    @property
    def spots(self) -> Sequence[Spot]:
        """Every mark but those of rules and bands."""
        return self._said

    def show_figure(self, figure: Figure) -> None:
        """Move to another chart of the same kind."""
        assert isinstance(figure, Chart)
        self.chart = figure
        self._collect(figure)
        self._fit_layers(figure)
        self._set_axes(figure)
        for place, (series, layer) in enumerate(zip(figure.series, self._layers, strict=True)):
            look = look_of(series, place, self.colours)
            getattr(self, f"_draw_{series.form}")(figure, series, layer, look)
        self._write_notes(figure)
        self.mark_spot(-1)

    def _collect(self, chart: Chart) -> None:
        self._marks = [
            (series, mark) for series, mark in chart.marks if series.form not in ("rule", "band")
        ]
        self._said = [
            Spot(mark_text(chart, series, mark), mark.pick, QRectF())
            for series, mark in self._marks
        ]

    def _fit_layers(self, chart: Chart) -> None:
        forms = [series.form for series in chart.series]
        if [layer.form for layer in self._layers] != forms:
            for layer in self._layers:
                layer.drop()
            self._layers = [Layer(self.plot.getPlotItem(), form) for form in forms]

    # -- axes -------------------------------------------------------------------------------

    def _set_axes(self, chart: Chart) -> None:
        box = self.plot.getPlotItem().getViewBox()
        places, values = ("left", "bottom") if chart.horizontal else ("bottom", "left")
        for side, axis in ((places, chart.places), (values, chart.values)):
            item = self._axes[side]
            item.kind = axis.kind
            item.setLabel(
                html.escape(axis.title) or None,
                **{"color": self.colours.muted, "font-size": "13px"},
            )
            item.showLabel(bool(axis.title))
        box.invertY(chart.horizontal)
        low, high = value_range(chart)
        first, last = place_range(chart)
        across, along = (
            ((low, high), (first, last)) if chart.horizontal else ((first, last), (low, high))
        )
        box.setRange(xRange=across, yRange=along, padding=0, update=True)
        self.plot.showGrid(x=chart.horizontal, y=not chart.horizontal, alpha=0.25)
        self._place_names()

    def _place_names(self) -> None:
        chart = self.chart
        if chart is None:
            return
        for side in ("left", "bottom"):
            self._axes[side].setTicks(None)
        names = chart.places.names
        if not names:
            return
        side = "left" if chart.horizontal else "bottom"
        metrics = QFontMetrics(theme.font(theme.SMALL_PX))
        if chart.horizontal:
            most = max(80, 2 * self.width() // 5)
            shown = [metrics.elidedText(n, Qt.TextElideMode.ElideMiddle, most) for n in names]
            widest = max(metrics.horizontalAdvance(name) for name in shown)
            self._axes[side].setWidth(widest + 14)
            self._axes[side].setTicks([list(enumerate(shown))])
            return
        widest = max(metrics.horizontalAdvance(name) for name in names) + 14
        room = max(1, (self.width() - 70) // widest)
        step = max(1, -(-len(names) // room))
        self._axes[side].setTicks([[(i, names[i]) for i in range(0, len(names), step)]])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Name as many places as there is room for."""
        super().resizeEvent(event)
        self._place_names()

    # -- marks ------------------------------------------------------------------------------

    def _xy(self, chart: Chart, marks: Sequence[Mark], values: Sequence[float]) -> tuple[Any, Any]:
        places = np.array([mark.at for mark in marks], float)
        numbers = np.array(values, float)
        return (numbers, places) if chart.horizontal else (places, numbers)

    def _draw_bars(self, chart: Chart, series: Series, layer: Layer, look: LegendEntry) -> None:
        rects = [bar_of(chart, mark) for mark in series.marks if mark.value is not None]
        bars = layer.part("bars", Bars)
        brush = QBrush(QColor(look.colour), look.pattern)
        bars.set_bars(rects, brush, QPen(QColor(self.colours.surface), 1))

    def _draw_line(self, chart: Chart, series: Series, layer: Layer, look: LegendEntry) -> None:
        marks = [mark for mark in series.marks if mark.value is not None]
        x, y = self._xy(chart, marks, [mark.value or 0.0 for mark in marks])
        line = layer.part("line", pg.PlotDataItem)
        few = len(marks) <= _MOST_MARKERS
        line.setData(
            x, y, pen=pg.mkPen(look.colour, width=2),
            symbol=look.marker if few and look.marker in MARKERS else None, symbolSize=8,
            useCache=False, antialias=True,
            symbolBrush=look.colour, symbolPen=pg.mkPen(self.colours.surface),
        )  # fmt: skip
        self._draw_band_of(chart, marks, layer, look)

    def _draw_band_of(
        self, chart: Chart, marks: Sequence[Mark], layer: Layer, look: LegendEntry
    ) -> None:
        bounded = [mark for mark in marks if mark.low is not None and mark.high is not None]
        low = layer.part("low", lambda: pg.PlotCurveItem(pen=None))
        high = layer.part("high", lambda: pg.PlotCurveItem(pen=None))
        low.setData(*self._xy(chart, bounded, [mark.low or 0.0 for mark in bounded]))
        high.setData(*self._xy(chart, bounded, [mark.high or 0.0 for mark in bounded]))
        band = layer.part("band", lambda: pg.FillBetweenItem(low, high), under=True)
        band.setVisible(len(bounded) > 1)
        colour = QColor(look.colour)
        colour.setAlpha(60)
        band.setBrush(QBrush(colour))
        # a band of one place has no width
        self._draw_spans(chart, bounded if len(bounded) == 1 else (), layer, look)

    def _draw_spans(
        self, chart: Chart, bounded: Sequence[Mark], layer: Layer, look: LegendEntry
    ) -> None:
        """The interval of each mark as a thick line."""
        lows = self._xy(chart, bounded, [mark.low or 0.0 for mark in bounded])
        highs = self._xy(chart, bounded, [mark.high or 0.0 for mark in bounded])
        ends = tuple(
            np.stack([low, high], axis=1).ravel() for low, high in zip(lows, highs, strict=True)
        )
        colour = QColor(look.colour)
        colour.setAlpha(90)
        pen = pg.mkPen(colour, width=8)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        span = layer.part("span", pg.PlotDataItem, under=True)
        span.setData(*ends, connect="pairs", pen=pen)

    def _draw_band(self, chart: Chart, series: Series, layer: Layer, look: LegendEntry) -> None:
        x, y = self._xy(chart, series.marks, [mark.value or 0.0 for mark in series.marks])
        line = layer.part("line", pg.PlotDataItem)
        line.setData(x, y, pen=pg.mkPen(look.colour, width=2, style=Qt.PenStyle.DashLine))
        self._draw_band_of(chart, series.marks, layer, look)

    def _draw_rule(self, chart: Chart, series: Series, layer: Layer, look: LegendEntry) -> None:
        x, y = self._xy(chart, series.marks, [mark.value or 0.0 for mark in series.marks])
        line = layer.part("line", pg.PlotDataItem)
        line.setData(x, y, pen=pg.mkPen(look.colour, width=1.5, style=Qt.PenStyle.DashLine))

    def _draw_points(self, chart: Chart, series: Series, layer: Layer, look: LegendEntry) -> None:
        marks = [mark for mark in series.marks if mark.value is not None]
        x, y = self._xy(chart, marks, [mark.value or 0.0 for mark in marks])
        if look.marker == "target":
            half = 0.42
            ends = np.repeat(x, 2), np.stack([y - half, y + half], axis=1).ravel()
            line = layer.part("line", pg.PlotDataItem)
            line.setData(*ends, connect="pairs", pen=pg.mkPen(look.colour, width=2))
            return
        bounded = [mark for mark in marks if mark.low is not None and mark.high is not None]
        self._draw_spans(chart, bounded, layer, look)
        points = layer.part("points", lambda: pg.ScatterPlotItem(useCache=False))
        points.setData(
            x, y, symbol=look.marker, size=10, brush=look.colour,
            pen=pg.mkPen(self.colours.surface), antialias=True,
        )  # fmt: skip

    def _write_notes(self, chart: Chart) -> None:
        """The reason at every place that has only undefined marks, written once."""
        for old in self._notes:
            self.plot.removeItem(old)
        self._notes = []
        if not chart.horizontal:
            return
        noted_places = {round(mark.at) for _, mark in self._marks if mark.value is not None}
        for _, mark in self._marks:
            place = round(mark.at)
            if mark.value is None and mark.note and place not in noted_places:
                noted_places.add(place)
                text = self.fontMetrics().elidedText(
                    mark.note, Qt.TextElideMode.ElideRight, max(120, self.width() // 2)
                )
                note = pg.TextItem(text, color=self.colours.muted, anchor=(0, 0.5))
                note.setFont(theme.font(theme.SMALL_PX))
                note.setPos(value_range(chart)[0], place)
                self.plot.addItem(note, ignoreBounds=True)
                self._notes.append(note)

    # -- pointing ---------------------------------------------------------------------------

    def place_of(self, index: int) -> QPointF:
        """Where a mark stands, in this widget."""
        chart = self.chart
        assert chart is not None
        series, mark = self._marks[index]
        if series.form == "bars" and mark.value is not None:
            at = bar_of(chart, mark).center()
        else:
            value = mark.value if mark.value is not None else value_range(chart)[0]
            at = QPointF(value, mark.at) if chart.horizontal else QPointF(mark.at, value)
        box = self.plot.getPlotItem().getViewBox()
        return QPointF(self.plot.mapFromScene(box.mapViewToScene(at)) + self.plot.pos())

    def spot_at(self, place: QPoint) -> int:
        """The bar under a place, else the nearest point within reach."""
        if self.chart is None or not self._marks:
            return -1
        box = self.plot.getPlotItem().getViewBox()
        here = box.mapSceneToView(self.plot.mapToScene(place))
        best, nearest = -1, _NEAR
        for index, (series, mark) in enumerate(self._marks):
            if series.form == "bars" and mark.value is not None:
                if bar_of(self.chart, mark).contains(here):
                    return index
                continue
            off = self.place_of(index) - QPointF(place)
            distance = (off.x() ** 2 + off.y() ** 2) ** 0.5
            if distance < nearest:
                best, nearest = index, distance
        return best

    def mark_spot(self, index: int) -> None:
        """Put the ring around a mark."""
        self.at = index
        if not 0 <= index < len(self._marks) or self.chart is None:
            self._ring.setData([], [])
            return
        series, mark = self._marks[index]
        if series.form == "bars" and mark.value is not None:
            at = bar_of(self.chart, mark).center()
            self._ring.setData([at.x()], [at.y()])
            return
        value = mark.value if mark.value is not None else value_range(self.chart)[0]
        x, y = (value, mark.at) if self.chart.horizontal else (mark.at, value)
        self._ring.setData([x], [y])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The mouse on the plot: pointing and opening."""
        if isinstance(event, QMouseEvent):
            place = event.position().toPoint()
            if event.type() == QEvent.Type.MouseMove:
                self.point_at(self.spot_at(place))
                return True
            if event.type() == QEvent.Type.MouseButtonPress and (
                event.button() == Qt.MouseButton.LeftButton
            ):
                self.setFocus()
                index = self.spot_at(place)
                self.point_at(index)
                if index >= 0:
                    self.opened.emit(index)
                return True
        return super().eventFilter(watched, event)


def bar_of(chart: Chart, mark: Mark) -> QRectF:
    """A bar in data coordinates."""
    low, high = mark.low or 0.0, mark.value or 0.0
    if chart.horizontal:
        return QRectF(low, mark.at - _BAR / 2, high - low, _BAR)
    wide = 0.94 if len(chart.places.names) > 12 else _BAR
    return QRectF(mark.at - wide / 2, low, wide, high - low)


def place_range(chart: Chart) -> tuple[float, float]:
    """The ends of the axis of places."""
    axis = chart.places
    if axis.names:
        room = max(0, 4 - len(axis.names)) / 2  # a single bar is no wider than one of four
        return -0.6 - room, len(axis.names) - 0.4 + room
    return _range(axis, [mark.at for _, mark in chart.marks], 0.045)


def value_range(chart: Chart) -> tuple[float, float]:
    """The ends of the axis of values, intervals included."""
    values = [
        value
        for _, mark in chart.marks
        for value in (mark.value, mark.low, mark.high)
        if value is not None
    ]
    return _range(chart.values, values, 0.06)


def _range(axis: Axis, values: Sequence[float], room: float) -> tuple[float, float]:
    low = axis.low if axis.low is not None else min(values, default=0.0)
    high = axis.high if axis.high is not None else max(values, default=1.0)
    if high <= low:
        high = low + 1.0
    space = (high - low) * room
    wanted_low = low - 0.006 * (high - low) if axis.low == 0 else low - space
    return wanted_low - (0.02 * (high - low) if axis.kind == "percent" else 0.0), high + space
