"""Watching the ledger: dashboards in front are told within a second that something changed."""

from importlib import import_module

from PySide6.QtCore import QObject, QTimer, Signal

from core.workflow.dashboards import DASHBOARDS
from core.workflow.dashboards.judgements import JudgementBook
from gui.context import WindowContext
from gui.timers import single_shot

BEAT_MS = 800
_QUIET_BEATS = 10
"""Where the server tells of changes, every so many beats are asked all the same."""
_REST_MS = 1500
_LATER = (
    "pyqtgraph",
    *(f"core.workflow.dashboards.{name}" for name in DASHBOARDS),
    "core.agreement.rater_pairs",
    "core.agreement.influence",
    "core.agreement.compute",
    "core.workflow.evaluation.compare_runs",
    "core.workflow.evaluation.plan",
    "core.workflow.evaluation.start",
    "core.workflow.evaluation.judging",
    "core.workflow.evaluation.task_metrics",
    "pynvml",
)
"""What dashboards and the places of models import; nobody has to wait for it."""


def _import_later() -> None:
    for name in _LATER:
        import_module(name)


class LedgerWatch(QObject):
    """Reads what dashboards show, once for all of them, while one is in front."""

    moved = Signal(object)
    """Number of the newest event, when it is another than before; also the first that is seen."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.book = JudgementBook(context.workspace)
        self._context = context
        self._tip = -1
        self._asking = False
        self._told = True  # what is true now is read first
        self._quiet = 0
        self._watchers: set[int] = set()
        self._rest = single_shot(self, _REST_MS, self._warm)
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._ask)
        context.live.moved.connect(self._on_moved)

    @staticmethod
    def of(context: WindowContext) -> "LedgerWatch":
        """The one watch of a window, made when it is first asked for."""
        watch = context.findChild(LedgerWatch)
        return watch if watch is not None else LedgerWatch(context)

    def begin(self, watcher: QObject) -> None:
        """A dashboard came to the front, or is about to be read again."""
        self._wait_longer()
        self._watchers.add(id(watcher))
        if not self._timer.isActive():
            self._timer.start()

    def end(self, watcher: QObject) -> None:
        """A dashboard is not seen any more."""
        self._watchers.discard(id(watcher))
        if not self._watchers:
            self._timer.stop()

    def warm_soon(self) -> None:
        """Import what dashboards need once nothing was written or drawn for a while.

        An import holds the interpreter: somebody who decides item after item would feel it, and
        so would who looks at a dashboard that is being drawn.
        """
        self._context.tasks.writing.connect(self._wait_longer)
        self._rest.start()

    def _wait_longer(self) -> None:
        if self._rest.isActive():
            self._rest.start()

    def _warm(self) -> None:
        """Import in the background what dashboards need."""
        self._context.ask(self, _import_later, self._on_warm, self._on_lost, lane="background")

    def _on_warm(self, _nothing: None) -> None:
        """Nothing is shown of it."""

    def _on_moved(self) -> None:
        """The server says that there is something new: it is looked at with the next beat."""
        self._told = True

    def _ask(self) -> None:
        self._quiet = 0 if self._told else self._quiet + 1
        told, self._told = self._told, False
        if self._context.live.listens and not told and self._quiet % _QUIET_BEATS:
            return
        if not self._asking:
            self._asking = True
            self._context.ask(self, self.book.newest, self._on_tip, self._on_lost)

    def _on_tip(self, tip: int) -> None:
        self._asking = False
        before, self._tip = self._tip, tip
        if before != tip:
            self.moved.emit(tip)

    def _on_lost(self, _sentence: str) -> None:
        """The status line says that the connection is lost; here it is only tried again."""
        self._asking = False
