"""Columns read in bulk hold what a row at a time holds, on both databases."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    insert,
    select,
)
from sqlalchemy.orm import Session

from db.engine import Store, sqlite_url
from db.queries import columns
from db.queries.columns import batches
from db.schema.column_types import UtcDateTime

ODD = Table(
    "odd",
    MetaData(),
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("maybe", Integer),
    Column("exact", Float),
    Column("word", Text),
    Index("ix_odd_number", "number"),
)
ROWS = [
    (1, -7, None, 0.1 + 0.2, "plain"),
    (2, 2**31 - 1, 5, 3.0, 'a "quote", a comma'),
    (3, 0, None, None, "多行\n文本\t"),
    (40, 1, 2, 1e20, ""),
    (41, 1, 2, -0.1234567890123456789, None),
    (42, 1, 2, float(2**53 - 1), "]"),
    (10**12, 1, None, 1 / 3, "[1, 2]"),
    (10**12 + 1, 1, None, 5e-324, "null"),
]


@pytest.fixture(params=["sqlite", "postgresql"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    if request.param == "sqlite":
        store = Store.create(sqlite_url(tmp_path / "a.db"))
    else:
        store = Store.open(request.getfixturevalue("pg_url"))
    with store.writing() as opened:
        ODD.create(opened.connection())
        opened.execute(insert(ODD), [dict(zip(ODD.c.keys(), row, strict=True)) for row in ROWS])
        yield opened
        ODD.drop(opened.connection())
    store.close()


def read(session: Session, after: int = 0) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for batch in batches(session, select(ODD), after):
        found += zip(*(list(column) for column in batch), strict=True)
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 20_000])
def test_every_value_comes_back_as_it_was_written(
    session: Session, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the last digits of a number, which SQLite leaves out when it writes one."""
    monkeypatch.setattr(columns, "BATCH", size)
    assert read(session) == ROWS


TIMES = Table(
    "times",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("at", UtcDateTime(), nullable=False),
    Column("ended", UtcDateTime()),
)


def test_moments_come_back_to_the_microsecond(session: Session) -> None:
    """Also where some rows have none."""
    first = datetime(2026, 8, 3, 8, 0, tzinfo=UTC)
    written = [
        (first, None),
        (datetime(1999, 12, 31, 23, 59, 59, 999_999, UTC), first),
        (first + timedelta(hours=1), None),
    ]
    TIMES.create(session.connection())
    names = ("at", "ended")
    session.execute(insert(TIMES), [dict(zip(names, row, strict=True)) for row in written])
    (batch,) = batches(session, select(TIMES))
    for place, column in enumerate(batch[1:]):
        read = [None if one is None else _moment(one) for one in column]
        assert read == [None if row[place] is None else _moment(row[place]) for row in written]
    TIMES.drop(session.connection())


def _moment(value: Any) -> np.datetime64:
    if isinstance(value, datetime):
        value = value.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(value, "us")


def test_only_what_came_after_an_id_is_read(session: Session) -> None:
    assert read(session, 41) == ROWS[5:]
    assert read(session, 10**12 + 1) == []


def test_conditions_of_the_query_are_kept(session: Session) -> None:
    query = select(ODD).where(ODD.c.number == 1, ODD.c.maybe.is_not(None))
    assert [list(batch[0]) for batch in batches(session, query)] == [[40, 41, 42]]


def test_rows_stay_whole_and_in_order_where_the_database_goes_through_an_index(
    session: Session,
) -> None:
    query = select(ODD).where(ODD.c.number.in_((2**31 - 1, 0, -7)))
    found = [tuple(zip(*map(list, batch), strict=True)) for batch in batches(session, query)]
    assert found == [tuple(ROWS[:3])]
