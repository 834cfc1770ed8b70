"""Options that stand in a text with a letter before each."""

import pytest

from core.sources.lettered_options import split_question

OPTIONS = ["a gauge", "a radio", "a bridge"]


@pytest.mark.parametrize(
    "text",
    [
        "What reports it?\nOptions:\n(A) a gauge\n(B) a radio\n(C) a bridge",
        "What reports it?\nA. a gauge\nB. a radio\nC. a bridge\nAnswer:",
        "What reports it? A:a gauge B:a radio C:a bridge ",
        "What reports it?\n\nChoices:\n (A) a gauge\n (B) a radio\n (C) a bridge",
        "What reports it?\nOptions:\n- a gauge\n- a radio\n- a bridge",
        "What reports it?\nA、a gauge\nB、a radio\nC、a bridge",
    ],
)
def test_a_question_and_its_options_are_told_apart(text):
    assert split_question(text) == ("What reports it?", OPTIONS)


def test_a_letter_in_the_question_is_none_of_an_option():
    text = "Why vitamin A. B is not it.\nA. a gauge\nB. a radio\nC. a bridge"
    assert split_question(text) == ("Why vitamin A. B is not it.", OPTIONS)


@pytest.mark.parametrize(
    "text",
    [
        "What reports it?",
        "A. a gauge\nB. a radio",  # nothing is asked
        "What reports it?\nA. a gauge",
        "What reports it?\nA. a gauge\nB.",
        "What reports it?\nA. a gauge\nB. a radio\n\nChoose the better one.",
    ],
)
def test_a_text_that_is_not_of_the_kind_stays_whole(text):
    assert split_question(text) == (text, [])


def test_a_text_with_the_options_of_several_questions_has_none_of_its_own():
    text = "Read.\n1. Who?\nA. Ann\nB. Bea\nC. Cid\n2. When?\nA. now\nB. then\nC. never"
    assert split_question(text) == (text, [])
