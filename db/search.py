"""Substring search in item texts, in English and Chinese alike, on SQLite and PostgreSQL.

What matches: three characters and more match anywhere in a text; fewer match anywhere where one of
them is Chinese, Japanese, Korean or a sign, and at the beginning of a word where all are letters
or digits of another script. Case, character width (NFKC) and runs of spaces make no difference.

A trigram index alone finds nothing for two characters, and two-character words are normal Chinese:
so there is a second index of single characters, pairs, and beginnings of words. Both are written
per revision and never changed, in the transaction that writes the revision or, of many items at
once, after it (``db.queries.search_backlog``); a search joins with the present revision of each
item.
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Column,
    ColumnElement,
    FromClause,
    Integer,
    MetaData,
    Text,
    and_,
    column,
    func,
    literal,
    table,
    text,
)
from sqlalchemy import Table as SqlTable

from db.schema.sealed_values import is_locked, is_sealed
from db.session import Session
from db.tables import ITEM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A revision's place in SQLite's index is item << 12 | revision, so that hits come in item order.
REVISION_BITS = 12
LAST_REVISION = (1 << REVISION_BITS) - 1
_BETWEEN = "\ue000"  # stands between two fields; nobody types it
_GAPS = frozenset((" ", _BETWEEN))
_SHARED = 100  # characters; items hardly have a longer text in common

SEARCH_TEXT = SqlTable(
    "search_text",
    MetaData(),  # only PostgreSQL has it, so it is none of the tables that both share
    Column("item_id", BigInteger, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("body", Text, nullable=False),
    Column("grams", ARRAY(Text), nullable=False),
)


# Bytes of UTF-8 of which a text consists that no case folding changes but for its letters of ASCII,
# and whose only white space are spaces; with those of “ ” ‘ ’ – — …, which begin alike.
_UNCASED = bytes((*range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xE3, 0xEA)))
_SIGN, _SIGN_SPACES = b"\xe2\x80", (b"\xe2\x80\xa8", b"\xe2\x80\xa9")


def normal(words: str) -> str:
    """The text as it is compared: NFKC, case folded, one space for every run of spaces."""
    # a text of ASCII is in this form: to look takes a tenth of the time
    composed = words if words.isascii() else unicodedata.normalize("NFKC", words)
    written = composed.encode("utf-8", "surrogatepass")
    if _may_be_cased(written):
        return " ".join(composed.casefold().split())
    lower = written.lower().decode()  # of ASCII alone, in a third of the time of casefold
    return " ".join(lower.split()) if "  " in lower else lower.strip(" ")


def _may_be_cased(written: bytes) -> bool:
    """Whether a text may have cased letters that are not of ASCII, or white space but spaces."""
    left = written.translate(None, _UNCASED)
    if not left:
        return False
    signs = len(left) == left.count(0xE2) == written.count(_SIGN)
    return not signs or any(space in written for space in _SIGN_SPACES)


@lru_cache(maxsize=256)
def _normal_again(words: str) -> str:
    """``normal`` of what many items share: an instruction, a label, a language."""
    return normal(words)


def searchable(payload: Mapping[str, Any]) -> str:
    """Everything that is written in a payload, in normal form; nothing of one that is sealed."""
    if is_sealed(payload) or is_locked(payload):
        return ""
    parts = [
        normal(words) if len(words) > _SHARED else _normal_again(words)
        for words in _strings(payload)
    ]
    return _BETWEEN.join(filter(None, parts))


def _strings(value: Any) -> list[str]:
    """The texts in an object or a list."""
    if isinstance(value, Mapping):
        value = [value[name] for name in sorted(value)]
    elif not isinstance(value, list | tuple):
        return []
    found: list[str] = []
    for part in value:
        if isinstance(part, str):
            found.append(part)
        elif part:
            found += _strings(part)
    return found


# Scripts that are written without spaces; every other letter or digit belongs to a word.
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_ONE_LETTER = f"[^\\W_{_WIDE}]"


@cache  # so many ranges take longer to compile than a short command has for all of its modules
def _words() -> re.Pattern[str]:
    return re.compile(f"{_ONE_LETTER}+")


@lru_cache(maxsize=2**16)
def _is_letter(character: str) -> bool:
    """A letter or digit of a script that has words."""
    return len(character) == 1 and _words().fullmatch(character) is not None


@lru_cache(maxsize=2**16)
def _is_pair(pair: tuple[str, str]) -> bool:
    """Two characters side by side of which at least one is not a letter, and none a gap."""
    left, right = pair
    if left in _GAPS or right in _GAPS:
        return False
    return not (_is_letter(left) and _is_letter(right))


_GAP, _LETTER, _OTHER = range(3)
_CODE_BITS = 21  # of a character's number
_LETTER_BITS = 18  # of a letter's number among the letters
_AT_ONCE = 256  # texts


@cache
def _kinds() -> "NDArray[np.uint8]":
    """What each character is, by its number: a gap, a letter, or another one."""
    import numpy as np

    codes = np.arange(sys.maxunicode + 1, dtype="<u4")
    every = codes.tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.full(len(every), _OTHER, dtype=np.uint8)
    for run in _words().finditer(every):
        kinds[run.start() : run.end()] = _LETTER
    kinds[[ord(gap) for gap in _GAPS]] = _GAP
    return kinds


@cache
def _letters() -> tuple["NDArray[np.uint64]", "NDArray[np.uint32]"]:
    """Each character's number among the letters, and the letters by these numbers, which take 18
    bits: Unicode has fewer."""
    import numpy as np

    letters = np.flatnonzero(_kinds() == _LETTER).astype("<u4")
    numbers = np.zeros(len(_kinds()), dtype="u8")
    numbers[letters] = np.arange(len(letters))
    return numbers, letters


class _Coded(NamedTuple):
    """Some texts as one line, with a gap before, between and after them: no gram has letters of
    two. Of each character its number, that of its text from 1 on (0 for the gap before all), and
    what kind it is."""

    size: int
    codes: "NDArray[np.uint64]"
    owner: "NDArray[np.uint64]"
    letter: "NDArray[np.bool_]"
    gap: "NDArray[np.bool_]"

    def marks(self) -> tuple["NDArray[np.bool_]", "NDArray[np.bool_]"]:
        """Of each character but the first and the last, whether it is a short gram by itself, and
        whether it is one with the next."""
        letter, gap = self.letter, self.gap
        begins = letter[1:-1] & ~letter[:-2]
        single = begins | ~(letter[1:-1] | gap[1:-1])
        return single, (~gap[1:-1] & ~gap[2:]) & (begins | ~(letter[1:-1] & letter[2:]))

    def parted(
        self, found: "NDArray[np.uint64]", bits: int
    ) -> tuple["NDArray[np.uint64]", "NDArray[np.int64]"]:
        """Grams that stand behind the number of their text, in ``bits``: each once, and where in
        them each text ends."""
        import numpy as np

        found = np.sort(found, kind="stable")  # the texts are in order already: in half the time
        found = found[np.flatnonzero(np.diff(found, prepend=np.uint64(0)))]
        owners = np.arange(2, self.size + 2, dtype="u8")
        ends = np.searchsorted(found, owners << np.uint64(bits))
        return found & np.uint64((1 << bits) - 1), ends


def _coded(bodies: Sequence[str]) -> Iterator[_Coded]:
    """Texts in parts of ``_AT_ONCE``."""
    import numpy as np

    for start in range(0, len(bodies), _AT_ONCE):
        part = bodies[start : start + _AT_ONCE]
        line = "".join((_BETWEEN, *(body + _BETWEEN for body in part)))
        codes = np.frombuffer(line.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        owner = np.repeat(np.arange(len(part) + 1, dtype="u8"), [1, *(len(b) + 1 for b in part)])
        kinds = _kinds()[codes]
        yield _Coded(len(part), codes.astype("u8"), owner, kinds == _LETTER, kinds == _GAP)


def _short_grams(texts: _Coded) -> tuple["NDArray[np.uint64]", "NDArray[np.int64]"]:
    """What one and two characters are looked up among: single characters that are no letters, pairs
    with such a one, and the first and the first two letters of every word. Each as the number of
    its first character, shifted, and of its second, 0 for none; and where each text ends."""
    import numpy as np

    codes, (single, pair) = texts.codes, texts.marks()
    firsts = texts.owner[1:-1] << np.uint64(2 * _CODE_BITS) | codes[1:-1] << np.uint64(_CODE_BITS)
    both = np.concatenate([firsts[single], (firsts | codes[2:])[pair]])
    return texts.parted(both, 2 * _CODE_BITS)


def _word_grams(texts: _Coded) -> tuple["NDArray[np.uint64]", "NDArray[np.int64]"]:
    """Runs of three letters, for PostgreSQL has no trigram index of its own: each as the numbers of
    ``_letters`` side by side; and where each text ends."""
    import numpy as np

    numbers = _letters()[0][texts.codes]
    run = texts.letter[:-2] & texts.letter[1:-1] & texts.letter[2:]
    found = texts.owner[:-2][run]
    for place in range(3):
        end = len(numbers) - 2 + place
        found = found << np.uint64(_LETTER_BITS) | numbers[place:end][run]
    return texts.parted(found, 3 * _LETTER_BITS)


def array_literals(bodies: Sequence[str]) -> Iterator[str]:
    """Of each text all grams as the literal of an array, as PostgreSQL reads one: the driver takes
    a third of the writing to spell a list."""
    import numpy as np

    quote, comma, backslash = (np.uint32(ord(sign)) for sign in '",\\')
    for texts in _coded(bodies):
        numbers, ends = _short_grams(texts)
        short = np.zeros((len(numbers), 7), dtype="<u4")  # "c", with a backslash before some
        short[:, 2] = numbers >> np.uint64(_CODE_BITS)
        short[:, 4] = numbers & np.uint64((1 << _CODE_BITS) - 1)
        for sign in (2, 4):
            special = (short[:, sign] == quote) | (short[:, sign] == backslash)
            short[special, sign - 1] = backslash
        short[:, 0] = short[:, 5] = quote
        short[:, 6] = comma
        there = short != 0
        ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])[ends]
        runs, run_ends = _word_grams(texts)
        long = np.full((len(runs), 6), quote, dtype="<u4")
        for place in range(3):
            shifted = runs >> np.uint64(_LETTER_BITS * (2 - place))
            long[:, 1 + place] = _letters()[1][shifted & np.uint64((1 << _LETTER_BITS) - 1)]
        long[:, 5] = comma
        parts = zip(_spelled(short[there], ends), _spelled(long, 6 * run_ends), strict=True)
        for first, second in parts:
            yield f"{{{(first + second)[:-1]}}}"


def _spelled(codes: "NDArray[np.uint32]", ends: "NDArray[np.int64]") -> Iterator[str]:
    """The characters of these numbers, parted at the ends."""
    written = codes.tobytes().decode("utf-32-le", "surrogatepass")
    start = 0
    for end in ends.tolist():
        yield written[start:end]
        start = end


_SLOT_BITS = 18
_SCATTER = 0x9E3779B97F4A7C15  # of Fibonacci hashing (Knuth, The Art of Computer Programming 6.4)
_LOW_BITS = 12  # of a character's number, which are three of its hexadecimal digits


@cache
def _hexadecimals() -> tuple["NDArray[np.bytes_]", "NDArray[np.bytes_]"]:
    """The first two and the last three hexadecimal digits of a character's number."""
    import numpy as np

    high = [b"%02x" % number for number in range(1 << (_CODE_BITS - _LOW_BITS))]
    return np.array(high), np.array([b"%03x" % number for number in range(1 << _LOW_BITS)])


