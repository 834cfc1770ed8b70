"""A small table of ready words: a thin adapter over a tuple of rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.widgets.elements import tip

Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, its width in pixels, and whether it holds numbers.

    ``least`` is the width below which what it holds would be cut beyond use; one that is ``short``
    holds words of a fixed list, such as states, which are never cut. A column that is ``private``
    is looked at only: no copy and no file of the table has it.
    """

    title: str
    width: int = 120
    number: bool = False
    least: int = 0
    private: bool = False
    short: bool = False


def width_of(texts: Iterable[str]) -> int:
    """Pixels that a column of these words needs; a Chinese character is two Latin letters."""
    longest = max(
        (sum(2 if letter > "\u2e7f" else 1 for letter in text) for text in texts), default=0
    )
    return min(420, max(110, 8 * longest + 32))


class TableModel(QAbstractTableModel):
    """Rows of ready words. For lists that fit into memory: tasks, coefficients, splits."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._rows: tuple[tuple[str, ...], ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns in use."""
        return self._columns

    def show_rows(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Replace everything."""
        self.beginResetModel()
        self._columns = tuple(columns)
        self._rows = tuple(tuple(row) for row in rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 Qt's own signature
        """Rows of the table; none below a cell."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 Qt's own signature
        """Columns of the table; none below a cell."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """The words of a cell; numbers stand on the right."""
        if role not in (_DISPLAY, _ALIGN, _TIP) or not index.isValid():
            return None
        if role == _ALIGN:
            return _RIGHT if self._columns[index.column()].number else _LEFT
        words = self._rows[index.row()][index.column()]
        return tip(str(words)) if role == _TIP else words

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Titles of the columns; rows have none."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        if role == _DISPLAY:
            return self._columns[section].title
        if role == _ALIGN:
            return _RIGHT if self._columns[section].number else _LEFT
        return None
