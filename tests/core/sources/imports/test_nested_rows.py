"""What stands in a list below the text that it is about: each part is a row with that text."""

import json

from core.families.intake import AcceptedRow, ImportTarget, beginning, preview_of, read, recognised


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
