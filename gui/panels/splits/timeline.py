"""The life of a split as a line of five stations."""

from collections.abc import Collection

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.i18n import tr
from gui import labels, theme
from gui.theme import Tokens

STATIONS = ("draft", "frozen", "sealed", "opened", "expired")


class Timeline(QWidget):
    """Stations that the split was in are filled, the present one is named in bold; those to come
    and those that it never was in are rings."""

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._state = ""
        self._openings = 0
        self._been: frozenset[str] = frozenset()
        self.setFixedHeight(48)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_state(self, state: str, openings: int = 0, been: Collection[str] = ()) -> None:
        """Where the split stands, how often it was opened, and in which states it has been."""
        self._state = state
        self._openings = openings
        self._been = frozenset((STATIONS[0], STATIONS[1], state, *been))
        self.setAccessibleName(labels.word(labels.SPLIT_STATES, state))
        passed = [labels.word(labels.SPLIT_STATES, name) for name in self.passed]
        self.setAccessibleDescription(" → ".join(passed))
        self.update()

    @property
    def passed(self) -> tuple[str, ...]:
        """The stations that are filled, in their order."""
        return tuple(name for name in STATIONS if name in self._been)

    def sizeHint(self) -> QSize:
        """Room for five words."""
        return QSize(440, 48)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The line, the stations and their names."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        here = STATIONS.index(self._state) if self._state in STATIONS else -1
        step = min(108.0, (self.width() - 80) / (len(STATIONS) - 1))
        for index, station in enumerate(STATIONS):
            x, y = 40 + index * step, 12.0
            passed = station in self._been
            ink = QColor(self._colours.accent if passed else self._colours.muted)
            if index:
                width = 2 if passed else 1
                painter.setPen(QPen(ink, width))
                painter.drawLine(QPointF(x - step + 7, y), QPointF(x - 7, y))
            painter.setPen(QPen(ink, 2 if passed else 1))
            painter.setBrush(ink if passed else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(x, y), 5, 5)
            painter.setFont(theme.font(theme.SMALL_PX, bold=index == here))
            painter.setPen(QColor(self._colours.text if index == here else self._colours.muted))
            area = QRectF(x - step / 2, 22, step, 22)
            name = labels.word(labels.SPLIT_STATES, station)
            if station == "opened" and self._openings > 1:
                name = tr("{state} ×{count}", state=name, count=self._openings)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), name)
