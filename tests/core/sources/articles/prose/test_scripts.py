"""Raised and lowered characters in a plain line."""

import pytest

from core.sources.articles.prose.scripts import subscript, superscript


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
