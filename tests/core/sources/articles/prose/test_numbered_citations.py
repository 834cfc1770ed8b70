"""Numbers of references leave no trace where an article cites by numbers, and only there."""

import pytest

from core.sources.articles.article import Block
from core.sources.articles.prose.citations import citation_mark
from core.sources.articles.prose.sifting import sift

RAISED = [f"The gauge was read by hand{raised}." for raised in ("⁴", "⁷", "¹²", "³³", "⁴⁶")]
IN_PARENTHESES = [
    f"The gauge was read by hand in rain ({number})." for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
]


def sifted(text: str, others: list[str]) -> tuple[str, str]:
    block = sift([*map(Block, others), Block(text)]).blocks[-1]
    return block.kind, block.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It follows the guidelines³³.", "It follows the guidelines."),
        ("It follows the theory², as was seen.¹³ It grows.",
         "It follows the theory, as was seen. It grows."),
        ("The package ggplot2⁴⁹ was used.", "The package ggplot2 was used."),
        ("It covers 12 km² of land and 10³ gauges.", "It covers 12 km² of land and 10³ gauges."),
    ],
)  # fmt: skip
def test_raised_numbers_go(text: str, expected: str) -> None:
    assert sifted(text, RAISED) == ("text", expected)


def test_raised_numbers_stay_where_they_are_exponents() -> None:
    text = "It covers four pixels² of the map and 10³ gauges."
    assert sifted(text, ["It grows by day."]) == ("text", text)
    assert sifted("It ran in R v4.1.1⁴⁷.", RAISED)[0] == "doubtful"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Longo et al. (33) argue that it rains.", "Longo et al. argue that it rains."),
        ("It is read by hand (11, 12).", "It is read by hand."),
        ("The criteria (RIFLE) (14), and others, are known.",
         "The criteria (RIFLE), and others, are known."),
    ],
)  # fmt: skip
def test_numbers_between_parentheses_go(text: str, expected: str) -> None:
    assert sifted(text, IN_PARENTHESES) == ("text", expected)


def test_numbers_between_parentheses_stay_where_they_count_or_name_formulas() -> None:
    text = "There are two: (1) rain, and (2) snow."
    assert sifted(text, [])[1] == text
    cited = f"It was seen {citation_mark('parenthetical')}."
    formulas = [f"The value is that of relation ({number})." for number in range(1, 20)]
    assert sifted("The value is that of relation (3).", [cited, *formulas])[0] == "text"
    assert sifted("It is (1) fast and (2) cheap to read.", IN_PARENTHESES)[0] == "doubtful"
    assert sifted("It was first shown by (12) and others.", IN_PARENTHESES)[0] == "doubtful"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The rate is higher than others.[15,16] It grows.",
         "The rate is higher than others. It grows."),
        ("The events are rare.[17–19]", "The events are rare."),
        ("It was done in R.[10] It was read (by hand).[9]",
         "It was done in R. It was read (by hand)."),
        ("It is named ‘sentinel’[2] by law.", "It is named ‘sentinel’ by law."),
    ],
)  # fmt: skip
def test_numbers_in_brackets_behind_a_stop_go(text: str, expected: str) -> None:
    assert sifted(text, ["The gauge was read."]) == ("text", expected)


def test_numbers_in_brackets_within_chinese_are_citations() -> None:
    texts = [
        "降雨不足是水位下降的主要因素[20]，而水位下降会带来问题。",
        "确诊人数已接近1亿[1]。文献[3]认为雨水更多[4,5]。",
        "样本取自区间[1]到[5]之间。",
    ]
    found = sift([Block(text) for text in texts]).blocks
    assert [(b.kind, b.text) for b in found] == [
        ("text", "降雨不足是水位下降的主要因素，而水位下降会带来问题。"),
        ("doubtful", "确诊人数已接近1亿。文献认为雨水更多。"),
        ("text", "样本取自区间[1]到[5]之间。"),
    ]


def test_numbers_in_parentheses_that_touch_a_word_are_citations_too() -> None:
    texts = [f"It rained in one valley({n}). It was seen to be wet ({n + 1})." for n in range(1, 9)]
    found = sift([Block(text) for text in texts]).blocks
    assert {block.text for block in found} == {"It rained in one valley. It was seen to be wet."}
    assert {block.kind for block in found} == {"text"}
