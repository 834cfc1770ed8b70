"""Regular expressions that are asked only where a text has the words without which none matches.

Looking for a word takes a twentieth of the time that a regular expression takes to find nothing,
and most texts hold none of the words that damage shows itself by.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from re import _constants as codes  # type: ignore[attr-defined]  # the parser of the standard library has no types
from re import _parser as parser  # type: ignore[attr-defined]  # as above
from typing import Any

_MOST_WORDS = 24  # of which one has to be there; with more the expression itself is as quick


def needed_words(pattern: str) -> tuple[str, ...]:
    """Texts of which every match of a pattern holds at least one; empty where none are known."""
    flags = re.compile(pattern).flags
    return () if flags & re.IGNORECASE else _of_sequence(parser.parse(pattern))


class GatedPattern:
    """Several regular expressions as if they were joined by ``|``, with ``search`` alone."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        self._parts = tuple((re.compile(p), needed_words(p)) for p in self.patterns)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match; of two that begin at one place, that of the earlier pattern."""
        first: re.Match[str] | None = None
        for pattern in self._possible(text):
            match = pattern.search(text)
            if match is not None and (first is None or match.start() < first.start()):
                first = match
        return first

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in their order; of those that overlap, the first alone."""
        matches = [m for pattern in self._possible(text) for m in pattern.finditer(text)]
        end = -1
        for match in sorted(matches, key=lambda match: match.start()):
            if match.start() >= end:
                end = max(match.end(), match.start() + 1)
                yield match

    def _possible(self, text: str) -> Iterator[re.Pattern[str]]:
        """The expressions of which one of the needed words stands in the text."""
        for pattern, words in self._parts:
            if not words or any(word in text for word in words):
                yield pattern


def _of_sequence(nodes: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    """The best of what the parts of a sequence need, letters that follow one another together."""
    candidates: list[tuple[str, ...]] = []
    run = ""
    for code, value in nodes:
        if code is codes.LITERAL:
            run += chr(value)
            continue
        if code is codes.AT:  # has no width, so that letters around it follow one another
            continue
        if run:
            candidates.append((run,))
        run = ""
        candidates.append(_of_node(code, value))
    if run:
        candidates.append((run,))
    known = [words for words in candidates if words]
    return max(known, key=lambda words: (min(map(len, words)), -len(words)), default=())


def _of_node(code: Any, value: Any) -> tuple[str, ...]:
    if code is codes.BRANCH:
        return _one_of([_of_sequence(branch) for branch in value[1]])
    if code is codes.SUBPATTERN:
        _, added, _, inner = value
        return () if added & re.IGNORECASE else _of_sequence(inner)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        least, _, inner = value
        return _of_sequence(inner) if least else ()
    if code is codes.IN and all(kind is codes.LITERAL for kind, _ in value):
        return _one_of([(chr(letter),) for _, letter in value])
    return ()


def _one_of(alternatives: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(word for words in alternatives for word in words))
    return words if all(alternatives) and len(words) <= _MOST_WORDS else ()
