"""The only place with threads: work leaves the window's thread here and its result comes back here.

Two lanes. ``database`` has one worker, so what a person does is written in the order in which they
did it; ``background`` has two, for reads that may take long and must not hold a decision up.
What a worker does, and what came of it, stand in a request that the window's thread holds: nothing
that may lead to an object of Qt is let go on another thread, for Qt may be looking at it just then.
Only a number crosses, through one queued signal. For the same reason Python's collector runs on the
window's thread alone: see ``gui.garbage``.
"""

import itertools
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from core.errors import BenchsealError, ConnectionLostError, InputError, StandsAlreadyError
from core.i18n import system_refusal, tr
from gui.garbage import GarbageCollector

Lane = Literal["database", "background"]
_WORKERS: dict[Lane, int] = {"database": 1, "background": 2}
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a worker brought back: a value, or the error that it ended with."""

    value: Any = None
    error: Exception | None = None


@dataclass(slots=True)
class _Request:
    owner: QObject
    work: Callable[[], Any]
    done: Callable[[Any], None]
    failed: Callable[[str], None] | None
    topic: tuple[int, str] | None
    write: bool
    landed: Callable[[], None] | None
    outcome: Outcome = Outcome()


class Tasks(QObject):
    """Runs work off the window's thread. ``close`` ends it in stages."""

    failed = Signal(object)
    """A sentence for people, of work whose owner has no handler of its own."""
    lost = Signal(object)
    """The server of a workspace did not answer to some work: its sentence, before ``failed``."""
    writing = Signal()
    """A write begins."""
    settled = Signal(object)
    """No write is under way any more: empty when all are on disk, else why one is not."""

    delivered = Signal()
    """What somebody asked for has come, and they were given it."""

    _finished = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._requests: dict[int, _Request] = {}
        self._newest: dict[tuple[int, str], int] = {}
        self._futures: set[Future[None]] = set()
        self._writes = 0
        self._unwritten = ""
        self._closing = False
        self._lanes = {
            lane: ThreadPoolExecutor(count, thread_name_prefix=f"benchseal-{lane}")
            for lane, count in _WORKERS.items()
        }
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        owner: QObject,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None] | None = None,
        *,
        topic: str = "",
        lane: Lane = "database",
        write: bool = False,
        landed: Callable[[], None] | None = None,
    ) -> None:
        """Do ``work`` on a worker, then call ``done(value)`` or ``failed(sentence)`` here.

        Neither is called when ``owner`` is gone by then. Of several requests of one owner with one
        ``topic`` only the newest is answered. A ``write`` is always answered, and is finished
        before the window ends. ``landed`` is called first, whoever is gone and however the work
        ended. Nothing is accepted once ``close`` was called.
        """
        if self._closing:
            return
        number = next(self._numbers)
        key = (id(owner), topic) if topic and not write else None
        if key:
            self._newest[key] = number
        self._requests[number] = _Request(owner, work, done, failed, key, write, landed)
        if write:
            GarbageCollector.put_off()
            self._writes += 1
            self.writing.emit()
        future = self._lanes[lane].submit(self._work, number)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)

    def _work(self, number: int) -> None:
        request = self._requests.get(number)
        if request is None or (self._closing and not request.write):
            return
        request.outcome = _outcome(request.work)
        del request  # before the window can let go of it
        self._finished.emit(number)

    def _deliver(self, number: int) -> None:
        request = self._requests.pop(number, None)
        if request is None:
            return
        outcome = request.outcome
        if request.write:
            self._writes -= 1
        if request.landed is not None:
            request.landed()
        wanted = self._wanted(number, request)
        if outcome.error is not None:
            sentence = explain(outcome.error)
            if isinstance(outcome.error, ConnectionLostError):
                self.lost.emit(sentence)
            if isinstance(outcome.error, StandsAlreadyError):
                sentence = StandingSentence(sentence)
            elif request.write and not isinstance(outcome.error, InputError):
                # what cannot be used is said where it was typed, and stays there
                self._unwritten = sentence
            self._say(sentence, request, wanted)
        elif wanted:
            request.done(outcome.value)
        if request.write and not self._writes:
            unwritten, self._unwritten = self._unwritten, ""
            self.settled.emit(unwritten)
        self.delivered.emit()

    def _wanted(self, number: int, request: _Request) -> bool:
        if request.topic is not None:
            if self._newest.get(request.topic) != number:
                return False
            del self._newest[request.topic]
        return isValid(request.owner)

    def _say(self, sentence: str, request: _Request, wanted: bool) -> None:
        if wanted and request.failed is not None:
            request.failed(sentence)
        elif wanted or request.write:
            self.failed.emit(sentence)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._requests)

    @property
    def is_writing(self) -> bool:
        """Whether a write is under way."""
        return self._writes > 0

    def close(self, limit: float = 10.0) -> bool:
        """End in stages: refuse new work, drop reads, finish writes within ``limit`` seconds.

        Returns whether every write was finished. A decision that was acknowledged is on disk
        already, whatever this says.
        """
        self._closing = True
        pending = set(self._futures)
        waited = wait(pending, timeout=limit)
        for lane in self._lanes.values():
            lane.shutdown(wait=False, cancel_futures=True)
        self._requests.clear()
        self._newest.clear()
        return not waited.not_done


def _outcome(work: Callable[[], Any]) -> Outcome:
    try:
        return Outcome(value=work())
    except Exception as error:  # crosses to the window, which says it
        return Outcome(error=error)


class StandingSentence(str):
    """What was not written because it stands already, by oneself: nothing went wrong."""

    __slots__ = ()


def explain(error: Exception) -> str:
    """An error as a sentence for people; one that we did not foresee also goes to the log."""
    if isinstance(error, BenchsealError):
        return str(error)
    if isinstance(error, OSError):
        _LOG.warning("the operating system refused the window's work", exc_info=error)
        return system_refusal(error)
    _LOG.error("unforeseen error in the window's work", exc_info=error)
    return tr(
        "Benchseal met an unexpected error ({kind}: {reason}). Your saved work is safe. Try "
        "again, and report the error if it happens again.",
        kind=type(error).__name__,
        reason=error,
    )
