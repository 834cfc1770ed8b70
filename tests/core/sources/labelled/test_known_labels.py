"""Labelled texts of which the columns and the labels tell what is asked."""

import json
from pathlib import Path

import pytest

from core.families.intake import ImportTarget, beginning, preview_of, read, recognised
from core.sources.labelled.known_labels import known_question

NLI = [
    {"premise": "The gauge stands under a lid.", "hypothesis": text, "label": label}
    for text, label in (("It is covered.", "entailment"), ("It is new.", "neutral"),
                        ("It is uncovered.", "contradiction"))
]  # fmt: skip
CSL = [{"abst": "本文研究雨量计的盖子。", "keyword": ["盖子", "雨量计"], "label": "1"},
       {"abst": "本文研究雨量计的盖子。", "keyword": ["山脊", "雨量计"], "label": "0"}]  # fmt: skip
WSC = [{"text": "磨坊主读了表，因为他醒着。", "label": label,
        "target": {"span1_text": "磨坊主", "span1_index": 0, "span2_text": "他", "span2_index": 8}}
       for label in ("true", "false")]  # fmt: skip
WSC_SOURCE = "text+" + "+".join(
    f"target.span{n}_{part}" for n in (1, 2) for part in ("text", "index")
)  # two pronouns of a text may be the same word
WIC = [{"word": "bank", "sentence1": "By the bank.", "sentence2": "In the bank.", "label": label}
       for label in (False, True)]  # fmt: skip
SAME = [
    {"sentence1": "雨量计在哪里", "sentence2": "哪里有雨量计", "label": label} for label in "10"
]


def asked(rows, name: str = "dev.json", label: str = "label") -> dict[str, str]:
    return known_question(rows, label, Path(name))


def test_pairs_with_entailment_are_asked_for_the_relation_of_their_texts():
    found = asked(NLI)
    assert found["input"] == "premise+hypothesis"
    assert all(word in found["instruction"] for word in ("entailment", "neutral", "contradiction"))
    two = [{**row, "label": label} for row, label in zip(NLI, ("entailment", "not_entailment", "-"),
                                                         strict=True)]  # fmt: skip
    assert "neutral" not in asked(two)["instruction"]
    logic = [{"premises": ["If it rains, it is wet."], "conclusion": "It is wet.", "label": label}
             for label in ("True", "False", "Uncertain")]  # fmt: skip
    assert "Uncertain" in asked(logic)["instruction"]


@pytest.mark.parametrize(
    ("rows", "source", "words"),
    [(CSL, "abst+keyword", "回答1，否则回答0"),
     (WSC, WSC_SOURCE, "回答true，否则回答false"),
     (WIC, "word+sentence1+sentence2", "Answer true if so, else false")],
    ids=["csl", "cluewsc", "wic"],
)  # fmt: skip
def test_sets_of_clue_and_superglue_are_asked_in_the_labels_of_the_file(rows, source, words):
    found = asked(rows)
    assert found["input"] == source
    assert words in found["instruction"]


def test_pairs_that_may_be_anything_are_known_by_the_name_of_their_file_alone():
    assert asked(SAME) == {}
    assert asked(SAME, "bustm/dev_0.json") == asked(SAME, "afqmc_dev.json")
    assert asked(SAME, "paws-x.jsonl")["input"] == "sentence1+sentence2"
    assert asked(SAME, "bank/dev.json") == {}


def test_labels_that_do_not_tell_what_was_asked_leave_that_open():
    assert asked([{**row, "label": "entailment"} for row in NLI]) == {}
    assert asked([{**NLI[0], "label": word} for word in ("neutral", "agrees")]) == {}
    assert asked([{"text": "Well done.", "label": word} for word in ("good", "bad")]) == {}
    assert asked([]) == {}


def test_an_import_proposes_what_is_asked_and_joins_what_it_is_asked_of(tmp_path):
    path = tmp_path / "cluewsc.json"
    path.write_text("\n".join(json.dumps(row) for row in WSC), "utf-8")
    first = beginning(path)
    target = ImportTarget(recognised(first))
    seen = preview_of(first, target)
    assert (target.family, seen.missing) == ("instruction", ())
    (one, other) = [row.content for row in read(path, target, seen.mapping)]
    assert one.payload["input"] == f"{WSC[0]['text']}\n磨坊主\n0\n他\n8"
    assert [item.payload["output"] for item in (one, other)] == ["true", "false"]
    assert one.provenance["columns"]["target"] == WSC[0]["target"]
    told = ImportTarget("instruction", defaults={"instruction": "Judge."})
    assert "instruction" not in preview_of(first, told).mapping
