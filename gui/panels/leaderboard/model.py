"""Models by domain, format or category: numbers that sort, with what colours and explains them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from core.i18n import joined_clauses, printed, printed_bounds, tr, trn
from gui import i18n
from gui.widgets.elements import tip
from gui.widgets.table_model import Index

if TYPE_CHECKING:
    from core.analysis.rugged_table import ScoreWithInterval
    from core.workflow.analysis.leaderboard import Leaderboard
    from core.workflow.analysis.leaderboard_figures import LeaderRow, ScoreShare

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)
_SPOKEN = int(Qt.ItemDataRole.AccessibleTextRole)
SHADE = int(Qt.ItemDataRole.UserRole) + 1
"""How deep a cell is shaded, 0…1 from the lowest to the highest accuracy; None for no shade."""
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, slots=True)
class LeaderboardCell:
    """One cell: its words, what it says in full, what it sorts by, and its shade."""

    text: str
    description: str
    key: float | str | None
    shade: float | None = None


@dataclass(frozen=True, slots=True)
class LeaderboardTable:
    """Titles of the columns and the cells of every model, as ``laid_out`` makes them."""

    titles: tuple[str, ...]
    rows: tuple[tuple["LeaderRow", tuple[LeaderboardCell, ...]], ...]


def laid_out(leaderboard: "Leaderboard", name: Callable[[str], str]) -> LeaderboardTable:
    """The table of a leaderboard; ``name`` says a domain, format or category in words.

    Takes tens of milliseconds for forty models: asked of a worker, not of the window's thread.
    """
    columns = tuple(name(part) for part in leaderboard.columns)
    titles = (tr("Model"), tr("All"), *columns, "RS I", "RS II", tr("Missing"),
              tr("Seen before"))  # fmt: skip
    low, high = _bounds(leaderboard.rows)
    rows = tuple((row, _cells(row, titles, low, high - low)) for row in leaderboard.rows)
    return LeaderboardTable(titles, rows)


class LeaderboardModel(QAbstractTableModel):
    """The first column is the model; a descending sort is what a first click on a number asks."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.titles: tuple[str, ...] = ()
        self._sorted = (0, Qt.SortOrder.AscendingOrder)
        self._rows: list[tuple[LeaderRow, tuple[LeaderboardCell, ...]]] = []

    def show_table(self, table: LeaderboardTable) -> None:
        """Show another leaderboard."""
        self.beginResetModel()
        self.titles, self._rows = table.titles, list(table.rows)
        self.endResetModel()

    def widest(self, column: int) -> str:
        """The longest words of a column."""
        return max((cells[column].text for _, cells in self._rows), key=len, default="")

    def row_at(self, place: int) -> "LeaderRow":
        """The model in a row, as it is sorted now."""
        return self._rows[place][0]

    def cell(self, place: int, column: int) -> LeaderboardCell:
        """One cell, as the rows are sorted now."""
        return self._rows[place][1][column]

    def rowCount(self, parent: Index | None = None) -> int:
        """Models."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Model, all, parts, rugged scores, missing, seen before."""
        return 0 if parent is not None and parent.isValid() else len(self.titles)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """The words of a cell, its full sentence, or its shade."""
        if role not in (_DISPLAY, _ALIGN, _TIP, _SPOKEN, SHADE) or not index.isValid():
            return None
        if role == _ALIGN:
            return _RIGHT if index.column() else _LEFT
        cell = self._rows[index.row()][1][index.column()]
        if role == SHADE:
            return cell.shade
        if role == _DISPLAY:
            return cell.text
        return tip(cell.description) if role == _TIP else cell.description

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Titles of the columns; rows have none."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.titles):
            return None
        if role == _TIP:
            return tip(self.titles[section])
        if role == _DISPLAY:
            arrow = "▴" if self._sorted[1] == Qt.SortOrder.AscendingOrder else "▾"
            return (
                f"{self.titles[section]} {arrow}"
                if section == self._sorted[0]
                else (self.titles[section])
            )
        return (_RIGHT if section else _LEFT) if role == _ALIGN else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; what has no value stays at the end either way."""
        if not 0 <= column < len(self.titles):
            return
        self.layoutAboutToBeChanged.emit()
        known = [row for row in self._rows if row[1][column].key is not None]
        rest = [row for row in self._rows if row[1][column].key is None]
        known.sort(
            key=lambda row: row[1][column].key,  # type: ignore[arg-type,return-value]  # alike
            reverse=order == Qt.SortOrder.DescendingOrder,
        )
        self._rows = known + rest
        self._sorted = (column, order)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.titles) - 1)


def _bounds(rows: "Sequence[LeaderRow]") -> tuple[float, float]:
    """The lowest and the highest accuracy of all cells."""
    shares = [
        share.value
        for row in rows
        for share in (row.total, *row.parts)
        if share is not None and share.value is not None
    ]
    return (min(shares), max(shares)) if shares else (0.0, 1.0)


def _cells(
    row: "LeaderRow", titles: Sequence[str], low: float, span: float
) -> tuple[LeaderboardCell, ...]:
    shares = [
        _share_cell(row.model, title, share, low, span)
        for title, share in zip(titles[1:], (row.total, *row.parts), strict=False)
    ]
    sentence = trn(
        "{model}: 1 item has no answer.",
        "{model}: {n} items have no answer.",
        row.missing,
        model=row.model,
    )
    return (
        LeaderboardCell(row.model, row.model, row.model.casefold()),
        *shares,
        _score_cell(row.model, "RS I", row.rs1, 1),
        _score_cell(row.model, "RS II", row.rs2, 100),
        LeaderboardCell(i18n.number(row.missing), sentence, float(row.missing)),
        _seen_cell(row),
    )


def _seen_cell(row: "LeaderRow") -> LeaderboardCell:
    """How many items the model's provider had been sent before, of how many."""
    if row.seen is None:
        sentence = tr("{a}: {reason}", a=row.model, reason=tr("no model was asked"))
        return LeaderboardCell("–", sentence, None)
    count = f"{i18n.number(row.seen.seen)}/{i18n.number(row.seen.items)}"
    sentence = tr("{a}: {reason}", a=row.model, reason=row.seen.sentence())
    return LeaderboardCell(count, sentence, float(row.seen.seen))


