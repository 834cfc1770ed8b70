"""Rows that were just written are bound by the values at hand, as if they had been read back."""

from typing import Any

import pytest
from sqlalchemy import event

from db import benchmarks, items, ledger
from db.engine import Session, Store
from db.evidence import bindings
from db.items import NewItem

TEXTS = ("水 and 山", "half \ud83d", "a\x00b", "\u2028", 'quoted "\\"', "")
REFUSED = TEXTS[1:3]  # PostgreSQL has no such texts
VALUES: tuple[Any, ...] = (*TEXTS, 1e-7, 1.0, 2**70, -1, None, True, [1, [2]], {"a": {"b": "水"}})


@pytest.fixture
def new(store: Store) -> list[NewItem]:
    with store.writing() as session:
        row = benchmarks.add_benchmark(session, "b")
        task = benchmarks.add_task(session, row.id, "t", "instruction")
    return [
        NewItem(
            task_id=task.id, benchmark_id=row.id, family="instruction", format="triplet",
            domain="水" if place % 2 else "", content_hash=f"{place:064x}",
            payload={"input": value}, provenance={"line": place, "columns": {"x": value}},
            state="draft", open_slots=1, label="山" if place % 3 else "", barred="as_published",
            defects=[{"name": "empty", "detail": "水"}] if place % 2 else [],
        )
        for place, value in enumerate(VALUES)
        if store.is_sqlite or value not in REFUSED
    ]  # fmt: skip


def bound_now(session: Session) -> dict[tuple[str, str], str | None]:
    taken = bindings.take(session)
    return {
        (table, unit): digest
        for of_item in taken.values()
        for table, units in of_item.items()
        for unit, digest in units.items()
    }


def stored(session: Session) -> dict[tuple[str, str], str | None]:
    found = bindings.of_tables(session, ("item", "revision"))
    return {
        (table, unit): digest
        for part in found
        for table, units in part.items()
        for unit, digest in units.items()
    }


def test_digests_of_written_rows_are_those_of_the_rows_as_stored(
    store: Store, new: list[NewItem]
) -> None:
    with store.writing() as session:
        items.add(session, new, index_later=True)
        bound = bound_now(session)
        assert len(bound) == 2 * len(new)
        assert bound == stored(session)


def test_the_ledger_is_not_kept_locked_for_reading_back_what_was_just_written(
    store: Store, new: list[NewItem]
) -> None:
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    with store.writing() as session:
        items.add(session, new[:3], index_later=True)
        before = list(statements)
        statements.clear()
        ledger.append(session, ledger.NewEvent("created", "", 1))
        locked = list(statements)
    # SQLite gives back what it was given, PostgreSQL spells JSON again
    assert bool(_read_back(before)) != store.is_sqlite
    assert not _read_back(locked)


def _read_back(statements: list[str]) -> list[str]:
    whole = ('FROM "revision" WHERE', 'FROM "item" WHERE')
    return [words for words in statements if any(part in words for part in whole)]


def test_what_is_touched_again_is_read_and_bound_as_it_is_then(
    store: Store, new: list[NewItem]
) -> None:
    with store.writing() as session:
        number = items.add(session, new[:1])[0]
        items.change(session, [number], label="what it says since")
        assert bound_now(session) == stored(session)


def test_what_was_rolled_back_is_not_bound_by_its_old_values(
    store: Store, new: list[NewItem]
) -> None:
    with store.writing() as session:
        items.add(session, new[:1])
        session.rollback()
        bindings.forget(session)
        items.add(session, new[3:4])
        assert bound_now(session) == stored(session)


def test_rows_that_share_all_but_their_numbers_are_bound_as_they_are_stored(
    store: Store, new: list[NewItem]
) -> None:
    alike = [new[0]._replace(content_hash=f"{place:064x}") for place in range(100, 130)]
    some = [item._replace(content_hash=f"9{item.content_hash[1:]}") for item in new[:1] + new[3:5]]
    with store.writing() as session:
        for part in (alike, alike[:0], some):
            items.add(session, part, index_later=True)
        assert bound_now(session) == stored(session)
