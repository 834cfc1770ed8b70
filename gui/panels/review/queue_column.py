"""The left column of Review: what is left, and what was decided last."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QStaticText
from PySide6.QtWidgets import QFrame, QProgressBar, QSizePolicy, QWidget

from core.i18n import listed, tr
from core.workflow.check.qualification import Standing
from gui import labels, theme
from gui.theme import Tokens
from gui.widgets.elements import breakable, caption, column, label, tip

_ROW = 26
_SHAPED = 400


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue: a number, and the verdict on it (empty for the open ones)."""

    number: int
    verdict: str = ""


class QueueList(QWidget):
    """Numbers and verdicts, painted at once; the one on the page has a dot and a ground."""

    chosen = Signal(object)

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._rows: tuple[QueueRow, ...] = ()
        self._shown = 0
        self._unsure: frozenset[int] = frozenset()
        self._font = theme.font(14)
        self._height = QFontMetricsF(self._font).height()
        self._shaped: dict[str, QStaticText] = {}
        self._ground = QColor(colours.selection)
        self._text = QColor(colours.text)
        self._verdicts: dict[str, tuple[QStaticText, QColor]] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def show_rows(
        self, rows: Sequence[QueueRow], shown: int, unsure: frozenset[int] = frozenset()
    ) -> None:
        """Oldest first; ``shown`` is the number of the item on the page, those in ``unsure`` have
        a mark."""
        self._rows = tuple(rows)
        self._shown, self._unsure = shown, unsure
        self.setAccessibleDescription(listed(map(self._said, self._rows)))
        self.update()

    def _said(self, row: QueueRow) -> str:
        said = f"#{row.number} {labels.word(labels.VERDICTS, row.verdict)}"
        return tr("{item}, unsure", item=said) if row.number in self._unsure else said

    def sizeHint(self) -> QSize:
        """Room for a dozen rows."""
        return QSize(160, 12 * _ROW)

    def _visible(self) -> tuple[QueueRow, ...]:
        return self._rows[-max(1, self.height() // _ROW) :]

    def paintEvent(self, event: QPaintEvent) -> None:
        """All rows that fit, the newest at the bottom of them."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._colours.background))
        painter.setFont(self._font)
        above, right = (_ROW - self._height) / 2, self.width() - 8
        for index, entry in enumerate(self._visible()):
            top = index * _ROW
            here = entry.number == self._shown
            if here:
                painter.setBrush(self._ground)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawRoundedRect(QRectF(0, top + 1, self.width(), _ROW - 2), 4, 4)
            painter.setPen(self._text)
            number = f"{entry.number} ?" if entry.number in self._unsure else str(entry.number)
            painter.drawStaticText(QPointF(8, top + above), self._shape(number))
            if entry.verdict or here:
                shape, ink = self._verdict(entry.verdict)
                painter.setPen(ink)
                painter.drawStaticText(QPointF(right - shape.size().width(), top + above), shape)

    def _verdict(self, verdict: str) -> tuple[QStaticText, QColor]:
        """What is said of a decision, and its ink; of none, the dot of the item on the page."""
        known = self._verdicts.get(verdict)
        if known is None:
            says = labels.word(labels.VERDICTS, verdict) if verdict else "●"
            ink = ink_colour(self._colours, labels.ink_of(verdict) if verdict else "accent")
            known = self._verdicts[verdict] = self._shape(says), QColor(ink)
        return known

    def _shape(self, text: str) -> QStaticText:
        """Words shaped once: the list is painted with every decision."""
        shape = self._shaped.get(text)
        if shape is None:
            if len(self._shaped) > _SHAPED:
                self._shaped.clear()
            shape = QStaticText(text)
            shape.setTextFormat(Qt.TextFormat.PlainText)
            shape.prepare(font=self._font)
            self._shaped[text] = shape
        return shape

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the row under the pointer."""
        index = int(event.position().y()) // _ROW
        shown = self._visible()
        if 0 <= index < len(shown):
            self.chosen.emit(shown[index].number)


def ink_colour(colours: Tokens, ink: str) -> str:
    """The colour of an ink by its name."""
    return {**colours.inks, "return": colours.returned}.get(ink, colours.text)


class QueueColumn(QFrame):
    """What is being reviewed, how much is left, and what was decided last."""

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "side")
        self.setFixedWidth(188)
        self._task = label("", bold=True, wrap=True)
        self._left = caption()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Progress"))
        self.list = QueueList(colours)
        layout = column(self, margin=16, spacing=6)
        # how much is left is said of all tasks, so it stands above the name of one
        layout.addWidget(self._left)
        layout.addWidget(self._bar)
        layout.addSpacing(10)
        layout.addWidget(self._task)
        layout.addWidget(self.list, 1)

    @property
    def left(self) -> str:
        """How much is left, in words."""
        return self._left.text()

    def show_counts(
        self, task: str, done: int, left: int, aside: int, qualification: Standing | None = None
    ) -> None:
        """``12 left of 40``, of which some may be skipped, and the bar that says the same; in a
        qualification round, how far that is."""
        # a long name without spaces may break behind its marks
        self._task.setText(breakable(task) if len(task) > 16 else task)
        self._task.setToolTip(tip(task))
        if qualification is not None:
            done, left = qualification.answered, qualification.wanted - qualification.answered
            self._left.setText(
                tr("Qualification: {left} left of {total}", left=left, total=done + left)
            )
            self._bar.setMaximum(done + left)
            self._bar.setValue(done)
            return
        total = done + left + aside
        self._left.setText(
            tr("{left} left of {total}, {aside} skipped", left=left, total=total, aside=aside)
            if aside
            else tr("{left} left of {total}", left=left, total=total)
        )
        self._bar.setMaximum(max(1, total))
        self._bar.setValue(done)
