"""The SCP family: what a model is asked, how its reply is read, and what each check sees."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import InputError
from core.families import family
from core.families.base import ItemContent
from core.families.scp_checks import (
    binomial_tail,
    chi_square_tail_3,
    in_source,
    markup_share,
    near_identical,
    squash,
)
from core.families.scp_payload import SequencingPayload, arrange, is_permutation

SCP = family("scp")


def changed(format: str, **fields) -> ItemContent:
    sample = SCP.sample(format)
    return ItemContent("scp", format, {**sample.payload, **fields}, {})


def names(item: ItemContent, source: str | None = None) -> set[str]:
    return {defect.name for defect in SCP.check(item, source)}


@pytest.mark.parametrize("format", ["sequencing", "cloze"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_answer_of_an_order_is_its_selection(format, number):
    item = changed(format, key=number - 1)
    assert SCP.key(item) == f"Selection {number}"
    prompt = SCP.prompt(item)
    assert prompt.choices == ("Selection 1", "Selection 2", "Selection 3", "Selection 4")
    assert SCP.extract(f" I choose Selection {number}", prompt) == f"Selection {number}"


def test_the_answer_of_a_prediction_is_a_letter():
    item = changed("prediction", key=2)
    assert SCP.key(item) == "C"
    prompt = SCP.prompt(item)
    assert prompt.choices == ("A", "B", "C", "D")
    assert prompt.choice_texts == tuple(item.payload["options"])
    assert SCP.extract("The answer is C", prompt) == "C"
    assert SCP.extract("ABCD, all of them", prompt) is None


def test_the_reply_is_cut_as_in_the_published_evaluation():
    for format in SCP.formats:
        prompt = SCP.prompt(SCP.sample(format))
        assert prompt.stop == (".", ",", "\n")
        assert prompt.max_tokens == 50


def test_the_right_choice_text_of_a_sequencing_item_is_the_restored_passage():
    item = SCP.sample("sequencing")
    text = SCP.prompt(item).choice_texts[item.payload["key"]]
    first, last = text.index("Rain gauges"), text.index("Both were moved")
    assert first < text.index("Since then") < text.index("The first month") < last


def test_an_order_lists_the_letters_in_reading_order():
    assert arrange(("third", "first", "second"), "BCA") == ("first", "second", "third")
    assert arrange(("only",), "AZ?") == ("only",)
    assert is_permutation("CAB", 3)
    assert not is_permutation("CAB", 4)
    assert not is_permutation("CAA", 3)


def test_a_key_without_an_option_has_no_answer():
    with pytest.raises(InputError):
        SCP.key(changed("sequencing", key=-1))


def test_an_unknown_format_is_named():
    with pytest.raises(InputError, match="riddle"):
        SCP.payload_model("riddle")


def test_payloads_are_frozen_and_know_their_fields():
    payload = SequencingPayload(parts=("a",), orders=("A",), key=0)
    with pytest.raises(ValidationError):
        payload.key = 1
    with pytest.raises(ValidationError):
        SequencingPayload.model_validate({"parts": [], "orders": [], "key": 0, "more": 1})


def test_a_shuffle_that_is_taken_for_the_order_contradicts_the_source():
    item = SCP.sample("sequencing")
    parts = item.payload["parts"]
    source = "Before. " + " ".join(arrange(parts, item.payload["orders"][1])) + " After."
    assert names(item, source) == set()
    assert names(changed("sequencing", key=2), source) == {"key_contradicts_source"}


def test_a_source_that_lacks_a_part_says_nothing():
    item = changed("sequencing", key=2)
    assert names(item, "Rain gauges along the valley were read by hand.") == set()


def test_spans_judge_the_order_where_no_source_is_at_hand():
    payload = dict(SCP.sample("cloze").payload)
    right = {"piece_spans": [[100, 190], [300, 390], [0, 90], [200, 290]]}
    wrong = {"piece_spans": [[0, 90], [300, 390], [100, 190], [200, 290]]}
    assert names(ItemContent("scp", "cloze", payload, right)) == set()
    assert names(ItemContent("scp", "cloze", payload, wrong)) == {"key_contradicts_source"}


@pytest.mark.parametrize("spans", ["abc", 7, [1, 2], [["a", "b"]], [[0]], None])
def test_spans_of_another_kind_are_left_alone(spans):
    payload = dict(SCP.sample("cloze").payload)
    assert names(ItemContent("scp", "cloze", payload, {"piece_spans": spans})) == set()


def test_words_that_stand_twice_in_the_source_do_not_hide_the_right_order():
    source = squash("Second part here. Far away. First part here. Second part here. Third one.")
    pieces = [squash(p) for p in ("First part here.", "Second part here.", "Third one.")]
    assert in_source(pieces, source) is True
    assert in_source(pieces[::-1], source) is False
    assert in_source(["absent"], source) is None


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("Plain words of a plain sentence, with a comma.", 0.0, 0.12),
        (r"$\alpha_i^2 + \beta_i = \gamma$ and $x_1$", 0.6, 1.0),
        ("<div class='x'><b></b></div> text", 0.7, 1.0),
        ("12.5 & 13.7 & 14.1 \\\\ 11.0 & 9.9", 0.9, 1.0),
        ("这是一个关于水位变化的句子。", 0.0, 0.12),
        ("Ten points are worth $0.35 now, and a hundred have $3.50 at stake.", 0.0, 0.3),
        ("", 0.0, 0.0),
    ],
)
def test_markup_is_told_from_words(text, low, high):
    assert low <= markup_share(text) <= high


@given(st.text(st.sampled_from("abÄßǅ1²½_ \n\u3000.,&。，“水가①\ud800"), max_size=60))
def test_markup_is_what_is_neither_a_word_nor_a_chinese_character(text: str) -> None:
    words = re.findall(r"[^\W\d_]{2,}|[\u3400-\u9fff]", text)
    visible = len("".join(text.split()))
    expected = 1 - len("".join(words)) / visible if visible else 0
    assert markup_share(text) == expected


def test_texts_are_compared_by_letters_and_digits_alone():
    assert squash("Ａ “Quoted”, text: 1!") == "aquotedtext1"
    assert squash(" ∑∏ ") == "∑∏"
    assert near_identical(squash("The same thing."), squash("the SAME thing"))
    assert not near_identical(squash("One thing here."), squash("Another matter there."))


def test_the_tails_agree_with_scipy():
    from scipy import stats

    for statistic in (0.5, 3.0, 7.81, 16.27, 40.0):
        assert chi_square_tail_3(statistic) == pytest.approx(stats.chi2.sf(statistic, 3))
    for hits, trials in ((0, 10), (9, 20), (300, 1000)):
        expected = stats.binom.sf(hits - 1, trials, 0.25)
        assert binomial_tail(hits, trials) == pytest.approx(expected, rel=1e-6)


def test_balanced_positions_and_lengths_raise_no_alarm_in_a_set():
    base = SCP.sample("prediction").payload
    items = []
    for number in range(40):
        options = [f"Gauge {number}: {text}" for text in base["options"]]
        options[(number // 4) % 4] += " More words follow here."
        items.append(changed("prediction", options=options, key=number % 4))
    assert SCP.check_set(items) == {}


def test_eight_items_with_the_key_at_one_place_are_suspicious_and_seven_are_few():
    items = [changed("prediction", context=f"Context number {n} of many.") for n in range(8)]
    assert {d.name for found in SCP.check_set(items).values() for d in found} == {"position_bias"}
    assert SCP.check_set(items[:7]) == {}
