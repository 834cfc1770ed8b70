"""Scores at home: every answer counted as what it was, and the arithmetic of the paper."""

import math

import pytest

from core.errors import InputError, StateError
from core.evaluation.breakdown import breakdown
from core.evaluation.scoring import (
    AnswerKey,
    judge,
    key_of,
    keys_of,
    regraded,
    score,
)
from core.evaluation.types import Answer
from core.evaluation.usage import usage_lines
from core.families.base import ItemContent
from tests.questions import variant_keys, variant_rows
from tests.splits import make_split

ITEMS = make_split(12)
KEYS = keys_of(ITEMS)


def record(number: int, text: str, **more) -> dict:
    return Answer(f"item-{number}", text=text, **more).as_json()


def right(number: int, **more) -> dict:
    return record(number, KEYS[number].answer, **more)


def test_a_perfect_run_scores_one_and_a_wrong_one_nothing():
    perfect = score(KEYS, [right(n) for n in range(12)])
    assert (perfect.total.accuracy, perfect.total.stderr) == (1.0, None)
    assert perfect.total.plain_stderr == 0.0
    wrong = score(KEYS, [record(n, "Selection 9 or E") for n in range(12)])
    assert (wrong.total.accuracy, wrong.unparsed) == (0.0, 4)


def test_the_standard_error_is_that_of_lm_evaluation_harness():
    records = [right(n) if n < 9 else record(n, "none") for n in range(12)]
    report = score(KEYS, records).as_json()
    assert report["accuracy"] == 0.75
    assert report["plain_stderr"] == pytest.approx(math.sqrt(0.75 * 0.25 / 11))


def test_questions_on_one_passage_share_it_unless_they_name_their_source():
    def asked(number: int, passage: str, **provenance: str) -> ItemContent:
        payload = {"question": f"Which {number}?", "passage": passage, "answers": [str(number)]}
        return ItemContent("answer", "", payload, provenance)

    items = [asked(0, "The mill."), asked(1, "The mill. "), asked(2, "A weir."), asked(3, "")]
    keys = [key_of(f"item-{n}", item) for n, item in enumerate(items)]
    assert keys[0].cluster == keys[1].cluster != keys[2].cluster != ""
    assert keys[3].cluster == ""
    assert key_of("item-4", asked(4, "The mill.", article="2401.1")).cluster == "2401.1"
    records = [Answer(f"item-{n}", text=str(n % 2)).as_json() for n in range(4)]
    assert score(keys, records).total.clusters == 3


def test_the_answer_is_found_inside_a_longer_reply():
    n = next(n for n in range(12) if KEYS[n].answer.startswith("Selection"))
    report = score([KEYS[n]], [record(n, f"My choice is **{KEYS[n].answer}**")])
    assert report.total.correct == 1


def test_every_outcome_is_counted_apart_and_the_counts_balance():
    records = [
        right(0),
        record(1, "no idea"),
        record(2, "", outcome="empty"),
        record(3, "", outcome="refused", error="no"),
        record(4, "I believe", outcome="truncated"),
        record(5, "", outcome="thinking_truncated", thinking="hm"),
        record(6, "", outcome="failed", error="500"),
        right(7, outcome="truncated"),
    ]
    report = score(KEYS, records, partial=True).as_json()
    assert report["items"] == 12
    assert report["answered"] + report["missing"] == 12
    assert (report["missing"], report["failed"], report["not_asked"]) == (5, 1, 4)
    assert (report["unparsed"], report["empty"], report["refused"]) == (2, 1, 1)
    assert (report["truncated"], report["thinking_truncated"]) == (2, 1)
    assert report["accuracy"] == pytest.approx(2 / 7)


def test_formats_and_domains_and_their_cells_add_up():
    report = score(KEYS, [right(n) if n % 2 else record(n, "?") for n in range(12)])
    assert set(report.by) == {"format", "domain", "format_domain"}
    for parts in report.by.values():
        assert sum(part.n for part in parts.values()) == 12
        assert sum(part.correct for part in parts.values()) == 6
    assert report.by["domain"]["math"].accuracy == 1.0
    assert report.by["format_domain"]["cloze/math"].n == 2


