"""A split of chosen tasks and sizes: drawn by a recorded seed; what is left stays to be frozen."""

import json

import pytest

from core.audit.sampling import draw
from core.cli import main
from core.errors import InputError
from core.workflow import people
from core.workflow.splits import freeze
from core.workflow.splits.selection import FreezeOrder
from core.workflow.verify.checks import verify
from tests.workload import BENCHMARK as LARGE
from tests.workload import fill
from tests.workspaces import BENCHMARK, accept_all, freeze_command, make_task, write_items


@pytest.fixture
def accepted(ws):
    """Two tasks with six accepted items each; the first may release half of its own."""
    make_task(ws, "one", private_share=0.5)
    make_task(ws, "two", private_share=1.0)
    accept_all(ws, write_items(ws, 6, task="one"), "li")
    accept_all(ws, write_items(ws, 6, task="two", start=20), "li")
    people.ensure_person(ws, "王", "researcher")
    return ws


def by_task(ws, split: str) -> list[int]:
    found = [int(member.uid) for member in freeze.members_of(ws, split)]
    return [sum(number <= 6 for number in found), sum(number > 6 for number in found)]


def test_what_could_be_frozen_is_counted_by_task(accepted):
    ready = freeze.freezable(accepted, BENCHMARK)
    assert [(task.name, task.items, task.unaudited) for task in ready.tasks] == [
        ("one", 6, 6), ("two", 6, 6),
    ]  # fmt: skip


def test_only_the_chosen_tasks_are_frozen_in_the_chosen_sizes(accepted):
    made = freeze.freeze(accepted, "s", BENCHMARK, "王", sizes={"one": 4}, seed=3)
    assert made.size == 4
    assert by_task(accepted, "s") == [4, 0]
    left = freeze.freezable(accepted, BENCHMARK)
    assert [(task.name, task.items) for task in left.tasks] == [("one", 2), ("two", 6)]
    assert freeze.freeze(accepted, "t", BENCHMARK, "王").size == 8
    assert verify(accepted).sound


def test_the_same_seed_draws_the_same_items_and_is_recorded(accepted):
    freeze.freeze(accepted, "s", BENCHMARK, "王", sizes={"one": 4, "two": 2}, seed=3)
    record = freeze.record_of(accepted, "s")
    assert record["sizes"] == {"one": 4, "two": 2}
    assert record["size_seed"] == 3
    found = {int(member.uid) for member in freeze.members_of(accepted, "s")}
    assert found == {
        *map(int, draw([str(n) for n in range(1, 7)], 4, 3)),
        *map(int, draw([str(n) for n in range(7, 13)], 2, 3)),
    }


def test_halves_are_made_of_the_chosen_items_alone(accepted):
    private, public = freeze.freeze_order(
        accepted, FreezeOrder("p", BENCHMARK, "q", sizes={"one": 4}, seed=5), "王"
    )
    assert (private.size, public.size) == (2, 2)


@pytest.mark.parametrize(
    ("sizes", "names"),
    [({"one": 7}, "Only 6 of “one”"), ({"three": 1}, "three"), ({"one": 0}, "at least one"),
     ({}, "Choose")],
)  # fmt: skip
def test_a_size_that_cannot_be_had_is_refused_and_nothing_is_frozen(accepted, sizes, names):
    with pytest.raises(InputError, match=names):
        freeze.freeze(accepted, "s", BENCHMARK, "王", sizes=sizes)
    assert freeze.all_splits(accepted) == ()


def test_the_command_takes_tasks_with_and_without_a_size(accepted, location, capsys):
    words = freeze_command(location)
    assert main([*words, "--task", "one=x"]) == 2
    capsys.readouterr()
    assert main([*words, "--task", "one=3", "--task", "two", "--user", "王"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 9


def test_what_is_counted_for_freezing_is_what_freezing_would_take(tmp_path):
    """The database counts; items are read only by what takes them."""
    ws = fill(tmp_path / "lots", 240, decided=0.9, lots=True)
    ready = freeze.freezable(ws, LARGE)
    taken = freeze.freezable_items(ws, LARGE)
    assert ready.items == len(taken) > ready.unaudited
    assert ready.held > 0
    assert sum(task.items for task in ready.tasks) == ready.items
    ws.close()
