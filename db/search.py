"""Substring search in item texts, in English and Chinese alike, on SQLite and PostgreSQL.

What matches: three characters and more match anywhere in a text; fewer match anywhere where one of
them is Chinese, Japanese, Korean or a sign, and at the beginning of a word where all are letters
or digits of another script. Case, character width (NFKC) and runs of spaces make no difference.

A trigram index alone finds nothing for two characters, and two-character words are normal Chinese:
so there is a second index of single characters, pairs, and beginnings of words. Both are written
per revision and never changed, in the transaction that writes the revision; a search joins with
the present revision of each item.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from sqlalchemy import (
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
    insert,
    literal,
    table,
    text,
)
from sqlalchemy import Table as SqlTable
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Session

from db.tables import ITEM

# A revision's place in SQLite's index is item << 12 | revision, so that hits come in item order.
REVISION_BITS = 12
_LAST_REVISION = (1 << REVISION_BITS) - 1
_BETWEEN = "\ue000"  # stands between two fields; nobody types it
_GAPS = frozenset((" ", _BETWEEN))

SEARCH_TEXT = SqlTable(
    "search_text",
    MetaData(),  # only PostgreSQL has it, so it is none of the tables that both share
    Column("item_id", BigInteger, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("body", Text, nullable=False),
    Column("grams", ARRAY(Text), nullable=False),
)


def normal(words: str) -> str:
    """The text as it is compared: NFKC, case folded, one space for every run of spaces."""
    return " ".join(unicodedata.normalize("NFKC", words).casefold().split())


def searchable(payload: Mapping[str, Any]) -> str:
    """Everything that is written in a payload, in normal form."""
    return _BETWEEN.join(part for part in map(normal, _strings(payload)) if part)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name in sorted(value):
            yield from _strings(value[name])
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)


# Scripts that are written without spaces; every other letter or digit belongs to a word.
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS = re.compile(f"(?:(?![{_WIDE}])[^\\W_])+")
_ONE_LETTER = re.compile(f"(?![{_WIDE}])[^\\W_]")


@lru_cache(maxsize=2**16)
def _is_letter(character: str) -> bool:
    """A letter or digit of a script that has words."""
    return _ONE_LETTER.fullmatch(character) is not None


@lru_cache(maxsize=2**16)
def _is_pair(pair: tuple[str, str]) -> bool:
    """Two characters side by side of which at least one is no letter, and none a gap."""
    left, right = pair
    if left in _GAPS or right in _GAPS:
        return False
    return not (_is_letter(left) and _is_letter(right))


def short_grams(body: str) -> set[str]:
    """What one and two characters are looked up among: single characters that are no letters,
    pairs with such a one, and the first and the first two letters of every word."""
    letters = {c for c in set(body) if not _is_letter(c)}.difference(_GAPS)
    letters.update(map("".join, filter(_is_pair, set(pairwise(body)))))
    heads = {word[:2] for word in set(_WORDS.findall(body))}
    letters.update(heads, {head[0] for head in heads})
    return letters


def _word_grams(body: str) -> set[str]:
    """Runs of three letters; PostgreSQL has no trigram index of its own."""
    return {word[i : i + 3] for word in _WORDS.findall(body) for i in range(len(word) - 2)}


def _needed_grams(text: str) -> set[str]:
    """Grams that every text with ``wanted`` in it has, however its ends are continued."""
    grams = {"".join(pair) for pair in pairwise(text) if _is_pair(pair)}
    grams |= {c for c in text if c not in _GAPS and not _is_letter(c)}
    grams |= _word_grams(text)
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


def write(session: Session, rows: Sequence[tuple[int, int, Mapping[str, Any]]]) -> None:
    """Put revisions (item, number, payload) into the index, in the session's transaction."""
    if not rows:
        return
    if session.get_bind().dialect.name == "postgresql":
        session.execute(insert(SEARCH_TEXT), [_server_row(*row) for row in rows])
        return
    places = []
    for item_id, number, payload in rows:
        if number <= _LAST_REVISION:
            body = searchable(payload)
            grams = _encoded(short_grams(body))
            places.append({"at": item_id << REVISION_BITS | number, "body": body, "grams": grams})
    if places:
        session.execute(text("INSERT INTO search_long (rowid, body) VALUES (:at, :body)"), places)
        session.execute(
            text("INSERT INTO search_short (rowid, grams) VALUES (:at, :grams)"), places
        )


def _server_row(item_id: int, number: int, payload: Mapping[str, Any]) -> dict[str, Any]:
    body = searchable(payload)
    grams = sorted(short_grams(body) | _word_grams(body))
    return {"item_id": item_id, "revision": number, "body": body, "grams": grams}


def matching(session: Session, words: str) -> tuple[FromClause, ColumnElement[bool]] | None:
    """What to select from, and the condition that joins it with ITEM; None for no words at all.

    On SQLite the hits come in the order of the items' numbers without sorting.
    """
    needle = normal(words)
    if not needle:
        return None
    if session.get_bind().dialect.name == "postgresql":
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
        ITEM.c.revision == place.op("&")(literal(_LAST_REVISION)),
    )


def _server_match(needle: str) -> tuple[FromClause, ColumnElement[bool]]:
    joined = and_(SEARCH_TEXT.c.item_id == ITEM.c.id, SEARCH_TEXT.c.revision == ITEM.c.revision)
    if len(needle) < 3:
        return SEARCH_TEXT, and_(joined, SEARCH_TEXT.c.grams.contains([needle]))
    grams = sorted(_needed_grams(needle))
    inside = func.strpos(SEARCH_TEXT.c.body, needle) > 0
    if grams:
        inside = and_(SEARCH_TEXT.c.grams.contains(grams), inside)
    return SEARCH_TEXT, and_(joined, inside)