def _mostly_once(grams: "NDArray[np.uint64]") -> "NDArray[np.uint64]":
    """Grams in their order, without nearly all that come again: in half the time of sorting them.

    Each leaves its place in a slot, where others find it; those that share a slot all stay."""
    import numpy as np

    slots = ((grams * np.uint64(_SCATTER)) >> np.uint64(64 - _SLOT_BITS)).astype(np.intp)
    places = np.arange(len(grams), dtype=np.uint32)
    last = np.empty(1 << _SLOT_BITS, dtype=np.uint32)
    last[slots] = places
    found = last.take(slots)
    stays: NDArray[np.bool_] = (found == places) | (grams.take(found) != grams)
    once: NDArray[np.uint64] = grams[stays]
    return once


def _encoded_short_grams(bodies: Sequence[str]) -> Iterator[str]:
    """``_encoded`` of the short grams of each text; some may be there twice."""
    import numpy as np

    bits = np.uint64(_CODE_BITS)
    for texts in _coded(bodies):
        single, pair = texts.marks()
        codes, owner = texts.codes, texts.owner[1:-1] << bits
        ones, twos = np.flatnonzero(single), np.flatnonzero(pair)
        pairs = (owner[twos] | codes[twos + 1]) << bits | codes[twos + 2]
        parts = [_mostly_once(owner[ones] | codes[ones + 1]), _mostly_once(pairs)]
        written = [_words_of(part, count) for count, part in enumerate(parts, 1)]
        owners = np.arange(1, texts.size + 1, dtype="u8")
        ends = [
            np.searchsorted(part >> (bits * np.uint64(count)), owners, side="right") * width
            for count, (part, (_, width)) in enumerate(zip(parts, written, strict=True), 1)
        ]
        start = other = 0
        for end, last in zip(*(end.tolist() for end in ends), strict=True):
            yield written[0][0][start:end] + written[1][0][other:last]
            start, other = end, last


