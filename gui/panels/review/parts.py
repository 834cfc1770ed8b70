"""The left and right columns of Review, and the strip with what was hidden before."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QStaticText,
)
from PySide6.QtWidgets import (
    QFrame,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from core.i18n import tr
from core.workflow.check.review import CommittedDecision
from gui import labels, theme
from gui.theme import Tokens
from gui.widgets.text import caption, column, label, row, set_ink

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
        self._font = theme.font(14)
        self._height = QFontMetricsF(self._font).height()
        self._shaped: dict[str, QStaticText] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def show_rows(self, rows: Sequence[QueueRow], shown: int) -> None:
        """Oldest first; ``shown`` is the number of the item on the page."""
        self._rows = tuple(rows)
        self._shown = shown
        self.setAccessibleDescription(
            ", ".join(f"#{r.number} {labels.word(labels.VERDICTS, r.verdict)}" for r in self._rows)
        )
        self.update()

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
        for index, entry in enumerate(self._visible()):
            self._paint_row(painter, index * _ROW, entry)

    def _paint_row(self, painter: QPainter, top: int, entry: QueueRow) -> None:
        here = entry.number == self._shown
        if here:
            ground = QRectF(0, top + 1, self.width(), _ROW - 2)
            painter.setBrush(QColor(self._colours.selection))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(ground, 4, 4)
        y = top + (_ROW - self._height) / 2
        painter.setPen(QColor(self._colours.text))
        painter.drawStaticText(QPointF(8, y), self._shape(str(entry.number)))
        ink = labels.ink_of(entry.verdict) if entry.verdict else "accent"
        says = (
            labels.word(labels.VERDICTS, entry.verdict) if entry.verdict else ("●" if here else "")
        )
        painter.setPen(QColor(ink_colour(self._colours, ink)))
        if says:
            shaped = self._shape(says)
            painter.drawStaticText(QPointF(self.width() - 8 - shaped.size().width(), y), shaped)

    def _shape(self, text: str) -> QStaticText:
        """Words shaped once: the list is painted with every decision."""
        found = self._shaped.get(text)
        if found is None:
            if len(self._shaped) > _SHAPED:
                self._shaped.clear()
            found = QStaticText(text)
            found.setTextFormat(Qt.TextFormat.PlainText)
            found.prepare(font=self._font)
            self._shaped[text] = found
        return found

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
        self.list = QueueList(colours)
        layout = column(self, margin=16, spacing=6)
        layout.addWidget(self._task)
        layout.addWidget(self._left)
        layout.addWidget(self._bar)
        layout.addSpacing(10)
        layout.addWidget(self.list, 1)

    def show_counts(self, task: str, done: int, left: int) -> None:
        """``12 left of 40`` and the bar that says the same."""
        self._task.setText(task)
        self._left.setText(tr("{left} left of {total}", left=left, total=done + left))
        self._bar.setMaximum(max(1, done + left))
        self._bar.setValue(done)


class KeyButton(QPushButton):
    """A button that shows its key before its words."""

    def __init__(self, key: str, text: str, colour: str, *, small: bool = False) -> None:
        super().__init__()
        self.setProperty("look", "flat" if small else "")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(28 if small else 36)
        self.setAccessibleName(text)
        inner = row(self, spacing=12 if not small else 8)
        inner.setContentsMargins(12 if not small else 4, 0, 8, 0)
        cap = label(key, bold=True, size=theme.SMALL_PX if small else theme.TEXT_PX)
        if colour:
            cap.setStyleSheet(f"color: {colour};")
        name = label(text, size=14 if small else theme.TEXT_PX)
        cap.setMinimumWidth(16)
        for part in (cap, name):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            inner.addWidget(part)
        inner.addStretch(1)


class RevealStrip(QFrame):
    """What the model and the others said about the item just left; shown after committing only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "strip")
        self._mine = label("", size=theme.SMALL_PX, bold=True)
        self._said = label("", ink="muted", size=theme.SMALL_PX)
        self._said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setFixedHeight(32)
        layout = row(self, spacing=12)
        layout.setContentsMargins(24, 0, 24, 0)
        layout.addWidget(self._mine)
        layout.addWidget(self._said, 1)

    def show_decided(self, decided: CommittedDecision) -> None:
        """Replace what is said about the item before."""
        self._mine.setText(
            tr(
                "#{number} {verdict}",
                number=decided.number,
                verdict=labels.word(labels.VERDICTS, decided.verdict),
            )
        )
        set_ink(self._mine, labels.ink_of(decided.verdict))
        text = " · ".join(said(decided))
        self._said.setText(text)
        self._said.setToolTip(text)

    def clear(self) -> None:
        """Say nothing."""
        self._mine.setText("")
        self._said.setText("")
        self._said.setToolTip("")

    @property
    def text(self) -> str:
        """All that is said."""
        return f"{self._mine.text()} {self._said.text()}".strip()


def said(decided: CommittedDecision) -> list[str]:
    """What the model and the others said, one sentence each."""
    reveal = decided.reveal
    parts: list[str] = []
    if reveal.score is not None:
        threshold = reveal.threshold if reveal.threshold is not None else 6
        parts.append(
            tr("model {score:g} of 10 (passes at {threshold:g})", score=reveal.score,
               threshold=threshold)
        )  # fmt: skip
        if reveal.rationale:
            parts.append(tr("“{rationale}”", rationale=" ".join(reveal.rationale.split())))
    for other in reveal.others:
        verdict = labels.word(labels.VERDICTS, other.verdict)
        why = labels.word(labels.REASONS, other.reason) if other.reason else other.note
        parts.append(
            tr("another reviewer: {verdict} ({why})", verdict=verdict, why=why)
            if why
            else tr("another reviewer: {verdict}", verdict=verdict)
        )
    if decided.disputed:
        parts.append(tr("you disagree; somebody will settle it"))
    return parts or [tr("nobody else has said anything yet")]
