"""Where words stand in a document: whatever their case, accents, width and kind of quotes."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QTextDocument

from gui.documents.formulas import formula_sources

_ALIKE = str.maketrans({
    "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "–": "-",
    "—": "-", "−": "-",
})  # fmt: skip
"""Marks that a keyboard has no key for, and the ones that are typed for them."""


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    """A character as it is compared; empty for one that only changes another, as an accent does."""
    if character.isspace():
        return " "
    if character.isascii():
        return character.lower()
    apart = unicodedata.normalize("NFKD", character.translate(_ALIKE)).casefold()
    return "".join(part for part in apart if not _is_only_a_mark(part))


def _is_only_a_mark(character: str) -> bool:
    """Whether it stands above or below a letter (Latin and Greek accents, Hebrew and Arabic points)
    or is not seen at all; vowels and voiced sounds of other scripts are letters."""
    place = unicodedata.combining(character)
    return 10 <= place <= 35 or place >= 200 or unicodedata.category(character) == "Cf"


@dataclass(frozen=True, slots=True)
class _Line:
    """A block as it is compared: of each letter of ``text`` the place of its character in the
    document, and whether it is the first that the character became."""

    text: str
    starts: list[int]
    ends: list[int]
    firsts: list[bool]


class SearchableText:
    """The text of a document, formulas as their TeX, folded once for all that is looked for."""

    def __init__(self, document: QTextDocument) -> None:
        formulas = formula_sources(document)
        self._lines: list[_Line] = []
        block = document.begin()
        while block.isValid():
            self._lines.append(_line(block.position(), block.text(), formulas))
            block = block.next()

    def places(self, words: str) -> list[tuple[int, int]]:
        """First place, and the one behind the last, of every stretch that says ``words``."""
        wanted = _line(0, words, {}).text
        return [place for line in self._lines for place in _places_in(line, wanted)]


def _line(place: int, text: str, formulas: dict[int, str]) -> _Line:
    parts: list[str] = []
    line = _Line("", [], [], [])
    for character in text:
        after = place + (2 if ord(character) > 0xFFFF else 1)  # as Qt counts
        letters = "".join(map(_folded, formulas.get(place, character)))
        if letters == " " and parts and parts[-1] == " ":
            letters = ""
        if not letters and line.ends:
            line.ends[-1] = after
        for position, letter in enumerate(letters):
            parts.append(letter)
            line.starts.append(place)
            line.ends.append(after)
            line.firsts.append(position == 0 or place in formulas)
        place = after
    return _Line("".join(parts), line.starts, line.ends, line.firsts)


def _places_in(line: _Line, wanted: str) -> Iterator[tuple[int, int]]:
    if not wanted:
        return
    at = line.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        whole = line.firsts[at] and (end == len(line.firsts) or line.firsts[end])
        if whole:
            yield line.starts[at], line.ends[end - 1]
        at = line.text.find(wanted, end if whole else at + 1)
