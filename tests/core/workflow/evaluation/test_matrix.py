"""Models × splits as one job: every model loaded once, resumable, its cells ordinary runs."""

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError, StateError
from core.evaluation.params import EvaluateParams
from core.jobs.folder import RunFolder
from core.workflow import people
from core.workflow.evaluation import finished_runs, matrix
from core.workflow.runs import runs, take_in
from core.workflow.splits import lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.polling import until
from tests.servers.fake_vllm import fake_vllm, models_started
from tests.servers.model_server import LoopbackModel, Policy
from tests.splits import freeze_split, varied

SPLITS = ("s", "t", "u", "v")
MODELS = ("m1", "m2", "m3")
COUNT = 6


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    """Four frozen splits; only a file, for workers open nothing else."""
    for place, split in enumerate(SPLITS):
        contents = [varied(number) for number in range(100 * place, 100 * place + COUNT)]
        freeze_split(sqlite_ws, {"scp": contents}, split, f"b{place}")
    return sqlite_ws


def params(url: str, **more) -> EvaluateParams:
    return EvaluateParams(
        split="", engine="openai", base_url=url, mode="completion", concurrency=1, **more
    )


def cells_of(folder: RunFolder) -> list[RunFolder]:
    return [RunFolder(folder.path.parent / name) for row in folder.work() for name in row["cells"]]


def test_every_cell_is_an_ordinary_evaluation_and_the_board_has_them_all(ws: Workspace):
    with LoopbackModel(answer=lambda body: "A") as server:
        folder = matrix.start_matrix(ws, SPLITS, MODELS, params(server.url))
        run = folder.spec().id
        assert runs.wait(ws, run, 120).state == "finished"
        asked = Counter((seen.tag, seen.body["model"]) for seen in server.seen)
    assert len(asked) == len(SPLITS) * len(MODELS) * COUNT
    assert set(asked.values()) == {1}
    assert take_in.take_in(ws, run) == {"models": 3}
    known = finished_runs.finished_runs(ws)
    assert {split: set(models) for split, models in known.items()} == {
        split: set(MODELS) for split in SPLITS
    }
    assert all(info.taken_in for info in runs.runs(ws))
    found = matrix.board(ws)
    assert (found.run, found.state, found.finished) == (run, "finished", 12)
    reports = finished_runs.finished_reports(ws, "t")
    shown = {cell.model: cell.accuracy for cell in found.cells if cell.split == "t"}
    assert shown == {model: report.total.accuracy for model, report in reports.items()}
    assert found.common() == SPLITS
    assert verify(ws).findings == ()


