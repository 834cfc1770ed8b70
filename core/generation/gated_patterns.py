"""Regular expressions that are asked only where a text has the words without which none matches.

Most texts hold none of the words that damage shows itself by. Looking for three hundred words in
each of many texts takes most of the time of an import; so the texts are laid end to end, and all
the words are looked up at once by three of their letters, in numpy, and compared where those are.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from re import _constants as codes  # type: ignore[attr-defined]  # the parser of the standard library has no types
from re import _parser as parser  # type: ignore[attr-defined]  # as above
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_WORDS = 2_000  # of which one has to be there
_MOST_BEGUN = 300  # that say how something longer begins
_MOST_ASKED = 24  # words; with more the expression itself is as quick
_MOST_CHARACTERS = 10_000  # of a range that is written out
_COMMON = frozenset(" ,.abcdefghijklmnopqrstuvwxyz")  # nearly every text has one of them
_OFTEN = " etaoinshrdl.,ucmfwygpbvk"  # from the most frequent on
_CODE_BITS = 21  # of a character's number
_TABLE = 1 << 18  # of a table that tells at once which runs of letters no word has
_AT_ONCE = 200_000  # characters
_END = "\n"  # after each text; what it makes up with its neighbours is ruled out later
_ONES = (1 << 64) - 1
_MOST_PARTS = 128
Found = dict[str, re.Match[str]]


def needed_words(pattern: str) -> tuple[str, ...]:
    """Texts of which every match of a pattern holds at least one; empty where none are known."""
    flags = re.compile(pattern).flags
    return () if flags & re.IGNORECASE else _of_sequence(parser.parse(pattern))


def needed_characters(pattern: str) -> tuple[frozenset[str], ...]:
    """Sets of characters of each of which every match of a pattern holds one; those that nearly
    every text has are left out."""
    if re.compile(pattern).flags & re.IGNORECASE:
        return ()
    found = dict.fromkeys(_characters_of(parser.parse(pattern)))
    return tuple(sorted((one for one in found if not one & _COMMON), key=len))


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the expressions that tell a kind, and the words of which a match has one."""

    kind: str
    search: Callable[[str], re.Match[str] | None]
    finditer: Callable[[str], Iterator[re.Match[str]]]
    words: tuple[str, ...]
    characters: frozenset[str]

    @classmethod
    def of(cls, kind: str, pattern: str) -> "_Part":
        rare = next(iter(needed_characters(pattern)), frozenset[str]())
        compiled = re.compile(pattern)
        return cls(kind, compiled.search, compiled.finditer, needed_words(pattern), rare)

    def has_a_word_in(self, text: str) -> bool:
        """Whether a text has one of the words; also where there are none, or very many."""
        if len(self.words) > _MOST_ASKED:
            return True
        for word in self.words:
            if word in text:
                return True
        return not self.words