def test_a_report_is_refused_while_items_are_open_unless_a_partial_one_is_asked_for():
    with pytest.raises(StateError, match="10 of 12"):
        score(KEYS, [right(0), right(1)])
    assert score(KEYS, [right(0), right(1)], partial=True).missing == 10


def test_no_answer_at_all_is_undefined_and_not_zero():
    report = score(KEYS, [record(n, "", outcome="failed") for n in range(12)]).as_json()
    assert (report["accuracy"], report["stderr"]) == (None, None)
    assert report["undefined"] == "None of the 12 items has an answer."


def test_a_single_answer_has_no_standard_error():
    report = score(KEYS[:1], [right(0)])
    assert (report.total.accuracy, report.total.stderr) == (1.0, None)


def test_answers_to_other_items_are_refused_by_name():
    with pytest.raises(InputError, match="item-99"):
        score(KEYS, [right(n) for n in range(12)] + [{"id": "item-99", "text": "A"}])


def test_the_first_of_two_answers_counts():
    report = score(KEYS[:1], [record(0, "none"), right(0)])
    assert report.total.correct == 0


def test_a_chosen_option_needs_no_extraction():
    report = score(KEYS[:1], [record(0, "prose", choice=KEYS[0].answer)])
    assert report.total.correct == 1
    assert report.unparsed == 0


def test_each_of_several_instructions_has_its_accuracy():
    instructions = {"one": "Choose.", "two": "请选择。", "three": "Pick one."}
    keys = variant_keys(ITEMS, instructions)
    rows = variant_rows(ITEMS, instructions)
    assert [row["id"] for row in rows] == [key.id for key in keys]
    assert rows[12]["prompt"].startswith("请选择。")
    right_of = {"one": 12, "two": 6, "three": 3}
    records = [
        Answer(key.id, text=key.answer if n % 12 < right_of[key.variant] else "none").as_json()
        for n, key in enumerate(keys)
    ]
    report = score(keys, records)
    wordings = report.as_json()["by"]["instruction"]
    assert {name: part["accuracy"] for name, part in wordings.items()} == {
        "one": 1.0, "two": 0.5, "three": 0.25,
    }  # fmt: skip


LETTERS = AnswerKey("i", "B", "scp", "prediction", "d", r"(\b[ABCD]\b)", ("A", "B", "C", "D"))
SELECTIONS = AnswerKey(
    "i", "Selection 2", "scp", "cloze", "d", "(Selection [0-9])",
    tuple(f"Selection {n}" for n in range(1, 5)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("B", "B"),
        ("Ｂ", "B"),
        ("答案：B", "B"),
        ("答案：Ｂ。", "B"),
        ("答案是B项", "B"),
        ("选B", "B"),
        ("故选b。", "B"),
        ("b", "B"),
        ("(b)", "B"),
        ("**b**", "B"),
        ("The answer is b", "B"),
        (r"\boxed{B}", "B"),
        (r"$\boxed{\text{B}}$", "B"),
        ("【B】", "B"),
        ("B or C", "B"),
        ("BC", None),
        ("ABCD", None),
        ("a bad idea, because", None),
        ("E", None),
        ("不知道", None),
        ("Because of this", None),
        ("\x00\ufffd", None),
        ("💥" * 1000, None),
    ],
)
def test_answers_in_every_spelling_are_read_and_doubtful_ones_are_not(text: str, read: str | None):
    assert judge(LETTERS, Answer("i", text=text)).predicted == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Selection 2", "Selection 2"),
        ("selection 2", "Selection 2"),
        ("Selection２", "Selection 2"),
        ("Ｓｅｌｅｃｔｉｏｎ　２", "Selection 2"),
        ("答案：selection  2", "Selection 2"),
        ("Selection 22", "Selection 2"),
        ("Selection 9", "Selection 9"),
        ("2", None),
    ],
)
def test_selections_are_read_as_published_and_then_in_other_spellings(text: str, read: str | None):
    assert judge(SELECTIONS, Answer("i", text=text)).predicted == read


