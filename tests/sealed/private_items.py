"""Private items for a split: of words that are nowhere else."""

import os
import random

from core.families.base import ItemContent

COUNT = int(os.environ.get("BENCHSEAL_PRIVATE_ITEMS", "12"))
_DRAW = random.Random(3)
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("ar", "el", "in", "o", "um")]


def _words(count: int) -> str:
    return " ".join("".join(_DRAW.choices(_SYLLABLES, k=3)) for _ in range(count))


def private_item(number: int) -> ItemContent:
    """An item of words that are nowhere else, with its number."""
    chinese = "".join(_DRAW.choices("春夏秋冬山川风月花鸟鱼虫云雨雷电", k=30))
    payload = {
        "instruction": f"Continue “{_words(12)}” in your own words.",
        "input": f"item-{number}: {_words(20)}. {chinese}",
        "output": _words(14),
    }
    return ItemContent("instruction", "triplet", payload, domain="zh")


ITEMS = tuple(private_item(number) for number in range(COUNT))
