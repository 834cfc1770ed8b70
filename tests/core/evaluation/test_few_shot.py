"""Worked examples: of the same task where there are enough, and never of the split in hand."""

import pytest

from core.errors import InputError
from core.evaluation.few_shot import examples
from core.families.base import ItemContent


def triplet(told: str, number: int) -> ItemContent:
    payload = {"instruction": told, "input": f"{told}{number}", "output": f"答{number}"}
    return ItemContent("instruction", "triplet", payload)


JOKES = [triplet("讲个笑话", n) for n in range(6)]
TITLES = [triplet("写一个标题", n) for n in range(3)]


def told_by(pool: list[ItemContent], asked: ItemContent, count: int) -> set[str]:
    drawn = examples(pool, [asked], count=count, seed=1)
    return {one.payload["instruction"] for one in drawn.for_item("7", asked)}


def test_examples_have_the_items_own_instruction_where_enough_have_it():
    asked = triplet("写一个标题", 99)
    assert told_by([*JOKES, *TITLES], asked, 3) == {"写一个标题"}
    # spaces make no other instruction
    assert told_by([*JOKES, *TITLES], triplet(" 写一个 标题\n", 99), 3) == {"写一个标题"}


def test_where_too_few_have_it_they_come_from_all_of_the_family():
    assert len(told_by([*JOKES, *TITLES], triplet("写一个标题", 99), 9)) == 2
    assert told_by(JOKES, triplet("写一个标题", 99), 2) == {"讲个笑话"}
    with pytest.raises(InputError, match="6 examples"):
        told_by(JOKES, triplet("写一个标题", 99), 7)


def test_an_item_of_the_split_is_no_example_of_itself_in_other_spaces():
    asked = triplet("写一个标题", 1)
    drawn = examples([*TITLES, *JOKES], [asked], count=2, seed=3)
    assert drawn.left_out == 1
    assert asked.payload["input"] not in {
        one.payload["input"] for one in drawn.for_item("1", asked)
    }


def test_the_examples_of_an_item_do_not_depend_on_the_pools_neighbours():
    asked = triplet("写一个标题", 99)
    first = examples([*JOKES, *TITLES], [asked], count=2, seed=5).for_item("4", asked)
    again = examples([*TITLES, *JOKES[:2]], [asked], count=2, seed=5).for_item("4", asked)
    assert first == again
