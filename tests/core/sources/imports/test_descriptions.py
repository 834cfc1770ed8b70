"""What only describes items is told from items, and says what is to be imported instead."""

import json

import pytest

from core.errors import InputError
from core.sources.imports import import_format

CARD = {"default": {"description": "", "features": {"question": {"dtype": "string"}},
                    "splits": {"train": {"num_examples": 3}}}}  # fmt: skip
CROISSANT = {"@context": {"cr": "http://mlcommons.org/croissant/"}, "distribution": [],
             "recordSet": []}  # fmt: skip
HARNESS = "task: mine\ndataset_path: json\noutput_type: multiple_choice\ndoc_to_text: '{{q}}'\n"
EVALS = "mine:\n  id: mine.dev\nmine.dev:\n  class: evals.elsuite.basic.match:Match\n"
PROMPTFOO = "providers:\n  - openai:gpt\nprompts:\n  - Say {{x}}\ntests:\n  - vars: {x: 1}\n"


@pytest.mark.parametrize(
    ("name", "text", "advice"),
    [
        ("dataset_infos.json", json.dumps(CARD), "its splits"),
        ("dataset_info.json", json.dumps(CARD["default"]), "its splits"),
        ("croissant.json", json.dumps(CROISSANT), "distribution"),
        ("mine.yaml", HARNESS, "data_files"),
        ("mine.yml", EVALS, "samples_jsonl"),
        ("promptfooconfig.yaml", PROMPTFOO, "a question and its answer"),
    ],
)
def test_a_description_says_what_to_import(tmp_path, name, text, advice):
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InputError, match=advice):
        import_format(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.json", '[{"features": "red", "question": "Which?", "answer": "this"}]'),
        ("rows.yaml", "- {question: Which?, tests: none}\n- {question: What?, tests: two}\n"),
    ],
)
def test_rows_with_such_names_are_rows(tmp_path, name, text):
    (tmp_path / name).write_text(text, "utf-8")
    assert len(list(import_format(tmp_path / name).rows(tmp_path / name))) > 0
