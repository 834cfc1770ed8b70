"""Digests of rows that were just written, without reading them back.

An import writes tens of thousands of rows while everybody else waits to write. What it gave SQLite
is what SQLite gives back, so that the digest can be taken of the values at hand. PostgreSQL spells
JSON its own way: there the rows are read back, before the ledger is locked for their events.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import repeat
from types import NoneType
from typing import Any

import orjson

from db.evidence.bindings import (
    BY_TABLE,
    WRITTEN,
    Unit,
    bound_columns,
    digests,
    line_of,
    own_columns,
)
from db.session import Session


def bind(session: Session, table: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Take the digests of rows that ``touch`` was told of, of a table whose units are rows.

    ``rows`` hold the values of the named columns as SQLite keeps them (see ``Session.add_rows``);
    the columns that are not named are null. Whatever is touched again later is read after all.
    """
    unit, places = _places(table, tuple(names))
    if not rows:
        return
    known: dict[Unit, str] = session.info.setdefault(WRITTEN, {}).setdefault(table, {})
    bound = [names[place] for place in places]
    columns = list(zip(*rows, strict=True))
    lines = _lines(bound, [columns[place] for place in places])
    for one, line in zip(columns[unit], lines, strict=True):
        known[one] = hashlib.sha256(line).hexdigest()


def _lines(names: Sequence[str], columns: Sequence[Sequence[Any]]) -> Iterable[bytes]:
    """``line_of`` each row of some columns; what a column has in every row is spelled once."""
    parts: list[Iterable[bytes]] = []
    shared = b"{"
    try:
        for name, column in zip(names, columns, strict=True):
            kinds = set(map(type, column))
            if kinds == {NoneType}:
                continue
            if kinds != {str} and kinds != {int}:
                raise TypeError
            shared += b"%b:" % orjson.dumps(name)
            if column.count(column[0]) == len(column):
                shared += orjson.dumps(column[0]) + b","
            else:
                parts += [repeat(shared), map(orjson.dumps, column)]
                shared = b","
        parts.append(repeat(shared.removesuffix(b",") + b"}", len(columns[0])))
        return list(map(b"".join, zip(*parts, strict=False)))
    except TypeError:  # null in some of the rows, another number, half a surrogate pair
        return [line_of(names, row) for row in zip(*columns, strict=True)]


def read(session: Session, table: str, units: Sequence[Unit]) -> None:
    """Take the digests of rows that ``touch`` was told of and that nobody else can see yet, as the
    database spells them."""
    known: dict[Unit, str] = session.info.setdefault(WRITTEN, {}).setdefault(table, {})
    known.update(digests(session.connection(), BY_TABLE[table], units))


def told(session: Session, table: str, known: Mapping[Unit, str]) -> None:
    """Take the digests of rows that ``touch`` was told of from a server that has just written them;
    it finds the same as ``read``."""
    session.info.setdefault(WRITTEN, {}).setdefault(table, {}).update(known)


@cache
def _places(table: str, names: tuple[str, ...]) -> tuple[int, tuple[int, ...]]:
    """Where a row has its unit, and its bound columns in the order of the table."""
    evidence = BY_TABLE[table]
    assert not evidence.many
    assert not evidence.where
    bound = bound_columns(evidence, (name for name, _ in own_columns(table)))
    return names.index(evidence.unit), tuple(names.index(name) for name in bound if name in names)
