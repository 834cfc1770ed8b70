"""The public half comes from existing sources and the private one from new ones, label by label."""

import tracemalloc
from collections import Counter

from core.workflow.splits.halves import public_items
from db.items import FreezableRow, FreezableRows

ROW = FreezableRow(
    id=0, task_id=1, format="original", label="", domain="", revision=1, state="accepted",
    author_id=None, is_free=True,
)  # fmt: skip


def rows(count: int, **fields: object) -> list[FreezableRow]:
    first = int(str(fields.pop("first", 1)))
    return [ROW._replace(id=first + n, **fields) for n in range(count)]


def test_what_was_imported_is_published_before_what_was_written_here() -> None:
    imported, written = rows(6), rows(6, first=101, author_id=3)
    chosen = public_items([*imported, *written], 6, 7)
    assert chosen == {row.id for row in imported}
    chosen = public_items([*imported, *written], 8, 7)
    assert len(chosen) == 8
    assert chosen > {row.id for row in imported}


def test_every_label_has_its_share_in_both_halves() -> None:
    items = [*rows(30, label="yes"), *rows(10, first=101, label="no", author_id=3)]
    chosen = public_items(items, 20, 7)
    assert Counter(row.label for row in items if row.id in chosen) == {"yes": 15, "no": 5}
    assert len(public_items(items, 13, 7)) == 13


def test_the_draw_can_be_repeated_and_free_answers_are_no_labels() -> None:
    items = [row._replace(label=f"answer {row.id}") for row in rows(20)]
    assert public_items(items, 10, 7) == public_items(items[::-1], 10, 7)
    assert len({frozenset(public_items(items, 10, seed)) for seed in range(5)}) > 1
    assert public_items(items, 0, 7) == set()
    assert public_items(items, 99, 7) == {row.id for row in items}


def test_rows_are_as_they_were_given_however_they_are_asked_for() -> None:
    given = [*rows(3), *rows(2, first=9, label="yes"), *rows(1, first=20, author_id=3)]
    held = FreezableRows(given)
    assert list(held) == given
    assert [held[place] for place in range(len(given))] == given
    assert held[1:4] == given[1:4]
    assert held[-1] == given[-1]
    assert held[10:] == []


def test_what_a_freeze_holds_of_an_item_is_a_few_bytes() -> None:
    many = 20_000
    tracemalloc.start()
    held = FreezableRows(iter(ROW._replace(id=number) for number in range(many)))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(held) == many
    assert size < 32 * many  # a list of the rows holds 180 bytes of each
