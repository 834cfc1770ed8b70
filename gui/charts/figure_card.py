"""What every figure of a dashboard shares: the card around it, its menu, its keys, its exports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QStackedLayout, QWidget

from core.errors import BenchsealError, OutsideError
from core.files import write_atomic
from core.i18n import tr
from core.workflow.dashboards.figures import Figure, Pick, figure_csv, figure_text
from gui import theme
from gui.charts.svg_text import portable
from gui.theme import Tokens
from gui.widgets.chips import FlowLayout
from gui.widgets.elements import column, label, row, tip
from gui.widgets.file_dialogs import ask_where

SCALE = 2.0
"""Pixels of a picture per pixel of the screen."""
_LONGEST_NAME = 180  # pixels of a name in a legend: two stand side by side in a narrow card
_ANSWER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}
STATE_FILL: dict[str, tuple[str, Qt.BrushStyle]] = {
    "draft": ("muted", Qt.BrushStyle.Dense6Pattern),
    "screening": ("muted", Qt.BrushStyle.BDiagPattern),
    "screened_out": ("reject", Qt.BrushStyle.BDiagPattern),
    "in_review": ("accent", Qt.BrushStyle.Dense5Pattern),
    "accepted": ("accept", Qt.BrushStyle.SolidPattern),
    "rejected": ("reject", Qt.BrushStyle.SolidPattern),
    "returned": ("returned", Qt.BrushStyle.SolidPattern),
    "approved": ("accept", Qt.BrushStyle.Dense3Pattern),
    "frozen": ("accent", Qt.BrushStyle.SolidPattern),
}
"""State to the ink and the pattern of its bar: no two states differ by colour alone."""


Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Spot:
    """One mark as it stands on the screen: its words, and the items behind it."""

    text: str
    pick: Pick | None
    area: QRectF
    """In the coordinates of the body; empty for a point."""


class FigureBody(QWidget):
    """The drawing of one figure. Marks can be pointed at, walked through by keys, and opened."""

    pointed = Signal(object)
    """Index of the mark that is pointed at, -1 for none."""
    opened = Signal(object)
    """Index of the mark whose items are wanted."""

    def __init__(self, colours: Tokens) -> None:
        super().__init__()
        self.colours = colours
        self.at = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    @property
    def spots(self) -> Sequence[Spot]:
        """All marks that can be pointed at, in reading order."""
        return ()

    def show_figure(self, figure: Figure) -> None:
        """Draw this figure in the place of the one before."""

    def spot_at(self, place: QPoint) -> int:
        """Index of the mark at a place, -1 for none."""
        inside = [index for index, spot in enumerate(self.spots) if spot.area.contains(place)]
        return inside[-1] if inside else -1

    def mark_spot(self, index: int) -> None:
        """Show which mark is pointed at."""
        self.at = index
        self.update()

    def point_at(self, index: int) -> None:
        """Point at a mark, by mouse or by key."""
        if index != self.at:
            self.mark_spot(index)
            self.pointed.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk through the marks, Enter opens the items behind one."""
        step = _STEPS.get(Qt.Key(event.key()), 0)
        count = len(self.spots)
        if step and count:
            self.point_at((self.at + step) % count if self.at >= 0 else 0)
        elif event.key() in _ANSWER_KEYS and 0 <= self.at < count:
            self.opened.emit(self.at)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Point at nothing any more."""
        super().focusOutEvent(event)
        self.point_at(-1)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing any more, unless the keys are here."""
        super().leaveEvent(event)
        if not self.hasFocus():
            self.point_at(-1)


