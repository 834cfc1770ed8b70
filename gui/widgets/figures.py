"""A small figure, painted: values on one axis with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.text import tr
from gui import theme
from gui.theme import Tokens

_LINE = 28
_FIGURES = 128


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval; None where it is undefined. ``note`` says why."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


class IntervalPlot(QWidget):
    """Values on one axis with their intervals as bands, each line also in figures."""

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._rows: list[Interval] = []
        self._range = (0.0, 1.0)
        self._digits = 2
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(
        self, rows: Sequence[Interval], low: float = 0.0, high: float = 1.0, digits: int = 2
    ) -> None:
        """``low`` and ``high`` are the ends of the axis; values beyond them widen it."""
        self._rows = list(rows)
        lows = [r.low if r.low is not None else r.value for r in rows if r.value is not None]
        self._range = (min([low, *[v for v in lows if v is not None]]), high)
        self._digits = digits
        self.setFixedHeight(_LINE * (len(self._rows) + 1) + 12)
        self.update()

    def sizeHint(self) -> QSize:
        """Height of the rows and the axis."""
        return QSize(640, _LINE * (len(self._rows) + 1) + 12)

    def _x(self, value: float, left: float, width: float) -> float:
        low, high = self._range
        return left + (value - low) / ((high - low) or 1.0) * width

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Rows from the top, the axis below them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL_PX))
        metrics = painter.fontMetrics()
        names = [metrics.horizontalAdvance(entry.name) for entry in self._rows]
        name_width = min(260, max(names, default=0) + 24)
        left, width = name_width, self.width() - name_width - _FIGURES - 16
        self._paint_axis(painter, left, width)
        for index, entry in enumerate(self._rows):
            top = index * _LINE
            painter.setPen(QColor(self._colours.text))
            area = QRectF(0, top, name_width - 12, _LINE)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), entry.name)
            self._paint_row(painter, entry, top, left, width)

    def _paint_axis(self, painter: QPainter, left: float, width: float) -> None:
        bottom = len(self._rows) * _LINE
        low, high = self._range
        steps = [low + (high - low) * i / 5 for i in range(6)]
        for value in steps:
            x = self._x(value, left, width)
            painter.setPen(QPen(QColor(self._colours.line), 1))
            painter.drawLine(QPointF(x, 0), QPointF(x, bottom + 4))
            painter.setPen(QColor(self._colours.muted))
            area = QRectF(x - 40, bottom + 4, 80, _LINE - 4)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignHCenter), f"{value:.{self._digits}f}")

    def _paint_row(
        self, painter: QPainter, entry: Interval, top: int, left: float, width: float
    ) -> None:
        middle = top + _LINE / 2
        figures = QRectF(left + width + 16, top, _FIGURES, _LINE)
        aligned = int(Qt.AlignmentFlag.AlignVCenter)
        if entry.value is None:
            painter.setPen(QColor(self._colours.muted))
            area = QRectF(left + 8, top, width + _FIGURES, _LINE)
            text = entry.note or tr("undefined")
            shown = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, int(area.width())
            )
            painter.drawText(area, aligned, shown)
            return
        said = f"{entry.value:.{self._digits}f}"
        if entry.low is not None and entry.high is not None:
            start, end = self._x(entry.low, left, width), self._x(entry.high, left, width)
            painter.setPen(QPen(QColor(self._colours.accent), 1))
            painter.setBrush(QColor(self._colours.selection))
            painter.drawRoundedRect(QRectF(start, middle - 6, max(2.0, end - start), 12), 3, 3)
            said = f"{said}  [{entry.low:.{self._digits}f}, {entry.high:.{self._digits}f}]"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.accent))
        painter.drawEllipse(QPointF(self._x(entry.value, left, width), middle), 4.5, 4.5)
        painter.setPen(QColor(self._colours.text))
        painter.drawText(figures, aligned, said)
