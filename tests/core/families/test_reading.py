"""How replies are read and measured, by this program and by what it exports."""

import random

import pytest

from core.families.reading import (
    answer_in,
    chrf,
    cut_reply,
    measure,
    normalised_answer,
    same_number,
    token_f1,
)

LETTERS = tuple("ABCD")
ONE, SEVERAL = r"\b([A-D])\b", r"\b([A-D]+)\b"


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("B", "B"),
        ("\n\nB.", "B"),
        (" b ", "B"),
        ("(b)", "B"),
        ("Ｂ。", "B"),
        ("**B**", "B"),
        ("B. Trees kept the rain away.", "B"),
        ("B: Trees", "B"),
        ("The answer is B", "B"),
        ("答案是b", "B"),
        ("A good question. The answer is (C).", "C"),
        ("First I thought the answer is A, but the answer is D.", "D"),
        (r"So \boxed{C}", "C"),
        (r"\boxed{\text{C}}", "C"),
        ("A tree stands there, so C", "C"),
        ("A or B", None),
        ("E", None),
        ("I do not know", None),
        ("", None),
    ],
)
def test_the_letter_of_an_option_is_read(reply: str, read: str | None):
    assert answer_in("choice", reply, ONE, LETTERS) == read


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("ACD", "ACD"),
        ("D, C and A", "ACD"),
        ("A、C、D。", "ACD"),
        ("(A) (C)", "AC"),
        ("答案：A和C", "AC"),
        ("The answer is A, C and D.", "ACD"),
        ("ac", "AC"),
        ("B", "B"),
    ],
)
def test_the_letters_of_several_options_are_read_in_their_order(reply: str, read: str | None):
    assert answer_in("choice", reply, SEVERAL, ()) == read


@pytest.mark.parametrize(
    ("metric", "answer", "reference", "value"),
    [
        ("exact", "\nParis.", "paris", 1.0),
        ("exact", "The U.S.", "US", 1.0),
        ("exact", "-3", "3", 0.0),
        ("exact", "3.5", "35", 0.0),
        ("exact", "40%", "40", 0.0),
        ("exact", "第三天。", "第三天", 1.0),
        ("exact", "", "", 0.0),
        ("f1", "in the old town", "old town hall", 2 / 3),
        ("f1", "北京市", "北京", 0.8),
        ("number", "It is 1,234.50 in all.", "1234.5", 1.0),
        ("number", "1/2", "0.5", 1.0),
        ("number", "12 apples", "13", 0.0),
        ("number", "$72.", "72", 1.0),
        ("even_chrf", "in the rain.", "In the Rain", 1.0),
        ("even_chrf", "", "In the Rain", 0.0),
    ],
)
def test_answers_are_measured(metric: str, answer: str, reference: str, value: float):
    assert measure(metric, answer, [reference]) == pytest.approx(value)


def test_the_best_of_the_references_counts():
    assert measure("f1", "old town", ["new town", "old town"]) == 1.0


def test_signs_alone_stay_a_text():
    assert normalised_answer("?!") == "?!"
    assert measure("exact", "?", ["!"]) == 0.0


def test_chrf_is_that_of_sacrebleu():
    from sacrebleu.metrics import CHRF

    drawn, meter = random.Random(7), CHRF()
    words = ["雨量计", "Rain", "gauge", "river", "10", "minutes", "。", "a", "山谷里"]
    for _ in range(300):
        said = " ".join(drawn.choices(words, k=drawn.randint(1, 9)))
        wanted = " ".join(drawn.choices(words, k=drawn.randint(1, 9)))
        theirs = meter.sentence_score(said, [wanted]).score / 100
        assert chrf(said, wanted) == pytest.approx(theirs, abs=1e-9), (said, wanted)


def test_a_reply_is_cut_behind_the_white_space_it_begins_with():
    assert cut_reply("\n\nSelection 2. Because", (".", ",", "\n")) == "Selection 2"
    assert cut_reply(" Selection 2", ()) == " Selection 2"
    assert cut_reply("\n\n", ("\n",)) == "\n\n"
    assert cut_reply(".5", (".",)) == ""


def test_a_number_with_a_sign_of_money_is_a_number():
    assert same_number("€ 1.5", "1.5") == 1.0
    assert token_f1("", "x") == 0.0


@pytest.mark.parametrize(("answer", "key"), [("A.", "A"), ("(a).", "(A)"), ("the.", "The"),
                                             ("> ) .", "> )"), ("$A$.", "$A$")])  # fmt: skip
def test_a_key_of_one_letter_or_of_signs_is_read_with_a_dot_behind_it(answer, key):
    assert measure("exact", answer, (key,)) == 1.0
    assert measure("exact", "B.", (key,)) == 0.0
    assert measure("exact", ".", (key,)) == 0.0
