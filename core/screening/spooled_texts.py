"""Texts of any number on the disk, which are read when they are asked for."""

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from tempfile import TemporaryFile
from typing import BinaryIO, overload

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CTR
from typing_extensions import override

_PIECE = 1 << 20  # bytes that are read at once
_BLOCK = 16  # bytes that AES encrypts together


class SpooledTexts(Sequence[str]):
    """Texts in their order, in a file without a name: eight bytes each are held. To be closed.

    Encrypted under a key that nothing keeps: what was sealed leaves no plain text on the disk.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._file: BinaryIO = TemporaryFile()  # noqa: SIM115 (closed by close)
        self._starts = array("Q", [0])
        self._key = AES256(os.urandom(32))
        writing = Cipher(self._key, CTR(bytes(_BLOCK))).encryptor()
        try:
            for text in texts:
                plain = text.encode("utf-8", "surrogatepass")
                written = self._file.write(writing.update(plain))
                self._starts.append(self._starts[-1] + written)
            self._file.flush()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give back what it keeps on the disk."""
        self._file.close()

    def between(self, start: int, end: int) -> "TextRange":
        """The texts from ``start`` up to but without ``end``."""
        return TextRange(self, range(len(self))[start:end])

    @override
    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    @override
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        position = range(len(self))[place]
        return self._read(self._starts[position], self._starts[position + 1])

    @override
    def __iter__(self) -> Iterator[str]:
        return self.read(range(len(self)))

    def read(self, places: range) -> Iterator[str]:
        """Texts that follow one another, read many at once."""
        held, begun = b"", 0
        for place in places:
            start, end = self._starts[place], self._starts[place + 1]
            if not begun <= start <= end <= begun + len(held):
                held, begun = self._bytes(start, max(_PIECE, end - start)), start
            yield held[start - begun : end - begun].decode("utf-8", "surrogatepass")

    def _read(self, start: int, end: int) -> str:
        return self._bytes(start, end - start).decode("utf-8", "surrogatepass")

    def _bytes(self, start: int, count: int) -> bytes:
        """So many bytes from ``start`` on, fewer at the end: the counter is that of their block."""
        block, into = divmod(start, _BLOCK)
        self._file.seek(start)
        reading = Cipher(self._key, CTR(block.to_bytes(_BLOCK, "big"))).decryptor()
        reading.update(bytes(into))
        return reading.update(self._file.read(count))


class TextRange(Sequence[str]):
    """Some of spooled texts that follow one another."""

    def __init__(self, texts: SpooledTexts, places: range) -> None:
        self._texts, self._places = texts, places

    @override
    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    @override
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._texts[one] for one in self._places[place]]
        return self._texts[self._places[place]]

    @override
    def __iter__(self) -> Iterator[str]:
        return self._texts.read(self._places)
