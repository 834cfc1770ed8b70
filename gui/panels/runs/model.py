"""The runs of a workspace as a list: one entry per run, newest first."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt

from core.i18n import tr
from core.workflow.runs.runs import RunInfo
from gui import i18n, labels
from gui.widgets.elements import tip
from gui.widgets.table_model import Index

RUN_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Role of the ``RunInfo`` itself."""
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)


class RunsModel(QAbstractListModel):
    """Keeps its entries when only their figures change, so that the selection stays."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs: tuple[RunInfo, ...] = ()

    def show_runs(self, runs: Sequence[RunInfo]) -> None:
        """Take the newest figures."""
        if [run.id for run in runs] == [run.id for run in self._runs]:
            changed = [i for i, run in enumerate(runs) if run != self._runs[i]]
            self._runs = tuple(runs)
            for row in changed:
                self.dataChanged.emit(self.index(row), self.index(row))
            return
        self.beginResetModel()
        self._runs = tuple(runs)
        self.endResetModel()

    def run(self, row: int) -> RunInfo | None:
        """The run of a row; None outside of the list."""
        return self._runs[row] if 0 <= row < len(self._runs) else None

    def row_of(self, run_id: str) -> int:
        """The row of a run, -1 where it is not listed."""
        return next((i for i, run in enumerate(self._runs) if run.id == run_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 Qt's own signature
        """How many runs there are."""
        return 0 if parent.isValid() else len(self._runs)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """The run itself, or all its words, which the painting may have to cut."""
        if not index.isValid():
            return None
        run = self._runs[index.row()]
        if role == RUN_ROLE:
            return run
        if role not in (_DISPLAY, _TIP):
            return None
        words = tr("{title}: {state}", title=title(run), state=state(run))
        return tip(words) if role == _TIP else words


def title(run: RunInfo) -> str:
    """Kind and what: ``Evaluate · july · tfidf``."""
    return tr("{kind} · {what}", kind=labels.word(labels.RUN_KINDS, run.kind), what=run.title)


def state(run: RunInfo) -> str:
    """Where a run stands in words, with its speed and the time left; a failed one says why."""
    if run.error and run.state == "failed":
        return tr("failed: {reason}", reason=" ".join(run.error.split()))
    parts = [labels.word(labels.RUN_STATES, run.state)]
    if run.notes.get("budget_reached") and run.state in ("interrupted", "stopped", "prepared"):
        parts = [tr("token budget used up")]
    if run.total:
        parts.append(
            tr("{done} of {total}", done=i18n.number(run.done), total=i18n.number(run.total))
        )
    if run.state == "running":
        if run.speed:
            parts.append(tr("{speed} per second", speed=i18n.number(run.speed, 1)))
        if left := i18n.span(run.seconds_left):
            parts.append(left)
    return " · ".join(parts)
