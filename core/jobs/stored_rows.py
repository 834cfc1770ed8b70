"""Rows that stay in their files: who reads them holds a number for each, not what it says."""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import starmap
from typing import IO, Any, overload

from typing_extensions import override

from core.bounded_json import parse_json
from core.guarded_folder import GuardedFolder

Row = dict[str, Any]
_FILE = 44  # bits of a place within its file: sixteen terabytes
_OPEN = 100  # files
_ID_FIRST = re.compile(rb'\{"id": "([^"\\]*)"')


class StoredRows(Sequence[Row]):
    """The rows at some places of some files, read whenever they are asked for.

    ``places`` are made by ``place_in``; ``read`` makes a row of a file's name and a line. The
    files are only ever replaced while nobody works on the run.
    """

    def __init__(
        self,
        files: GuardedFolder,
        names: Sequence[str],
        places: "array[int]",
        read: Callable[[str, bytes], Row],
    ) -> None:
        self._files, self._names, self._read = files, names, read
        self._places = places

    @override
    def __len__(self) -> int:
        return len(self._places)

    @override
    def __iter__(self) -> Iterator[Row]:
        return self._at(self._places)

    def ids(self) -> Iterator[str]:
        """The ids of the rows, in order; reads no more of a line than it must."""
        for name, line in self._lines(self._places):
            yield id_of_line(self._files, name, line)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> "StoredRows": ...

    @override
    def __getitem__(self, place: int | slice) -> "Row | StoredRows":
        if isinstance(place, slice):
            return StoredRows(self._files, self._names, self._places[place], self._read)
        return next(self._at((self._places[place],)))

    def _at(self, places: Iterable[int]) -> Iterator[Row]:
        return starmap(self._read, self._lines(places))

    def _lines(self, places: Iterable[int]) -> Iterator[tuple[str, bytes]]:
        """The line at each place, with the name of its file."""
        opened: dict[int, IO[bytes]] = {}
        with ExitStack() as kept:
            for place in places:
                number, offset = place >> _FILE, place & (1 << _FILE) - 1
                if number not in opened:
                    if len(opened) == _OPEN:
                        kept.close()
                        opened.clear()
                    handle = self._files.open(self._names[number])
                    opened[number] = kept.enter_context(handle)
                yield self._names[number], _line_at(opened[number], offset)


def place_in(number: int, offset: int) -> int:
    """The place of a line that begins at a byte of the file with a number."""
    return number << _FILE | offset


def _line_at(handle: IO[bytes], offset: int) -> bytes:
    if handle.tell() != offset:
        handle.seek(offset)
    return handle.readline()


@dataclass(frozen=True, slots=True)
class FinishedRecords:
    """The records of a run: of two for one work item the first counts.

    ``places`` has one for each work item in their order, -1 where it has no record; ``records`` are
    those that are there; ``foreign`` the ids of records of no work item.
    """

    places: "array[int]"
    records: StoredRows
    foreign: tuple[str, ...]

    @property
    def missing(self) -> int:
        """How many work items have no record."""
        return len(self.places) - len(self.records)

    def by_item(self) -> Iterator[Row | None]:
        """The record of each work item, None where it has none."""
        found = iter(self.records)
        return (next(found) if place >= 0 else None for place in self.places)


def finished_records(
    files: GuardedFolder, work: str, names: Sequence[str], read: Callable[[str, bytes], Row]
) -> FinishedRecords:
    """The records in some files of the items of the file ``work``; InputError where one is damaged.

    Keeps eight bytes for each item, and while it looks for them its id.
    """
    items: dict[str, int] = {}
    places = array("q")
    for id_ in each_id(files, work):
        items.setdefault(id_, len(places))
        places.append(-1)
    foreign: dict[str, None] = {}
    for number, name in enumerate(names):
        offset = 0
        for line in files.lines(name):
            if not line.isspace():
                id_ = id_of_line(files, name, line)
                item = items.get(id_)
                if item is None:
                    foreign[id_] = None
                elif places[item] < 0:
                    places[item] = place_in(number, offset)
            offset += len(line)
    if len(items) < len(places):  # an item that stands there twice
        for item, id_ in enumerate(each_id(files, work)):
            places[item] = places[items[id_]]
    there = places if -1 not in places else array("q", (place for place in places if place >= 0))
    return FinishedRecords(places, StoredRows(files, names, there, read), tuple(foreign))


def each_id(files: GuardedFolder, name: str) -> Iterator[str]:
    """The id of every whole line; InputError where the file is damaged."""
    return (id_of_line(files, name, line) for line in files.lines(name) if not line.isspace())


def ids_of(rows: Sequence[Row]) -> Iterator[str]:
    """The ids of rows, of which stored ones are not read whole."""
    return rows.ids() if isinstance(rows, StoredRows) else (str(row["id"]) for row in rows)


def id_of_line(files: GuardedFolder, name: str, line: bytes) -> str:
    """The id in a line of JSON; InputError where the file is damaged."""
    try:
        # our own lines begin with the id, which saves reading the rest
        match = _ID_FIRST.match(line)
        return match[1].decode() if match else str(parse_json(line)["id"])
    except (ValueError, KeyError, TypeError) as error:
        raise files.damaged(name) from error
