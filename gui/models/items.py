"""The items of a benchmark as a model of pages: rows are read as they come into sight."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QBrush, QColor

from core.text import tr
from core.workflow.finding import ItemLine
from gui import i18n, words
from gui.models.table import Column, Index
from gui.theme import Tokens

PAGE = 200
"""Rows of one page."""
KEPT = 40
"""Pages that are remembered; the ones seen longest ago are forgotten first."""

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_INK = int(Qt.ItemDataRole.ForegroundRole)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_STATE = 4


def columns() -> tuple[Column, ...]:
    """The columns of the list, in the language in use."""
    return (
        Column(tr("Number"), 76, number=True),
        Column(tr("Task"), 158),
        Column(tr("Format"), 98),
        Column(tr("Domain"), 76),
        Column(tr("State"), 100),
        Column(tr("Revision"), 84, number=True),
        Column(tr("Disputed"), 86),
        Column(tr("Changed"), 140),
    )


class ItemsModel(QAbstractTableModel):
    """A table over pages that others fetch: ``page_wanted`` asks, ``take_page`` answers."""

    page_wanted = Signal(object)
    """Number of a page that is in sight and not here."""

    def __init__(self, colours: Tokens, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns()
        self._inks = {
            state: QBrush(QColor({**colours.inks, "return": colours.returned}[words.ink_of(state)]))
            for state in words.ITEM_STATES
        }
        self._total = 0
        self._pages: OrderedDict[int, tuple[ItemLine, ...]] = OrderedDict()
        self._asked: set[int] = set()

    def start(self, total: int, first: Sequence[ItemLine]) -> None:
        """Begin a new list of ``total`` rows, of which the first page is here."""
        self.beginResetModel()
        self._total = total
        self._pages = OrderedDict({0: tuple(first)})
        self._asked = set()
        self.endResetModel()

    def take_page(self, number: int, rows: Sequence[ItemLine]) -> None:
        """A page that was asked for has come."""
        self._asked.discard(number)
        self._pages[number] = tuple(rows)
        while len(self._pages) > KEPT:
            self._pages.popitem(last=False)
        top = self.index(number * PAGE, 0)
        last = min(self._total, (number + 1) * PAGE) - 1
        if last >= number * PAGE:
            self.dataChanged.emit(top, self.index(last, len(self.columns) - 1))

    def line(self, row: int) -> ItemLine | None:
        """The item of a row; None while its page is on the way, which this asks for."""
        number, offset = divmod(row, PAGE)
        page = self._pages.get(number)
        if page is None:
            if number not in self._asked and 0 <= row < self._total:
                self._asked.add(number)
                self.page_wanted.emit(number)
            return None
        self._pages.move_to_end(number)
        return page[offset] if offset < len(page) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 Qt's own signature
        """All rows of the list, wherever they are."""
        return 0 if parent.isValid() else self._total

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 Qt's own signature
        """Columns of the list."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """Words, alignment, and the ink of the state; everything else is left to the view."""
        if role == _ALIGN:
            return _RIGHT if self.columns[index.column()].number else _LEFT
        if role not in (_DISPLAY, _INK) or not index.isValid():
            return None
        line = self.line(index.row())
        if role == _INK:
            return self._inks.get(line.state) if line and index.column() == _STATE else None
        return "…" if line is None else _words(line, index.column())

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Titles of the columns."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        if role == _DISPLAY:
            return self.columns[section].title
        return (_RIGHT if self.columns[section].number else _LEFT) if role == _ALIGN else None


def _words(line: ItemLine, at: int) -> str:
    if at == 0:
        return str(line.id)
    if at == 1:
        return line.task
    if at == 2:
        return words.word(words.FORMATS, line.format) if line.format else ""
    if at == 3:
        return line.domain
    if at == _STATE:
        return words.word(words.ITEM_STATES, line.state)
    if at == 5:
        return str(line.revision)
    if at == 6:
        return tr("yes") if line.disputed else ""
    return i18n.moment(line.changed_at)
