"""Rows of anybody's files become the items that their authors mean."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.families.intake import (
    AcceptedRow,
    ImportTarget,
    beginning,
    check_mapping,
    preview_of,
    read,
    recognised,
    refuse_equal_items,
)
from core.sources.imports import RefusedRow


def written(folder: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return path


def items(
    path: Path, mapping: Mapping[str, str] | None = None
) -> tuple[str, list[Mapping[str, Any]], list[RefusedRow]]:
    """The family of a file, the payloads of its items, and the rows that gave none."""
    first = beginning(path)
    target = ImportTarget(recognised(first, mapping))
    preview = preview_of(first, target)
    wanted = {**preview.mapping, **(mapping or {})}
    check_mapping(wanted, preview.columns, target)
    refuse_equal_items(replace(preview, mapping=wanted), target)
    rows = list(read(path, target, wanted))
    payloads = [row.content.payload for row in rows if isinstance(row, AcceptedRow)]
    return target.family, payloads, [row for row in rows if isinstance(row, RefusedRow)]


@pytest.mark.parametrize("name", ["std_answer", "golden_answer", "standardAnswer", "gold_answers"])
def test_the_kind_of_a_question_is_not_taken_for_its_answer(tmp_path, name):
    rows = [{"question": f"How high is gauge {n}?", name: f"It is {n} m high.", "class": "open qa"}
            for n in range(3)]  # fmt: skip
    family, payloads, _ = items(written(tmp_path, rows))
    assert family == "answer"
    assert [payload["answers"] for payload in payloads] == [[row[name]] for row in rows]


def test_a_class_is_no_answer_to_what_a_row_asks_itself(tmp_path):
    rows = [{"question": f"How high is gauge {n}?", "class": "open qa"} for n in range(3)]
    with pytest.raises(InputError, match="none of its columns is known to hold the right answers"):
        items(written(tmp_path, rows))


def test_a_question_beside_its_instruction_is_asked(tmp_path):
    rows = [{"instruction": "从A,B中选出一个正确的答案。", "question": f"第{n}题：A:是;B:否。",
             "answer": "正确答案：B。"} for n in range(3)]  # fmt: skip
    family, payloads, _ = items(written(tmp_path, rows))
    assert family == "instruction"
    assert [payload["input"] for payload in payloads] == [row["question"] for row in rows]


def test_rows_that_would_all_ask_the_same_are_refused(tmp_path):
    rows = [{"instruction": "Say what it is.", "scene": f"Gauge {n} below the old bridge.",
             "output": f"gauge {n}"} for n in range(3)]  # fmt: skip
    path = written(tmp_path, rows)
    with pytest.raises(InputError, match="Every item would ask the same"):
        items(path)
    _, payloads, _ = items(path, {"input": "scene"})
    assert [payload["input"] for payload in payloads] == [row["scene"] for row in rows]


def test_one_row_alone_asks_what_it_asks(tmp_path):
    _, payloads, _ = items(written(tmp_path, [{"instruction": "Say hello.", "output": "Hello"}]))
    assert len(payloads) == 1


def test_answers_that_a_cell_lists_are_one_each(tmp_path):
    rows = [{"question": "付小芳从事哪项运动？", "answer": "['台球','九球']"},
            {"question": "郭艾伦从事哪项运动？", "answer": "篮球"}]  # fmt: skip
    _, payloads, _ = items(written(tmp_path, rows))
    assert [payload["answers"] for payload in payloads] == [["台球", "九球"], ["篮球"]]


def test_a_number_with_what_is_counted_is_compared_as_a_number(tmp_path):
    rows = [{"question": "How many?", "answer": "21 (people)"},
            {"question": "When?", "answer": "10:30"}]  # fmt: skip
    _, payloads, _ = items(written(tmp_path, rows))
    assert [payload["metric"] for payload in payloads] == ["number", "exact"]


def test_what_is_to_be_found_in_a_text_is_the_list_of_the_file(tmp_path):
    rows = [{"text": "The fish was fresh.", "aspects": [{"term": "fish", "polarity": "positive"}]}]
    mapping = {"instruction": "=List the aspects.", "output": "aspects"}
    _, payloads, _ = items(written(tmp_path, rows), mapping)
    assert payloads[0]["output"] == '[{"term": "fish", "polarity": "positive"}]'


@pytest.mark.parametrize("name", ["label_text", "label_desc"])
def test_a_label_that_is_a_number_is_asked_by_its_name(tmp_path, name):
    rows = [{"label": n, name: word, "sentence": f"It was {word} by the river that day."}
            for n, word in enumerate(["wet", "dry"])]  # fmt: skip
    _, payloads, _ = items(written(tmp_path, rows), {"instruction": "=How was it?"})
    assert [payload["output"] for payload in payloads] == ["wet", "dry"]
    assert [payload["label"] for payload in payloads] == ["wet", "dry"]


def test_answers_that_are_written_as_values_of_a_program_stay_as_they_are(tmp_path):
    rows = [{"question": "sorted('ba')", "answer": "['a', 'b']"},
            {"question": "'a' * 2", "answer": "'aa'"}]  # fmt: skip
    _, payloads, _ = items(written(tmp_path, rows))
    assert [payload["answers"] for payload in payloads] == [["['a', 'b']"], ["'aa'"]]


@pytest.mark.parametrize(("verdicts", "keys"), [
    (["A>B", "B>A"], ["A", "B"]),
    (["[[A]]", "[[B]]"], ["A", "B"]),
    (["A>>B", "B>>A"], ["A", "B"]),
])  # fmt: skip
def test_a_verdict_over_two_answers_names_the_better_one(tmp_path, verdicts, keys):
    rows = [{"question": "How high?", "response_A": f"{n} m", "response_B": "-", "label": verdict}
            for n, verdict in enumerate(verdicts)]  # fmt: skip
    family, payloads, _ = items(written(tmp_path, rows))
    assert (family, [payload["key"] for payload in payloads]) == ("choice", keys)


def test_options_that_are_numbered_from_zero_have_such_keys(tmp_path):
    rows = [{"question": f"Who reads gauge {n}?", "ans0": "he", "ans1": "she", "ans2": "unknown",
             "label": 2} for n in range(4)]  # fmt: skip
    _, payloads, _ = items(written(tmp_path, rows))
    assert [payload["key"] for payload in payloads] == ["C"] * 4


def test_numbers_that_fit_both_ways_of_counting_are_asked_about(tmp_path):
    rows = [{"question": f"How high is {n}?", "answer 1": "2 m", "answer 2": "-", "label": label}
            for n, label in enumerate([0, 0, 0, 1, 1, 2])]  # fmt: skip
    path = written(tmp_path, rows)
    with pytest.raises(InputError, match="whether the first option is 0"):
        items(path)
    _, payloads, refused = items(path, {"key": "label#0"})
    assert [payload["key"] for payload in payloads] == ["A"] * 3 + ["B"] * 2
    assert len(refused) == 1


@pytest.mark.parametrize(("key", "value"), [("output", "B"), ("std", "B"), ("said", "she")])
def test_the_one_column_that_names_an_option_is_the_key(tmp_path, key, value):
    rows = [{"input": f"Who reads gauge {n}?", key: value, "A": "he", "B": "she", "C": "they",
             "source": "own exam"} for n in range(3)]  # fmt: skip
    family, payloads, _ = items(written(tmp_path, rows))
    assert (family, [payload["key"] for payload in payloads]) == ("choice", ["B"] * 3)


@pytest.mark.parametrize("name", ["scenario", "context"])
def test_a_name_of_one_word_is_no_passage(tmp_path, name):
    rows = [{name: "value_judgement", "question": f"Who reads {n}?", "answer": "The miller."}
            for n in range(3)]  # fmt: skip
    options = [{**row, "A": "he", "B": "she", "answer": "A"} for row in rows]
    for given in (rows, options):
        _, payloads, _ = items(written(tmp_path, given))
        assert {payload["passage"] for payload in payloads} == {""}


def test_objects_over_several_lines_are_rows_whatever_their_file_is_called(tmp_path):
    rows = [{"question": f"How high is {n}?", "answer": f"{n} m"} for n in range(3)]
    path = tmp_path / "test.json"
    path.write_text("\n".join(json.dumps(row, indent=1) for row in rows), "utf-8")
    _, payloads, _ = items(path)
    assert [payload["answers"] for payload in payloads] == [[row["answer"]] for row in rows]


def test_what_is_judged_by_running_it_is_refused_in_words(tmp_path):
    rows = [{"task_id": "t/0", "prompt": "def add(a, b):\n", "canonical_solution": "return a + b",
             "test": "assert add(1, 1) == 2", "entry_point": "add"}]  # fmt: skip
    with pytest.raises(InputError, match="no program is run"):
        items(written(tmp_path, rows))


def lettered(options: Sequence[str]) -> str:
    return " ".join(f"{letter}:{text}" for letter, text in zip("ABCD", options, strict=False))


def test_options_in_the_text_of_all_questions_are_options(tmp_path):
    options = ["a gauge", "a radio", "a bridge"]
    rows = [{"question": f"What is {n}? {lettered(options)}", "answer": f"Answer: {key}",
             "context": "A gauge stands by the bridge."}
            for n, key in enumerate("BCA")]  # fmt: skip
    family, payloads, refused = items(written(tmp_path, rows))
    assert (family, refused) == ("choice", [])
    assert [(p["question"], p["key"], list(p["options"])) for p in payloads] == [
        (f"What is {n}?", key, options) for n, key in enumerate("BCA")
    ]
    assert {payload["passage"] for payload in payloads} == {"A gauge stands by the bridge."}


def test_options_in_some_questions_alone_leave_all_as_they_are(tmp_path):
    rows = [{"question": "What is it? A:a gauge B:a radio", "answer": "B"},
            {"question": "Which letter is the second one?", "answer": "B"}]  # fmt: skip
    family, payloads, _ = items(written(tmp_path, rows))
    assert family == "answer"
    assert [payload["question"] for payload in payloads] == [row["question"] for row in rows]


@pytest.mark.parametrize(("asked", "given"), [("original_text", "ans"), ("qText", "answers")])
def test_other_names_of_questions_and_answers_are_known(tmp_path, asked, given):
    family, payloads, _ = items(written(tmp_path, [{asked: "How high is it?", given: "7"}]))
    assert (family, payloads[0]["answers"], payloads[0]["metric"]) == ("answer", ["7"], "number")


@pytest.mark.parametrize("format", ["triplet", "instruction"])
def test_a_row_of_texts_becomes_the_payload_that_its_model_reads(tmp_path, format):
    target = ImportTarget("instruction", format)
    sample = dict(target.kind.sample(target.item_format).payload)
    texts = {field: "１ 水 \n“a”" for field in sample if field in target.texts}
    rows = [{**sample, **texts}, {field: sample[field] for field in target.needed}]
    mapping = {field: field for field in rows[0]}
    read_rows = list(read(written(tmp_path, rows), target, mapping))
    taken = [row.content.payload for row in read_rows if isinstance(row, AcceptedRow)]
    assert taken == [target.model.model_validate(row).model_dump(mode="json") for row in rows]
    # what one item holds is not another one's
    lists = [value for payload in taken for value in payload.values() if isinstance(value, list)]
    assert len({id(value) for value in lists}) == len(lists)
