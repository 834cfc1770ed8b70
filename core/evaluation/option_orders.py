"""The options of an item in other orders, so that a model's liking for a place shows.

Order ``k of n`` turns the n options round by k − 1 places: what stood second stands first. Over
all n orders every option stands at every place once. The order is the template of a way of asking
(``…@order-2-of-4``), so that reports and breakdowns tell the orders apart as they do templates.
"""

import re
from collections.abc import Iterator

from core.families import family
from core.families.base import ItemContent

_NAME = re.compile(r"order-(\d+)-of-(\d+)$")


def orders_of(content: ItemContent, count: int) -> Iterator[tuple[str, ItemContent]]:
    """``count`` orders of an item's options at most, by name, the item's own first; none for an
    item whose options cannot be moved."""
    options = family(content.family).option_count(content)
    for turn in range(min(count, options)):
        yield f"order-{turn + 1}-of-{options}", family(content.family).turned(content, turn)


def turn_of(variant: str) -> tuple[int, int] | None:
    """By how many places the options of a way of asking are turned, and how many there are."""
    found = _NAME.search(variant)
    return (int(found[1]) - 1, int(found[2])) if found else None


def as_asked(answer: str, variant: str) -> str:
    """What an answer to the item's own order is called in a way of asking."""
    turn = turn_of(variant)
    return _moved(answer, -turn[0], turn[1]) if turn else answer


def as_own(answer: str, variant: str) -> str:
    """What an answer in a way of asking is called in the item's own order."""
    turn = turn_of(variant)
    return _moved(answer, turn[0], turn[1]) if turn else answer


def place_of(answer: str) -> int:
    """The place, from 0, that an answer such as ``B`` or ``Selection 2`` names."""
    return ord(answer[-1]) - ord("1" if answer[-1].isdigit() else "A")


def _moved(answer: str, steps: int, options: int) -> str:
    first = ord("1" if answer[-1:].isdigit() else "A")
    return answer[:-1] + chr(first + (place_of(answer) + steps) % options) if answer else answer
