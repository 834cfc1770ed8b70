"""A small figure, painted: values on one axis with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.i18n import labelled, tr
from gui import i18n, theme
from gui.theme import Tokens
from gui.widgets.elements import tip

_LINE = 28
_GAP = 12
_LEAST = 48  # pixels between two numbers of the axis


@dataclass(frozen=True, slots=True)
class PlottedInterval:
    """A value of ``n`` items with its interval; None where undefined. ``note`` says why."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    n: int | None = None


class IntervalPlot(QWidget):
    """Values on one axis with their intervals as bands, each line also in figures."""

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._rows: list[PlottedInterval] = []
        self._range = (0.0, 1.0)
        self._digits = 2
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(
        self, rows: Sequence[PlottedInterval], low: float = 0.0, high: float = 1.0, digits: int = 2
    ) -> None:
        """``low`` and ``high`` are the ends of the axis; values beyond them widen it."""
        self._rows = list(rows)
        lows = [r.low if r.low is not None else r.value for r in rows if r.value is not None]
        self._range = (min([low, *[v for v in lows if v is not None]]), high)
        self._digits = digits
        self.setFixedHeight(_LINE * (len(self._rows) + 1) + 12)
        figures = (labelled(row.name, self.figures_of(row)) for row in self._rows)
        self.setAccessibleDescription("\n".join(figures))
        self.update()

    def figures_of(self, row: PlottedInterval) -> str:
        """The value, its interval and the items behind it; the reason where it has no value."""
        if row.value is None:
            return row.note or tr("undefined")
        figures = f"{row.value:.{self._digits}f}"
        if row.low is not None and row.high is not None:
            figures += f" [{row.low:.{self._digits}f}, {row.high:.{self._digits}f}]"
        if row.n is None:
            return figures
        return tr("{value}, n = {n}", value=figures, n=i18n.number(row.n))

    def sizeHint(self) -> QSize:
        """Height of the rows and the axis."""
        return QSize(640, _LINE * (len(self._rows) + 1) + 12)

    def _x(self, value: float, left: float, width: float) -> float:
        low, high = self._range
        return left + (value - low) / ((high - low) or 1.0) * width

    def areas(self, metrics: QFontMetrics) -> tuple[float, float]:
        """Where the axis begins and how long it is: names take a third at most, figures theirs."""
        names = max((metrics.horizontalAdvance(row.name) for row in self._rows), default=0)
        texts = [self.figures_of(row) for row in self._rows if row.value is not None]
        figures = max((metrics.horizontalAdvance(text) for text in texts), default=0)
        left = min(self.width() / 3, names + 2 * _GAP)
        return left, max(1.0, self.width() - left - figures - 2 * _GAP)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Rows from the top, the axis below them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL_PX))
        metrics = painter.fontMetrics()
        left, width = self.areas(metrics)
        self._paint_axis(painter, left, width)
        for index, entry in enumerate(self._rows):
            top = index * _LINE
            painter.setPen(QColor(self._colours.text))
            area = QRectF(0, top, left - _GAP, _LINE)
            name = metrics.elidedText(entry.name, Qt.TextElideMode.ElideMiddle, int(area.width()))
            painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), name)
            self._paint_row(painter, entry, top, left, width)

    def _paint_axis(self, painter: QPainter, left: float, width: float) -> None:
        bottom = len(self._rows) * _LINE
        low, high = self._range
        parts = next((parts for parts in (5, 2) if width >= parts * _LEAST), 1)
        for value in (low + (high - low) * part / parts for part in range(parts + 1)):
            x = self._x(value, left, width)
            painter.setPen(QPen(QColor(self._colours.line), 1))
            painter.drawLine(QPointF(x, 0), QPointF(x, bottom + 4))
            painter.setPen(QColor(self._colours.muted))
            area = QRectF(x - 40, bottom + 4, 80, _LINE - 4)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignHCenter), f"{value:.{self._digits}f}")

    def _paint_row(
        self, painter: QPainter, entry: PlottedInterval, top: int, left: float, width: float
    ) -> None:
        middle = top + _LINE / 2
        aligned = int(Qt.AlignmentFlag.AlignVCenter)
        text = self.figures_of(entry)
        if entry.value is None:
            painter.setPen(QColor(self._colours.muted))
            area = QRectF(left + 8, top, self.width() - left - 8, _LINE)
            shown = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, int(area.width())
            )
            painter.drawText(area, aligned, shown)
            return
        if entry.low is not None and entry.high is not None:
            start, end = self._x(entry.low, left, width), self._x(entry.high, left, width)
            painter.setPen(QPen(QColor(self._colours.accent), 1))
            painter.setBrush(QColor(self._colours.selection))
            painter.drawRoundedRect(QRectF(start, middle - 6, max(2.0, end - start), 12), 3, 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.accent))
        painter.drawEllipse(QPointF(self._x(entry.value, left, width), middle), 4.5, 4.5)
        painter.setPen(QColor(self._colours.text))
        figures = QRectF(left + width + 2 * _GAP, top, self.width(), _LINE)
        painter.drawText(figures, aligned, text)

    def tip_at(self, y: int) -> str:
        """The whole row at a height, whose name may have been cut; empty below the rows."""
        if not 0 <= y // _LINE < len(self._rows):
            return ""
        row = self._rows[y // _LINE]
        return labelled(row.name, self.figures_of(row))

    def event(self, event: QEvent) -> bool:
        """A row is told in full where the pointer rests."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip(self.tip_at(event.pos().y())), self)
            return True
        return super().event(event)