def _words_of(grams: "NDArray[np.uint64]", count: int) -> tuple[str, int]:
    """Grams of one or of two characters as words with a space behind each, and how long one is."""
    import numpy as np

    high, low = _hexadecimals()
    names = [f"{part}{place}" for place in range(count) for part in ("high", "low")]
    kinds = [("S2" if name.startswith("high") else "S3") for name in names]
    words = np.empty(len(grams), dtype=[*zip(names, kinds, strict=True), ("space", "S1")])
    words["space"] = b" "
    for place in range(count):
        codes = (grams >> np.uint64(_CODE_BITS * (count - 1 - place))).astype(np.intp)
        codes &= (1 << _CODE_BITS) - 1
        words[f"high{place}"] = high.take(codes >> _LOW_BITS)
        words[f"low{place}"] = low.take(codes & ((1 << _LOW_BITS) - 1))
    return words.tobytes().decode("ascii"), words.itemsize


def _needed_grams(text: str) -> set[str]:
    """Grams that every text with ``wanted`` in it has, however its ends are continued."""
    grams = {"".join(pair) for pair in pairwise(text) if _is_pair(pair)}
    grams |= {c for c in text if c not in _GAPS and not _is_letter(c)}
    for word in _words().findall(text):
        grams.update(word[place : place + 3] for place in range(len(word) - 2))
    for place in range(1, len(text)):
        starts = _is_letter(text[place]) and not _is_letter(text[place - 1])
        if starts:
            grams.add(text[place])
    return grams


