"""The funnel of a rewriting run: a bar for every step, what left it and why, and what it cost."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.i18n import tr
from core.rewriting.run_progress import RewriteProgress
from core.rewriting.step_labels import bill_text, left_out_text, progress_lines, step_text
from gui import i18n, theme
from gui.theme import Tokens
from gui.widgets.elements import tip

_ROW = 56
_BAR = 16
_LEFT = 8
_RIGHT = 84  # room for a count
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter)
_END = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)


@dataclass(frozen=True, slots=True)
class _Row:
    """One bar. ``passed`` and ``left`` are items; ``why`` and ``bill`` stand below and above."""

    step: str
    title: str
    passed: int
    left: int
    why: str
    bill: str


class FunnelView(QWidget):
    """The steps from the top; a step can be clicked, or chosen by the arrows and Enter."""

    picked = Signal(object)
    """The step whose left-out items are wanted; ``accepted`` for those that came through."""

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._rows: tuple[_Row, ...] = ()
        self._total = 0
        self._at = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Funnel of the run"))

    def show_progress(self, progress: RewriteProgress) -> None:
        """Draw where the run stands now."""
        rows = [
            _Row(
                stage.step,
                step_text(stage.step),
                stage.passed,
                stage.entered - stage.passed,
                left_out_text(stage),
                bill_text(stage) if stage.calls else "",
            )
            for stage in progress.stages
        ]
        accepted = int(progress.funnel["accepted"])
        rows.append(_Row("accepted", tr("Accepted"), accepted, 0, "", ""))
        self._rows, self._total = tuple(rows), progress.total
        self.setAccessibleDescription("\n".join(progress_lines(progress)))
        self.setFixedHeight(_ROW * len(rows) + 8)
        self.update()

    @property
    def rows(self) -> tuple[tuple[str, int, int], ...]:
        """(step, passed, left) from the top, as they are drawn."""
        return tuple((row.step, row.passed, row.left) for row in self._rows)

    def sizeHint(self) -> QSize:
        """Height of all rows."""
        return QSize(480, _ROW * max(1, len(self._rows)) + 8)

    # -- painting ---------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Title and bill, the bar, and below it what went no further."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, row in enumerate(self._rows):
            area = QRectF(_LEFT, index * _ROW + 4, self.width() - 2 * _LEFT, _ROW - 4)
            if index == self._at:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(self._colours.selection))
                painter.drawRoundedRect(area.adjusted(-6, -2, 6, 0), theme.RADIUS, theme.RADIUS)
            self._paint_words(painter, area, row)
            self._paint_bar(painter, area, row)

    def _paint_words(self, painter: QPainter, area: QRectF, row: _Row) -> None:
        last = row.step == "accepted"
        painter.setFont(theme.font(theme.SMALL_PX + 1, bold=True))
        painter.setPen(QColor(self._colours.accept if last else self._colours.text))
        head = QRectF(area.left(), area.top(), area.width(), 18)
        painter.drawText(head, _MIDDLE, row.title)
        taken = painter.fontMetrics().horizontalAdvance(row.title) + 16
        painter.setFont(theme.font(theme.SMALL_PX))
        painter.setPen(QColor(self._colours.muted))
        room = head.adjusted(taken, 0, 0, 0)
        painter.drawText(room, _END, _elided(painter, row.bill, room.width()))
        if row.left:
            painter.setPen(QColor(self._colours.reject))
            below = QRectF(area.left(), area.top() + 18 + _BAR, area.width(), 18)
            painter.drawText(below, _MIDDLE, _elided(painter, row.why, below.width()))

    def _paint_bar(self, painter: QPainter, area: QRectF, row: _Row) -> None:
        track = QRectF(area.left(), area.top() + 20, area.width() - _RIGHT, _BAR - 4)
        scale = track.width() / max(1, self._total)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.line))
        painter.drawRoundedRect(
            QRectF(track.left(), track.center().y() - 1, track.width(), 2), 1, 1
        )
        ink = self._colours.accept if row.step == "accepted" else self._colours.accent
        passed = QRectF(track.left(), track.top(), row.passed * scale, track.height())
        if row.passed:
            passed.setWidth(max(2.0, passed.width()))
            painter.setBrush(QColor(ink))
            painter.drawRoundedRect(passed, 2, 2)
        if row.left:
            lost = QRectF(passed.right(), track.top(), max(3.0, row.left * scale), track.height())
            painter.setPen(QPen(QColor(self._colours.reject), 1))
            painter.setBrush(QColor(self._colours.surface))
            painter.drawRect(lost)
            painter.setBrush(QBrush(QColor(self._colours.reject), Qt.BrushStyle.BDiagPattern))
            painter.drawRect(lost)
        painter.setPen(QColor(self._colours.text))
        painter.setFont(theme.font(theme.SMALL_PX))
        count = QRectF(track.right(), track.top() - 3, _RIGHT, track.height() + 6)
        painter.drawText(count, _END, i18n.number(row.passed))

    # -- choosing ---------------------------------------------------------------------------

    def _row_at(self, y: float) -> int:
        index = int(y // _ROW)
        return index if 0 <= index < len(self._rows) else -1

    def _point(self, index: int) -> None:
        if index != self._at:
            self._at = index
            row = self._rows[index] if index >= 0 else None
            said = "\n".join(part for part in (row.bill, row.why) if part) if row else ""
            self.setToolTip(tip(said))
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the step below the mouse."""
        self._point(self._row_at(event.position().y()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the items that left at this step."""
        self._pick(self._row_at(event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk through the steps, Enter asks for the items."""
        step = _STEPS.get(Qt.Key(event.key()), 0)
        if step and self._rows:
            self._point((self._at + step) % len(self._rows) if self._at >= 0 else 0)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._pick(self._at)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Nothing is pointed at any more."""
        super().focusOutEvent(event)
        self._point(-1)

    def _pick(self, index: int) -> None:
        if 0 <= index < len(self._rows):
            self.picked.emit(self._rows[index].step)


def _elided(painter: QPainter, text: str, width: float) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width))
