"""What stands in a list below the text that it is about: each part is a row with that text."""

import json

from core.families.intake import AcceptedRow, ImportTarget, beginning, preview_of, read, recognised
from core.sources.imports import import_format


def payloads(path, **mapping):
    first = beginning(path)
    target = ImportTarget(recognised(first, mapping))
    found = {**preview_of(first, target).mapping, **mapping}
    rows = read(path, target, found)
    return target.family, [row.content.payload for row in rows if isinstance(row, AcceptedRow)]


def test_questions_about_a_table_are_asked_with_it_and_have_their_scale(tmp_path):
    questions = [
        {"question": "Which gauges?", "answer": ["mill", "weir"], "answer_type": "multi-span",
         "scale": ""},
        {"question": "How much water?", "answer": 44.1, "answer_type": "span", "scale": "million"},
        {"question": "Which share?", "answer": "12.5", "answer_type": "arithmetic",
         "scale": "percent"},
    ]  # fmt: skip
    document = [{"table": {"uid": "t", "table": [["", "2018", "2019"], ["mill", "1", "2"]]},
                 "paragraphs": [{"uid": "p", "order": 1, "text": "Both gauges are read."}],
                 "questions": questions}]  # fmt: skip
    path = tmp_path / "tatqa.json"
    path.write_text(json.dumps(document, indent=1), "utf-8")
    family, found = payloads(path)
    assert family == "answer"
    assert [payload["answers"] for payload in found] == [
        ["mill, weir"],
        ["44.1 million"],
        ["12.5%"],
    ]
    passage = " | 2018 | 2019\nmill | 1 | 2\n\nBoth gauges are read."
    assert {payload["passage"].strip() for payload in found} == {passage.strip()}


def test_each_sentence_of_a_context_has_its_own_label(tmp_path):
    labelled = {"oldest": "stereotype", "fish": "unrelated"}
    sentences = [{"id": word, "sentence": f"It was the {word} of them.", "gold_label": label}
                 for word, label in labelled.items()]  # fmt: skip
    rows = [{"id": "c1", "target": "miller", "context": "The miller reads a gauge.",
             "sentences": sentences}]  # fmt: skip
    document = {"version": "1.0", "data": {"intersentence": rows, "intrasentence": rows}}
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(document), "utf-8")
    family, found = payloads(path, instruction="=Does the sentence say what is expected?")
    assert family == "instruction"
    assert [payload["output"] for payload in found] == ["stereotype", "unrelated"] * 2
    assert found[0]["input"] == "The miller reads a gauge.\nIt was the oldest of them."


def test_questions_in_one_list_have_their_answers_in_another(tmp_path):
    text = "A gauge stands by the bridge. " * 3
    rows = [{"instructions": ["What stands?", "Where?"], "outputs": ["a gauge", "by the bridge"],
             "input": text, "source": "own"}]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    found = [row.values for row in import_format(path).rows(path)]
    about = {"passage": text, "source": "own"}
    assert found == [
        {"question": "What stands?", "answer": "a gauge", **about},
        {"question": "Where?", "answer": "by the bridge", **about},
    ]


def test_questions_and_answers_in_columns_are_rows_as_they_stand(tmp_path):
    columns = {"questions": ["What stands?", "Where?"], "answers": ["a gauge", "by the bridge"]}
    path = tmp_path / "columns.json"
    path.write_text(json.dumps(columns), "utf-8")
    found = [row.values for row in import_format(path).rows(path)]
    assert found == [dict(zip(columns, cells, strict=True))
                     for cells in zip(*columns.values(), strict=True)]  # fmt: skip


def test_a_turn_of_a_dialogue_is_asked_with_the_turns_before_it(tmp_path):
    turns = [{"input_text": "Who is white?", "turn_id": 1}, {"input_text": "Where?", "turn_id": 2}]
    answers = [{"input_text": "a cat", "span_text": "A white cat", "turn_id": 1},
               {"input_text": "a barn", "span_text": "in a barn", "turn_id": 2}]  # fmt: skip
    story = "A white cat lives in a barn. " * 2
    document = {"version": "1.0", "data": [
        {"source": "own", "id": "s1", "story": story, "questions": turns, "answers": answers,
         "additional_answers": {"0": [{"input_text": "the cat", "turn_id": 1},
                                      {"input_text": "a barn", "turn_id": 2}]}}]}  # fmt: skip
    path = tmp_path / "coqa.json"
    path.write_text(json.dumps(document), "utf-8")
    family, found = payloads(path)
    assert family == "answer"
    assert [(item["question"], item["answers"]) for item in found] == [
        ("Who is white?", ["a cat", "the cat"]),
        ("Q: Who is white?\nA: a cat\nQ: Where?", ["a barn"]),
    ]
    assert {item["passage"] for item in found} == {story}