def _encoded(grams: Iterable[str]) -> str:
    """Grams as words of hexadecimal digits, which no tokenizer changes."""
    return " ".join(map(_hexadecimal, grams))


@lru_cache(maxsize=2**16)
def _hexadecimal(gram: str) -> str:
    return "".join(f"{ord(letter):05x}" for letter in gram)


_INTO_SERVER = text(
    "INSERT INTO search_text (item_id, revision, body, grams) "
    "VALUES (:item_id, :revision, :body, CAST(:grams AS text[]))"
)


def server_rows(
    rows: Sequence[tuple[int, int, Mapping[str, Any]]],
) -> Iterator[tuple[int, int, str, str]]:
    """Rows of ``SEARCH_TEXT`` for revisions (item, number, payload), as ``COPY`` takes them."""
    bodies = [searchable(payload) for _, _, payload in rows]
    for (item_id, number, _), body, grams in zip(rows, bodies, array_literals(bodies), strict=True):
        yield item_id, number, body, grams


def write(session: Session, rows: Sequence[tuple[int, int, Mapping[str, Any]]]) -> None:
    """Put revisions (item, number, payload) into the index, in the session's transaction."""
    if not rows:
        return
    if session.dialect.name == "postgresql":
        names = ("item_id", "revision", "body", "grams")
        session.execute(
            _INTO_SERVER, [dict(zip(names, row, strict=True)) for row in server_rows(rows)]
        )
        return
    write_texts(session, indexed(rows))


