"""Regular expressions that are asked only where a quicker engine finds that they may match.

Most texts show no damage at all. Python's engine tries every expression at every place of a text;
the engine of Rust that pydantic brings goes through a text once for all of them, but knows neither
what stands before and behind a match nor Python's classes of characters. So each expression is
written for it a little wider, as one that matches wherever the first does: what it does not find,
nobody looks for.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from re import _constants as codes  # type: ignore[attr-defined]  # the parser of the standard library has no types
from re import _parser as parser  # type: ignore[attr-defined]  # as above
from typing import Any

from pydantic_core import SchemaValidator, core_schema

_ANY = "(?s:.)"
_SPACES = r"\t-\r\x1c-\x20\x85\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_CLASSES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_SPACE: _SPACES,
    # nearly all that is not of ASCII; the exact class would be slow
    codes.CATEGORY_WORD: r"0-9A-Za-z_\x{80}-\x{10ffff}",
}
_OTHER_CASES = {"i": "\u0130\u0131", "s": "\u017f", "k": "\u212a"}  # for Python the same letter
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_MOST_TIMES = 8  # that something is counted: expressions that count are large
_FEWEST_TIMES = 3
_SURROGATES = range(0xD800, 0xE000)
Found = dict[str, re.Match[str]]
Nodes = Sequence[tuple[Any, Any]]


def widened(pattern: str) -> str:
    """An expression for Rust's engine that matches in every text in which a pattern matches; empty,
    which matches everywhere, for one that cannot be written so."""
    tree = parser.parse(pattern)
    try:
        return _Widening().sequence(tree, tree.state.flags, first=True, last=True)
    except _CannotSayError:
        return ""


class _CannotSayError(Exception):
    """For what has no wider form."""


class _Widening:
    """Writes the parts of one pattern. ``first`` and ``last`` say that nothing stands before them,
    or behind, so that what has to be there may be part of the match."""

    def __init__(self) -> None:
        self._groups: dict[int, str] = {}

    def sequence(self, nodes: Nodes, flags: int, *, first: bool, last: bool) -> str:
        """Nodes that follow one another."""
        written: list[str] = []
        nodes = list(nodes)
        for place, (code, value) in enumerate(nodes):
            rest = nodes[place + 1 :]
            if code is codes.ASSERT_NOT:
                continue
            if code is codes.ASSERT:
                behind = value[0] > 0
                if behind and last and all(_has_no_width(node) for node in rest):
                    return "".join([*written, self._ahead(value[1], flags)])
                piece = "" if behind or not first else self._before(value[1], flags)
            elif code is codes.AT:
                piece = _at(value, nodes[:place], rest, flags)
            else:
                alone = last and all(code is codes.ASSERT_NOT for code, _ in rest)
                piece = self._node(code, value, flags, first=first, last=alone)
                first = False
            first = first and not piece
            written.append(piece)
        return "".join(written)

    def _ahead(self, nodes: Nodes, flags: int) -> str:
        return f"(?:{self.sequence(nodes, flags, first=False, last=True)})"

    def _before(self, nodes: Nodes, flags: int) -> str:
        return f"(?:{self.sequence(nodes, flags, first=True, last=False)})"

    def _node(self, code: Any, value: Any, flags: int, *, first: bool, last: bool) -> str:
        if code is codes.LITERAL:
            return _letter(value, flags)
        if code is codes.ANY:
            return _ANY
        if code is codes.NOT_LITERAL:
            return _class([(codes.NEGATE, None), (codes.LITERAL, value)], flags)
        if code is codes.IN:
            return _class(value, flags)
        if code is codes.BRANCH:
            parts = [self.sequence(one, flags, first=first, last=last) for one in value[1]]
            return f"(?:{'|'.join(parts)})"
        if code is codes.SUBPATTERN:
            number, added, removed, inner = value
            own = (flags | added) & ~removed
            written = f"(?:{self.sequence(inner, own, first=first, last=last)})"
            if number is not None:
                self._groups[number] = f"(?:{self.sequence(inner, own, first=False, last=False)})"
            return written
        if code is codes.ATOMIC_GROUP:
            return f"(?:{self.sequence(value, flags, first=first, last=last)})"
        if code is codes.GROUPREF:
            return self._groups[value]
        if code in _REPEATS:
            least, most, inner = value
            once = most == 1
            part = self.sequence(inner, flags, first=first and once, last=last and once)
            return f"(?:{part}){_times(least, most)}"
        raise _CannotSayError


def _has_no_width(node: tuple[Any, Any]) -> bool:
    return node[0] in (codes.AT, codes.ASSERT, codes.ASSERT_NOT)


def _times(least: int, most: int) -> str:
    least = min(least, _FEWEST_TIMES)
    return f"{{{least},{most}}}" if most <= _MOST_TIMES else f"{{{least},}}"


def _letter(number: int, flags: int) -> str:
    letter = chr(number)
    if flags & re.IGNORECASE:
        if not letter.isascii():
            return _ANY
        cases = sorted({letter.lower(), letter.upper(), *_OTHER_CASES.get(letter.lower(), "")})
        return f"[{''.join(map(_spelled, map(ord, cases)))}]"
    return _spelled(number)


def _spelled(number: int) -> str:
    if number in _SURROGATES:  # a text that has one is not kept from any expression
        return _ANY
    return chr(number) if chr(number).isascii() and chr(number).isalnum() else f"\\x{{{number:x}}}"


def _class(members: Nodes, flags: int) -> str:
    """One of some characters; wider where it says which it must not be by whole categories."""
    negated = members[0][0] is codes.NEGATE
    written: list[str] = []
    for code, value in members:
        if code is codes.CATEGORY:
            if negated:
                continue
            if value not in _CLASSES:
                return _ANY
            written.append(_CLASSES[value])
        elif code is not codes.NEGATE:
            ends = (value, value) if code is codes.LITERAL else value
            if flags & re.IGNORECASE or any(end in _SURROGATES for end in ends):
                return _ANY
            written.append("-".join(map(_spelled, ends)))
    if not written:
        return _ANY
    return f"[{'^' * negated}{''.join(written)}]"


def _at(value: Any, before: Nodes, rest: Nodes, flags: int) -> str:
    """A place: the beginning, the end, or where a word begins or ends that is of ASCII there."""
    if value in (codes.AT_BEGINNING, codes.AT_BEGINNING_STRING):
        lines = value is codes.AT_BEGINNING and flags & re.MULTILINE
        return "(?m:^)" if lines else r"\A"
    if value is codes.AT_END and not rest:
        return "(?m:$)" if flags & re.MULTILINE else r"\n?\z"
    # Rust has other letters than Python among those that are not of ASCII
    is_word = value is codes.AT_BOUNDARY and (
        _is_of_ascii(before, -1, flags) or _is_of_ascii(rest, 0, flags)
    )
    return r"(?-u:\b)" if is_word else ""


def _is_of_ascii(nodes: Nodes, end: int, flags: int) -> bool:
    """Whether nodes surely begin (``end`` 0) or end (-1) with a letter or digit of ASCII."""
    nodes = [node for node in nodes if node[0] is not codes.ASSERT_NOT]
    if not nodes or flags & re.IGNORECASE:
        return False
    code, value = nodes[end]
    if code is codes.LITERAL:
        return _is_word(value)
    if code is codes.IN:
        return all(
            (kind is codes.LITERAL and _is_word(one))
            or (kind is codes.RANGE and _is_word(one[0]) and _is_word(one[1]))
            for kind, one in value
        )
    if code is codes.BRANCH:
        return all(_is_of_ascii(list(one), end, flags) for one in value[1])
    if code is codes.SUBPATTERN:
        return _is_of_ascii(list(value[3]), end, flags | value[1])
    if code is codes.ATOMIC_GROUP:
        return _is_of_ascii(list(value), end, flags)
    return code in _REPEATS and value[0] > 0 and _is_of_ascii(list(value[2]), end, flags)


def _is_word(number: int) -> bool:
    return number < 128 and (chr(number).isalnum() or chr(number) == "_")


@dataclass(frozen=True)
class _Part:
    """One of the expressions that tell a kind; compiled where a text may have it."""

    kind: str
    pattern: str

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)


class _Gate:
    """Whether any of some parts may match a text, and which."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = parts

    @cached_property
    def is_open(self) -> Callable[[str], bool]:
        """Whether any of the parts may match a text without half a surrogate pair."""
        every = "|".join(f"(?:{widened(part.pattern)})" for part in self._parts)
        schema = core_schema.str_schema(pattern=every, regex_engine="rust-regex")
        return SchemaValidator(schema).isinstance_python

    @cached_property
    def _halves(self) -> "tuple[_Gate, _Gate]":
        middle = len(self._parts) // 2
        return _Gate(self._parts[:middle]), _Gate(self._parts[middle:])

    def possible(self, text: str) -> Iterator[_Part]:
        """The parts that may match a text, in their order."""
        if not self.is_open(text):
            return
        if len(self._parts) == 1:
            yield self._parts[0]
            return
        for half in self._halves:
            yield from half.possible(text)