class GatedPatterns:
    """Kinds, each with regular expressions as if they were joined by ``|``."""

    def __init__(self, patterns: Mapping[str, Sequence[str]]) -> None:
        self.patterns = {kind: tuple(several) for kind, several in patterns.items()}
        self._parts = tuple(
            _Part.of(kind, pattern) for kind, several in patterns.items() for pattern in several
        )
        assert len(self._parts) <= _MOST_PARTS

    def first_matches(self, texts: Sequence[str]) -> Iterator[Found]:
        """Of each text the kinds that are found, each with its first match; of two that begin at
        one place that of the earlier expression. In the order of the kinds."""
        for some in _portions(texts):
            for text, places in zip(some, self._possible(some), strict=True):
                found: Found = {}
                for place in places:
                    part = self._parts[place]
                    match = part.search(text)
                    first = found.get(part.kind)
                    if match and (first is None or match.start() < first.start()):
                        found[part.kind] = match
                yield found

    def every_match(self, kind: str, text: str) -> Iterator[re.Match[str]]:
        """All matches of a kind in their order; of those that overlap, the first alone."""
        parts = [part for part in self._parts if part.kind == kind and part.has_a_word_in(text)]
        matches = [match for part in parts for match in part.finditer(text)]
        end = -1
        for match in sorted(matches, key=lambda match: match.start()):
            if match.start() >= end:
                end = max(match.end(), match.start() + 1)
                yield match

    def _possible(self, texts: Sequence[str]) -> Iterator[Iterable[int]]:
        """Of each text the places of the expressions that may match it."""
        import numpy as np

        line = "".join(text + _END for text in texts)
        letters = np.frombuffer(line.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        ends = np.cumsum([len(text) + 1 for text in texts])
        told = np.zeros((2, len(texts), 2), dtype=np.uint64)
        told[:] = self._unasked[:, None]
        spelled = [0] * len(texts)
        for runs in self._runs:
            at, which = runs.found(letters)
            if len(at):
                owners = np.searchsorted(ends, at, side="right")
                starts = np.flatnonzero(np.diff(owners, prepend=-1))
                told[:, owners[starts]] |= np.bitwise_or.reduceat(
                    runs.meant[:, which], starts, axis=1
                )
                longer = np.flatnonzero(runs.is_part[which])
                hits = (found[longer].tolist() for found in (at, owners, which))
                for place, owner, run in zip(*hits, strict=True):
                    for word, before, parts in runs.longer[run]:
                        if line.startswith(word, place - before):
                            spelled[owner] |= parts
        for row, whole in zip(told.transpose(1, 0, 2).tolist(), spelled, strict=True):
            yield _numbers_of((_mask_of(row[0]) | whole) & _mask_of(row[1]))

    @cached_property
    def _unasked(self) -> "NDArray[np.uint64]":
        """Bits of the expressions that need no words, and of those that need no characters."""
        places = range(len(self._parts))
        return _bits_of([
            [place for place in places if not self._parts[place].words],
            [place for place in places if not self._parts[place].characters],
        ])  # fmt: skip

    @cached_property
    def _runs(self) -> tuple["_Runs", ...]:
        """What is looked up: runs of one, of two and of three letters."""
        words: dict[str, set[int]] = {}
        characters: dict[str, set[int]] = {}
        for place, part in enumerate(self._parts):
            for word in part.words:
                words.setdefault(word, set()).add(place)
            for letter in part.characters:
                characters.setdefault(letter, set()).add(place)
        longer: dict[str, list[_Longer]] = {}
        for word, places in words.items():
            if (run := _rarest(word)) != word:
                mask = sum(1 << place for place in places)
                longer.setdefault(run, []).append((word, word.index(run), mask))
        every = {*map(_rarest, words), *characters}
        widths = sorted({len(run) for run in every})
        return tuple(
            _Runs.of([run for run in every if len(run) == width], words, characters, longer)
            for width in widths
        )


_Longer = tuple[str, int, int]
"""A word, how many of its letters stand before those that are looked up, and the bits of the
expressions that need it."""


@dataclass(frozen=True, slots=True)
class _Runs:
    """Runs of letters of one length, and for which expressions each is needed.

    ``known`` are their numbers in order; ``quick`` tells by some bits whether a number can be
    among them. ``meant`` has the bits of the expressions for which each is a word, and of those
    for which it is one of the characters; shape (2, runs, words of bits). ``longer`` has the words
    of which each is a part, and ``is_part`` says whether there are any.
    """

    width: int
    known: "NDArray[np.uint64]"
    quick: "NDArray[np.bool_]"
    meant: "NDArray[np.uint64]"
    longer: tuple[Sequence[_Longer], ...]
    is_part: "NDArray[np.bool_]"

    @classmethod
    def of(
        cls,
        runs: Sequence[str],
        words: Mapping[str, set[int]],
        characters: Mapping[str, set[int]],
        longer: Mapping[str, Sequence[_Longer]],
    ) -> "_Runs":
        import numpy as np

        width = len(runs[0])
        by_number = {sum(ord(c) << _CODE_BITS * i for i, c in enumerate(r)): r for r in runs}
        known = sorted(by_number)
        ordered = [by_number[number] for number in known]
        quick = np.zeros(_TABLE, dtype=bool)
        for run in ordered:
            quick[_places(np.array([ord(c) for c in run], dtype=np.uint32), width)] = True
        meant = [_bits_of([meaning.get(run, ()) for run in ordered])
                 for meaning in (words, characters)]  # fmt: skip
        parts = tuple(longer.get(run, ()) for run in ordered)
        is_part = np.array([bool(those) for those in parts])
        return cls(width, np.array(known, dtype=np.uint64), quick, np.array(meant), parts, is_part)

    def found(self, letters: "NDArray[np.uint32]") -> tuple["NDArray[Any]", "NDArray[Any]"]:
        """(where in a line of letters one of the runs begins, which of ``known`` it is)."""
        import numpy as np

        at = np.flatnonzero(self.quick.take(_places(letters, self.width)))
        numbers = np.zeros(len(at), dtype=np.uint64)
        for step in range(self.width):
            numbers |= letters[at + step].astype(np.uint64) << np.uint64(_CODE_BITS * step)
        which = np.searchsorted(self.known, numbers)
        which[which == len(self.known)] = 0
        sure = self.known[which] == numbers
        return at[sure], which[sure]


def _bits_of(several: Iterable[Iterable[int]]) -> "NDArray[np.uint64]":
    """Sets of numbers below 128 as bits of two words each."""
    import numpy as np

    masks = [sum(1 << place for place in places) for places in several]
    return np.array([(mask & _ONES, mask >> 64) for mask in masks], dtype=np.uint64)


def _mask_of(bits: Sequence[int]) -> int:
    """The two words of ``_bits_of`` as one number."""
    return bits[0] | bits[1] << 64


def _numbers_of(mask: int) -> Iterator[int]:
    """The places of the bits of a number, in order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _places(letters: "NDArray[np.uint32]", width: int) -> "NDArray[np.uint32]":
    """Where the runs that begin at each letter stand in a table of ``_TABLE``."""
    import numpy as np

    mixed = letters[: len(letters) - width + 1]
    for step in range(1, width):
        mixed = mixed * np.uint32(2_654_435_761) + letters[step : len(letters) - width + 1 + step]
    return (
        mixed & np.uint32(_TABLE - 1) if width == 1 else mixed * np.uint32(40_503) >> np.uint32(14)
    )


def _rarest(word: str) -> str:
    """The three letters of a word that are seldom in texts; the word where it has no more."""
    runs = [word[start : start + 3] for start in range(max(1, len(word) - 2))]
    return min(runs, key=_share)


def _share(run: str) -> float:
    """About which share of the places of a text a run of letters stands at."""
    return prod(0.13 / (1 + _OFTEN.index(c)) if c in _OFTEN else 0.004 for c in run)


def _portions(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts in their order, so many at once as have not too many characters."""
    start, characters = 0, 0
    for end, text in enumerate(texts):
        characters += len(text)
        if characters > _AT_ONCE:
            yield texts[start : end + 1]
            start, characters = end + 1, 0
    if start < len(texts):
        yield texts[start:]


def _characters_of(nodes: Iterable[tuple[Any, Any]]) -> Iterator[frozenset[str]]:
    """Sets of which every match of a sequence holds a character each."""
    for code, value in nodes:
        if code is codes.LITERAL:
            yield frozenset(chr(value))
        elif code is codes.IN:
            if (characters := _listed(value)) is not None:
                yield characters
        elif code is codes.BRANCH:
            yield from _of_branches([list(_characters_of(branch)) for branch in value[1]])
        elif code is codes.SUBPATTERN and not value[1] & re.IGNORECASE:
            yield from _characters_of(value[3])
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[0]:
            yield from _characters_of(value[2])


def _of_branches(branches: Sequence[Sequence[frozenset[str]]]) -> Iterator[frozenset[str]]:
    """One set that holds a character of whichever branch matches: of each that which says most."""
    rare = [[one for one in branch if not one & _COMMON] for branch in branches]
    if all(rare):
        yield frozenset[str]().union(*(min(branch, key=len) for branch in rare))


def _listed(members: Iterable[tuple[Any, Any]]) -> frozenset[str] | None:
    """The characters of a class; None for one that says which it has not, or has very many."""
    characters: set[str] = set()
    for kind, value in members:
        if kind is codes.LITERAL:
            characters.add(chr(value))
        elif kind is codes.RANGE and value[1] - value[0] < _MOST_CHARACTERS:
            characters.update(map(chr, range(value[0], value[1] + 1)))
        else:
            return None
    return frozenset(characters)


def _of_sequence(nodes: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    """The best of what the parts of a sequence need, letters that follow one another together."""
    candidates: list[tuple[str, ...]] = []
    run: tuple[str, ...] = ("",)
    for code, value in nodes:
        if code is codes.AT:  # has no width, so that letters around it follow one another
            continue
        letters, last = _letters(code, value)
        if not letters:
            begun = _joined(run, _beginnings(code, value), _MOST_BEGUN)
            candidates += (run, begun, _of_node(code, value))
            run = ("",)
            continue
        if not (longer := _joined(run, letters)):
            candidates.append(run)
        run = longer or letters
        if last is not None:
            candidates.append(run)
            run = last
    candidates.append(run)
    known = [words for words in candidates if words and all(words)]
    return min(known, key=lambda words: sum(map(_share, words)), default=())


def _joined(
    before: Sequence[str], after: Sequence[str], most: int = _MOST_WORDS
) -> tuple[str, ...]:
    """Every text of one set followed by every one of another; empty where they are very many."""
    if len(before) * len(after) > most:
        return ()
    return tuple(dict.fromkeys(one + other for one in before for other in after))


def _beginnings(code: Any, value: Any) -> tuple[str, ...]:
    """Texts of which one begins every match of a node; empty where none are known."""
    if code is codes.BRANCH:
        return _one_of([_beginnings_of(branch) for branch in value[1]])
    if code is codes.SUBPATTERN:
        _, added, _, inner = value
        return () if added & re.IGNORECASE else _beginnings_of(inner)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[0]:
        return _beginnings_of(value[2])
    return ()


def _beginnings_of(nodes: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    run: tuple[str, ...] = ("",)
    for code, value in nodes:
        if code is codes.AT:
            continue
        letters, last = _letters(code, value)
        longer = _joined(run, letters or _beginnings(code, value), _MOST_BEGUN)
        if not longer:
            break
        run = longer
        if last is not None or not letters:
            break
    return run if all(run) else ()


def _letters(code: Any, value: Any) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """The texts that a node can be, where it is letters and they are few; and of one that may go
    on, so that what follows need not stand beside them, what it can end with, else None."""
    if code is codes.LITERAL:
        return (chr(value),), None
    if code is codes.IN:
        listed = _listed(value) or frozenset()
        return (tuple(sorted(listed)) if len(listed) <= _MOST_WORDS else ()), None
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        least, most, inner = value
        if least and len(inner) == 1:
            letters, last = _letters(*inner[0])
            if letters and len(letters) ** least <= _MOST_WORDS:
                texts = tuple(map("".join, product(letters, repeat=least)))
                return texts, last if most == least else last or letters
    return (), None


def _of_node(code: Any, value: Any) -> tuple[str, ...]:
    if code is codes.BRANCH:
        return _one_of([_of_sequence(branch) for branch in value[1]])
    if code is codes.SUBPATTERN:
        _, added, _, inner = value
        return () if added & re.IGNORECASE else _of_sequence(inner)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        least, _, inner = value
        return _of_sequence(inner) if least else ()
    return ()


def _one_of(alternatives: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(word for words in alternatives for word in words))
    return words if all(alternatives) and len(words) <= _MOST_WORDS else ()
