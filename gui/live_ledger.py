"""Changes of a workspace as they happen: the server tells, where it can; else somebody has to ask.

The connection is made on a worker; from then on its socket is watched by the window's own loop, so
that listening needs no thread and nothing waits.
"""

import time
from threading import Lock

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from core.workflow.workspace import LedgerListener, Workspace
from gui.tasks import Tasks

_POLL_MS, _POLL_WITH_NOTICES_MS = 2_500, 15_000
"""How often a workspace is asked: where nobody tells of changes, and where the server does."""
_COALESCE_MS = 60
"""What one person does makes several events; they are looked at once."""
_MISSED_BEFORE_POLLING = 2
"""So many changes without a notice, and what stands in between passes none on."""


class LiveLedger(QObject):
    """Says when to look at a workspace: at once after a change, and not more often than every
    2.5 seconds while there are many; now and then where nothing is heard."""

    moved = Signal()
    """The ledger has moved, by a notice of the server."""
    due = Signal()
    """It is time to look."""

    def __init__(self, ws: Workspace, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._ws, self._tasks = ws, tasks
        self._listener: LedgerListener | None = None
        self._made: LedgerListener | None = None
        """Made by a worker and not watched yet: a window that goes meanwhile is told of nothing."""
        self._lock = Lock()
        self._notifier: QSocketNotifier | None = None
        self._missed = 0
        self._tip = -1
        self._heard = False
        self._stopped = True
        self._busy = False
        self._looked = 0.0
        self._regular = self._timer(single=False)
        self._soon = self._timer(single=True)

    def _timer(self, *, single: bool) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(single)
        timer.timeout.connect(self._look)
        return timer

    @property
    def listens(self) -> bool:
        """Whether the server tells of changes."""
        return self._notifier is not None

    def start(self) -> None:
        """Begin to look, and to listen where the server can tell."""
        self._stopped = False
        self._regular.start(_POLL_MS)
        self.listen()

    def listen(self, _report: object = None) -> None:
        """Listen, or again after a loss; nothing where the workspace tells nothing."""
        if self._ws.has_logins and not self.listens and not self._stopped:
            self._tasks.run(
                self, self._make, self._on_listener, _nothing, topic="listen", lane="background",
            )  # fmt: skip

    def _make(self) -> None:
        listener = self._ws.listen()
        with self._lock:
            if not self._stopped and self._made is None:
                self._made = listener
                return
        listener.close()

    def _taken(self) -> LedgerListener | None:
        """What a worker has made, once."""
        with self._lock:
            made, self._made = self._made, None
        return made

    def stop(self) -> None:
        """The window goes."""
        self._stopped = True
        made = self._taken()
        if made is not None:
            made.close()
        self._regular.stop()
        self._soon.stop()
        self._disconnect()

    def looked(self, tip: int, busy: bool) -> None:
        """A look found the ledger at ``tip``; with ``busy`` something goes on that no event tells
        of, such as a run, and is asked for as often as without a listener."""
        missed = self._tip >= 0 and tip > self._tip and not self._heard
        self._missed = self._missed + 1 if missed and self.listens else 0
        self._tip, self._heard, self._busy = tip, False, busy
        if self._missed >= _MISSED_BEFORE_POLLING:
            self._disconnect()
        self._pace()

    def _pace(self) -> None:
        wanted = _POLL_WITH_NOTICES_MS if self.listens and not self._busy else _POLL_MS
        if not self._stopped and self._regular.interval() != wanted:
            self._regular.start(wanted)

    def _look(self) -> None:
        self._looked = time.monotonic()
        self.due.emit()

    def _on_listener(self, _made: None) -> None:
        listener = self._taken()
        if listener is None:
            return
        if self.listens:
            listener.close()
            return
        self._listener = listener
        self._notifier = QSocketNotifier(listener.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_ready)
        self._pace()

    def _on_ready(self) -> None:
        if self._listener is None:
            return
        try:
            count = self._listener.take()
        except OSError:
            self._disconnect()
            self._look()  # which finds out whether the server is away
            return
        if count:
            self._heard = True
            self.moved.emit()
            if not self._soon.isActive():
                rest_ms = _POLL_MS - int((time.monotonic() - self._looked) * 1000)
                self._soon.start(max(_COALESCE_MS, rest_ms))

    def _disconnect(self) -> None:
        notifier, self._notifier = self._notifier, None
        listener, self._listener = self._listener, None
        if notifier is not None:
            notifier.setEnabled(False)
            notifier.deleteLater()
        if listener is not None:
            listener.close()
        self._pace()


def _nothing(_value: object) -> None:
    """Where nothing can be heard, it is asked."""
