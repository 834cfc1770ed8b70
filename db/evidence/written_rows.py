"""Digests of rows that were just written, without reading them back.

An import writes tens of thousands of rows while everybody else waits to write. What it gave SQLite
is what SQLite gives back, so that the digest can be taken of the values at hand. PostgreSQL spells
JSON its own way: there the rows are read back, before the ledger is locked for their events.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

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
    bound = [names[place] for place in places]
    bound_values = itemgetter(*places)
    known: dict[Unit, str] = session.info.setdefault(WRITTEN, {}).setdefault(table, {})
    for row in rows:
        known[row[unit]] = hashlib.sha256(line_of(bound, bound_values(row))).hexdigest()


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
