"""Counts over all items, made once for as long as nobody commits anything.

A count of a million items takes a quarter of a second of processor time, and a window that opens
asks for the same one in three places at once.
"""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

from db.session import Session

COUNTS = "counts"
"""Where a session that only reads has the counts of its workspace, in ``Session.info``."""
_Value = TypeVar("_Value")


class _Entry:
    def __init__(self) -> None:
        self.lock = Lock()
        self.values: list[Any] = []


class CountMemo:
    """What was counted in a database, by its version (``CommitWatch``). For any thread: who asks
    for what is being counted waits for it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._newest = -1
        self._entries: dict[Hashable, _Entry] = {}

    def of(self, version: int) -> "CountsOfVersion":
        """The counts for a session that sees nothing older than this version."""
        with self._lock:
            if version > self._newest:
                self._newest, self._entries = version, {}
            return CountsOfVersion(self._entries if version == self._newest else {})


class CountsOfVersion:
    """The counts of one version. A commit between the look at the version and the first statement
    of a session is counted already, and nobody asks for this version any more."""

    def __init__(self, entries: dict[Hashable, _Entry]) -> None:
        self._entries = entries

    def value(self, key: Hashable, count: Callable[[], _Value]) -> _Value:
        """What ``count`` gives for a key."""
        entry = self._entries.setdefault(key, _Entry())
        with entry.lock:
            if not entry.values:
                entry.values.append(count())
            value: _Value = entry.values[0]
            return value


def remembered(session: Session, key: Hashable, count: Callable[[], _Value]) -> _Value:
    """What was counted for a key, of a session that only reads; any other counts for itself, for it
    sees what it has not committed."""
    counts: CountsOfVersion | None = session.info.get(COUNTS)
    return count() if counts is None else counts.value(key, count)
