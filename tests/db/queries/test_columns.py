"""Columns read in bulk hold what a row at a time holds, on both databases."""

from collections.abc import Iterator
from pathlib import Path

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
