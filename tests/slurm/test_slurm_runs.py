"""Runs on a real Slurm of one node: whatever happens to a shard, the answers are the same."""

import os
import signal
import subprocess
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConflictError, OutsideError, StateError
from core.generation.spec import ScpSpec
from core.jobs.folder import RunFolder
from core.jobs.launchers import launcher_named
from core.jobs.launchers.slurm import SlurmLauncher
from core.jobs.launchers.slurm_profiles import SlurmProfile
from core.rewriting.params import RewriteParams
from core.screening.run import PrescreenParams
from core.sources.articles.read_paths import read_paths
from core.sources.labelled.datasets import EMOTION
from core.workflow import tasks
from core.workflow.check import screen, screen_after
from core.workflow.production import duplicate_jobs, duplicates, rewrite_runs, take_in_items
from core.workflow.runs import runs, take_in
from core.workflow.workspace import Workspace
from resources import resource
from tests.core.rewriting.scripted_model import ScriptedModel, cast, write_news
from tests.core.rewriting.test_run import own_examples
from tests.paths import ROOT
from tests.polling import until
from tests.servers.cluster_runs import (
    SHARDS,
    answers,
    launch,
    lines,
    prepare,
    single_run,
    worker_pid,
)
from tests.servers.model_server import LoopbackModel, Policy

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

# seconds; Slurm's shortest time limit is a minute, and it looks every half minute
SLOW, PATIENCE = 15.0, 150.0
LAB = "slurm:lab"


def launcher(slurm: Path, **more) -> SlurmLauncher:
    given = {"partition": "work", "cpus": 1, "environment": {"PYTHONPATH": str(ROOT)}}
    return SlurmLauncher("test", SlurmProfile.model_validate({**given, **more}))


def states(way: SlurmLauncher, folder: RunFolder) -> dict[int, str]:
    way.refresh(folder, force=True)
    return {shard: task.state for shard, task in launch(folder).tasks.items()}


def job(*arguments: str) -> str:
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.strip()


def test_four_shards_one_killed_one_timed_out_one_preempted_give_the_single_runs_answers(
    slurm: Path, model: LoopbackModel, tmp_path: Path
):
    expected = single_run(tmp_path / "single", model)
    way = launcher(slurm)
    folder = prepare(tmp_path / "array", model)
    way.start(folder, SHARDS)
    assert folder.state() in ("queued", "running")
    until(lambda: all(lines(folder, shard) >= 2 for shard in range(SHARDS)))
    assert folder.state() == "running"
    model.policy.latency_s = SLOW

    # one is killed by hand
    os.kill(worker_pid(folder, 0), signal.SIGKILL)
    until(lambda: states(way, folder)[0] == "killed")
    assert folder.state() == "running"

    # one is over its time limit
    job("scontrol", "update", f"JobId={launch(folder).job}_1", "TimeLimit=1")
    until(lambda: states(way, folder)[1] == "timeout", PATIENCE)

    # one is preempted: the urgent job needs what the two ended shards left, and a CPU more
    urgent = job("sbatch", "--parsable", "-p", "urgent", "-n", "3", "-o", "/dev/null",
                 "--wrap", "sleep 4")  # fmt: skip
    until(lambda: "preempted" in states(way, folder).values())
    assert states(way, folder)[0] == "killed"
    preempted = next(s for s, state in states(way, folder).items() if state == "preempted")
    before = lines(folder, preempted)
    assert 2 <= before < 20

    model.policy.latency_s = 0.05

    # it goes on by itself; the other two are queued again by hand
    assert way.requeue(folder) == 2
    assert way.requeue(folder) == 0
    assert way.wait(folder, 180)
    assert folder.state() == "finished"
    assert answers(folder) == expected
    assert job("squeue", "-h", "-j", urgent, "-t", "PENDING,RUNNING") == ""
    assert max(model.asked().values(), default=1) <= 4
    assert f"resumed {before} of 20" in folder.log_tail() or lines(folder, preempted) == 20
    assert 0 < folder.result()["resumed"] < 80
    assert [len(set(path.read_text().splitlines())) for path in folder.shard_files()] == [20] * 4


def test_a_cancelled_run_leaves_nothing_in_the_queue_and_can_be_split_again(
    slurm: Path, model: LoopbackModel, tmp_path: Path
):
    way = launcher(slurm)
    folder = prepare(tmp_path, model)
    way.start(folder, 6)  # two more than there are CPUs
    until(lambda: sum(lines(folder, shard) >= 1 for shard in range(6)) >= 4)
    assert "queued" in states(way, folder).values()
    with pytest.raises(ConflictError):
        way.start(folder, 2)
    way.stop(folder, grace=20)
    assert job("squeue", "-h", "-j", launch(folder).job) == ""
    assert folder.state() == "stopped"
    finished = len(folder.finished_ids())
    assert 4 <= finished < 80
    spec = folder.path / "spec.json"
    spec.write_text(spec.read_text().replace('"concurrency": 1', '"concurrency": 16'))
    way.start(folder, 2)
    assert way.wait(folder, 120)
    assert folder.state() == "finished"
    assert len(answers(folder)) == 80
    assert folder.result()["resumed"] == finished