class HandDrawnBody(FigureBody):
    """A figure that is painted by hand: its marks are laid out again at every size."""

    def __init__(self, colours: Tokens) -> None:
        super().__init__(colours)
        self._spots: tuple[Spot, ...] = ()

    @property
    def spots(self) -> Sequence[Spot]:
        """The marks where they were laid out last."""
        return self._spots

    def lay_out(self) -> None:
        """Put every mark where it belongs at this size."""

    def place_of(self, index: int) -> QPointF:
        """The middle of a mark, in this widget."""
        return self._spots[index].area.center()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the mark under the pointer."""
        self.point_at(self.spot_at(event.position().toPoint()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the items behind a mark."""
        super().mousePressEvent(event)
        index = self.spot_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self.point_at(index)
            self.opened.emit(index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the marks out for the new size."""
        super().resizeEvent(event)
        self.lay_out()


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A name with the look of its series."""

    name: str
    colour: str
    marker: str
    pattern: Qt.BrushStyle = Qt.BrushStyle.SolidPattern
    dashed: bool = False


class Swatch(QWidget):
    """The look of one series, beside its name in the legend."""

    def __init__(self, entry: LegendEntry, line: str) -> None:
        super().__init__()
        self._entry = entry
        self._line = line
        self.setFixedSize(22, 14)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A bar's ground, or a line with the marker of the series."""
        from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols

        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        entry = self._entry
        colour = QColor(entry.colour)
        if entry.marker == "bar":
            painter.setPen(QPen(QColor(self._line), 1))
            painter.setBrush(QBrush(colour, entry.pattern))
            painter.drawRect(4, 1, 12, 12)
            return
        style = Qt.PenStyle.DashLine if entry.dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(colour, 2, style))
        if entry.marker != "target":
            painter.drawLine(1, 7, 21, 7)
        if entry.marker in Symbols:
            painter.translate(11, 7)
            painter.scale(8, 8)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawPath(Symbols[entry.marker])
        elif entry.marker == "target":
            painter.drawLine(11, 1, 11, 13)


def _legend_name(name: str) -> QLabel:
    """A name of the legend; a long one is cut in the middle and told in full on request."""
    name_label = label("", ink="muted", size=theme.SMALL_PX)
    shown = name_label.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, _LONGEST_NAME)
    name_label.setText(shown)
    name_label.setToolTip(tip(name) if shown != name else "")
    return name_label


