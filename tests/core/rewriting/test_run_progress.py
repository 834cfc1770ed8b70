"""A run that is looked at again and again: the same counts as its result, read only once."""

import json
from collections import Counter
from pathlib import Path

import pytest

from core.errors import NotFoundError
from core.rewriting.call_log import usage_of
from core.rewriting.estimate import calls_of, estimate
from core.rewriting.funnel import Funnel
from core.rewriting.params import RewriteParams
from core.rewriting.record import STEPS
from core.rewriting.run_progress import RewriteProgressReader, stages_of
from core.rewriting.trace import read_trace
from core.sources.labelled.datasets import EMOTION, MRPC, LabelledExample
from tests.core.rewriting.scripted_model import BRANCHES, ENDS, ScriptedModel, cast
from tests.core.rewriting.test_run import make_run, own_examples, work
from tests.servers.model_server import LoopbackModel

PARAMS = {
    "base_url": "http://127.0.0.1:1", "model": "m", "knowledge": "gdelt-doc",
    "since": "2026-01-01", "until": "2026-02-01",
}  # fmt: skip


@pytest.fixture(scope="module")
def parts():
    return cast(own_examples(32), 32, branches=BRANCHES)


@pytest.fixture(scope="module")
def folder(parts, tmp_path_factory: pytest.TempPathFactory):
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as server:
        made = make_run(
            tmp_path_factory.mktemp("course"), server, parts, EMOTION, price_prompt=2.0,
            price_completion=8.0, budget_tokens=10_000_000,
        )  # fmt: skip
        work(made)
    return made


def test_the_course_has_the_counts_of_the_result(folder, parts):
    course = RewriteProgressReader(folder.path).read()
    result = folder.result()
    assert course.funnel == result["funnel"]
    assert (course.tokens, course.cost) == (result["tokens"], pytest.approx(result["cost"]))
    assert course.tokens == usage_of(folder.path).tokens
    assert course.budget_left == 10_000_000 - course.tokens
    assert course.total == course.finished == len(parts)
    for stage in course.stages:
        used = result["steps"][stage.step]
        assert (stage.calls, stage.prompt_tokens) == (used["calls"], used["prompt_tokens"])
        assert stage.completion_tokens == used["completion_tokens"]


def test_every_item_leaves_the_funnel_once(folder, parts):
    course = RewriteProgressReader(folder.path).read()
    assert [stage.step for stage in course.stages] == list(STEPS)
    assert course.stages[0].entered == len(parts)
    for before, after in zip(course.stages, course.stages[1:], strict=False):
        assert after.entered == before.passed
    assert course.stages[-1].passed == course.funnel["accepted"]
    ends = Counter(ENDS[part.branch][1:] for part in parts if ENDS[part.branch][2])
    assert Counter(
        {(s.step, why): n for s in course.stages for why, n in s.left.items()}
    ) == ends  # fmt: skip
    by_id = {line.id: line for line in course.items}
    for part in parts:
        line = by_id[part.example.id]
        assert (line.outcome, line.step, line.reason) == ENDS[part.branch]
        assert line.text == part.example.text[:160]


def test_a_later_look_reads_only_what_was_added(folder, tmp_path: Path):
    copy = tmp_path / folder.path.name
    copy.mkdir()
    (copy / "spec.json").write_bytes((folder.path / "spec.json").read_bytes())
    texts = {
        name: (folder.path / name).read_bytes() for name in ("shard-000.jsonl", "calls-000.jsonl")
    }
    for name, text in texts.items():
        (copy / name).write_bytes(text[: len(text) // 3])
    reader = RewriteProgressReader(copy)
    first = reader.read()
    assert 0 < first.finished < 32
    for name, text in texts.items():
        with (copy / name).open("r+b") as handle:  # what is read twice would be counted twice
            handle.write(b"x" * (text[: len(text) // 3].rfind(b"\n") + 1))
            handle.seek(0, 2)
            handle.write(text[len(text) // 3 :])
    second = reader.read()
    assert second.items[: len(first.items)] == first.items
    assert second.funnel == RewriteProgressReader(folder.path).read().funnel
    assert second.tokens == usage_of(folder.path).tokens


def test_a_folder_that_was_begun_again_is_read_again(folder, tmp_path: Path):
    copy = tmp_path / "run"
    copy.mkdir()
    for name in ("spec.json", "shard-000.jsonl", "calls-000.jsonl"):
        (copy / name).write_bytes((folder.path / name).read_bytes())
    reader = RewriteProgressReader(copy)
    assert reader.read().finished == 32
    lines = (copy / "shard-000.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "shard-000.jsonl").write_bytes(b"".join(lines[:3]))
    assert reader.read().finished == 3


def test_a_journey_is_the_same_from_the_reader_and_from_the_folder(folder, parts):
    reader = RewriteProgressReader(folder.path)
    reader.read()
    for part in parts:
        assert reader.trace(part.example.id) == read_trace(folder.path, part.example.id)
    with pytest.raises(NotFoundError):
        reader.trace("nobody")


def test_the_journey_of_an_unfinished_item_has_the_calls_so_far(folder, parts, tmp_path: Path):
    copy = tmp_path / "run"
    copy.mkdir()
    for name in ("spec.json", "work.jsonl", "calls-000.jsonl"):
        (copy / name).write_bytes((folder.path / name).read_bytes())
    trace = RewriteProgressReader(copy).trace(parts[0].example.id)
    assert trace.outcome == "unfinished"
    whole = read_trace(folder.path, parts[0].example.id)
    assert [step.step for step in trace.steps] == [step.step for step in whole.steps]


def test_texts_that_look_like_counts_and_keys_change_nothing(tmp_path: Path):
    examples = [
        LabelledExample(
            id='odd "id", \\ 一',
            text='Nobody had expected "prompt_tokens": 999, "completion_tokens": 999 of the violin '
            'or "key": "x", "step": "label", "reply": {"prompt_tokens": 5} to be back so soon',
            label="joy",
        )
    ]
    parts = cast(examples, 1, branches=["good"])
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as server:
        folder = make_run(tmp_path, server, parts, EMOTION)
        result = work(folder)
    reader = RewriteProgressReader(folder.path)
    assert reader.read().tokens == result["tokens"]
    assert len(reader.trace(examples[0].id).steps) == 8
    assert read_trace(folder.path, examples[0].id).outcome == "accepted"


def test_an_empty_run_has_an_empty_funnel():
    stages = stages_of(Funnel().as_json(), {})
    assert [stage.entered for stage in stages] == [0] * len(STEPS)


def test_calls_are_counted_from_the_steps():
    single = RewriteParams(task=EMOTION, **PARAMS)
    pair = RewriteParams(task=MRPC, **PARAMS)
    assert calls_of(single) == (7, 2 + 3 * 5)
    assert calls_of(pair) == (9, 2 + 3 * 7)


def test_the_estimate_is_near_what_a_good_run_takes(tmp_path: Path):
    examples = own_examples(12)
    parts = cast(examples, 12, branches=["good"])
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as server:
        folder = make_run(tmp_path, server, parts, EMOTION, facts=1)
        result = work(folder)
        calls = len(server.seen)
    params = RewriteParams.model_validate(
        {**folder.spec().params, "price_prompt": 1.0, "price_completion": 2.0}
    )
    guessed = estimate(params, examples)
    assert (guessed.items, guessed.calls_least) == (12, calls)
    assert result["tokens"] / 2 < guessed.tokens < result["tokens"] * 2
    assert guessed.cost > 0
    assert estimate(params, ()).tokens == 0
    assert json.dumps(guessed.calls_most)
