"""What a lead is told of runs: while they wait, when they end, and when something is not there."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError, NotFoundError, StateError
from core.evaluation.engines import engine
from core.evaluation.model_files import require_model_files
from core.evaluation.run import EvaluateParams
from core.evaluation.types import EngineParams
from core.workflow import people
from core.workflow.evaluation import start
from core.workflow.evaluation.plan import EvaluationRequest, Planner
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.runs import runs
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from tests.polling import until
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import freeze_split, varied

COUNT = 12


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.create(tmp_path / "ws")
    freeze_split(opened, {"scp": [varied(number) for number in range(COUNT)]})
    people.ensure_person(opened, "王", "lead")
    yield opened
    opened.close()


def params(url: str, **more) -> EvaluateParams:
    given = {"split": "s", "engine": "openai", "model": "m", "base_url": url,
             "mode": "completion", "concurrency": 4}  # fmt: skip
    return EvaluateParams(**given | more)


def call(ws: Workspace, *arguments: str) -> int:
    return main(["--workspace", str(ws.place.folder), *arguments])


def test_a_stopped_run_is_not_resumed_while_its_split_is_sealed(ws: Workspace):
    with LoopbackModel(Policy(latency_s=0.3), answer=lambda _: "A") as server:
        folder = start.start(ws, "s", params(server.url, concurrency=1))
        run = folder.spec().id
        until(lambda: len(folder.finished_ids()) > 1)
        runs.stop(ws, run)
        lifecycle.seal(ws, "s", "王")
        asked = len(server.seen)
        for act in (runs.resume, start.forget_failed):
            with pytest.raises(StateError, match="A lead can open it") as refused:
                act(ws, run)
            assert "split open s" in refused.value.command
        assert len(server.seen) == asked
        lifecycle.open_split(ws, "s", "王", "the rest of the run")
        server.policy.latency_s = 0
        runs.resume(ws, run)
        assert runs.wait(ws, run).state == "finished"


def test_a_run_that_waits_for_its_server_says_so_and_can_be_stopped(ws: Workspace):
    with LoopbackModel(Policy(rate_429=1.0, retry_after="60"), answer=lambda _: "A") as server:
        run = start.start(ws, "s", params(server.url)).spec().id
        until(lambda: runs.info(ws, run).notes.get("waiting", 0) == 4)
        # the log tells when the first of them wait, which need not be all four
        assert "waiting: the server asked to wait" in runs.log_tail(ws, run)
        assert runs.stop(ws, run).state == "stopped"


def test_tokens_are_counted_while_the_run_is_at_work(ws: Workspace):
    with LoopbackModel(Policy(latency_s=0.5), answer=lambda _: "A") as server:
        run = start.start(ws, "s", params(server.url, concurrency=1)).spec().id
        until(lambda: runs.info(ws, run).notes.get("prompt_tokens", 0) > 0)
        assert runs.info(ws, run).state == "running"
        runs.stop(ws, run)


def test_a_folder_that_was_deleted_is_gone_in_the_list_too(ws: Workspace):
    run = start.start(ws, "s", EvaluateParams(split="s", engine="baseline:random")).spec().id
    runs.wait(ws, run)
    shutil.rmtree(runs.folder_of(ws, run).path)
    (found,) = runs.runs(ws)
    assert (found.state, found.going_on) == ("failed", False)
    assert "no longer exists" in (found.error or "")


def test_there_are_never_more_workers_than_questions(ws: Workspace):
    given = EvaluateParams(split="s", engine="baseline:random")
    run = start.start(ws, "s", given, shards=200).spec().id
    found = runs.wait(ws, run)
    assert (found.state, found.shards) == ("finished", COUNT)


def test_a_report_says_how_the_answers_ended_and_what_they_cost(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
):
    people.ensure_person(ws, "王", "lead")
    odd = iter([{"content": "<think>on and on", "finish_reason": "length"},
                {"content": "Sel", "finish_reason": "length"}, {"content": ""}])  # fmt: skip
    with LoopbackModel(answer=lambda _: next(odd, "A")) as server:
        assert call(ws, "evaluate", "s", "--engine", "openai", "--model", "m", "--base-url",
                    server.url, "--param", "mode=completion", "--wait") == 0  # fmt: skip
        tokens = sum(len(asked_text(seen.body)) // 4 + 1 for seen in server.seen)
    text = capsys.readouterr().out
    assert "0 refused, 1 empty, 1 cut off, 1 cut off while thinking" in text
    assert "Errors and intervals allow for what answers share: 5 sources (" in text
    assert f"{tokens:,} tokens in" in text
    assert "Time per answer: median" in text
    (run,) = runs.runs(ws)
    assert call(ws, "report", run.id, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["prompt_tokens"] == tokens
    assert document["finish_reasons"] == {"stop": COUNT - 2, "length": 2}
    assert document["served"] == {"m": COUNT}
    assert document["clusters"] == 5


def test_the_life_of_an_item_tells_how_every_model_did(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
):
    for name, says in (("模型甲", "A"), ("m-b", "I would rather not say")):
        with LoopbackModel(answer=lambda _, says=says: says) as server:
            folder = start.start(ws, "s", params(server.url, model=name))
            runs.wait(ws, folder.spec().id)
        report_taken_in(ws, folder.spec().id)
    assert call(ws, "history", "3", "--json") == 0
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert {(one["model"], one["text"]) for one in answers} == {
        ("模型甲", "A"),
        ("m-b", "I would rather not say"),
    }
    assert call(ws, "history", "3") == 0
    text = capsys.readouterr().out
    assert "模型甲" in text
    assert "no readable answer" in text


@pytest.mark.parametrize("option", [("--trial",), ("--price", "1,2")])
def test_what_belongs_to_a_plan_is_not_passed_over_in_silence(
    ws: Workspace, option: tuple[str, ...], capsys: pytest.CaptureFixture[str]
):
    assert call(ws, "evaluate", "s", "--engine", "baseline:random", *option) == 2
    assert "--dry-run" in capsys.readouterr().err
    assert runs.runs(ws) == ()


def test_a_folder_without_a_model_is_told_of_before_anything_is_loaded(tmp_path: Path):
    local = engine("transformers")

    def given(**more) -> EngineParams:
        return EngineParams(engine="transformers", **more)

    with pytest.raises(NotFoundError, match="no folder"):
        require_model_files(local, given(model=str(tmp_path / "没有")))
    with pytest.raises(InputError, match=r"config\.json is missing"):
        require_model_files(local, given(model=str(tmp_path)))
    (tmp_path / "config.json").write_text("{}")
    require_model_files(local, given(model=str(tmp_path)))
    with pytest.raises(InputError, match=r"adapter_config\.json is missing"):
        require_model_files(local, given(model=str(tmp_path), adapter=str(tmp_path)))
    require_model_files(local, given(model="org/name"))
    (tmp_path / "quantised").mkdir()
    (tmp_path / "quantised" / "m.gguf").touch()
    require_model_files(local, given(model=str(tmp_path / "quantised" / "m.gguf")))
    require_model_files(local, given(model=str(tmp_path / "quantised")))


def test_a_plan_stops_at_a_folder_without_a_model(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(type(engine("transformers")), "require", lambda *_: None)
    given = EvaluateParams(split="s", engine="transformers", model=str(tmp_path))
    plan = Planner(ws).plan(EvaluationRequest("s", given))
    assert not plan.may_start
    assert any(
        "does not contain a model that can be loaded" in one.text
        for one in plan.findings
        if one.severity == "stop"
    )


def test_a_run_is_found_by_how_its_id_begins_or_ends(ws: Workspace):
    given = EvaluateParams(split="s", engine="baseline:random")
    first, second = (start.start(ws, "s", given).spec().id for _ in range(2))
    assert runs.find(ws, first[-6:]).id == first
    assert runs.find(ws, second[:-1]).id == second
    with pytest.raises(InputError, match="matches 2 runs"):
        runs.find(ws, first[:4])
    with pytest.raises(NotFoundError):
        runs.find(ws, first[-8:-2])