def test_an_answer_inside_cut_thinking_does_not_count():
    cut = Answer("i", text="", outcome="thinking_truncated", thinking="It is B")
    assert judge(LETTERS, cut).predicted is None
    entry = judge(LETTERS, cut)
    assert (entry.answered, entry.correct, entry.outcome) == (True, False, "thinking_truncated")


@pytest.mark.timeout(120)  # reading that goes back and forth would take for ever
def test_a_huge_answer_is_read_at_once():
    text = "答案 " * 200_000
    assert judge(LETTERS, Answer("i", text=text)).predicted is None


def test_an_answer_in_another_spelling_counts_in_the_lenient_reading_alone():
    letters = [n for n in range(12) if len(KEYS[n].answer) == 1]
    plain, wide, said, wrong = letters[:4]
    full_width = chr(ord(KEYS[wide].answer) + 0xFEE0)
    records = [
        right(plain),
        record(wide, full_width),
        record(said, f"答案是{KEYS[said].answer.lower()}"),
        record(wrong, "none of these"),
    ]
    report = score([KEYS[n] for n in (plain, wide, said, wrong)], records)
    assert [entry.correct for entry in report.scores] == [True, True, True, False]
    assert [entry.strict for entry in report.scores] == [True, False, False, False]
    assert (report.total.correct, report.strict.correct) == (3, 1)
    document = report.as_json()
    assert document["accuracy"] == 0.75
    assert document["strict"]["accuracy"] == 0.25
    (line,) = (line for line in usage_lines(report) if "strictly" in line)
    assert "25.0%" in line
    assert "75.0%" in line


def test_the_strict_reading_is_that_of_the_exported_task():
    def strict(key: AnswerKey, text: str, choice: str | None = None) -> bool:
        return judge(key, Answer("1", text=text, choice=choice)).strict

    key = AnswerKey("1", "Selection 2", "scp", "sequencing", "cs", r"(Selection [0-9])")
    assert strict(key, "Selection 2")
    for text in ("It is Selection 3, not Selection 2", "selection 2", ""):
        assert not strict(key, text)
    assert strict(key, "?", choice="Selection 2")
    assert strict(AnswerKey("1", "two words", "instruction", "triplet", "zh"), "  two words\n")


def test_scores_of_a_judge_have_no_strict_reading():
    report = score(KEYS[:2], [right(0), right(1)])
    assert report.strict.accuracy == 1.0
    assert regraded(report, {KEYS[0].id: 0.5}).strict is None


def test_a_chosen_answer_is_right_or_wrong_whatever_measures_written_ones():
    content = ItemContent("answer", "answer", {
        "question": "When?", "answers": ["every ten minutes"], "metric": "f1"})  # fmt: skip
    key = key_of("1", content)
    written, chosen = (Answer("1", text="every ten days", choice=choice)
                       for choice in (None, "every ten days"))  # fmt: skip
    assert 0.0 < judge(key, written).score < 1.0
    assert judge(key, chosen).score == 0.0
    assert judge(key, Answer("1", text="", choice="every ten minutes")).score == 1.0


def test_right_or_wrong_by_a_judge_has_the_interval_of_right_or_wrong():
    alone = [key._replace(cluster="") for key in KEYS]
    counted = score(alone, [right(n) for n in range(7)] + [record(n, "?") for n in range(7, 12)])
    verdicts = {key.id: float(n < 7) for n, key in enumerate(alone)}
    judged = regraded(counted, verdicts)
    assert judged.total.interval == counted.total.interval
    assert judged.total.binary
    assert not regraded(judged, {alone[0].id: 0.5}).total.binary
    line = breakdown(judged, "task").total
    assert (line.low, line.high) == (judged.total.interval.low, judged.total.interval.high)
