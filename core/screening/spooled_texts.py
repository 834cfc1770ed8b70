"""Texts of any number on the disk, which are read when they are asked for."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from typing_extensions import override

from core.scratch_file import ScratchFile

_PIECE = 1 << 20  # bytes that are read at once


class SpooledTexts(Sequence[str]):
    """Texts in their order, encrypted on the disk: eight bytes each are held. To be closed."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._file = ScratchFile()
        self._starts = array("Q", [0])
        try:
            for text in texts:
                written = self._file.write(text.encode("utf-8", "surrogatepass"))
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
                held, begun = self._file.at(start, max(_PIECE, end - start)), start
            yield held[start - begun : end - begun].decode("utf-8", "surrogatepass")

    def _read(self, start: int, end: int) -> str:
        return self._file.at(start, end - start).decode("utf-8", "surrogatepass")


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
