"""Pairs of answers: what was asked, and which answer was preferred."""

import json

import pytest

from core.families.intake import AcceptedRow, ImportTarget, beginning, preview_of, read, recognised

TALK = "\n\nHuman: How high is it?\n\nAssistant: Which one?\n\nHuman: The mill.\n\nAssistant: "


def turns(*texts):
    return [{"role": "user" if n % 2 == 0 else "assistant", "content": text}
            for n, text in enumerate(texts)]  # fmt: skip


@pytest.mark.parametrize(
    ("pair", "question", "options"),
    [
        ({"prompt": "How high?", "chosen": "2 m", "rejected": "Go away."}, "How high?",
         {"2 m", "Go away."}),
        ({"instruction": "How high?", "input": "The mill.", "chosen": "2 m", "rejected": "-"},
         "How high?\nThe mill.", {"2 m", "-"}),
        ({"chosen": f"{TALK}2 m", "rejected": f"{TALK}Go away."},
         "Human: How high is it?\n\nAssistant: Which one?\n\nHuman: The mill.",
         {"2 m", "Go away."}),
        ({"chosen": turns("How high?", "2 m"), "rejected": turns("How high?", "No.")}, "How high?",
         {"2 m", "No."}),
        ({"prompt": "How high?", "chosen": turns("How high?", "2 m"), "score_chosen": 8.5,
          "rejected": turns("How high?", "No.")}, "How high?", {"2 m", "No."}),
    ],
)  # fmt: skip
def test_a_pair_is_a_question_with_two_answers(tmp_path, pair, question, options):
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join([json.dumps(pair)] * 2), "utf-8")
    first = beginning(path)
    target = ImportTarget(recognised(first))
    preview = preview_of(first, target)
    assert (first.format, target.family, preview.missing) == ("preference", "choice", ())
    row, _ = read(path, target, preview.mapping)
    assert isinstance(row, AcceptedRow)
    payload = row.content.payload
    assert (payload["question"], set(payload["options"])) == (question, options)
    assert payload["options"]["AB".index(payload["key"])] == "2 m"
    kept = row.content.provenance.get("columns", {})
    assert set(kept) >= {"score_chosen"} & set(pair)


def test_the_place_of_the_preferred_answer_tells_nothing(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [{"prompt": f"How high is {n}?", "chosen": f"{n} m", "rejected": "I do not know."}
            for n in range(40)]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    target = ImportTarget("choice")
    mapping = preview_of(beginning(path), target).mapping
    found = [row for row in read(path, target, mapping) if isinstance(row, AcceptedRow)]
    keys = [row.content.payload["key"] for row in found]
    assert 8 < keys.count("A") < 32


def test_a_row_with_one_answer_is_refused(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [{"prompt": "How high?", "chosen": "2 m", "rejected": "No."},
            {"prompt": "How high?", "chosen": "2 m", "rejected": None}]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    target = ImportTarget("choice")
    mapping = preview_of(beginning(path), target).mapping
    taken = [isinstance(row, AcceptedRow) for row in read(path, target, mapping)]
    assert taken == [True, False]
