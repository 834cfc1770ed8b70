"""Results of other harnesses: matched by item, read with distrust, scored anew.

Real logs of both harnesses are read in tests/core/release/test_*_agreement.py.
"""

import json
from pathlib import Path

import pytest

from core.errors import InputError
from core.evaluation.base import Question
from core.evaluation.imports import import_results
from core.evaluation.run import work_rows
from core.evaluation.scoring import keys_of, score
from tests.splits import make_split

ITEMS = make_split(6)
ASKED = [Question.from_json(row) for row in work_rows(ITEMS)]
KEYS = keys_of(ITEMS)


def lm_eval_row(n: int, text: str, **doc) -> dict:
    return {
        "doc_id": n,
        "doc": doc,
        "arguments": {"gen_args_0": {"arg_0": ASKED[n].prompt, "arg_1": {}}},
        "resps": [[text]],
        "filtered_resps": ["x"],
        "exact_match": 0.0,
    }


def write_samples(folder: Path, rows: list, name: str = "samples_a_2026.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def inspect_row(n: int, text, **more) -> dict:
    message = {"role": "assistant", "content": text}
    choices = [{"message": message, "stop_reason": more.pop("stop", "stop")}]
    return {"id": f"item-{n}", "epoch": 1, "input": ASKED[n].prompt, "target": "A",
            "output": {"model": "m", "choices": choices}, "scores": {"s": {"value": "C"}},
            **more}  # fmt: skip


def write_log(folder: Path, rows: list, model: str = "openai/m", name: str = "log.json") -> Path:
    path = folder / name
    content = {"version": 2, "status": "success", "eval": {"model": model}, "samples": rows}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_lm_eval_samples_are_matched_by_id_and_else_by_prompt(tmp_path: Path):
    rows = [lm_eval_row(0, KEYS[0].answer, id="item-0"), lm_eval_row(1, KEYS[1].answer)]
    taken = import_results(write_samples(tmp_path, rows), ASKED)
    report = score(KEYS, [a.as_json() for a in taken.answers], partial=True)
    assert (report.total.correct, report.missing) == (2, 4)
    assert taken.verdicts == {"item-0": False, "item-1": False}


def test_a_folder_of_lm_eval_gives_the_model_beside_the_samples(tmp_path: Path):
    write_samples(tmp_path, [lm_eval_row(0, "A")])
    write_samples(tmp_path, [lm_eval_row(1, "")], "samples_b_2026.jsonl")
    (tmp_path / "results_2026.json").write_text('{"model_name": "llama"}', encoding="utf-8")
    taken = import_results(tmp_path, ASKED)
    assert (taken.harness, taken.model, len(taken.answers)) == ("lm_eval", "llama", 2)
    assert {answer.outcome for answer in taken.answers} == {"ok", "empty"}


def test_strange_repeated_and_damaged_samples_are_counted(tmp_path: Path):
    foreign = lm_eval_row(0, "A") | {"arguments": {}, "doc": {"id": "elsewhere"}}
    path = write_samples(
        tmp_path,
        [lm_eval_row(0, "A"), lm_eval_row(0, "B"), foreign, {"doc": 1}, lm_eval_row(1, 7)],
    )
    with path.open("ab") as handle:
        handle.write(b'{"torn": \xff\n')
    taken = import_results(path, ASKED)
    assert (len(taken.answers), taken.repeated, taken.unmatched, taken.damaged) == (1, 1, 1, 3)
    assert taken.answers[0].text == "A"


def test_inspect_outcomes_are_told_apart(tmp_path: Path):
    rows = [
        inspect_row(0, "Selection 1", total_time=1.5),
        inspect_row(1, "Sel", stop="max_tokens"),
        inspect_row(2, [{"type": "reasoning", "reasoning": "hm"}], stop="max_tokens"),
        inspect_row(3, "", stop="content_filter"),
        inspect_row(4, [{"type": "text", "text": "A"}, {"type": "reasoning", "reasoning": "so"}]),
        inspect_row(5, "x", error={"message": "server gone"}),
    ]
    taken = import_results(write_log(tmp_path, rows), ASKED)
    assert [answer.outcome for answer in taken.answers] == [
        "ok", "truncated", "thinking_truncated", "refused", "ok", "failed",
    ]  # fmt: skip
    assert taken.answers[4].text == "A"
    assert taken.answers[5].error == "server gone"
    assert taken.model == "openai/m"


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff\xfe", b'{"eval": 1}', b'{"samples": []}', b"[" * 100_000]
)
def test_files_of_something_else_are_refused(tmp_path: Path, content: bytes):
    (tmp_path / "file.json").write_bytes(content)
    with pytest.raises(InputError, match="no results"):
        import_results(tmp_path / "file.json", ASKED)
    with pytest.raises(InputError, match="no results"):
        import_results(tmp_path, ASKED)


def test_results_of_another_split_are_refused(tmp_path: Path):
    rows = [lm_eval_row(0, "A") | {"arguments": {}, "doc": {"id": "x"}}]
    with pytest.raises(InputError, match="None of the 1 samples"):
        import_results(write_samples(tmp_path, rows), ASKED)


def test_mixed_models_and_mixed_harnesses_are_refused(tmp_path: Path):
    write_log(tmp_path, [inspect_row(0, "A")], "one")
    write_log(tmp_path, [inspect_row(1, "A")], "two", "second.json")
    with pytest.raises(InputError, match="several models: one, two"):
        import_results(tmp_path, ASKED)
    write_samples(tmp_path, [lm_eval_row(0, "A")])
    with pytest.raises(InputError, match="mixes"):
        import_results(tmp_path, ASKED)


def test_a_missing_path_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="nowhere"):
        import_results(tmp_path / "nowhere", ASKED)
