"""What evaluation programs log and read, and their data sets: the questions are asked as there."""

import json
from pathlib import Path

import pytest

from core.families.intake import AcceptedRow, ImportTarget, beginning, preview_of, read, recognised

CHOICES = ["Rome", "Lima", "Paris"]


@pytest.fixture
def imported(tmp_path: Path):
    """What a file gives: its family, the payloads, and the reasons for rows without an item."""

    def call(name: str, rows):
        path = tmp_path / name
        lines = [json.dumps(row) for row in rows] if isinstance(rows, list) else [json.dumps(rows)]
        path.write_text("\n".join(lines) + "\n", "utf-8")
        first = beginning(path)
        target = ImportTarget(recognised(first))
        found = list(read(path, target, preview_of(first, target).mapping))
        taken = [row for row in found if isinstance(row, AcceptedRow)]
        refused = [row.reason for row in found if not isinstance(row, AcceptedRow)]
        return target.family, [row.content.payload for row in taken], refused

    return call


def test_samples_of_lm_eval_keep_their_options(imported):
    rows = [{"doc_id": n, "doc": {"question": f"Which {n}?", "choices": CHOICES, "answer": n},
             "target": str(n), "arguments": [["Which?", " Rome"]], "resps": [], "acc": 1.0}
            for n in range(3)]  # fmt: skip
    family, found, _ = imported("samples_x.jsonl", rows)
    assert family == "choice"
    assert [payload["options"] for payload in found] == [CHOICES] * 3
    assert [payload["key"] for payload in found] == ["A", "B", "C"]


def test_messages_of_inspect_are_asked_as_what_they_say(imported):
    said = [{"role": "system", "content": "One word."}, {"role": "user", "content": "Which?"}]
    family, found, _ = imported("i.jsonl", [{"input": said, "target": "Rome", "id": 1}])
    assert (family, found[0]["question"]) == ("answer", "One word.\n\nWhich?")


def test_what_big_bench_says_before_its_examples_is_asked(imported):
    scores = {"Rome": 0, "Lima": 1}
    task = {"name": "t", "task_prefix": "Name the capital.\n",
            "examples": [{"input": "Peru", "target_scores": scores},
                         {"input": "Italy", "target_scores": {"Rome": 1, "Lima": 0}}]}  # fmt: skip
    family, found, _ = imported("task.json", task)
    assert family == "choice"
    assert [payload["question"] for payload in found] == [
        "Name the capital.\n\nPeru",
        "Name the capital.\n\nItaly",
    ]
    right = [payload["options"][ord(payload["key"]) - ord("A")] for payload in found]
    assert right == ["Lima", "Rome"]


def test_a_question_in_several_languages_is_a_row_for_each(imported):
    rows = [{"query": "capital of peru", "queries": {"en": "capital of peru", "zh_cn": "秘鲁首都"},
             "answers": {"en": [{"type": "entity", "text": "Lima", "aliases": ["City of Lima"]}],
                         "zh_cn": [{"type": "unanswerable", "text": None}]}}]  # fmt: skip
    family, (found,), refused = imported("mkqa.jsonl", rows)
    assert (family, found["language"], found["answers"]) == (
        "answer",
        "en",
        ["Lima", "City of Lima"],
    )
    assert refused == ["It has no answer."]


def test_the_aliases_of_triviaqa_are_answers(imported):
    answer = {"Aliases": ["Lima", "City of Lima"], "NormalizedValue": "lima", "Value": "Lima"}
    data = {"Data": [{"Question": f"Which {n}?", "Answer": answer} for n in (1, 2)], "Version": 1.0}
    _, found, _ = imported("trivia.json", data)
    assert [payload["answers"] for payload in found] == [["Lima", "City of Lima"]] * 2


def test_turns_of_quac_are_asked_with_those_before_them(imported):
    def turn(question: str, answer: str):
        given = {"text": answer, "answer_start": 0}
        return {"question": question, "answers": [given], "orig_answer": given, "followup": "y",
                "yesno": "x", "id": question}  # fmt: skip

    turns = [turn("Who came?", "Ann"), turn("Why?", "CANNOTANSWER"), turn("When?", "in May")]
    paragraphs = [{"context": "Ann came in May. CANNOTANSWER", "qas": turns},
                  {"context": "Bea left.", "qas": [turn("Who left?", "Bea")]}]  # fmt: skip
    _, found, refused = imported("quac.json", {"data": [{"paragraphs": paragraphs, "title": "t"}]})
    assert [payload["question"] for payload in found] == [
        "Who came?",
        "Q: Who came?\nA: Ann\nQ: Why?\nA: CANNOTANSWER\nQ: When?",
        "Who left?",
    ]
    assert [payload["answers"] for payload in found] == [["Ann"], ["in May"], ["Bea"]]
    assert len(refused) == 1
