"""Who is cited without a year, in an article that gives the years of those it cites."""

import pytest

from core.sources.articles.article import Block
from core.sources.articles.prose.sifting import sift

CITING = (
    "The gauges are read twice a day, as others did before (Moradi 2014, 12; Hogg et al. 2010)."
)


def kind_of(text: str, *others: str) -> str:
    return sift([Block(text), *map(Block, others)]).blocks[0].kind


@pytest.mark.parametrize(
    "text",
    [
        "They might have reached a dead end in the valley (Moradi).",
        "They might have reached a dead end in the valley (Hogg et al.), as it seems.",
        "They might have reached a dead end (Sande 2011; Moradi), as it seems.",
    ],
)
def test_a_name_that_has_a_year_elsewhere_lost_its_own(text: str) -> None:
    assert kind_of(text, CITING) == "doubtful"


@pytest.mark.parametrize(
    "text",
    [
        "They were read in the capital of the valley (Kigali).",
        "They might have reached a dead end in the valley (Moradi 2014).",
        "The gauges of the keeper (Moradi is his name) are read by hand.",
    ],
)
def test_other_words_between_brackets_lost_nothing(text: str) -> None:
    assert kind_of(text, CITING) == "text"


def test_an_article_that_never_gives_years_lost_none() -> None:
    said = "They might have reached a dead end in the valley (Moradi)."
    assert kind_of(said, "Others said it before (Moradi) and after (Hogg).") == "text"
