"""The prompts of rewriting: every placeholder filled, text left as it is."""

import json

from core.rewriting.prompts import IntegrationInput, entities_prompt, label_prompt, updated_prompt
from core.sources.labelled.datasets import EMOTION, RTE, STANCE, LabelledExample
from resources import resource


def test_text_that_looks_like_a_placeholder_stays_as_it_is():
    example = LabelledExample(id="1", text="{{rules}} {{label}} {0} {x}", label="joy")
    assert "{{rules}} {{label}} {0} {x}" in entities_prompt(EMOTION, example).text


def test_no_placeholder_is_left_and_the_label_question_names_the_target():
    example = LabelledExample(id="1", text="a", label="favor", target="the ferry")
    asked = label_prompt(STANCE, example, ("b", ""))
    assert "{{" not in asked.text
    assert "towards “the ferry”" in asked.text
    assert "“favor”" in asked.text


def test_the_second_text_of_a_pair_is_written_beside_the_new_first():
    example = LabelledExample(id="1", text="old one", second="old two", label="entailment")
    made_of = IntegrationInput(("s one", "s two"), ("u one", "u two"), (("a", "r", "b"),),
                          (("c", "r", "b"),), "known")  # fmt: skip
    text = updated_prompt(RTE, example, made_of, "new one", 2, ["Mend it."]).text
    assert "<premise>\nnew one\n</premise>" in text
    assert "<model_text>\ns two\n</model_text>" in text
    assert "Write the hypothesis only" in text
    assert "- Mend it." in text
    assert "may remain: a." in text


def test_the_rubric_has_the_scales_of_table_13():
    rubric = json.loads(resource("rubrics", "coreeval.json").read_text(encoding="utf-8"))
    scales = {c["name"]: [v["value"] for v in c["values"]] for c in rubric["criteria"]}
    assert scales == {
        "fluency": [1, 2, 3], "coherence": [1, 2, 3], "factuality": [0, 1], "accuracy": [0, 1],
    }  # fmt: skip
