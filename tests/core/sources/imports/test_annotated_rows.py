"""MT-Bench has two turns a row and references for some: each turn is an item, or named."""

import json

from core.sources.imports.annotated_rows import turn_rows
from core.sources.imports.base import ImportRow


def _read(tmp_path, *rows):
    path = tmp_path / "question.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return list(turn_rows(path))


def _reasons(found):
    return [row.reason if not isinstance(row, ImportRow) else "" for row in found]


def test_a_turn_with_references_is_asked_below_the_turns_before_it(tmp_path):
    first, second = _read(tmp_path, {"turns": ["Which?", "Why?"], "reference": ["Lima", "So."]})
    assert (first.values["input"], first.values["output"], first.values["turn"]) == ("", "Lima", 1)
    assert (second.values["output"], second.values["turn"]) == ("So.", 2)
    assert "Lima" in second.values["input"] + second.values["instruction"]


def test_a_later_turn_without_a_reference_is_named(tmp_path):
    for reference in (["Lima", ""], ["Lima"], ["Lima", None], "Lima"):
        found = _read(tmp_path, {"turns": ["Which?", "Why?"], "reference": reference})
        assert _reasons(found) == ["", "It has no answer."]
        assert [row.line for row in found] == [1, 2]


def test_a_reference_below_a_turn_that_has_none_is_not_said_to_be_missing(tmp_path):
    found = _read(tmp_path, {"turns": ["Which?", "Why?"], "reference": ["", "So."]})
    assert _reasons(found) == ["It has no answer.", "A turn before it has no answer."]


def test_each_turn_of_a_row_without_references_is_named(tmp_path):
    open_questions = {"turns": ["Write a poem.", "Now without an e."]}
    answered = {"turns": ["Which?"], "reference": ["Lima"]}
    found = _read(tmp_path, open_questions, answered)
    assert _reasons(found) == ["It has no answer.", "It has no answer.", ""]
    assert [row.line for row in found] == [1, 2, 3]


def test_a_row_whose_turns_are_no_turns_is_named_once(tmp_path):
    for turns in ([], None):
        found = _read(tmp_path, {"turns": turns, "reference": []})
        assert _reasons(found) == ["It has no answer."]
    found = _read(tmp_path, {"turns": ["Which?"]}, {"turns": "Which?", "reference": "Lima"})
    assert [getattr(row, "values", {}).get("output", "") for row in found] == ["", "Lima"]