def test_a_worker_that_does_not_listen_is_cancelled_after_the_grace(
    slurm: Path, model: LoopbackModel, tmp_path: Path
):
    way = launcher(slurm)
    folder = prepare(tmp_path, model)
    way.start(folder, 1)
    until(lambda: lines(folder, 0) >= 1)
    pid = int(folder.read_progress()["0/1"]["pid"])
    os.kill(pid, signal.SIGSTOP)
    way.stop(folder, grace=1)
    assert states(way, folder) == {0: "cancelled"}
    assert folder.state() == "stopped"
    assert not Path(f"/proc/{pid}").exists()


def test_a_job_that_cannot_begin_fails_with_slurms_words(
    slurm: Path, model: LoopbackModel, tmp_path: Path
):
    way = launcher(slurm, environment={"PYTHONPATH": str(ROOT)}, python="/no/such/python")
    folder = prepare(tmp_path, model)
    way.start(folder, 1)
    way.wait(folder, 60)
    assert folder.state() == "failed"
    assert "exit code 127" in (folder.error() or "")
    assert "/no/such/python" in way.logs(folder)


def test_a_time_limit_is_told_apart_and_an_unknown_partition_is_refused(
    slurm: Path, model: LoopbackModel, tmp_path: Path
):
    folder = prepare(tmp_path, model)
    with pytest.raises(OutsideError, match="partition"):
        launcher(slurm, partition="nowhere").start(folder, 1)
    assert folder.state() == "prepared"
    way = launcher(slurm, gpus=1)
    way.start(folder, 1)
    until(lambda: lines(folder, 0) >= 1)
    assert "gpu:1" in job("scontrol", "show", "job", launch(folder).job)
    model.policy.latency_s = SLOW
    job("scontrol", "update", f"JobId={launch(folder).job}_0", "TimeLimit=1")
    assert way.wait(folder, PATIENCE)
    assert folder.state() == "timeout"
    assert 0 < folder.progress().done < 80


def kill_one(folder: RunFolder, shards: int, policy: Policy | None = None) -> None:
    """Kill a task in the middle of its work, queue it again, and wait for all of them; the model
    is quick from then on."""
    way = launcher_named(LAB, folder.path.parent.parent)
    assert isinstance(way, SlurmLauncher)
    until(lambda: lines(folder, 0) >= 1, PATIENCE)
    os.kill(worker_pid(folder, 0), signal.SIGKILL)
    until(lambda: states(way, folder)[0] == "killed", PATIENCE)
    assert len(folder.finished_ids()) < folder.spec().total
    if policy is not None:
        policy.latency_s = 0
    assert way.requeue(folder) == 1
    assert way.wait(folder, 240)
    assert folder.state() == "finished"
    assert launch(folder).shards == shards


def test_generation_screening_and_rewriting_are_arrays_of_which_a_killed_task_goes_on(
    slurm: Path, tmp_path: Path
):
    """What comes of them is what this machine makes of the same orders by one worker."""
    made = []
    for name, where in (("here", "local"), ("there", LAB)):
        with closing(Workspace.create(tmp_path / name)) as ws:
            lab(ws)
            generated, screened = _generated(ws, where), _screened(ws, where)
            made.append((generated, screened, _rewritten(ws, where, tmp_path)))
    assert made[1] == made[0]


def lab(ws: Workspace) -> None:
    """The profile of the tests' Slurm."""
    (ws.place.folder / "launchers.toml").write_text(
        f'[slurm.lab]\npartition = "work"\ncpus = 1\nenvironment = {{PYTHONPATH = "{ROOT}"}}\n'
    )


def _generated(ws: Workspace, where: str) -> dict[str, Any]:
    folder = _start_generation(ws, where)
    if where == LAB:
        kill_one(folder, SHARDS)
    return _taken_in(ws, folder, "digest", "added")


def _start_generation(ws: Workspace, where: str, seed: int = 7) -> RunFolder:
    read = read_paths([resource("demo")])
    # each some times over, so that a task is caught at work
    many = [replace(one, id=f"{one.id}-{n}") for n in range(8) for one in read.articles]
    report = replace(read, articles=tuple(many))
    spec = ScpSpec(per_article=4, seed=seed)
    return take_in_items.start_generation(ws, report, "b", spec, jobs=SHARDS, launcher=where)


