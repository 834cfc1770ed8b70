"""A paragraph that stands twice beside itself, before and after somebody rewrote it."""

import pytest

from core.sources.articles.article import Block
from core.sources.articles.prose.sifting import sift

OLD = (
    "As reading gauges by hand has proved to be slow, we did not spend a long time on it, we "
    "looked at the radio instead. Thus, this section is more to give a general overview of it."
)
NEW = (
    "As reading gauges by hand has proved slow, we looked at the radio rather than at hands. Thus, "
    "the aim of this section is more to give a general idea of it."
)
OTHER = (
    "As reading gauges by hand is known everywhere, the valley has a keeper who walks along the "
    "bank each morning and writes down the height of the water."
)


def kinds(*texts: str) -> list[str]:
    return [block.kind for block in sift(map(Block, texts)).blocks]


@pytest.mark.parametrize("between", [(), ("There is a mill.",)])
def test_both_versions_give_no_items(between: tuple[str, ...]) -> None:
    found = kinds(OLD, *between, NEW)
    assert (found[0], found[-1]) == ("doubtful", "doubtful")


def test_paragraphs_that_only_begin_alike_are_no_versions() -> None:
    assert kinds(OLD, OTHER) == ["text", "text"]


def test_paragraphs_of_two_sections_are_no_versions() -> None:
    blocks = [Block("Old", "heading", 2), Block(OLD), Block("New", "heading", 2), Block(NEW)]
    assert [block.kind for block in sift(blocks).blocks if block.kind != "heading"] == ["text"] * 2


def test_versions_far_apart_are_a_summary_of_each_other() -> None:
    assert kinds(OLD, *["There is a mill.", "It is old.", "It stands there."], NEW)[0] == "text"
