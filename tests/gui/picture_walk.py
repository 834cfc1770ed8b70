"""What an eye would find wrong with a window: cut words, lost controls, things over each other."""

from collections.abc import Iterator
from itertools import pairwise

from pyqtgraph import PlotWidget
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QSpinBox,
    QSplitterHandle,
    QTableView,
    QTabWidget,
    QTextEdit,
    QToolButton,
    QWidget,
)

from gui.panels.leaderboard.table import LeaderTable
from gui.window.notice import NoticeBar

_SLACK = 1  # pixels by which rounding may differ
_CONTROLS = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox)


def faults(root: QWidget) -> list[str]:
    """Every fault below a window or a dialog that is shown, as a phrase; none is good."""
    found: list[str] = []
    for widget in seen(root):
        for check in (
            _cut_label,
            _cut_button,
            _cut_placeholder,
            _cut_headers,
            _cut_axes,
            _lost,
            _sideways,
            _no_margin,
            _overlaps,
            _uneven,
        ):
            found += check(widget)
    return sorted(set(found))


def seen(root: QWidget) -> Iterator[QWidget]:
    """The widgets below ``root`` that are shown, those of other windows left out."""
    for widget in (root, *root.findChildren(QWidget)):
        if widget.window() is root.window() and widget.isVisibleTo(root.window()):
            yield widget


def name_of(widget: QWidget) -> str:
    """A widget so that somebody can find it."""
    text = ""
    if isinstance(widget, QLabel | QAbstractButton):
        text = widget.text()[:60]
    elif isinstance(widget, QLineEdit):
        text = widget.placeholderText()[:60]
    named = text or widget.objectName() or widget.accessibleName()
    parent = widget.parentWidget()
    return f"{type(widget).__name__} “{named}” in {type(parent).__name__}"


def _cut_label(widget: QWidget) -> list[str]:
    if not isinstance(widget, QLabel) or not widget.text():
        return []
    area = widget.contentsRect()
    if widget.wordWrap():
        needed = widget.heightForWidth(widget.width())
        if needed > widget.height() + _SLACK:
            return [f"cut: {name_of(widget)} needs {needed} px of height, has {widget.height()}"]
        longest = max(widget.text().split(), key=len, default="")
        width = widget.fontMetrics().horizontalAdvance(longest)
        if " " in widget.text() and longest.isascii() and width > area.width() + _SLACK:
            return [f"cut: {name_of(widget)}: “{longest}” is wider than {area.width()} px"]
        return []
    lines = widget.text().split("\n")
    width = max(widget.fontMetrics().horizontalAdvance(line) for line in lines)
    height = widget.fontMetrics().lineSpacing() * len(lines)
    if width > area.width() + _SLACK or height > area.height() + 4:
        if widget.toolTip():  # cut on purpose, and told in full
            return []
        return [
            f"cut: {name_of(widget)} needs {width}×{height}, has {area.width()}×{area.height()}"
        ]
    return []


def _cut_button(widget: QWidget) -> list[str]:
    if not isinstance(widget, QAbstractButton) or not widget.text():
        return []
    if isinstance(widget, QToolButton) and (
        widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
    ):
        return []
    needed = widget.sizeHint()
    if needed.width() > widget.width() + _SLACK or needed.height() > widget.height() + 4:
        return [f"cut: {name_of(widget)} needs {needed.width()}×{needed.height()}, "
                f"has {widget.width()}×{widget.height()}"]  # fmt: skip
    return []


def _cut_placeholder(widget: QWidget) -> list[str]:
    if not isinstance(widget, QLineEdit) or widget.text() or not widget.placeholderText():
        return []
    width = widget.fontMetrics().horizontalAdvance(widget.placeholderText())
    room = widget.contentsRect().width() - 16
    if width > room + _SLACK:
        return [f"cut: {name_of(widget)} needs {width} px, has {room}"]
    return []


def _cut_headers(widget: QWidget) -> list[str]:
    """Titles that are cut though the table has room for all of them."""
    if not isinstance(widget, QTableView) or isinstance(widget, LeaderTable):
        return []
    head = widget.horizontalHeader()
    model = widget.model()
    if not head.isVisible() or model is None:
        return []
    shown = [i for i in range(model.columnCount()) if not head.isSectionHidden(i)]
    hints = {i: head.sectionSizeHint(i) for i in shown}
    cut = [i for i in shown if head.sectionSize(i) + _SLACK < hints[i]]
    found = []
    if cut and sum(hints.values()) <= widget.viewport().width():
        titles = [str(model.headerData(i, Qt.Orientation.Horizontal)) for i in cut]
        found.append(f"elided headers {titles} in {name_of(widget)} though there is room")
    unused = widget.viewport().width() - sum(head.sectionSize(i) for i in shown)
    wanting = [i for i in shown if widget.sizeHintForColumn(i) > head.sectionSize(i) + _SLACK]
    if wanting and unused > 40:
        found.append(f"{unused} px unused in {name_of(widget)} while cells of {wanting} are cut")
    return found


