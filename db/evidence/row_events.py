"""Which event tells of each row: two million decisions are held in eight bytes each."""

from array import array
from collections.abc import Iterator

_APART = 1_000_000  # between two numbers: what lies farther off is not a number of ours


class RowEvents:
    """The number of the event that tells of a row, by the number of the row."""

    def __init__(self) -> None:
        self._events, self._seen = array("q"), bytearray()
        self._far: dict[int, int] = {}

    @property
    def room(self) -> int:
        """One more than the largest number that is near."""
        return len(self._events)

    def is_near(self, row: int) -> bool:
        """Whether a row's number is held in its place, as all numbers of ours are."""
        return 0 <= row < self.room + _APART

    def put(self, row: int, event: int) -> None:
        """Keep which event tells of a row, in the place of an earlier one."""
        if not self.is_near(row):
            self._far[row] = event
            return
        if row >= self.room:
            more = max(row + 1, self.room * 9 // 8) - self.room
            self._events.extend(array("q", bytes(8 * more)))
            self._seen.extend(bytes(more))
        self._events[row] = event
        self._far.pop(row, None)

    def forget(self, row: int) -> None:
        """No event tells of a row any more."""
        if 0 <= row < self.room:
            self._events[row] = 0
        self._far.pop(row, None)

    def seen(self, row: int) -> int | None:
        """The event of a row that is stored; None where no event tells of it."""
        if 0 <= row < self.room and self._events[row]:
            self._seen[row] = 1
            return self._events[row]
        return self._far.pop(row, None)

    def unseen(self) -> Iterator[tuple[int, int]]:
        """(row, event) of what should be stored and was not asked for."""
        for row, event in enumerate(self._events):
            if event and not self._seen[row]:
                yield row, event
        yield from self._far.items()
