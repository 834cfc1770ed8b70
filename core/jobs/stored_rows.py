"""Work items that stay in their file: a worker holds a number for each, not what it asks."""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, overload

from typing_extensions import override

from core.bounded_json import parse_json
from core.guarded_folder import GuardedFolder

Row = dict[str, Any]
_ID_FIRST = re.compile(rb'\{"id": "([^"\\]*)"')


class StoredRows(Sequence[Row]):
    """The rows at some ``offsets`` (bytes, ascending) of a file, read whenever they are asked for.

    ``read`` makes a row of a line. The file is only ever replaced while nobody works on the run.
    """

    def __init__(
        self,
        files: GuardedFolder,
        name: str,
        offsets: Iterable[int],
        read: Callable[[bytes], Row],
    ) -> None:
        self._files, self._name, self._read = files, name, read
        self._offsets = array("q", offsets)

    @override
    def __len__(self) -> int:
        return len(self._offsets)

    @override
    def __iter__(self) -> Iterator[Row]:
        return self._at(self._offsets)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> "StoredRows": ...

    @override
    def __getitem__(self, place: int | slice) -> "Row | StoredRows":
        if isinstance(place, slice):
            return StoredRows(self._files, self._name, self._offsets[place], self._read)
        return next(self._at((self._offsets[place],)))

    def _at(self, offsets: Iterable[int]) -> Iterator[Row]:
        with self._files.open(self._name) as handle:
            for offset in offsets:
                yield self._read(_line_at(handle, offset))


def _line_at(handle: IO[bytes], offset: int) -> bytes:
    if handle.tell() != offset:
        handle.seek(offset)
    return handle.readline()


def ids_in(files: GuardedFolder, name: str) -> list[str]:
    """The id of every whole line; InputError where the file is damaged."""
    return [id_of_line(files, name, line) for line in files.lines(name) if not line.isspace()]


def id_of_line(files: GuardedFolder, name: str, line: bytes) -> str:
    """The id in a line of JSON; InputError where the file is damaged."""
    try:
        # our own lines begin with the id, which saves reading the rest
        match = _ID_FIRST.match(line)
        return match[1].decode() if match else str(parse_json(line)["id"])
    except (ValueError, KeyError, TypeError) as error:
        raise files.damaged(name) from error
