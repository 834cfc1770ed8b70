"""Many changes in short transactions, for which nobody who decides meanwhile has to wait."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

FEW = 200
"""Things that one transaction may change before it is known how long they take."""
LEAST, MOST = 50, 1000
_KEEPS_WAITING = 0.05  # seconds of a transaction; others decide meanwhile
_GAP = 0.005  # seconds in which whoever waits is given the lock: SQLite has no queue

Thing = TypeVar("Thing")


@dataclass
class ShortSteps:
    """How many things the next transaction is to change, by how long the last one took."""

    size: int = field(default_factory=lambda: min(FEW, MOST))
    _began: float = 0.0

    def begin(self) -> None:
        """The transaction has its locks, and others wait from now on."""
        self._began = time.monotonic()

    def end(self) -> None:
        """The transaction has ended; others go first."""
        taken = max(time.monotonic() - self._began, 0.001)
        self.size = min(MOST, max(LEAST, int(self.size * min(2.0, _KEEPS_WAITING / taken))))
        time.sleep(_GAP)

    def parts(self, things: Sequence[Thing]) -> Iterator[Sequence[Thing]]:
        """Some things after another, each part as large as it should be by then."""
        start = 0
        while part := things[start : start + self.size]:
            start += len(part)
            yield part
