"""What models send instead of the form: read where it is the form, asked again where it is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.jobs.folder import RunFolder
from core.rewriting.results import read_sets
from core.rewriting.trace import read_trace
from core.sources.labelled.datasets import EMOTION, MRPC, LabelledExample
from tests.core.rewriting.scripted_model import ScriptedModel, cast
from tests.core.rewriting.test_run import make_run, own_examples, work
from tests.servers.model_server import LoopbackModel

GOOD = '{"summary": "The Zorvia Council met Quellmark.", "facts": [1]}'
READ = {
    "plain": GOOD,
    "fence": f"```json\n{GOOD}\n```",
    "bare fence": f"```\n{GOOD}\n```",
    "spaces": f"\n\n  {GOOD} \n",
    "thinking": f'<think>Which report? {{"summary": 1}}</think>\n{GOOD}',
    "thinking that began in the prompt": f"so the first one.</think>{GOOD}",
    "parts": [{"type": "text", "text": GOOD}],
    "further keys": GOOD[:-1] + ', "note": "x"}',
}
NOT_READ: dict[str, Any] = {
    "trailing comma": GOOD[:-1] + ",}",
    "single quotes": GOOD.replace('"', "'"),
    "repeated key": GOOD[:-1] + ', "summary": "another"}',
    "words around it": f"Here you are: {GOOD}",
    "two objects": GOOD + GOOD,
    "a list": f"[{GOOD}]",
    "wrong types": '{"summary": 7, "facts": ["1"]}',
    "a missing key": '{"summary": "x"}',
    "infinity": '{"summary": "x", "facts": [Infinity]}',
    "thinking without end": f"<think>{GOOD}",
    "empty": "",
    "null": None,
    "a wall of brackets": "[" * 50_000,
    "truncated": {"content": GOOD[:20], "finish_reason": "length"},
    "tool calls": {
        "content": None,
        "finish_reason": "tool_calls",
        "tool_calls": [{"id": "1", "type": "function",
                        "function": {"name": "summary", "arguments": GOOD}}],
    },
}  # fmt: skip


class Odd(ScriptedModel):
    """Answers the summary as it is told: always, or only when it is asked the first time."""

    def __init__(self, parts: Any, said: Any, *, always: bool) -> None:
        super().__init__(EMOTION, parts)
        self._said, self._always = said, always

    def _summary(self, part: Any, text: str, turns: int) -> Any:
        if not self._always and self.steps["summary"] > 1:
            return super()._summary(part, text, turns)
        return self._said if isinstance(self._said, dict) else {"content": self._said}


def run_of(tmp_path: Path, said: Any, *, always: bool) -> tuple[RunFolder, dict[str, Any]]:
    parts = cast(own_examples(1), 1, branches=["good"])
    with LoopbackModel(answer=Odd(parts, said, always=always)) as server:
        folder = make_run(tmp_path, server, parts, EMOTION)
        return folder, work(folder)


@pytest.mark.parametrize("said", READ.values(), ids=READ.keys())
def test_the_form_is_read_in_whatever_wrapping(said: Any, tmp_path: Path):
    folder, result = run_of(tmp_path, said, always=True)
    assert result["funnel"]["accepted"] == 1
    assert result["steps"]["summary"]["calls"] == 1
    assert read_sets(folder.path).updated[0].payload["summary"].startswith("The Zorvia")


@pytest.mark.parametrize("said", NOT_READ.values(), ids=NOT_READ.keys())
def test_what_is_not_the_form_is_asked_again_and_then_screened_out(said: Any, tmp_path: Path):
    (tmp_path / "once").mkdir()
    folder, result = run_of(tmp_path / "once", said, always=False)
    assert result["funnel"]["accepted"] == 1
    assert result["steps"]["summary"]["calls"] == 2
    steps = read_trace(folder.path, "own-0").steps
    assert [step.step for step in steps].count("summary") == 2
    (tmp_path / "always").mkdir()
    folder, result = run_of(tmp_path / "always", said, always=True)
    assert result["funnel"]["screened_out"] == 1
    (reason,) = result["funnel"]["reasons"]
    assert reason in (
        "summary: invalid_reply", "summary: empty_reply", "summary: truncated"
    )  # fmt: skip
    assert len(read_trace(folder.path, "own-0").steps) == 4


def test_a_text_that_is_too_long_is_left_out_without_a_call(tmp_path: Path):
    examples = [
        LabelledExample(id="long", text="violin " * 3000, label="joy"),
        *own_examples(2),
    ]
    parts = cast(examples, 3, branches=["good"])
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as server:
        folder = make_run(tmp_path, server, parts, EMOTION)
        result = work(folder)
        assert all("violin violin" not in json.dumps(seen.body) for seen in server.seen)
    assert result["funnel"]["reasons"] == {"entities: too_long": 1}
    assert result["funnel"]["accepted"] == 2


def test_equal_texts_are_asked_once_and_each_has_its_own_items(tmp_path: Path):
    one = own_examples(1)[0]
    examples = [one, one.model_copy(update={"id": "again"})]
    part = cast([one], 1, branches=["good"])
    with LoopbackModel(answer=ScriptedModel(EMOTION, part)) as server:
        twice = [part[0], cast([one], 1, branches=["good"])[0]]
        twice[1].example = examples[1]
        folder = make_run(tmp_path, server, twice, EMOTION)
        result = work(folder)
        assert len(server.seen) == 7
    assert result["funnel"]["accepted"] == 2
    sets = read_sets(folder.path)
    assert [item.payload["base"] for item in sets.updated] == ["own-0", "again"]


def test_both_texts_of_a_pair_are_written_in_turn(tmp_path: Path):
    examples = [
        LabelledExample(
            id="p",
            text="Nobody had expected the violin to be back so soon.",
            second="The return of the violin came as a surprise to everybody there.",
            label="equivalent",
        )
    ]
    parts = cast(examples, 1, branches=["good"])
    with LoopbackModel(answer=ScriptedModel(MRPC, parts)) as server:
        folder = make_run(tmp_path, server, parts, MRPC)
        assert work(folder)["funnel"]["accepted"] == 1
    steps = [(step.step, step.turn) for step in read_trace(folder.path, "p").steps]
    assert steps == [
        ("entities", 1), ("knowledge", 1), ("summary", 1), ("triples", 1), ("semantic", 1),
        ("semantic", 2), ("updated", 1), ("updated", 2), ("facts", 1), ("label", 1),
    ]  # fmt: skip
    (updated,) = read_sets(folder.path).updated
    payload = updated.payload
    assert payload["text"] != payload["second"]
    assert {payload["text"], payload["second"]}.isdisjoint({examples[0].text, examples[0].second})
