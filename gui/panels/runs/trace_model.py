"""The items of a rewriting run as a table: where each journey ended, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from core.i18n import tr
from core.rewriting.run_progress import FinishedItem
from core.rewriting.step_labels import outcome_text, reason_text, step_text
from gui.widgets.elements import tip
from gui.widgets.table_model import Index

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)
ITEM_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Role of the ``FinishedItem`` itself."""
WIDTHS = (205, 100, 215, 74, 60)


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which items are listed: those of an outcome, of a step at which they ended, with words."""

    outcome: str = ""
    step: str = ""
    reason: str = ""
    words: str = ""

    def takes(self, line: FinishedItem) -> bool:
        """Whether an item is listed."""
        if self.outcome and line.outcome != self.outcome:
            return False
        if self.step and (line.step != self.step or line.outcome == "accepted"):
            return False
        if self.reason and line.reason != self.reason:
            return False
        wanted = self.words.casefold()
        return not wanted or wanted in line.id.casefold() or wanted in line.text.casefold()


class TraceModel(QAbstractTableModel):
    """Grows while the run goes on, so that what is chosen stays chosen."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[FinishedItem, ...] = ()
        self._shown: list[FinishedItem] = []
        self.narrowed = TraceFilter()

    def show_items(self, items: Sequence[FinishedItem]) -> None:
        """Take the items of a run; of the run that is shown, only the new ones are put in."""
        before, self._all = self._all, tuple(items)
        if before and self._all[: len(before)] == before:
            new = [line for line in self._all[len(before) :] if self.narrowed.takes(line)]
            if new:
                first = len(self._shown)
                self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
                self._shown += new
                self.endInsertRows()
            return
        self._begin()

    def narrow(self, narrowed: TraceFilter) -> None:
        """List other items."""
        self.narrowed = narrowed
        self._begin()

    def _begin(self) -> None:
        self.beginResetModel()
        self._shown = [line for line in self._all if self.narrowed.takes(line)]
        self.endResetModel()

    def line(self, row: int) -> FinishedItem | None:
        """The item of a row; None outside of the list."""
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 Qt's own signature
        """Items that are listed."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 Qt's own signature
        """Text, outcome, where and why it ended, rounds, label."""
        return 0 if parent.isValid() else len(WIDTHS)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """The words of a cell."""
        if role not in (_DISPLAY, _TIP, ITEM_ROLE) or not index.isValid():
            return None
        line = self._shown[index.row()]
        if role == ITEM_ROLE:
            return line
        words = _cell(line, index.column())
        return tip(words) if role == _TIP else words

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Titles of the columns; rows have none."""
        if orientation != Qt.Orientation.Horizontal or role != _DISPLAY:
            return None
        titles = (tr("Text"), tr("Outcome"), tr("Ended at"), tr("Rounds"), tr("Label"))
        return titles[section] if 0 <= section < len(titles) else None


def _cell(line: FinishedItem, column: int) -> str:
    match column:
        case 0:
            return line.text
        case 1:
            return outcome_text(line.outcome)
        case 2:
            return _why(line)
        case 3:
            return str(line.rounds) if line.rounds else ""
    return line.label


def _why(line: FinishedItem) -> str:
    if not line.reason:
        return ""
    return tr("{step}: {reason}", step=step_text(line.step), reason=reason_text(line.reason))
