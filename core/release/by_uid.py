"""What is known of the items of a split by their uids, in a few bytes an item."""

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from core.release.frozen_items import FrozenItems
from core.release.manifest import SplitItem

Value = TypeVar("Value", bound=Hashable)


class UidPlaces(Mapping[str, int]):
    """The place of each item by its uid, which is a number; sixteen bytes an item."""

    def __init__(self, uids: Iterable[int]) -> None:
        given = array("q", uids)
        self._places = array("q", sorted(range(len(given)), key=given.__getitem__))
        self._uids = array("q", map(given.__getitem__, self._places))

    def __getitem__(self, uid: str) -> int:
        number = int(uid) if uid.isdecimal() else -1
        place = bisect_left(self._uids, number)
        if place == len(self._uids) or self._uids[place] != number:
            raise KeyError(uid)
        return self._places[place]

    def __iter__(self) -> Iterator[str]:
        return map(str, self._uids)

    def __len__(self) -> int:
        return len(self._uids)


class ValuesByUid(Mapping[str, Value], Generic[Value]):
    """One of a few values for each item by its uid; 24 bytes an item."""

    def __init__(self, values: Iterable[tuple[int, Value]]) -> None:
        known: dict[Value, int] = {}
        numbers = array("q")

        def uids() -> Iterator[int]:
            for uid, value in values:
                numbers.append(known.setdefault(value, len(known)))
                yield uid

        self._places = UidPlaces(uids())
        self._numbers, self._values = numbers, list(known)

    def __getitem__(self, uid: str) -> Value:
        return self._values[self._numbers[self._places[uid]]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class ItemsByUid(Mapping[str, SplitItem]):
    """Items on the disk by their uids: each is read when it is asked for."""

    def __init__(self, items: FrozenItems) -> None:
        self._items = items
        self._places = UidPlaces(int(entry.uid) for entry in items.entries())

    def __getitem__(self, uid: str) -> SplitItem:
        return self._items[self._places[uid]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