class GatedPatterns:
    """Kinds, each with regular expressions as if they were joined by ``|``."""

    def __init__(self, patterns: Mapping[str, Sequence[str]]) -> None:
        self.patterns = {kind: tuple(several) for kind, several in patterns.items()}
        self._parts = tuple(
            _Part(kind, pattern) for kind, several in patterns.items() for pattern in several
        )
        self._gate = _Gate(self._parts)

    def together(self, other: "GatedPatterns") -> "GatedPatterns":
        """The kinds of both, for ``may_match``: each engine then goes through a text once."""
        both = GatedPatterns({})
        both._parts = (*self._parts, *other._parts)
        both._gate = _Gate(both._parts)
        return both

    def may_match(self, text: str) -> bool:
        """False for a text in which none of the expressions matches, as in most."""
        return not _is_of_characters(text) or self._gate.is_open(text)

    def first_matches(self, texts: Sequence[str]) -> Iterator[Found]:
        """Of each text the kinds that are found, each with its first match; of two that begin at
        one place that of the earlier expression. In the order of the kinds."""
        for text in texts:
            found: Found = {}
            for part in self._possible(text):
                match = part.compiled.search(text)
                first = found.get(part.kind)
                if match and (first is None or match.start() < first.start()):
                    found[part.kind] = match
            yield found

    def every_match(self, kind: str, text: str) -> Iterator[re.Match[str]]:
        """All matches of a kind in their order; of those that overlap, the first alone."""
        parts = [part for part in self._possible(text) if part.kind == kind]
        matches = [match for part in parts for match in part.compiled.finditer(text)]
        end = -1
        for match in sorted(matches, key=lambda match: match.start()):
            if match.start() >= end:
                end = max(match.end(), match.start() + 1)
                yield match

    def _possible(self, text: str) -> Iterator[_Part]:
        return self._gate.possible(text) if _is_of_characters(text) else iter(self._parts)


def _is_of_characters(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which Rust's texts cannot have."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False
