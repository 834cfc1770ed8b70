"""Raised and lowered characters in a plain line."""

import pytest

from core.sources.articles.prose.scripts import small_capitals, subscript, superscript


@pytest.mark.parametrize(
    ("raised", "line"),
    [("2", "²"), ("-3", "⁻³"), ("th", "th"), ("TM", "™"), (" TM ", "™"), ("AI", "^AI")],
)
def test_raised_text_is_told_from_the_line(raised, line):
    assert superscript(raised) == line


def test_lowered_text_is_told_from_the_line():
    assert (subscript("2"), subscript("AI")) == ("₂", "_AI")


@pytest.mark.parametrize("lowered", ["e", "a", "o", "st", "th", "er"])
def test_letters_that_raised_make_an_ordinal_stay_apart_when_lowered(lowered: str) -> None:
    assert superscript(lowered) == lowered
    assert subscript(lowered) == f"_{lowered}"


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("bert", "BERT"), ("f1", "F1"), ("cold-start al", "COLD-START AL"), ("Squad", "Squad"),
        ("MTAnchor", "MTAnchor"), ("xix", "XIX"), ("", ""), ("机器学习", "机器学习"),
        ("a whole sentence that is set in small capitals by somebody",) * 2,
    ],
)  # fmt: skip
def test_an_acronym_in_small_capitals_is_in_capitals(written: str, line: str) -> None:
    assert small_capitals(written) == line
