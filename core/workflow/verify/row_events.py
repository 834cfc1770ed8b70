"""Which event tells of each row: two million decisions are held in eight bytes each."""

from array import array
from collections.abc import Iterator

_APART = 1_000_000  # between two numbers: what lies farther off is not a number of ours


class RowEvents:
    """The number of the event that tells of a row, by the number of the row."""

    def __init__(self) -> None:
        self._events, self._seen = array("q"), bytearray()
        self._others: dict[int, int] = {}

    def put(self, row: int, event: int) -> None:
        """Keep which event tells of a row, in the place of an earlier one."""
        if not 0 <= row < len(self._events) + _APART:
            self._others[row] = event
            return
        if row >= len(self._events):
            more = max(row + 1, len(self._events) * 9 // 8) - len(self._events)
            self._events.extend(array("q", bytes(8 * more)))
            self._seen.extend(bytes(more))
        self._events[row] = event
        self._others.pop(row, None)

    def seen(self, row: int) -> int | None:
        """The event of a row that is stored; None where no event tells of it."""
        if 0 <= row < len(self._events) and self._events[row]:
            self._seen[row] = 1
            return self._events[row]
        return self._others.pop(row, None)

    def unseen(self) -> Iterator[tuple[int, int]]:
        """(row, event) of what should be stored and was not asked for."""
        for row, event in enumerate(self._events):
            if event and not self._seen[row]:
                yield row, event
        yield from self._others.items()