class IndexedText(NamedTuple):
    """A revision as SQLite's two indexes take it."""

    place: int
    body: str
    grams: str


def indexed(rows: Sequence[tuple[int, int, Mapping[str, Any]]]) -> list[IndexedText]:
    """What the indexes take of revisions (item, number, payload); needs no database."""
    texts = {
        item_id << REVISION_BITS | number: searchable(payload)
        for item_id, number, payload in rows
        if number <= LAST_REVISION
    }
    grams = _encoded_short_grams(list(texts.values()))
    return [IndexedText(*text, gram) for text, gram in zip(texts.items(), grams, strict=True)]


def write_texts(session: Session, texts: Sequence[IndexedText]) -> None:
    """Put texts into SQLite's index, in the session's transaction."""
    if not texts:
        return
    connection = session.connection()
    long = "INSERT INTO search_long (rowid, body) VALUES (?, ?)"
    connection.exec_driver_sql(long, [(text.place, text.body) for text in texts])
    short = "INSERT INTO search_short (rowid, grams) VALUES (?, ?)"
    connection.exec_driver_sql(short, [(text.place, text.grams) for text in texts])


def remove_texts(session: Session, texts: Sequence[IndexedText]) -> None:
    """Take texts out of SQLite's index; they must be those that were put there."""
    connection = session.connection()
    for name, field, place in (("search_long", "body", 1), ("search_short", "grams", 2)):
        gone = f"INSERT INTO {name} ({name}, rowid, {field}) VALUES ('delete', ?, ?)"  # noqa: S608 (names of our own)
        if texts:
            connection.exec_driver_sql(gone, [(text.place, text[place]) for text in texts])


def matching(session: Session, words: str) -> tuple[FromClause, ColumnElement[bool]] | None:
    """What to select from, and the condition that joins it with ITEM; None for no words at all.

    On SQLite the hits come in the order of the items' numbers without sorting.
    """
    needle = normal(words)
    if not needle:
        return None
    if session.dialect.name == "postgresql":
        return _server_match(needle)
    if len(needle) < 3:
        name, query = "search_short", f'"{_encoded([needle])}"'
    else:
        name, query = "search_long", '"' + needle.replace('"', '""') + '"'
    hits = table(name, column("rowid", BigInteger))
    place = hits.c.rowid
    return hits, and_(
        text(f"{name} MATCH :words").bindparams(words=query),
        ITEM.c.id == place.op(">>")(literal(REVISION_BITS)),
        ITEM.c.revision == place.op("&")(literal(LAST_REVISION)),
    )


def _server_match(needle: str) -> tuple[FromClause, ColumnElement[bool]]:
    joined = and_(SEARCH_TEXT.c.item_id == ITEM.c.id, SEARCH_TEXT.c.revision == ITEM.c.revision)
    if len(needle) < 3:
        return SEARCH_TEXT, and_(joined, _holds([needle]))
    grams = sorted(_needed_grams(needle))
    inside = func.strpos(SEARCH_TEXT.c.body, needle) > 0
    if grams:
        inside = and_(_holds(grams), inside)
    return SEARCH_TEXT, and_(joined, inside)


def _holds(grams: list[str]) -> ColumnElement[bool]:
    return SEARCH_TEXT.c.grams.op("@>", is_comparison=True)(grams)
