"""Many changes in short transactions, for which nobody who decides meanwhile has to wait."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

FEW = 200
"""Things that one transaction may change before it is known how long they take."""
LEAST, MOST = 50, 1000
_KEEPS_WAITING = 0.05  # seconds of a transaction; others decide meanwhile
_ALONE = 0.25  # processor seconds of one where nobody else has written, up to so many times MOST:
_TIMES_ALONE = 6  # what is written at once is written for half the work
_GAP = 0.005  # seconds in which whoever waits is given the lock: SQLite has no queue

Thing = TypeVar("Thing")


@dataclass
class ShortSteps:
    """How many things the next transaction is to change, by how long the last one took.

    Who says with each what the ledger's newest event was before and after it is found to be alone
    where nobody writes between two: then they grow longer, until somebody does for the first time.
    """

    size: int = field(default_factory=lambda: min(FEW, MOST))
    most: int = field(default_factory=lambda: MOST)
    keeps_waiting: float = _KEEPS_WAITING
    others: bool = False
    """Whether somebody else is at work."""
    _began: float = 0.0
    _worked: float = 0.0
    _newest: int | None = None

    def begin(self) -> None:
        """The transaction has its locks, and others wait from now on."""
        self._began, self._worked = time.monotonic(), time.thread_time()

    def end(self, before: int | None = None, after: int | None = None) -> None:
        """The transaction has ended, ``before`` and ``after`` which the ledger's newest event was
        of these numbers; others go first."""
        self.others |= before is None or before != (self._newest or before)
        if self.others or self._newest is None:
            taken, least, most = time.monotonic() - self._began, self.keeps_waiting, self.most
        else:
            taken, least = time.thread_time() - self._worked, _ALONE
            most = _TIMES_ALONE * self.most
        self._newest = after
        wanted = int(self.size * min(2.0, least / max(taken, 0.001)))
        self.size = min(most, max(LEAST, wanted))
        time.sleep(_GAP)

    def parts(self, things: Iterable[Thing]) -> Iterator[list[Thing]]:
        """Some things after another, each part as large as it should be by then."""
        given = iter(things)
        while part := list(islice(given, self.size)):
            yield part