def _uneven(widget: QWidget) -> list[str]:
    """Buttons in one line that are not equally high."""
    buttons = [
        child
        for child in widget.children()
        if isinstance(child, QPushButton | QToolButton)
        and child.isVisibleTo(widget)
        and not (child.property("look") == "flat" or child.property("compact"))
    ]
    return [
        f"uneven: {name_of(one)} is {one.height()} px high, {name_of(other)} {other.height()} px"
        for one, other in pairwise(sorted(buttons, key=lambda button: (button.y(), button.x())))
        if abs(one.geometry().center().y() - other.geometry().center().y()) <= _SLACK + 1
        and one.height() != other.height()
    ]


def _cut_axes(widget: QWidget) -> list[str]:
    """Titles of a chart's axes that are longer than the axis, which nobody sees whole."""
    if not isinstance(widget, PlotWidget):
        return []
    found = []
    for side in ("left", "bottom"):
        axis = widget.getPlotItem().getAxis(side)
        room = axis.size().height() if side == "left" else axis.size().width()
        wide = axis.label.boundingRect().width()
        if axis.label.isVisible() and room > 0 and wide > room + _SLACK:
            found.append(f"cut: the axis “{axis.label.toPlainText()}”, {wide:.0f} of {room:.0f} px")
    return found


def unseen_main_buttons(root: QWidget) -> list[str]:
    """Buttons that do what a place is for and that one has to scroll to."""
    return [
        f"out of sight: {name_of(button)}"
        for button in root.findChildren(QPushButton)
        if button.property("look") == "filled"
        and button.isVisible()
        and button.visibleRegion().boundingRect() != button.rect()
    ]


def _area_of(widget: QWidget) -> QAbstractScrollArea | None:
    parent = widget.parentWidget()
    while parent is not None and not parent.isWindow():
        if isinstance(parent.parentWidget(), QAbstractScrollArea):
            area = parent.parentWidget()
            if isinstance(area, QAbstractScrollArea) and area.viewport() is parent:
                return area
        parent = parent.parentWidget()
    return None


def _lost(widget: QWidget) -> list[str]:
    """Controls that lie outside their window, or where nobody can scroll to."""
    if not isinstance(widget, _CONTROLS) or isinstance(widget.parentWidget(), QAbstractSpinBox):
        return []
    area = _area_of(widget)
    holder: QWidget = widget.window() if area is None else area.viewport()
    place = QRect(widget.mapTo(holder, QPoint(0, 0)), widget.size())
    room = holder.rect().adjusted(-_SLACK, -_SLACK, _SLACK, _SLACK)
    if area is None:
        return [] if room.contains(place) else [f"outside the window: {name_of(widget)} at {place}"]
    bar = area.horizontalScrollBar()
    if place.right() + bar.value() > room.right() + bar.maximum():
        return [f"beyond its scroll area: {name_of(widget)}"]
    return []


def _no_margin(widget: QWidget) -> list[str]:
    """Numbers that touch the border of their field."""
    if not isinstance(widget, QSpinBox | QDoubleSpinBox):
        return []
    margins = widget.lineEdit().textMargins()
    tight = min(margins.left(), margins.right()) < 4
    return [f"no margin beside the number: {name_of(widget)}"] if tight else []


def _sideways(widget: QWidget) -> list[str]:
    """What lies to the right of a form, a list, a text or the panel itself, scrolled to or not.

    A table may be wider than its place, if half of its columns is in sight at least; a text in
    which no line is broken (a log) may be of any width.
    """
    if not isinstance(widget, QAbstractScrollArea):
        return []
    hidden = widget.horizontalScrollBar().maximum()
    if not hidden:
        return []
    if isinstance(widget, QTableView):
        shown, whole = widget.viewport().width(), widget.horizontalHeader().length()
        few = 2 * shown < whole
        return [f"{shown} of {whole} px in sight: {name_of(widget)}"] if few else []
    breaks = not isinstance(widget, QPlainTextEdit | QTextEdit) or widget.lineWrapMode().value
    down = not isinstance(widget, QListView) or widget.flow() == QListView.Flow.TopToBottom
    return [f"scrolls sideways by {hidden} px: {name_of(widget)}"] if breaks and down else []


_FLOATING = (NoticeBar, QScrollBar, QSplitterHandle, QHeaderView)


def _overlaps(parent: QWidget) -> list[str]:
    """Children of one parent that lie over each other."""
    if isinstance(parent, QAbstractScrollArea | QMainWindow | QTabWidget | QComboBox):
        return []
    children = [
        child
        for child in parent.children()
        if isinstance(child, QWidget)
        and not child.isWindow()
        and child.isVisibleTo(parent.window())
        and not isinstance(child, _FLOATING)
        and child.width() > 1
        and child.height() > 1
    ]
    found = []
    for index, first in enumerate(children):
        for other in children[index + 1 :]:
            common = first.geometry().intersected(other.geometry())
            if common.width() > _SLACK + 1 and common.height() > _SLACK + 1:
                found.append(
                    f"overlap of {common.width()}×{common.height()}: "
                    f"{name_of(first)} and {name_of(other)}"
                )
    return found
