"""Evaluating a frozen split from the workspace: launchers, instruction variants, resuming."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.errors import ConflictError, OutsideError, StateError
from core.evaluation.run import EvaluateParams
from core.families.base import ItemContent
from core.workflow import people
from core.workflow.evaluation import start
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from db import runs as run_rows
from tests.polling import until
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import freeze_split as split
from tests.splits import varied


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    """Only a file: workers and commands open it by its folder."""
    return sqlite_ws


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(
        Policy(latency_s=0.05), answer=lambda body: "ABCD"[len(asked_text(body)) % 4]
    ) as running:
        yield running


def scp_split(ws: Workspace, count: int = 40) -> None:
    split(ws, {"scp": [varied(number) for number in range(count)]})


def params(server: LoopbackModel, **more) -> EvaluateParams:
    return EvaluateParams(
        split="s", engine="openai", model="m", base_url=server.url, mode="completion",
        concurrency=1, **more,
    )  # fmt: skip


def triplet(number: int, words: str) -> ItemContent:
    payload = {"instruction": words, "input": f"第{number}句", "output": f"答{number}"}
    return ItemContent("instruction", "triplet", payload, domain="zh")


def wording(name: str, text: str) -> ItemContent:
    return ItemContent(
        "instruction", "instruction", {"text": text, "instruction_id": name}, domain="zh"
    )


def test_one_two_and_four_shards_answer_the_same(ws: Workspace, model: LoopbackModel):
    scp_split(ws)
    model.policy.latency_s = 0.0
    found = []
    for shards in (1, 2, 4):
        folder = start.start(ws, "s", params(model), shards=shards)
        info = runs.wait(ws, folder.spec().id)
        assert (info.state, info.shards, info.launcher) == ("finished", shards, "local")
        report = report_taken_in(ws, info.id)
        found.append([(score.id, score.text, score.correct) for score in report.scores])
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 40


def test_a_killed_shard_goes_on_and_the_report_says_how_much_was_resumed(
    ws: Workspace, model: LoopbackModel
):
    scp_split(ws, 60)
    folder = start.start(ws, "s", params(model), shards=2)
    run = folder.spec().id
    mine = folder.path / "shard-000.jsonl"
    until(
        lambda: len(folder.read_progress()) == 2 and mine.is_file() and b"\n" in mine.read_bytes()
    )
    os.kill(int(folder.read_progress()["0/2"]["pid"]), signal.SIGKILL)
    until(lambda: not folder.is_claimed(0))
    assert runs.info(ws, run).state == "running"
    assert runs.resume(ws, run).state == "running"
    with pytest.raises(ConflictError):
        runs.resume(ws, run)
    runs.wait(ws, run)
    document = report_taken_in(ws, run).as_json()
    assert document["answered"] == 60
    assert 0 < document["resumed"] < 60


def test_every_item_is_asked_by_every_instruction_of_its_task(ws: Workspace, model: LoopbackModel):
    model.policy.latency_s = 0.0
    split(
        ws,
        {
            "one": [triplet(1, "原话"), triplet(2, "原话"), wording("a", "甲"), wording("b", "乙")],
            "two": [triplet(3, "照旧")],
        },
    )
    folder = start.start(ws, "s", params(model, variants="all"))
    prompts = {row["id"]: row["prompt"] for row in folder.work()}
    assert len(prompts) == 5
    assert sorted(prompt.split("\n")[0] for prompt in prompts.values()) == sorted(
        ["甲", "甲", "乙", "乙", "照旧"]
    )
    runs.wait(ws, folder.spec().id)
    report = report_taken_in(ws, folder.spec().id)
    assert {name: part.n for name, part in report.by["instruction"].items()} == {"a": 2, "b": 2}
    with ws.reading() as session:
        rows = run_rows.answers_of(session, folder.spec().id)
    assert sorted(row.variant for row in rows) == ["", "a", "a", "b", "b"]
    # a wording is no question where items are asked in their own words
    assert len(start.start(ws, "s", params(model)).work()) == 3


def test_a_split_without_variants_says_so(ws: Workspace, model: LoopbackModel):
    split(ws, {"poems": [triplet(1, "写一句诗。")]}, "s")
    with pytest.raises(StateError, match="no instruction variants"):
        start.start(ws, "s", params(model, variants="all"))


def test_what_cannot_be_started_leaves_no_run_behind(ws: Workspace, model: LoopbackModel):
    scp_split(ws, 3)
    with pytest.raises(OutsideError, match="GPU"):
        start.start(ws, "s", params(model), gpus=1)
    assert runs.runs(ws) == ()


def test_an_unreachable_cluster_does_not_break_the_list_of_runs(
    ws: Workspace, model: LoopbackModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    scp_split(ws, 3)
    (ws.place.folder / "launchers.toml").write_text("[slurm.big]\n", encoding="utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sbatch").write_text("#!/bin/sh\necho 4711\n")
    (programs / "squeue").write_text("#!/bin/sh\necho no controller here >&2\nexit 1\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    folder = start.start(ws, "s", params(model), launcher="slurm:big", shards=2)
    (info,) = runs.runs(ws)
    assert (info.state, info.launcher, info.job) == ("queued", "slurm:big", "4711")
    assert "no controller here" in (info.error or "")
    assert "#SBATCH --array=0-1" in (folder.path / "job.sh").read_text()


def test_parameters_of_the_command_line_reach_the_engine(
    ws: Workspace, place: Path, model: LoopbackModel, capsys: pytest.CaptureFixture[str]
):
    scp_split(ws, 6)
    people.ensure_person(ws, "王", "lead")
    words = ["--workspace", str(place), "evaluate", "s", "--engine", "openai", "--model", "m",
             "--base-url", model.url, "--mode", "chat", "--param", "temperature=0.5",
             "--param", "top_p=0.9", "--param", "max-tokens=7", "--shards", "2",
             "--wait", "--json"]  # fmt: skip
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["items"] == 6
    seen = model.seen[0].body
    assert (seen["temperature"], seen["max_tokens"], seen["top_p"]) == (0.5, 7, 0.9)
    for wrong, named in (("temperature=hot", "temperature"), ("x", "name=value")):
        assert main([*words, "--param", wrong]) == 2
        assert named in capsys.readouterr().err


def test_engines_tells_what_is_usable_and_what_to_install(
    ws: Workspace, place: Path, capsys: pytest.CaptureFixture[str]
):
    (ws.place.folder / "launchers.toml").write_text("[slurm.big]\n", encoding="utf-8-sig")
    assert main(["--workspace", str(place), "engines", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["launchers"] == ["local", "slurm:big"]
    assert {one["name"] for one in document["engines"]} >= {"vllm", "openai", "transformers"}
    assert all(one["usable"] or "make gpu" in one["reason"] for one in document["engines"])
    assert main(["--workspace", str(place / "nowhere"), "engines"]) == 0
    assert "baseline:random" in capsys.readouterr().out


def names_of(parts: int) -> list[str]:
    """Two domains and the whole, for each of two runs."""
    return ["baseline:random"] * parts + ["baseline:longest"] * parts


def test_several_runs_become_a_table_or_a_comparison(
    ws: Workspace, place: Path, capsys: pytest.CaptureFixture[str]
):
    scp_split(ws, 30)
    names = []
    for name in ("baseline:random", "baseline:longest"):
        folder = start.start(ws, "s", EvaluateParams(split="s", engine=name))
        names.append(runs.wait(ws, folder.spec().id).id)
    said = ["--workspace", str(place), "report", *names]
    assert main([*said, "--compare", "--json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert pair["items"] == 30
    assert main([*said, "--by", "domain", "--csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == names_of(3)
    assert main([*said, "--latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out
    assert main([*said[:4], "--compare"]) == 2


def test_watching_ends_when_nothing_goes_on_any_more(
    ws: Workspace, place: Path, model: LoopbackModel, capsys: pytest.CaptureFixture[str]
):
    scp_split(ws, 20)
    run = start.start(ws, "s", params(model)).spec().id
    assert runs.info(ws, run).going_on
    assert main(["--workspace", str(place), "runs", "--watch"]) == 0
    assert "finished" in capsys.readouterr().out.splitlines()[-1]
    runs.wait(ws, run)  # its result is there a moment before its process has ended
    assert not runs.info(ws, run).going_on
