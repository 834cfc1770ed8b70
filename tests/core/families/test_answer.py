"""How answers of foreign files are measured where the file does not say it."""

import pytest

from core.families import family
from core.families.base import COLUMNS, ItemContent
from core.families.reading import measure

LONG = "The radios in the gauges report the height of the water every ten minutes."


def metrics_of(*answers) -> list[str]:
    rows = [{"question": "How often?", "answers": answer} for answer in answers]
    return [row["metric"] for row in family("answer").from_columns(rows)]


@pytest.mark.parametrize("answer", [11760, 2.5, "11,760", "$3,000", "-0.5", "40%", "(1/6)", "9.0"])
def test_a_number_is_compared_by_its_value(answer):
    assert metrics_of(answer) == ["number"]
    [row] = family("answer").from_columns([{"question": "How many?", "answers": answer}])
    item = ItemContent("answer", "answer", row)
    key = family("answer").key(item)
    assert family("answer").metric(item) == "number"
    assert not family("answer").check(item)
    for reply in (key, f"\n{key}", f"{key}."):
        found = family("answer").extract(reply, family("answer").reading(item))
        assert measure("number", found, [key]) == 1.0


@pytest.mark.parametrize(
    ("written", "said"), [("0,25", "0.25"), ("1.234,50", "1234.5"), ("-0,75 €", "-0.75")]
)
def test_a_decimal_comma_is_no_thousands_sign(written, said):
    assert metrics_of(written) == ["number"]
    assert measure("number", f"It is {said}", [written]) == 1.0
    assert measure("number", f"Es sind {written}", [said]) == 1.0
    assert measure("number", written.replace(",", "").replace(".", ""), [written]) == 0.0


@pytest.mark.parametrize("answer", ["007", "1_000", "infinity", "nan", "1,5", "B2", "3 kg", [1, 2]])
def test_a_code_is_no_number(answer):
    assert metrics_of(answer) == ["exact"]


def test_a_long_answer_is_measured_by_the_words_it_shares_and_a_short_one_by_its_text():
    chinese = "虽然其间经历过罢工与大萧条，剧院仍然开放。"
    assert metrics_of(LONG, chinese, "the radios", "梵语") == ["f1", "f1", "exact", "exact"]


def test_one_short_reference_among_long_ones_is_enough_for_its_text():
    assert metrics_of([LONG, "every ten minutes"], [LONG, f"Every day. {LONG}"]) == ["exact", "f1"]


def test_words_whose_order_is_asked_for_are_no_sentence():
    assert metrics_of("apple bear cabin delta eagle forest", "x + 3 y + 5 z + 2 w + 7 v = 0") == [
        "exact",
        "exact",
    ]


def test_a_metric_of_the_file_stays():
    rows = [{"question": "How many?", "answers": "7", "metric": "chrf"}]
    assert family("answer").from_columns(rows)[0]["metric"] == "chrf"


def test_a_passage_that_the_question_holds_is_not_shown_twice():
    body = "A gauge stands by the bridge."
    rows = [{"question": f"{body} Where does it stand?", "passage": body, "answers": "the bridge"}]
    assert family("answer").from_columns(rows)[0]["passage"] == ""


@pytest.mark.parametrize(
    ("question", "beside", "needs"),
    [
        ("What is the height shown in the figure?", {}, True),
        ("如图所示，求水位的高度。", {}, True),
        ("Describe <image> in a word.", {}, True),
        ("How high is the water?", {"Picture": "images/7.png"}, True),
        ("How high is the water?", {"Picture": None, "image_url": "", "figure": "none"}, False),
        ("Which river does the graph of the network join?", {"picture_id": "x"}, False),
        ("[asy] draw((0,0)--(1,1)); [/asy] How long is the line shown in the figure?", {}, False),
    ],
)
def test_questions_that_need_a_picture_are_told(question, beside, needs):
    payload = {"question": question, "answers": ["2"], "metric": "number"}
    item = ItemContent("answer", "answer", payload, {COLUMNS: beside})
    assert ("needs_picture" in {d.name for d in family("answer").check(item)}) is needs


@pytest.mark.parametrize(
    ("question", "given_away"),
    [
        ("Which is older, the weir or the old mill?", False),
        ("Between the old mill and the weir, which is older?", False),
        ("老磨坊还是水坝（the old mill）更古老？", False),
        ("哪个更古老？ A.the old mill B.the weir", False),
        ("How old is the old mill?", True),
        ("Is it the old mill, or what is it?", True),
    ],
)
def test_an_answer_among_those_that_a_question_offers_is_not_given_away(question, given_away):
    payload = {"question": question, "answers": ["the old mill"]}
    found = family("answer").check(ItemContent("answer", "answer", payload))
    assert ("key_in_question" in {defect.name for defect in found}) is given_away
