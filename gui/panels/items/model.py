"""The items as a model of pages: rows are read as they come into sight."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QBrush, QColor

from core.i18n import tr
from core.workflow.items.search import ItemLine
from gui import i18n, labels
from gui.theme import Tokens
from gui.widgets.table_model import Column, Index

PAGE = 200
"""Rows of one page."""
KEPT = 40
"""Pages that are remembered; the ones seen longest ago are forgotten first."""

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_INK = int(Qt.ItemDataRole.ForegroundRole)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter

COLUMNS = (
    "number", "benchmark", "task", "family", "format", "domain", "label", "state", "revision",
    "disputed", "changed", "text",
)  # fmt: skip
"""Ids of the columns, in their order."""
USUAL = ("number", "text", "task", "state", "changed")
"""The columns that are shown until a person chooses: with one more, few words of the text have room
in a window of 1280 pixels."""
_STATE = COLUMNS.index("state")
_TEXT = COLUMNS.index("text")  # the last one


def columns() -> tuple[Column, ...]:
    """The columns of the list, in the language in use."""
    return (
        Column(tr("Number"), 92, number=True),
        Column(tr("Benchmark"), 120),
        Column(tr("Task"), 158),
        Column(tr("Family"), 98, short=True),
        Column(tr("Format"), 98, short=True),
        Column(tr("Domain"), 76),
        Column(tr("Label"), 90),
        Column(tr("State"), 100, short=True),
        Column(tr("Revision"), 84, number=True),
        Column(tr("Disputed"), 86, short=True),
        Column(tr("Changed"), 110, short=True),
        Column(tr("Text"), 300, least=96, private=True),
    )


class ItemsModel(QAbstractTableModel):
    """A table over pages that others fetch: ``page_wanted`` asks, ``take_page`` answers."""

    page_wanted = Signal(object)
    """Number of a page that is in sight and not here."""
    moved = Signal()
    """Rows that were shown hold other items now."""

    def __init__(self, colours: Tokens, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns()
        self._inks = {
            state: QBrush(
                QColor({**colours.inks, "return": colours.returned}[labels.ink_of(state)])
            )
            for state in labels.ITEM_STATES
        }
        self._total = 0
        self._pages: OrderedDict[int, tuple[ItemLine, ...]] = OrderedDict()
        self._asked: set[int] = set()
        self._old: set[int] = set()

    def start(self, total: int, first: Sequence[ItemLine]) -> None:
        """Begin a new list of ``total`` rows, of which the first page is here."""
        self.beginResetModel()
        self._total = total
        self._pages = OrderedDict({0: tuple(first)})
        self._asked, self._old = set(), set()
        self.endResetModel()

    def renew(self, total: int) -> None:
        """The same list, read again: what is in sight stays until it comes again."""
        self._asked, self._old = set(), set(self._pages)
        self.resize(total)
        if total:
            last = self.index(total - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def resize(self, total: int) -> None:
        """The list is longer or shorter than was known."""
        if total > self._total:
            self.beginInsertRows(QModelIndex(), self._total, total - 1)
            self._total = total
            self.endInsertRows()
        elif total < self._total:
            self.beginRemoveRows(QModelIndex(), total, self._total - 1)
            self._total = total
            self.endRemoveRows()

    def forget_wish(self, number: int) -> None:
        """A page that was asked for is not in sight any more; it may be asked for again."""
        self._asked.discard(number)

    def take_page(self, number: int, rows: Sequence[ItemLine]) -> None:
        """A page that was asked for has come."""
        before = self._pages.get(number, ())
        other = any(a.id != b.id for a, b in zip(before, rows, strict=False))
        self._asked.discard(number)
        self._old.discard(number)
        self._pages[number] = tuple(rows)
        while len(self._pages) > KEPT:
            self._pages.popitem(last=False)
        top = self.index(number * PAGE, 0)
        last = min(self._total, (number + 1) * PAGE) - 1
        if last >= number * PAGE:
            self.dataChanged.emit(top, self.index(last, len(self.columns) - 1))
        if other:
            self.moved.emit()

    def line(self, row: int) -> ItemLine | None:
        """The item of a row; None while its page is on the way, which this asks for."""
        number, offset = divmod(row, PAGE)
        page = self._pages.get(number)
        if (page is None or number in self._old) and number not in self._asked:
            if not 0 <= row < self._total:
                return None
            self._asked.add(number)
            self.page_wanted.emit(number)
        if page is None:
            return None
        self._pages.move_to_end(number)
        return page[offset] if offset < len(page) else None

    def known(self, first: int, last: int) -> list[int] | None:
        """Numbers of the items of these rows; None where not all of them are here."""
        numbers = []
        for row in range(first, last + 1):
            page = self._pages.get(row // PAGE, ())
            if row % PAGE >= len(page):
                return None
            numbers.append(page[row % PAGE].id)
        return numbers

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
        return "…" if line is None else _WORDS[index.column()](line)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Titles of the columns."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        if role == _DISPLAY:
            return self.columns[section].title
        return (_RIGHT if self.columns[section].number else _LEFT) if role == _ALIGN else None


def _format(line: ItemLine) -> str:
    return labels.word(labels.FORMATS, line.format) if line.format else ""


_WORDS: tuple[Callable[[ItemLine], str], ...] = (
    lambda line: str(line.id),
    lambda line: line.benchmark,
    lambda line: line.task,
    lambda line: labels.word(labels.FAMILIES, line.family),
    _format,
    lambda line: line.domain,
    lambda line: line.label,
    lambda line: labels.word(labels.ITEM_STATES, line.state),
    lambda line: str(line.revision),
    lambda line: tr("yes") if line.disputed else "",
    lambda line: i18n.moment(line.changed_at),
    lambda line: line.text,
)
"""What each column says of an item."""


def cells_of(line: ItemLine) -> tuple[str | int, ...]:
    """The cells of an item for a file, without its text: numbers as numbers, the moment with its
    date."""
    words = [write(line) for write in _WORDS[:_TEXT]]
    cells: list[str | int] = list(words)
    cells[COLUMNS.index("number")], cells[COLUMNS.index("revision")] = line.id, line.revision
    cells[COLUMNS.index("changed")] = line.changed_at.isoformat(timespec="seconds")
    return tuple(cells)
