"""What is hidden is what the ranges say, however they lie, and nothing else."""

from collections.abc import Callable, Sequence
from contextlib import closing

import pytest

from db import benchmarks, items
from db.engine import Store, sqlite_url
from db.importing import pending_imports
from db.session import Session
from tests.db.test_items import new_items

LAYOUTS: tuple[tuple[Sequence[int], ...], ...] = (
    (),
    ((1, 2, 3),),
    ((18, 19, 20),),
    ((5,), (7,), (9, 10, 11)),
    ((5, 6, 7), (8, 9), (10, 11)),  # beside one another: one stretch
    ((1,), (3, 4, 5, 6, 7, 8), (12, 13), (20,)),
    (range(1, 21),),
)
COUNT = 20


def laid_out(session: Session, layout: Sequence[Sequence[int]]) -> tuple[list[int], set[int]]:
    """The numbers of twenty items, and those that imports hide, each by its place from 1."""
    numbers = items.add(session, new_items(session, 0, COUNT))
    task = benchmarks.tasks(session)[0].id
    for place, hidden in enumerate(layout):
        own = [numbers[number - 1] for number in hidden]
        pending_imports.hide(session, f"import {place}", task, f"{place}.jsonl", own, None)
    return numbers, {numbers[number - 1] for hidden in layout for number in hidden}


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_what_is_shown_is_what_no_range_holds(store: Store, layout) -> None:
    with store.writing() as session:
        numbers, hidden = laid_out(session, layout)
        shown = [number for number in numbers if number not in hidden]
        assert [row.id for row in items.get_many(session, numbers)] == shown
        assert pending_imports.hidden_among(session, numbers) == hidden
        task = benchmarks.tasks(session)[0].id
        assert {item.id for item in pending_imports.hidden_in(session, task)} == hidden
        assert len(pending_imports.hidden_hashes(session, task)) == len(hidden)
        ranges = pending_imports.hidden_at(session, "2999")
        assert [n for n in numbers if pending_imports.lies_in(n, ranges)] == sorted(hidden)
        assert {number for number in numbers if pending_imports.hiding(session, number)} == hidden
        first = min(hidden, default=numbers[-1] + 1)
        between = {
            number
            for start, end in pending_imports.visible_ranges(session, 1000)
            for number in range(start, min(end, numbers[-1]) + 1)
        }
        assert between == {number for number in shown if number > first}
        assert len(pending_imports.visible_ranges(session, 1)) == bool(hidden)


def steps(session: Session, read: Callable[[Session, int], object], task: int) -> int:
    """How many hundred instructions of SQLite's machine a reading takes."""
    count = 0

    def took() -> int:
        nonlocal count
        count += 1
        return 0

    driver = session.connection().connection.driver_connection
    assert driver is not None
    driver.set_progress_handler(took, 100)
    try:
        read(session, task)
    finally:
        driver.set_progress_handler(None, 0)
    return count


@pytest.mark.parametrize("read", [pending_imports.hidden_in, pending_imports.hidden_hashes])
def test_the_hidden_items_of_a_task_are_read_in_steps_as_many_as_they(tmp_path, read) -> None:
    with closing(Store.create(sqlite_url(tmp_path / "a.db"))) as store, store.writing() as session:
        taken = []
        for count in (400, 800):
            numbers = items.add(session, new_items(session, 1000 * count, count))
            task = benchmarks.tasks(session)[0].id
            pending_imports.hide(session, f"{count}", task, "", numbers[::2], None)
            taken.append(steps(session, read, task))
        assert taken[1] < 4.5 * taken[0]  # of three times as many: each with each would be nine


def test_an_end_shows_its_own_items_and_those_it_names_of_others(store: Store) -> None:
    with store.writing() as session:
        numbers, _ = laid_out(session, ((1, 2, 3, 4, 5, 6), (10, 11, 12)))
        named = [numbers[place - 1] for place in (2, 3, 5)]
        ended = pending_imports.ending(session, "import 1", named)
        assert [last - first + 1 for first, last in ended.ranges] == [2, 1, 3]
        pending_imports.show(session, ended)
        left = {numbers[place - 1] for place in (1, 4, 6)}
        assert pending_imports.hidden_among(session, numbers) == left
        # what is left is still the other import's, which goes on
        assert [(one.import_id, one.items) for one in pending_imports.unfinished(session)] == [
            ("import 0", 3)
        ]
        pending_imports.show(session, pending_imports.ending(session, "import 0"))
        assert pending_imports.hidden_among(session, numbers) == set()