def _screened(ws: Workspace, where: str) -> dict[str, Any]:
    """The drafts that were just generated: an array may come after another."""
    policy = Policy(latency_s=1.0 if where == LAB else 0.0)
    with LoopbackModel(policy) as server:
        params = PrescreenParams(base_url=server.url, model="m", concurrency=2)
        folder = screen.start(ws, "b", params, launcher=where, shards=2)
        if where == LAB:
            kill_one(folder, 2, policy)
        return _taken_in(ws, folder, "passed", "screened_out")


def _rewritten(ws: Workspace, where: str, folder: Path) -> dict[str, Any]:
    parts = cast(own_examples(8), 8, branches=["good"])
    news = write_news(folder / "news", parts)
    policy = Policy(latency_s=0.5 if where == LAB else 0.0)
    with LoopbackModel(policy, answer=ScriptedModel(EMOTION, parts)) as server:
        params = RewriteParams(
            task=EMOTION, base_url=server.url, model="writer", knowledge=f"gdelt-files:{news}",
            since=date(2026, 1, 1), until=date(2026, 6, 30), concurrency=1,
        )  # fmt: skip
        examples = tuple(part.example for part in parts)
        run = rewrite_runs.start(ws, "r", "emotion", params, examples, launcher=where, shards=2)
        if where == LAB:
            kill_one(run, 2, policy)
        return _taken_in(ws, run, "sets")


def test_a_screening_waits_in_the_queue_until_the_generation_has_ended(slurm: Path, tmp_path: Path):
    """The verdicts are those of two commands one after the other; a task of the generation that is
    killed and queued again holds the screening back; where one stays dead, it says so."""
    with closing(Workspace.create(tmp_path / "here")) as here:
        expected = _generated(here, "local"), _screened(here, "local")
    with closing(Workspace.create(tmp_path / "there")) as ws, LoopbackModel(Policy()) as server:
        lab(ws)
        generation = _start_generation(ws, LAB)
        params = PrescreenParams(base_url=server.url, model="m", concurrency=2)
        folder = screen_after.start(ws, generation.spec().id, params, launcher=LAB, shards=2)
        way = launcher_named(LAB, ws.place.folder)
        assert isinstance(way, SlurmLauncher)
        until(lambda: all(lines(generation, shard) for shard in (0, 1)), PATIENCE)
        other = worker_pid(generation, 1)
        os.kill(other, signal.SIGSTOP)  # so that it still goes on when the first is queued again
        os.kill(worker_pid(generation, 0), signal.SIGKILL)
        until(lambda: states(way, generation)[0] == "killed", PATIENCE)
        assert way.requeue(generation) == 1
        assert states(way, folder) == {0: "queued", 1: "queued"}
        assert not folder.records()
        os.kill(other, signal.SIGCONT)
        run = folder.spec().id
        assert runs.wait(ws, run, 240).state == "finished"
        told = take_in.take_in(ws, run)
        made = take_in.take_in(ws, generation.spec().id)
        assert {"digest": made["digest"], "added": made["added"]} == expected[0]
        assert {fact: told[fact] for fact in ("passed", "screened_out")} == expected[1]

        # one task of the generation stays dead: the screening says so, and goes on later
        again = _start_generation(ws, LAB, seed=8)
        until(lambda: lines(again, 0) >= 1, PATIENCE)
        later = screen_after.start(ws, again.spec().id, params, launcher=LAB)
        assert later.state() == "queued"
        os.kill(worker_pid(again, 0), signal.SIGKILL)
        assert way.wait(again, 240)
        assert way.wait(later, PATIENCE)
        assert later.state() == "failed"
        assert again.spec().id in (later.error() or "")
        with pytest.raises(StateError, match="ended unfinished"):
            runs.resume(ws, later.spec().id)
        runs.resume(ws, again.spec().id)
        runs.resume(ws, later.spec().id)
        assert runs.wait(ws, later.spec().id, 240).state == "finished"
        assert take_in.take_in(ws, later.spec().id)["not_asked"] == 0


def test_near_duplicates_are_found_by_arrays_as_by_one_process(slurm: Path, tmp_path: Path):
    with closing(Workspace.create(tmp_path / "there")) as ws:
        lab(ws)
        _generated(ws, "local")
        task = tasks.tasks(ws, "b")[0].name
        expected = duplicates.find(ws, task, "b", threshold=0.2)
        assert expected.within
        found = duplicate_jobs.find(ws, task, "b", threshold=0.2, launcher=LAB, shards=2)
        assert found == expected
        made = [run for run in runs.runs(ws) if run.kind != "generate"]
        assert {(run.kind, run.launcher) for run in made} == {
            ("signatures", LAB), ("near_pairs", LAB)
        }  # fmt: skip


def _taken_in(ws: Workspace, folder: RunFolder, *facts: str) -> dict[str, Any]:
    """What is said of a finished run when its results are taken in."""
    run = folder.spec().id
    assert runs.wait(ws, run, 240).state == "finished"
    found = take_in.take_in(ws, run)
    return {fact: found[fact] for fact in facts}
