"""The way to the server of a workspace: whether it answers, and what waits here until it does."""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from core.errors import ConnectionLostError
from core.workflow.check.adjudicate import Adjudicated
from core.workflow.check.outbox import KeptDecision, Outbox, SendReport
from core.workflow.check.rate import CommittedRatings
from core.workflow.check.review import CommittedDecision
from core.workflow.workspace import Workspace
from gui.tasks import Tasks
from gui.timers import single_shot

_FIRST_MS, _LONGEST_MS = 1_000, 30_000
"""How long after a loss the server is asked again at first, and at most; doubled in between."""
_SPREAD = 0.2
"""Windows that lost one server do not all come back in the same moment."""
Value = TypeVar("Value")
RatedOrKept = CommittedRatings | KeptDecision


class ServerLink(QObject):
    """Of one person on one workspace. A workspace in a file has one that is never lost."""

    lost = Signal()
    """The server does not answer any more."""
    back = Signal(object)
    """It answers again, and what waited was sent: the ``SendReport``."""
    changed = Signal()
    """What waits, or what was refused, is not what it was."""

    def __init__(
        self, ws: Workspace, person: str, tasks: Tasks, probe: Callable[[], Any], parent: QObject
    ) -> None:
        """``probe`` reads something small from the server, on a worker."""
        super().__init__(parent)
        self._ws, self._person, self._tasks, self._probe = ws, person, tasks, probe
        self.is_lost = False
        self._away = False  # the same, known to the workers before the window hears of it
        self.answers = True
        """Whether the server is there while it is lost: it takes nothing, for ``sentence``."""
        self.sentence = ""
        """Why the connection is lost."""
        self.sentences: set[str] = set()
        """Everything that was said of this loss: nobody has to read it for every panel."""
        self.report = SendReport()
        self.keeps = ws.is_server and not ws.is_read_only
        self._delay_ms = _FIRST_MS
        self._sending = False
        self._again = single_shot(self, 0, self.try_now)
        if ws.is_server:
            tasks.lost.connect(self._on_lost)

    @cached_property
    def outbox(self) -> Outbox:
        """The journal on this computer; asked for on a worker, for a keyring may take its time."""
        return Outbox(self._ws, self._person)

    @property
    def waiting(self) -> int:
        """How many decisions wait here to be sent."""
        return len(self.report.waiting)

    def begin(self) -> None:
        """Send what is left from an earlier time."""
        if self.keeps:
            self._send()

    def stop(self) -> None:
        """The window goes: nothing is asked any more."""
        self._again.stop()

    def guarded(self, work: Callable[[], Value]) -> Value:
        """Do some work, on a worker, unless the server is known to be away: what waits in its line
        must not wait for the network again and again."""
        if self._away:
            raise ConnectionLostError(self.sentence)
        try:
            return work()
        except ConnectionLostError as error:
            self.sentence, self._away = str(error), True
            raise

    def decide(self, *decision: Any, **more: Any) -> CommittedDecision | KeptDecision:
        """``Outbox.decide``, on a worker; kept at once while the server is away."""
        return self.outbox.decide(*decision, **more, sending=not self._away)

    def skip(self, number: int, reason: str) -> KeptDecision | None:
        """``Outbox.skip``, on a worker; kept at once while the server is away."""
        return self.outbox.skip(number, reason, sending=not self._away)

    def rate(self, number: int, values: Mapping[str, float], **more: Any) -> RatedOrKept:
        """``Outbox.rate``, on a worker; kept at once while the server is away."""
        return self.outbox.rate(number, values, **more, sending=not self._away)

    def adjudicate(self, number: int, verdict: str, **more: Any) -> Adjudicated | KeptDecision:
        """``Outbox.adjudicate``, on a worker; kept at once while the server is away."""
        return self.outbox.adjudicate(number, verdict, **more, sending=not self._away)

    def keep(self, kept: KeptDecision) -> None:
        """A decision was kept here."""
        self._take(replace(self.report, waiting=(*self.report.waiting, kept)))
        if not self.is_lost:
            self._send()

    def put_away(self, tokens: tuple[str, ...]) -> None:
        """Forget refused decisions that were read."""
        self._tasks.run(self, lambda: self.outbox.put_away(tokens), self._take, write=True)

    def try_now(self) -> None:
        """Ask the server again, at once."""
        self._again.stop()
        if self.is_lost:
            self._tasks.run(
                self, self._probe, self._on_answer, self._on_silence, topic="link",
                lane="background",
            )  # fmt: skip

    def _on_lost(self, sentence: str, answers: bool = False) -> None:
        self.sentences.add(sentence)
        if not self.is_lost:
            self.is_lost, self._away = True, True
            self.sentence, self.answers = sentence, answers
            self._delay_ms = _FIRST_MS
            self._wait()
            self.lost.emit()

    def _on_refused(self, report: SendReport) -> None:
        """The server took nothing of what waits, or is still away."""
        if not self.is_lost:
            self._on_lost(report.trouble, report.answered)
            return
        if (self.sentence, self.answers) != (report.trouble, report.answered):
            self.sentences.add(report.trouble)
            self.sentence, self.answers = report.trouble, report.answered
            self.lost.emit()
        self._wait()

    def _wait(self) -> None:
        spread = random.uniform(1 - _SPREAD, 1 + _SPREAD)
        self._again.start(int(self._delay_ms * spread))
        self._delay_ms = min(2 * self._delay_ms, _LONGEST_MS)

    def _on_silence(self, _sentence: str) -> None:
        self._wait()

    def _on_answer(self, _value: object) -> None:
        if self.keeps:
            self._send()
        else:
            self._come_back()

    def _send(self) -> None:
        if not self._sending:
            self._sending = True
            self._tasks.run(
                self, lambda: self.outbox.send(), self._on_sent, self._on_not_sent, write=True
            )

    def _on_sent(self, report: SendReport) -> None:
        self._sending = False
        self._take(report)
        if report.trouble:
            self._on_refused(report)
        elif self.is_lost:
            self._come_back()
        elif report.sent or report.refused:
            self.back.emit(report)

    def _come_back(self) -> None:
        self.is_lost, self._away, self.sentence, self.answers = False, False, "", True
        self.sentences.clear()
        self.back.emit(self.report)

    def _on_not_sent(self, sentence: str) -> None:
        self._sending = False
        if self.is_lost:
            self._wait()
        else:
            self._tasks.failed.emit(sentence)

    def _take(self, report: SendReport) -> None:
        self.report = report
        self.changed.emit()