def _share_cell(
    model: str, title: str, share: "ScoreShare | None", low: float, span: float
) -> LeaderboardCell:
    if share is None or share.value is None:
        reason = tr("not asked") if share is None else tr("no items answered")
        sentence = tr("{model}, {part}: {value}", model=model, part=title, value=reason)
        return LeaderboardCell("–", sentence, None)
    from core.workflow.analysis.leaderboard_figures import in_percent

    value = i18n.number(100 * share.value, 1)
    interval = _bounds_text(share.low, share.high, 100, 1)
    facts = [in_percent(share)]
    if share.error is not None:
        facts.append(tr("standard error {error}", error=f"{100 * share.error:.1f}"))
    facts.append(f"n = {i18n.number(share.n)}")
    if share.caution:
        facts.append(share.caution)
    sentence = tr("{model}, {part}: {value}", model=model, part=title,
                  value=joined_clauses(facts))  # fmt: skip
    shade = (share.value - low) / span if span > 0 else 0.5
    return LeaderboardCell(f"{value} {interval}".rstrip(), sentence, share.value, shade)


def _score_cell(model: str, title: str, score: "ScoreWithInterval", factor: int) -> LeaderboardCell:
    if score.value is None:
        reason = score.reason or "–"
        sentence = tr("{model}, {part}: {value}", model=model, part=title, value=reason)
        return LeaderboardCell("–", sentence, None)
    value = printed(factor * score.value, 2)
    interval = _bounds_text(score.low, score.high, factor, 2)
    sentence = tr("{model}, {part}: {value} {interval}", model=model, part=title, value=value,
              interval=interval or score.interval_reason or "")  # fmt: skip
    return LeaderboardCell(f"{value} {interval}".rstrip(), sentence, score.value)


def _bounds_text(low: float | None, high: float | None, factor: int, digits: int) -> str:
    """``[37.1, 45.3]`` as every printed table has it; nothing without an interval."""
    if low is None or high is None:
        return ""
    return printed_bounds(factor * low, factor * high, digits)
