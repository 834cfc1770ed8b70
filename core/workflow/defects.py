"""Defects of an item that is stored, in the words of who reads them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.errors import BenchsealError
from core.families import family
from core.families.base import Defect, ItemContent


def shown_defects(stored: Sequence[Mapping[str, str]], content: ItemContent) -> tuple[Defect, ...]:
    """The defects that are stored with an item, in their order, said in the language in use.

    Stored are their names, and the words of the language in which the item came in. An item is
    checked again for today's words, and only one with defects. A defect that the item by itself
    does not show (it needs the article, or other items) keeps the words that are stored.
    """
    if not stored:
        return ()
    said: dict[str, list[str]] = defaultdict(list)
    for defect in _found(content):
        said[defect.name].append(defect.detail)
    return tuple(
        Defect(entry["name"], said[entry["name"]].pop(0) if said[entry["name"]] else
               entry.get("detail", ""), entry.get("field", ""))
        for entry in stored
    )  # fmt: skip


def _found(content: ItemContent) -> Sequence[Defect]:
    try:
        return family(content.family).check(content)
    except (BenchsealError, ValueError, LookupError):  # content of another version of the program
        return ()