class FigureCard(QFrame):
    """A figure with its title, legend, caption and menu."""

    wanted = Signal(object)
    """``(words of the mark, pick)``: the items behind a mark are wanted."""
    refused = Signal(object)
    """Why the figure could not be kept."""

    def __init__(self, body: FigureBody) -> None:
        super().__init__()
        self.figure: Figure | None = None
        self.when_checked: Callable[[Step], None] = at_once
        """Calls back once the numbers of the figure may be written."""
        self.body = body
        self.setProperty("look", "card")
        self._title = label("", bold=True, wrap=True)
        self._title.setFont(theme.font(theme.TEXT_PX, bold=True))
        self._legend = QWidget()
        self._legend_flow = FlowLayout(self._legend, gap=4)
        self._entries: tuple[LegendEntry, ...] = ()
        self._invitation = tr("Click a mark to show its items; right-click to export")
        self.hint = label("", ink="muted", size=theme.SMALL_PX)
        self.hint.setMinimumWidth(60)
        self._nothing = label("", ink="muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(body)
        self._stack.addWidget(self._nothing)
        self.body.setMinimumHeight(190)
        whole = column(self, margin=12, spacing=4)
        whole.addWidget(self._title)
        whole.addWidget(self._legend)
        whole.addWidget(holder, 1)
        whole.addWidget(self.hint)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        body.pointed.connect(self._on_pointed)
        body.opened.connect(self._on_opened)

    def sizeHint(self) -> QSize:
        """Two of them stand side by side in the smallest window."""
        return QSize(420, 320)

    def show_figure(self, figure: Figure, legend: Sequence[LegendEntry] = ()) -> None:
        """Show a figure, or the reason why there is none."""
        self.figure = figure
        self._title.setText(figure.title)
        self._nothing.setText(figure.empty)
        self._stack.setCurrentIndex(1 if figure.empty else 0)
        if not figure.empty:
            self.body.show_figure(figure)
        self._show_legend(() if figure.empty else tuple(legend))
        self._on_pointed(-1)
        self.body.setAccessibleName(figure.title)
        self.body.setAccessibleDescription(figure_text(figure))

    def invite(self, words: str) -> None:
        """Say what a click leads to, while nothing is pointed at."""
        self._invitation = words
        self._on_pointed(self.body.at)

    def _show_legend(self, entries: tuple[LegendEntry, ...]) -> None:
        if len(entries) == 1 and entries[0].marker != "bar":
            entries = ()  # the title says what a single line is, but not which state a bar shows
        self._legend.setVisible(bool(entries))
        if entries == self._entries:
            return
        self._entries = entries
        while (item := self._legend_flow.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for entry in entries:
            pair = QWidget()
            line = row(pair, spacing=4)
            line.addWidget(Swatch(entry, self.body.colours.line))
            line.addWidget(_legend_name(entry.name))
            line.addSpacing(8)
            self._legend_flow.addWidget(pair)
        self._legend_flow.invalidate()
        self._legend.setMinimumHeight(self._legend_flow.heightForWidth(max(300, self.width() - 26)))

    def _on_pointed(self, index: int) -> None:
        spots = self.body.spots
        if 0 <= index < len(spots):
            self.hint.setText(spots[index].text)
        elif self.figure is not None and self.figure.empty:
            self.hint.setText("")
        else:
            self.hint.setText(self._invitation)

    def _on_opened(self, index: int) -> None:
        spot = self.body.spots[index]
        if spot.pick is not None:
            self.wanted.emit((spot.text, spot.pick))

    # -- export -----------------------------------------------------------------------------

    def export_menu(self) -> QMenu:
        """The forms in which this figure can be kept."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for form, words in (
            ("png", tr("Save as PNG…")),
            ("svg", tr("Save as SVG…")),
            ("csv", tr("Save figures as CSV…")),
        ):
            entry = menu.addAction(words)
            entry.setData(form)
            entry.triggered.connect(self._on_export)
        return menu

    def _open_menu(self, at: QPoint) -> None:
        self.export_menu().popup(self.mapToGlobal(at))

    def _on_export(self) -> None:
        form = str(self.sender().data())  # type: ignore[attr-defined]  # QAction
        assert self.figure is not None
        name = f"{self.figure.id}.{form}"
        ask_where(self, self.figure.title, name, partial(_export_to, self, form))

    def export(self, path: Path) -> None:
        """Write the figure as PNG, SVG or CSV, by the ending; OutsideError when that fails."""
        assert self.figure is not None
        if path.suffix.lower() == ".csv":
            write_atomic(path, figure_csv(self.figure), for_others=True)
            return
        hint = self.hint.text()
        self.hint.setText("")
        try:
            save_picture(self, path)
        finally:
            self.hint.setText(hint)


def at_once(step: Step) -> None:
    """Call it now."""
    step()


def _export_to(card: FigureCard, form: str, name: str) -> None:
    card.when_checked(partial(_write, card, ending_in(form, name)))


def _write(card: FigureCard, path: Path) -> None:
    if why := refusal(card.export, path):
        card.refused.emit(why)


def ending_in(form: str, name: str) -> Path:
    """The path that was chosen for a form; one with another ending is given the right one."""
    path = Path(name)
    return path if path.suffix.lower() == f".{form}" else path.with_name(f"{path.name}.{form}")


def refusal(write: Callable[[Path], None], path: Path) -> str:
    """Why a file could not be written, as a sentence; empty when it is on the disk."""
    try:
        write(path)
    except BenchsealError as error:
        return str(error)
    except OSError as error:
        return tr("“{path}”: {reason}.", path=path, reason=error.strerror or error)
    return ""


def save_picture(widget: QWidget, path: Path, top: int = 0, above: int = 0) -> None:
    """Write what a widget shows as PNG (twice as fine as the screen) or SVG, by the ending.

    What lies above ``top`` is left out, and a strip of ``above`` pixels stands in its place.
    OutsideError or OSError where the file cannot be written.
    """
    shown = QRect(0, top, widget.width(), widget.height() - top)
    size = QSize(shown.width(), shown.height() + above)
    if path.suffix.lower() == ".svg":
        _write_svg(widget, shown, size, path)
        return
    image = QImage(size * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    image.fill(widget.palette().window().color())
    widget.render(image, QPoint(0, above), QRegion(shown))
    good = image.save(str(path), "PNG")  # type: ignore[call-overload]  # the stub wants bytes
    if not good or not path.exists():
        raise OutsideError.tr("Could not write the image “{path}”.", path=path)


def _write_svg(widget: QWidget, shown: QRect, size: QSize, path: Path) -> None:
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(0, 0), size))
    generator.setTitle(widget.accessibleName() or "Benchseal")
    generator.setResolution(96)
    painter = QPainter(generator)
    painter.fillRect(QRect(QPoint(0, 0), size), widget.palette().window())
    widget.render(painter, QPoint(0, size.height() - shown.height()), QRegion(shown))
    painter.end()
    write_atomic(path, portable(bytes(buffer.data().data()).decode("utf-8")), for_others=True)
