"""Utterances with their intents, in the layouts in which assistants are trained."""

import json

import pytest

from core.sources.imports import ImportRow, RefusedRow, import_format

CLINC = {"val": [["how high is it", "height"], ["is it dry", "oos"]], "test": [["hi", "greet"]]}
RASA = {"rasa_nlu_data": {"lookup_tables": [{"name": "river"}], "common_examples": [
    {"text": "how high is it", "intent": "height", "entities": []},
    {"text": "is the Spree dry", "intent": "dry", "entities": [
        {"start": 7, "end": 12, "value": "Spree", "entity": "river"}]}]}}  # fmt: skip
SNIPS = {"Dry": [{"data": [{"text": "is the "}, {"text": "Spree", "entity": "river"},
                           {"text": " dry"}]}], "Greet": [{"data": [{"text": "hi"}]}]}  # fmt: skip
RASA_YAML = """version: "3.1"
nlu:
- intent: height
  examples: |
    - how high is it
    - how high is the [Spree](river)
- intent: faq/dry
  examples:
    - text: is it dry
      metadata: {sentiment: neutral}
- synonym: Spree
  examples: |
    - the river
"""


def rows_of(path):
    return list(import_format(path).rows(path))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (CLINC, [("how high is it", "height"), ("is it dry", "oos"), ("hi", "greet")]),
        (RASA, [("how high is it", "height"), ("is the Spree dry", "dry")]),
        (SNIPS, [("is the Spree dry", "Dry"), ("hi", "Greet")]),
        (
            {"language": "en", "intents": {"Greet": {"utterances": SNIPS["Greet"]}}},
            [("hi", "Greet")],
        ),
    ],
)
def test_every_utterance_is_a_row_with_its_intent(tmp_path, document, said):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(document, indent=2), "utf-8")
    assert import_format(path).name == "intents"
    found = [row.values for row in rows_of(path) if isinstance(row, ImportRow)]
    assert [(row["text"], row["intent"]) for row in found] == said


def test_splits_and_entities_stay_with_their_text(tmp_path):
    for name, document in (("clinc", CLINC), ("rasa", RASA), ("snips", SNIPS)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document), "utf-8")
    clinc, rasa, snips = (rows_of(tmp_path / f"{n}.json") for n in ("clinc", "rasa", "snips"))
    assert [row.values["split"] for row in clinc] == ["val", "val", "test"]
    assert isinstance(rasa[0], RefusedRow)
    assert "lookup_tables" in rasa[0].reason
    assert rasa[2].values["entities"][0]["value"] == "Spree"
    assert snips[0].values["entities"] == [{"text": "Spree", "entity": "river"}]


def test_yaml_of_rasa_is_read_and_what_is_no_example_is_named(tmp_path):
    path = tmp_path / "nlu.yml"
    path.write_text(RASA_YAML, "utf-8")
    assert import_format(path).name == "intents"
    *examples, synonym = rows_of(path)
    assert [row.values for row in examples] == [
        {"text": "how high is it", "intent": "height"},
        {"text": "how high is the Spree", "intent": "height",
         "entities": [{"text": "Spree", "entity": "river"}]},
        {"text": "is it dry", "intent": "faq/dry", "metadata": {"sentiment": "neutral"}},
    ]  # fmt: skip
    assert isinstance(synonym, RefusedRow)
    assert "synonym" in synonym.reason
