"""What a write changed, told by the kinds of events that it left in the ledger.

A ``ChangeFeed`` is what a window holds: its writes go through ``record``, which says what they
changed, and ``take_news`` says what everybody else changed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeVar, get_args

from core.workflow.workspace import Workspace
from db import ledger
from db.vocabulary import EventKind

Topic = Literal[
    "items", "decisions", "runs", "splits", "people", "benchmarks", "alarms", "public_scores",
    "questions",
]  # fmt: skip
ALL_TOPICS: frozenset[Topic] = frozenset(get_args(Topic))
Value = TypeVar("Value")

_ITEMS: frozenset[Topic] = frozenset({"items"})
_DECISIONS: frozenset[Topic] = frozenset({"items", "decisions"})

TOPICS: Mapping[str, frozenset[Topic]] = {
    EventKind.WORKSPACE_MADE: frozenset(),
    EventKind.WORKSPACE: frozenset({"people"}),
    EventKind.PERSON: frozenset({"people"}),
    EventKind.BENCHMARK: frozenset({"benchmarks"}),
    EventKind.TASK: frozenset({"benchmarks"}),
    EventKind.PROTOCOL: frozenset({"benchmarks", "items"}),
    EventKind.CREATED: _ITEMS,
    EventKind.REVISED: _ITEMS,
    EventKind.SUBMITTED: _ITEMS,
    EventKind.SCREENING_STARTED: _ITEMS,
    EventKind.SCREENED: _ITEMS,
    # who holds an item is shown nowhere
    EventKind.CLAIMED: frozenset(),
    EventKind.SKIPPED: _ITEMS,
    EventKind.DECIDED: _DECISIONS,
    EventKind.RATED: _DECISIONS,
    EventKind.ADJUDICATED: _DECISIONS,
    EventKind.AUDIT_STARTED: _DECISIONS,
    EventKind.AUDIT_DECIDED: _DECISIONS,
    EventKind.AUDIT_ENDED: _DECISIONS,
    EventKind.APPROVED: _ITEMS,
    EventKind.FROZEN: frozenset({"items", "splits"}),
    EventKind.SPLIT: frozenset({"splits"}),
    EventKind.UNDONE: _DECISIONS,
    EventKind.REVEALED: _DECISIONS,
    EventKind.GOLD: _DECISIONS,
    EventKind.RETURNED: _ITEMS,
    # the splits say how often they were evaluated
    EventKind.RUN: frozenset({"runs", "splits"}),
    EventKind.ALARM: frozenset({"alarms"}),
    EventKind.BULK: _DECISIONS,
    EventKind.PUBLIC_SCORES: frozenset({"public_scores"}),
    EventKind.SECOND_LOOK: _ITEMS,
    EventKind.LOOKED_AGAIN: _ITEMS,
    # scores are shown with and without the items that have one
    EventKind.ERRATUM: frozenset({"items", "runs"}),
    # digests of what other events tell of
    EventKind.BOUND: frozenset(),
    EventKind.STATE_FOUND: frozenset(),
    EventKind.READING: frozenset({"splits"}),
    EventKind.ASKED: frozenset({"questions"}),
    EventKind.ANSWERED: frozenset({"questions"}),
    EventKind.UNSURE: frozenset({"questions"}),
    # what lay hidden until an import was whole
    EventKind.IMPORTED: _ITEMS,
}
"""The topics that an event of each kind concerns: who shows one of them reads again."""


def topics_of(kinds: set[str]) -> frozenset[Topic]:
    """The topics that events of these kinds concern; all of them for a kind of a newer program."""
    return frozenset(topic for kind in kinds for topic in TOPICS.get(kind, ALL_TOPICS))


@dataclass(slots=True)
class ChangeRecord:
    """What one piece of work changed, over all of its transactions."""

    topics: frozenset[Topic] = frozenset()


class ChangeFeed:
    """The changes of one workspace, as one window sees them. Thread-safe."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._lock = Lock()
        self._tip = -1
        self._ranges: list[tuple[int, int]] = []
        self._news: frozenset[Topic] = frozenset()

    def record(self, work: Callable[[], Value], record: ChangeRecord) -> Value:
        """Do ``work`` and note in ``record`` what it changed, also where it fails on the way."""
        with self._ws.recording() as entries:
            try:
                return work()
            finally:
                record.topics = topics_of({kind for entry in entries for kind in entry.kinds})
                with self._lock:
                    self._ranges += [(entry.first, entry.last) for entry in entries if entry.first]

    def read(self) -> None:
        """Read what others wrote into the ledger since the last call; the first begins there."""
        with self._lock:
            since, ranges = self._tip, list(self._ranges)
        with self._ws.reading() as session:
            tip = ledger.tip(session)
            kinds: set[str] = set()
            if 0 <= since < tip:
                kinds = ledger.kinds_between(session, since, tip, ranges)
        with self._lock:
            self._tip = max(self._tip, tip)
            self._ranges = [span for span in self._ranges if span[1] > self._tip]
            self._news |= topics_of(kinds)

    @property
    def tip(self) -> int:
        """Number of the newest event that was read; -1 before the first reading."""
        with self._lock:
            return self._tip

    def take_news(self) -> frozenset[Topic]:
        """What others changed, by what was read; it is told once."""
        with self._lock:
            news, self._news = self._news, frozenset()
        return news
