"""How one run is painted in the list of runs."""

from datetime import datetime

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from core.workflow.runs.runs import RunInfo
from gui import i18n, labels, theme
from gui.panels.runs.model import RUN_ROLE, state, title
from gui.theme import Tokens

HEIGHT = 74
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_MIDDLE_LEFT_OUT = Qt.TextElideMode.ElideMiddle


class RunDelegate(QStyledItemDelegate):
    """Title, progress bar, and the state in words."""

    def __init__(self, colours: Tokens, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._colours = colours

    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Every run has the same height, and the width of the list."""
        return QSize(0, HEIGHT)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one run."""
        run = index.data(RUN_ROLE)
        if not isinstance(run, RunInfo):
            return
        painter.save()
        area = QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        ground = self._colours.selection if selected else self._colours.surface
        painter.fillRect(area, QColor(ground))
        painter.setPen(QColor(self._colours.line))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        inner = area.adjusted(16, 8, -16, -8)
        self._paint_words(painter, inner, run)
        self._paint_bar(painter, inner, run)
        painter.restore()

    def _paint_words(self, painter: QPainter, area: QRectF, run: RunInfo) -> None:
        line = QRectF(area.left(), area.top(), area.width(), 22)
        painter.setFont(theme.font(theme.SMALL_PX))
        when = i18n.moment(datetime.fromisoformat(run.started) if run.started else None)
        painter.setPen(QColor(self._colours.muted))
        painter.drawText(line, int(_MIDDLE | Qt.AlignmentFlag.AlignRight), when)
        room = line.width() - painter.fontMetrics().horizontalAdvance(when) - 16
        painter.setFont(theme.font(theme.TEXT_PX, bold=True))
        painter.setPen(QColor(self._colours.text))
        self._draw(
            painter, QRectF(line.left(), line.top(), room, 22), title(run), _MIDDLE_LEFT_OUT
        )  # runs of one split differ at the end of their titles
        painter.setFont(theme.font(theme.SMALL_PX))
        ink = labels.ink_of(run.state)
        painter.setPen(QColor({**self._colours.inks, "return": self._colours.returned}[ink]))
        self._draw(painter, QRectF(area.left(), area.bottom() - 20, area.width(), 20), state(run))

    @staticmethod
    def _draw(
        painter: QPainter,
        area: QRectF,
        text: str,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        shown = painter.fontMetrics().elidedText(text, cut, int(area.width()))
        painter.drawText(area, int(_MIDDLE), shown)

    def _paint_bar(self, painter: QPainter, area: QRectF, run: RunInfo) -> None:
        track = QRectF(area.left(), area.top() + 27, area.width(), 5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.line))
        painter.drawRoundedRect(track, 2.5, 2.5)
        if run.total:
            track.setWidth(track.width() * min(1.0, run.done / run.total))
            ink = {"failed": self._colours.reject, "finished": self._colours.accept}
            painter.setBrush(QColor(ink.get(run.state, self._colours.accent)))
            painter.drawRoundedRect(track, 2.5, 2.5)
