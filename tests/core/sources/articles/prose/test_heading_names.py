"""Running text that calls a part of its article by the heading gives no items."""

import pytest

from core.sources.articles.article import Block
from core.sources.articles.prose.sifting import sift

HEADINGS = ("Targeted removal of gauges", "Check whether gauges agree", "Bayesian inference",
            "Water Level", "Gauges", "Related work")  # fmt: skip
OTHERS = "Gauges that are related were targeted, and we check them: the water is high."


def kind_of(text: str) -> str:
    headings = [Block(heading, "heading", 1) for heading in HEADINGS]
    *_, last = sift([*headings, Block(OTHERS), Block(text)]).blocks
    return last.kind


@pytest.mark.parametrize(
    "text",
    [
        "In the river it rains. Later, in Targeted removal of gauges, each of them is removed.",
        "All of it was done as outlined in the Check whether gauges agree section.",
        "The mills are those of subsection ‘Targeted removal of gauges’ and no others.",
        "The mills were seen before, as we said in Related work.",
    ],
)
def test_a_heading_within_a_sentence_makes_it_doubtful(text: str) -> None:
    assert kind_of(text) == "doubtful"


@pytest.mark.parametrize(
    "text",
    [
        "The targeted removal of gauges is what we did in the second year.",
        "Targeted removal of gauges is what we did in the second year.",
        "The level is found by Bayesian inference from what the gauges say.",
        "It gives the Water Level of all Gauges of the northern bank.",
        "We do not know Related workers of the mill.",
    ],
)
def test_words_of_a_heading_as_words_of_the_language_stay(text: str) -> None:
    assert kind_of(text) == "text"
