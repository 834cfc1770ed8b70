"""Evaluations that are planned here and worked on elsewhere, through a storage."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.errors import ConflictError, RightsError, StateError
from core.evaluation.run import EvaluateParams
from core.jobs.folder import RunFolder
from core.workflow.analysis.exposures import exposures
from core.workflow.evaluation import start
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.runs import run_storage, runs
from core.workflow.splits import lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.finished_runs import take_in_answers
from tests.polling import until
from tests.servers.model_server import LoopbackModel, Policy
from tests.servers.object_storage import fill_for_storage, have_fsspec

pytestmark = pytest.mark.slow
COUNT, LEAD = 12, "王"
RANDOM = EvaluateParams(split="s", engine="baseline:random")


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    have_fsspec(monkeypatch)
    with closing(Workspace.create(tmp_path / "ws", LEAD)) as opened:
        fill_for_storage(opened, COUNT)
        opened.person = LEAD
        yield opened


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"file://{tmp_path}/place"


def prepared(ws: Workspace, params: EvaluateParams = RANDOM) -> str:
    return start.prepare(ws, "s", params, person=LEAD).spec().id


def work_elsewhere(run: str, address: str, tmp_path: Path) -> RunFolder:
    """What is typed on a machine that has no workspace."""
    there = tmp_path / "there"
    assert main(["run", "pull", run, address, "--out", str(there)]) == 0
    assert main(["run", str(there / run)]) == 0
    assert main(["run", "push", str(there / run), address]) == 0
    return RunFolder(there / run)


def test_a_run_that_was_prepared_is_worked_on_elsewhere_and_taken_in(
    ws: Workspace, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--workspace", str(ws.place.folder)]
    asked = ["evaluate", "s", "--engine", "vllm", "--model", "no/such-model", "--prepare"]
    assert main([*at, *asked, "--user", LEAD, "--json"]) == 0  # what is only needed elsewhere
    assert json.loads(capsys.readouterr().out)["state"] == "prepared"
    run = prepared(ws)
    assert (runs.info(ws, run).state, runs.info(ws, run).going_on) == ("prepared", False)
    assert main([*at, "run", "push", run, address, "--user", LEAD]) == 0
    assert "sent 2 files" in capsys.readouterr().out
    folder = work_elsewhere(run, address, tmp_path)
    assert "launch.json" not in {path.name for path in folder.path.iterdir()}
    capsys.readouterr()
    assert main([*at, "run", "pull", run, address, "--user", LEAD, "--json"]) == 0
    assert (
        json.loads(capsys.readouterr().out)["files"] == 5
    )  # answers, result, engine, progress, log
    assert runs.info(ws, run).state == "finished"
    assert report_taken_in(ws, run).items == COUNT
    assert run_storage.pull(ws, run, address, LEAD).files == 0
    assert verify(ws).findings == ()


def test_the_exposures_tell_who_put_which_items_where(ws: Workspace, address: str) -> None:
    run = prepared(ws)
    before = len(exposures(ws, "s"))
    run_storage.push(ws, run, address, LEAD)
    (told,) = [one for one in exposures(ws, "s") if one.way == "put into a storage"]
    assert (told.who, told.where, told.items, told.certain) == (LEAD, address, COUNT, True)
    assert len(exposures(ws, "s")) == before + 1
    assert [one for one in exposures(ws, "s", person="ann") if one.where == address] == []


def test_it_is_told_before_anything_is_sent(
    ws: Workspace, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.jobs.object_store import ObjectStore

    told: list[int] = []

    def write(store: ObjectStore, name: str, content: bytes) -> None:
        told.append(sum(one.where == address for one in exposures(ws, "s")))
        raise KeyboardInterrupt

    monkeypatch.setattr(ObjectStore, "write", write)
    with pytest.raises(KeyboardInterrupt):
        run_storage.push(ws, prepared(ws), address, LEAD)
    assert told == [1]


def test_only_who_may_evaluate_pushes_and_pulls(
    ws: Workspace, address: str, tmp_path: Path
) -> None:
    run = prepared(ws)
    for act in (run_storage.push, run_storage.pull):
        with pytest.raises(RightsError, match="ann has the role"):
            act(ws, run, address, "ann")
    with pytest.raises(RightsError, match="ann has the role"):
        start.prepare(ws, "s", RANDOM, person="ann")
    assert not (tmp_path / "place").exists()


def test_a_run_that_goes_on_here_is_neither_pushed_nor_pulled(ws: Workspace, address: str) -> None:
    with LoopbackModel(Policy(latency_s=0.3), answer=lambda _: "A") as server:
        params = EvaluateParams(split="s", engine="openai", model="m", base_url=server.url,
                                mode="completion", concurrency=1)  # fmt: skip
        folder = start.start(ws, "s", params, person=LEAD)
        run = folder.spec().id
        until(lambda: len(folder.finished_ids()) > 1)
        for act in (run_storage.push, run_storage.pull):
            with pytest.raises(ConflictError, match="is in progress"):
                act(ws, run, address, LEAD)
        runs.stop(ws, run)
        done = len(folder.finished_ids())
        run_storage.push(ws, run, address, LEAD)
    assert 0 < done < COUNT


def test_what_was_done_here_is_not_done_again_there(
    ws: Workspace, address: str, tmp_path: Path
) -> None:
    run = prepared(ws)
    folder = runs.folder_of(ws, run)
    text = "".join(json.dumps({"id": id_, "text": "here"}) + "\n" for id_ in folder.work_ids()[:5])
    (folder.path / "shard-000.jsonl").write_text(text, encoding="utf-8")
    run_storage.push(ws, run, address, LEAD)
    there = work_elsewhere(run, address, tmp_path)
    assert (there.path / "shard-000.jsonl").read_text("utf-8").startswith(text)
    assert len(there.records()) == COUNT


def test_a_run_whose_results_are_in_the_workspace_is_not_changed_by_a_pull(
    ws: Workspace, address: str, tmp_path: Path
) -> None:
    run = prepared(ws)
    run_storage.push(ws, run, address, LEAD)
    there = work_elsewhere(run, address, tmp_path)
    folder = runs.folder_of(ws, run)
    runs.resume(ws, run)  # somebody did it here as well
    runs.wait(ws, run)
    report_taken_in(ws, run)
    run_storage.pull(ws, run, address, LEAD)  # the same answers
    assert verify(ws).findings == ()
    stored = tmp_path / "place/runs" / run / "written"
    for name in ("shard-000.jsonl", "result.json"):  # others
        (stored / f"{name}.json").unlink()
        (there.path / name).write_text('{"id": "1", "text": "other"}\n', encoding="utf-8")
    assert main(["run", "push", str(there.path), address]) == 0
    before = (folder.path / "result.json").read_bytes()
    with pytest.raises(StateError, match="in the workspace already"):
        run_storage.pull(ws, run, address, LEAD)
    assert (folder.path / "result.json").read_bytes() == before
    assert verify(ws).findings == ()


def test_only_evaluations_are_pushed(ws: Workspace, address: str, tmp_path: Path) -> None:
    from tests.finished_runs import judge_by_hand

    of = take_in_answers(ws, tmp_path, {"1": "B. no"})
    judge_by_hand(ws, of)
    judging = next(one.id for one in runs.runs(ws) if one.kind == "judge")
    with pytest.raises(StateError, match="is not an evaluation"):
        run_storage.push(ws, judging, address, LEAD)


def test_a_run_of_a_split_that_was_sealed_since_stays_here(
    ws: Workspace, address: str, tmp_path: Path
) -> None:
    run = prepared(ws)
    lifecycle.seal(ws, "s", LEAD)
    with pytest.raises(StateError):
        run_storage.push(ws, run, address, LEAD)
    lifecycle.open_split(ws, "s", LEAD, "July")
    assert not (tmp_path / "place").exists()


@pytest.mark.parametrize("more", [["--wait"], ["--adaptive"], ["--dry-run"]])
def test_what_needs_workers_here_is_not_prepared(
    ws: Workspace, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["evaluate", "s", "--engine", "baseline:random", "--prepare", *more]
    assert main(["--workspace", str(ws.place.folder), *asked, "--user", LEAD]) == 2
    assert "--prepare makes runs of one split" in capsys.readouterr().err
    assert runs.runs(ws) == ()
