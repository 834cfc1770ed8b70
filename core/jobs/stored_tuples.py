"""Many named tuples of plain values, on the disk instead of in memory, and read as they are asked
for."""

import marshal
import os
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import Any, Generic, TypeVar, overload

from typing_extensions import override

Row = TypeVar("Row", bound=tuple[Any, ...])

MANY = 150_000
"""Up to so many are held in memory: scores take 50 MB there, and half a second of reading less."""
_BLOCK = 500
_NONCE = 12  # bytes


class StoredTuples(Sequence[Row], Generic[Row]):
    """Tuples in a file without a name, under a key that nobody else has: what they say may be
    private. They hold texts, numbers, truth values, None, and tuples of them; ``make`` makes one
    of its values. Eight bytes in memory for five hundred of them; for any thread."""

    def __init__(self, rows: Iterable[Row], make: Callable[[Iterable[Any]], Row]) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._make = make
        self._cipher = AESGCM(AESGCM.generate_key(128))
        with TemporaryFile() as file:
            self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)
        self._starts = array("q", [0])
        self._length, self._read = 0, (-1, list[Row]())
        given = iter(rows)
        while block := list(map(tuple, islice(given, _BLOCK))):
            self._write(block)

    def _write(self, block: list[tuple[Any, ...]]) -> None:
        number, start = len(self._starts) - 1, self._starts[-1]
        sealed = self._cipher.encrypt(_nonce(number), marshal.dumps(block), None)
        written = 0
        while written < len(sealed):
            written += os.pwrite(self._file, sealed[written:], start + written)
        self._starts.append(start + len(sealed))
        self._length += len(block)

    def _block(self, number: int) -> list[Row]:
        known, block = self._read
        if known != number:
            start, end = self._starts[number], self._starts[number + 1]
            opened = self._cipher.decrypt(
                _nonce(number), os.pread(self._file, end - start, start), None
            )
            block = list(map(self._make, marshal.loads(opened)))  # noqa: S302 (authenticated)
            self._read = number, block
        return block

    @override
    def __len__(self) -> int:
        return self._length

    @override
    def __iter__(self) -> Iterator[Row]:
        return chain.from_iterable(map(self._block, range(len(self._starts) - 1)))

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    @override
    def __getitem__(self, place: int | slice) -> "Row | list[Row]":
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        number, within = divmod(range(len(self))[place], _BLOCK)
        return self._block(number)[within]


def _nonce(number: int) -> bytes:
    return number.to_bytes(_NONCE, "big")


def kept(rows: Iterable[Row], make: Callable[[Iterable[Any]], Row]) -> Sequence[Row]:
    """The rows in memory, or on the disk where they are many; ``make`` as of ``StoredTuples``."""
    given = iter(rows)
    few = tuple(islice(given, MANY + 1))
    return few if len(few) <= MANY else StoredTuples(chain(few, given), make)


def in_parts(rows: Iterable[Row], size: int = _BLOCK * 10) -> Iterator[list[Row]]:
    """The rows in their order, so many at once."""
    given = iter(rows)
    while part := list(islice(given, size)):
        yield part
