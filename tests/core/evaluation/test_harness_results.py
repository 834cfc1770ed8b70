"""Results of other harnesses: matched by item, read with distrust, scored again.

Real logs of both harnesses are read in tests/core/release/test_*_agreement.py.
"""

import gzip
import json
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError
from core.evaluation.harness_results import import_results
from core.evaluation.scoring import keys_of, score
from core.evaluation.types import Question
from tests.questions import work_rows
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
    "content", [b"[]", b"3", b'{"eval": 1}', b'{"samples": []}', b'{"eval": {}, "samples": 3}']
)
def test_files_of_something_else_are_refused(tmp_path: Path, content: bytes):
    (tmp_path / "file.json").write_bytes(content)
    with pytest.raises(InputError, match="no results"):
        import_results(tmp_path / "file.json", ASKED)
    with pytest.raises(InputError, match="no results"):
        import_results(tmp_path, ASKED)


def test_results_of_another_split_are_refused(tmp_path: Path):
    rows = [lm_eval_row(0, "A") | {"arguments": {}, "doc": {"id": "x"}}]
    with pytest.raises(InputError, match="The only sample"):
        import_results(write_samples(tmp_path, rows), ASKED)


def test_mixed_models_and_mixed_harnesses_are_refused(tmp_path: Path):
    write_log(tmp_path, [inspect_row(0, "A")], "one")
    write_log(tmp_path, [inspect_row(1, "A")], "two", "second.json")
    with pytest.raises(InputError, match="several models: one, two"):
        import_results(tmp_path, ASKED)
    write_samples(tmp_path, [lm_eval_row(0, "A")])
    with pytest.raises(InputError, match="contains results of both lm_eval and Inspect"):
        import_results(tmp_path, ASKED)


def test_a_missing_path_is_named(tmp_path: Path):
    with pytest.raises(NotFoundError, match="nowhere"):
        import_results(tmp_path / "nowhere", ASKED)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_files_that_an_editor_wrote_in_another_encoding_are_read(tmp_path: Path, encoding: str):
    rows = [lm_eval_row(n, "答案是A", id=f"item-{n}") for n in range(6)]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    samples = tmp_path / "samples_a.jsonl"
    samples.write_text(lines, encoding=encoding)
    taken = import_results(samples, ASKED)
    assert (len(taken.answers), taken.damaged) == (6, 0)
    assert taken.answers[0].text == "答案是A"
    log = {"eval": {"model": "模型"}, "samples": [inspect_row(n, "乙") for n in range(2)]}
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log, ensure_ascii=False), encoding=encoding)
    assert import_results(file, ASKED).model == "模型"


def test_a_single_sample_in_another_encoding_is_read(tmp_path: Path):
    samples = tmp_path / "samples_a.jsonl"
    row = lm_eval_row(0, "答案是A", id="item-0")
    samples.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="gb18030")
    taken = import_results(samples, ASKED)
    assert ([one.text for one in taken.answers], taken.damaged) == (["答案是A"], 0)


def test_a_line_cut_within_a_letter_harms_no_other(tmp_path: Path):
    rows = [lm_eval_row(n, "答案", id=f"item-{n}") for n in range(3)]
    whole = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    samples = tmp_path / "samples_a.jsonl"
    samples.write_bytes(whole[: whole.rindex("案".encode()) + 1])
    taken = import_results(samples, ASKED)
    assert ([a.text for a in taken.answers], taken.damaged) == (["答案", "答案"], 1)


def test_a_log_that_was_cut_short_is_named_even_beside_a_sound_one(tmp_path: Path):
    sound = write_log(tmp_path, [inspect_row(0, "A")])
    (tmp_path / "log2.json").write_bytes(sound.read_bytes()[:300])
    (tmp_path / "log3.json.gz").write_bytes(gzip.compress(sound.read_bytes())[:100])
    for path in (tmp_path, tmp_path / "log2.json", tmp_path / "log3.json.gz"):
        with pytest.raises(InputError, match=r"log[23].*is damaged or incomplete"):
            import_results(path, ASKED)
    assert len(import_results(sound, ASKED).answers) == 1


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("samples_a.jsonl", b"", "contains no samples"),
        ("samples_a.jsonl", b"\n\n", "contains no samples"),
        ("samples_a.jsonl", b"null\n3\n", "None of the 2 samples .* could be read"),
        ("samples_a.jsonl", b"\x00\x01\xff" * 40, "damaged or incomplete|could be read"),
        ("samples_a.jsonl.gz", b"\x1f\x8b", "damaged or incomplete"),
        ("log.json", b'{"eval": {"model": "m"}, "samples": null}', "contains no samples"),
        (
            "log.json",
            b'{"eval": {"model": "m"}, "samples": [3, null]}',
            "2 samples .* could be read",
        ),
        ("log.json", b"[" * 100_000, "damaged or incomplete"),
        ("log.json", b"", "damaged or incomplete"),
        ("log.json", b"\xff\xfe", "damaged or incomplete"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, name: str, content: bytes, words: str):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InputError, match=words):
        import_results(file, ASKED)


def test_the_second_attempt_of_a_failed_sample_counts(tmp_path: Path):
    failed = {**inspect_row(0, ""), "output": {}, "error": {"message": "time out"}}
    write_log(tmp_path, [failed], name="1.json")
    write_log(tmp_path, [inspect_row(0, "B")], name="2.json")
    write_log(tmp_path, [failed], name="3.json")
    taken = import_results(tmp_path, ASKED)
    assert [(a.outcome, a.text) for a in taken.answers] == [("ok", "B")]
    assert taken.repeated == 1


def test_what_inspect_asked_as_messages_is_held_against_the_question(tmp_path: Path):
    asked = [{"role": "system", "content": "Be brief."},
             {"role": "user", "content": [{"type": "text", "text": ASKED[1].prompt}]}]  # fmt: skip
    other = [{"role": "user", "content": "Something else?"}, "odd"]
    rows = [inspect_row(1, "A"), inspect_row(2, "A")]
    rows[0]["input"], rows[1]["input"] = asked, other
    taken = import_results(write_log(tmp_path, rows), ASKED)
    assert [answer.id for answer in taken.answers] == ["item-1"]
    assert taken.mismatched == ("item-2",)


def test_replies_that_no_file_can_hold_are_made_so_that_one_can(tmp_path: Path):
    rows = [lm_eval_row(0, "\ud800A\x00", id="item-0")]
    found = [
        import_results(write_samples(tmp_path, rows), ASKED),
        import_results(write_log(tmp_path, [inspect_row(0, "\ud800A\x00")], "m\udc00"), ASKED),
    ]
    assert [taken.answers[0].text for taken in found] == ["?A", "?A"]
    assert found[1].model == "m?"


@pytest.mark.parametrize("odd", ["many", -5, float("nan"), float("inf"), None, [1]])
def test_a_count_or_a_time_that_is_none_is_left_out(tmp_path: Path, odd):
    row = inspect_row(0, "A", total_time=odd)
    row["output"]["usage"] = {"input_tokens": odd, "output_tokens": 3}
    (answer,) = import_results(write_log(tmp_path, [row]), ASKED).answers
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("A", 0, 3)
    assert answer.latency_s == 0.0