def test_each_model_is_loaded_once_for_all_of_its_splits(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    program = fake_vllm(tmp_path / "bin", monkeypatch)
    given = EvaluateParams(split="", engine="vllm-server", mode="completion", concurrency=1)
    folder = matrix.start_matrix(ws, SPLITS, MODELS, given, gpus=0)
    run = folder.spec().id
    assert runs.wait(ws, run, 180).state == "finished"
    assert models_started(program) == list(MODELS)
    texts = [{row["text"] for row in cell.records().values()} for cell in cells_of(folder)]
    assert texts == [{model} for model in MODELS for _ in SPLITS]

    again = matrix.start_matrix(ws, SPLITS[:2], MODELS[:2], given, gpus=0, shards=2)
    assert runs.wait(ws, again.spec().id, 180).state == "finished"
    assert sorted(models_started(program)[3:]) == ["m1", "m2"]


def test_models_on_one_split_share_one_copy_of_its_questions(ws: Workspace):
    with LoopbackModel(answer=lambda body: "A") as server:
        folder = matrix.start_matrix(ws, SPLITS[:2], MODELS, params(server.url))
        runs.wait(ws, folder.spec().id, 120)
    files = Counter((cell.path / "work.jsonl").stat().st_ino for cell in cells_of(folder))
    assert sorted(files.values()) == [3, 3]


def test_a_killed_job_goes_on_in_the_middle_and_no_answer_is_asked_for_twice(ws: Workspace):
    with LoopbackModel(Policy(latency_s=0.1), answer=lambda body: "A") as server:
        folder = matrix.start_matrix(ws, SPLITS, MODELS, params(server.url))
        run = folder.spec().id
        cells = cells_of(folder)
        until(lambda: len(cells[2].finished_ids()) > 1)
        os.killpg(next(iter(folder.read_progress().values()))["pid"], signal.SIGKILL)
        until(lambda: not folder.is_running())
        assert folder.state() == "interrupted"
        before = matrix.board(ws, run)
        assert 2 <= before.finished < 12
        answered = sum(len(cell.finished_ids()) for cell in cells)
        server.policy.latency_s = 0
        runs.resume(ws, run)
        assert runs.wait(ws, run, 120).state == "finished"
        asked = Counter((seen.tag, seen.body["model"]) for seen in server.seen)
    assert len(asked) == 72
    assert sum(asked.values()) <= 73  # what was in flight when it was killed
    assert answered < 72
    assert all(len(cell.finished_ids()) == COUNT for cell in cells)


def test_stopping_the_job_stops_the_cell_that_is_worked_on(ws: Workspace):
    with LoopbackModel(Policy(latency_s=0.2), answer=lambda body: "A") as server:
        folder = matrix.start_matrix(ws, SPLITS, MODELS, params(server.url))
        run = folder.spec().id
        first = cells_of(folder)[0]
        until(lambda: len(first.finished_ids()) > 0)
        assert runs.stop(ws, run).state == "stopped"
    assert not first.is_running()
    assert len(server.seen) < 72


def test_a_cell_that_fails_stops_no_other_model_and_is_tried_again(ws: Workspace):
    gone = {"m2"}

    def answer(body: dict):
        if body["model"] in gone:
            return {"status": 404, "body": {"error": {"message": "no such model"}}}
        return "A"

    with LoopbackModel(answer=answer) as server:
        folder = matrix.start_matrix(ws, SPLITS[:2], MODELS, params(server.url, retries=0))
        run = folder.spec().id
        info = runs.wait(ws, run, 120)
        states = {cell.model: cell.state for cell in matrix.board(ws, run).cells}
        assert (states["m1"], states["m3"]) == ("finished", "finished")
        assert info.state == "failed", info
        assert "m2" in states
        assert matrix.board(ws, run).common() == ()
        gone.clear()
        asked = len(server.seen)
        runs.resume(ws, run)
        assert runs.wait(ws, run, 120).state == "finished"
        assert {seen.body["model"] for seen in server.seen[asked:]} == {"m2"}
    assert take_in.take_in(ws, run) == {"models": 3}


def test_what_cannot_be_started_leaves_nothing_behind(ws: Workspace):
    with pytest.raises(InputError, match="given twice"):
        matrix.start_matrix(ws, ("s", "s"), MODELS, params("http://127.0.0.1:9/v1"))
    with pytest.raises(InputError, match="address of a server"):
        matrix.start_matrix(ws, SPLITS, MODELS, params(""))
    people.ensure_person(ws, "李", "lead")
    lifecycle.seal(ws, "v", "李")
    with pytest.raises(StateError):
        matrix.start_matrix(ws, SPLITS, MODELS, params("http://127.0.0.1:9/v1"))
    assert runs.runs(ws) == ()
    with pytest.raises(StateError, match="no matrix"):
        matrix.board(ws)


def test_the_command_evaluates_several_splits_and_shows_their_table(
    ws: Workspace, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    place = ("--workspace", str(ws.place.folder))
    with LoopbackModel(answer=lambda body: "A") as server:
        words = ["evaluate", "s", "t", "--engine", "openai", "--base-url", server.url,
                 "--model", "m1", "--model", "m2"]  # fmt: skip
        assert main([*place, *words, "--dry-run", "--json"]) == 0
        plans = json.loads(capsys.readouterr().out)["plans"]
        assert [plan["split"] for plan in plans] == ["s", "t"]
        assert main([*place, *words, "--json", "--wait"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["state"], document["finished"]) == ("finished", 4)
    assert all(info.taken_in for info in runs.runs(ws))
    assert main([*place, "matrix", "--save", str(tmp_path / "m.csv")]) == 0
    assert "4 of 4 cells finished" in capsys.readouterr().out
    head = (tmp_path / "m.csv").read_text(encoding="utf-8").splitlines()[0]
    assert head == "model,s,t,mean"
    assert main([*place, "evaluate", "s", "t", "--engine", "people"]) == 2


def test_a_cluster_on_another_host_is_refused_before_anything_is_written(ws: Workspace):
    profile = "[slurm.far]\nhost = 'login'\nfolder = '/scratch'\n"
    (ws.place.folder / "launchers.toml").write_text(profile, encoding="utf-8")
    with pytest.raises(InputError, match="login"):
        matrix.start_matrix(
            ws, SPLITS, MODELS, params("http://127.0.0.1:1/v1"), launcher="slurm:far"
        )
    assert runs.runs(ws) == ()
