"""Items get numbers in order, and nothing that is written later takes one again."""

from typing import Any

import pytest
from sqlalchemy import String, func, select, type_coerce

from db import benchmarks, items, search
from db.engine import Store
from db.items import NewItem
from db.queries import item_search, search_backlog
from db.queries.item_search import ItemQuery
from db.tables import REVISION


def new_items(session, start: int, count: int) -> list[NewItem]:
    row = benchmarks.benchmark_named(session, "b") or benchmarks.add_benchmark(session, "b")
    task = benchmarks.task_named(session, row.id, "t") or benchmarks.add_task(
        session, row.id, "t", "instruction"
    )
    return [
        NewItem(
            task_id=task.id, benchmark_id=row.id, family="instruction", format="triplet",
            domain="", content_hash=f"{place:064x}", payload={"input": f"zebrafish {place}"},
            provenance={}, state="draft", open_slots=1,
        )
        for place in range(start, start + count)
    ]  # fmt: skip


def test_numbers_follow_one_another_and_are_given_once(store: Store) -> None:
    with store.writing() as session:
        first = items.add(session, new_items(session, 0, 3))
        items.add_revision(
            session, first[1], 2, content_hash="f" * 64, payload={"input": "new"}, provenance={}
        )
    with store.writing() as session:
        second = items.add(session, new_items(session, 3, 2))
    assert first + second == list(range(first[0], first[0] + 5))
    with store.reading() as session:
        assert session.execute(select(func.count(REVISION.c.id.distinct()))).scalar() == 6
        said = [items.get_many(session, [number])[0].content_hash for number in first + second]
    assert said == [f"{place:064x}" for place in range(5)]


def test_what_many_items_add_to_the_index_is_found_with_what_comes_later(store: Store) -> None:
    def found() -> list[int]:
        with store.reading() as session:
            return item_search.ids(session, ItemQuery(words="zebrafish"), offset=0, limit=100)

    with store.writing() as session:
        numbers = items.add(session, new_items(session, 0, 40), index_later=True)
    with store.writing() as session:
        later = items.add(session, new_items(session, 40, 1))
    assert found() == (later if store.is_sqlite else [*numbers, *later])
    while texts := _waiting(store):
        with store.writing() as session:
            search_backlog.index(session, search.indexed(texts))
            search_backlog.index(session, search.indexed(texts))  # as another process may
    while _tidied(store):
        pass
    assert found() == [*numbers, *later]
    with store.reading() as session:
        assert not search_backlog.is_waiting(session)
        assert search_backlog.is_tidy(session)


def _waiting(store: Store) -> list[tuple[int, int, dict[str, Any]]]:
    with store.reading() as session:
        return search_backlog.next_texts(session, 7)


def _tidied(store: Store) -> bool:
    with store.writing() as session:
        return search_backlog.tidy(session)


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ({"options": ["一", "b"], "context": "c", "key": 0},
         '{"context":"c","key":0,"options":["一","b"]}'),
        ({"b": {"z": 1, "a": None}, "a": True}, '{"a":true,"b":{"a":null,"z":1}}'),
        ({"b": 1.5, "a": 1e-5}, '{"b": 1.5, "a": 1e-05}'),
    ],
)  # fmt: skip
def test_sqlite_keeps_a_payload_as_it_is_hashed_where_orjson_spells_it(
    store: Store, payload: dict[str, Any], text: str
) -> None:
    with store.writing() as session:
        (new,) = new_items(session, 0, 1)
        items.add(session, [new._replace(payload=payload)])
        kept = session.execute(select(type_coerce(REVISION.c.payload, String))).scalar_one()
        assert not store.is_sqlite or kept == text
        assert session.execute(select(REVISION.c.payload)).scalar_one() == payload
