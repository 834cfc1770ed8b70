"""Which texts a model is asked for, and in which orders; without a model."""

import json
import random
from itertools import pairwise

import pytest

from core.analysis.exposure import exposures
from core.analysis.model_traces import (
    ModelTraces,
    SourcedText,
    exposure_rows,
    order_blocks,
    texts_of,
)
from core.families import family
from tests.splits import varied


class Reader(ModelTraces):
    """Likes a text whose subject is that of the text before it, as every model does, and has never
    seen any."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def trace(self, text: str) -> tuple[list[float], list[float], list[float]]:
        """Noise, with a gain for each subject that goes on."""
        subjects = [part.split()[0] for part in text.split("\n\n")]
        same = sum(a == b for a, b in pairwise(subjects))
        value = -100.0 + same + self._draw.gauss(0, 0.2)
        return [value] * 5, [value] * 5, [1.0] * 5


def of_articles(named: bool, articles: int = 12, each: int = 4) -> list[SourcedText]:
    return [
        SourcedText(f"a{article} question {item}", f"a{article}" if named else "")
        for article in range(articles)
        for item in range(each)
    ]


def test_items_of_one_article_side_by_side_are_no_evidence():
    """A file sorted by article is likelier in its own order to a model that never saw it."""
    hits = {True: 0, False: 0}
    for seed in range(100):
        for named in hits:
            rows = list(exposure_rows(Reader(seed), of_articles(named), seed=seed))
            (order,) = exposures(rows)
            assert order.test == "order"
            hits[named] += order.p < 0.05
    assert hits[True] <= 11
    assert hits[False] == 100  # without names nothing can be done but to say so
    assert "sorted by article" in order.limit


def test_texts_in_a_row_that_name_one_source_stay_together():
    assert order_blocks(["a", "a", "", "", "b", "a"]) == [
        range(2), range(2, 3), range(3, 4), range(4, 5), range(5, 6),
    ]  # fmt: skip
    assert order_blocks([]) == []


def test_few_sources_give_no_order_test_but_the_others():
    items, control = of_articles(True, 5), of_articles(True, 6)
    rows = list(exposure_rows(Reader(1), items, control))
    assert {row["source"] for row in rows if row["group"] == "item"} == {f"a{n}" for n in range(5)}
    found = exposures(rows)
    assert [(one.test, one.n, one.control) for one in found] == [
        ("min-k%", 5, 6), ("min-k%++", 5, 6),
    ]  # fmt: skip


@pytest.mark.parametrize("field", ["source", "article_id"])
def test_a_line_that_names_its_source_does_not_read_it_as_text(field):
    line = json.dumps({"question": "What is it?", field: "paper 7"})
    assert texts_of([line]) == [SourcedText("What is it?", "paper 7")]


def test_an_item_of_an_export_is_its_question_with_its_article():
    content = varied(3)
    row = {"uid": "7", "revision": 1, "position": 0, **content.as_json(),
           "provenance": {"article": "paper 7"}}  # fmt: skip
    ((text, source),) = texts_of([json.dumps(row)])
    assert source == "paper 7"
    assert family(content.family).plain_text(content) == text
    assert content.content_hash not in text
