"""Runs on a real Ray cluster of two nodes: the answers are the same, whatever a shard meets."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConflictError
from core.jobs.folder import RunFolder
from core.jobs.launchers.ray import RayLauncher, RayProfile
from resources import resource
from tests.paths import ROOT
from tests.polling import until
from tests.ray.conftest import RayCluster, end_node
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

pytestmark = [pytest.mark.ray, pytest.mark.slow]

SLOW = 15.0
PATIENCE = 120.0


def launcher(ray: RayCluster, **more: Any) -> RayLauncher:
    return RayLauncher("test", RayProfile.model_validate({"address": ray.address, **more}))


def states(way: RayLauncher, folder: RunFolder) -> list[str]:
    way.refresh(folder, force=True)
    return [task.state for task in launch(folder).tasks.values()]


def test_a_killed_worker_is_queued_again_and_the_answers_are_the_single_runs(
    ray: RayCluster, model: LoopbackModel, tmp_path: Path
):
    expected = single_run(tmp_path / "single", model)
    way = launcher(ray)
    way.require()
    folder = prepare(tmp_path / "cluster", model)
    way.start(folder, SHARDS)
    until(lambda: all(lines(folder, shard) >= 2 for shard in range(SHARDS)), PATIENCE)
    assert states(way, folder) == ["running"] * SHARDS
    with pytest.raises(ConflictError):
        way.start(folder, 2)
    model.policy.latency_s = SLOW
    os.kill(worker_pid(folder, 1), signal.SIGKILL)
    until(lambda: states(way, folder)[1] == "killed", PATIENCE)
    assert folder.state() == "running"
    model.policy.latency_s = 0.05
    assert way.requeue(folder) == 1
    assert way.wait(folder, 180)
    assert folder.state() == "finished"
    assert answers(folder) == expected
    assert [len(set(path.read_text().splitlines())) for path in folder.shard_files()] == [20] * 4


def test_a_stopped_run_leaves_no_job_and_can_be_split_again(
    ray: RayCluster, model: LoopbackModel, tmp_path: Path
):
    way = launcher(ray)
    folder = prepare(tmp_path, model)
    way.start(folder, 6)  # two more than there are processors
    until(lambda: sum(lines(folder, shard) >= 1 for shard in range(6)) >= 4, PATIENCE)
    assert "queued" in states(way, folder)
    way.stop(folder)
    assert not {"queued", "running"} & set(states(way, folder))
    assert folder.state() == "stopped"
    finished = len(folder.finished_ids())
    assert 4 <= finished < 80
    model.policy.latency_s = 0.05
    way.start(folder, 2)
    assert way.wait(folder, 180)
    assert folder.state() == "finished"
    assert folder.result()["resumed"] == finished


def test_a_worker_that_does_not_listen_is_ended_after_the_grace(
    ray: RayCluster, model: LoopbackModel, tmp_path: Path
):
    way = launcher(ray)
    folder = prepare(tmp_path, model)
    way.start(folder, 1)
    until(lambda: lines(folder, 0) >= 1, PATIENCE)
    pid = worker_pid(folder, 0)
    os.kill(pid, signal.SIGSTOP)
    way.stop(folder, grace=1)
    assert states(way, folder) == ["cancelled"]
    until(lambda: not Path(f"/proc/{pid}").exists(), PATIENCE)


def test_a_program_that_is_not_there_and_a_resource_that_nobody_has(
    ray: RayCluster, model: LoopbackModel, tmp_path: Path
):
    way = launcher(ray, python="/no/such/python")
    folder = prepare(tmp_path / "program", model)
    way.start(folder, 1)
    way.wait(folder, PATIENCE)
    assert folder.state() == "failed"
    assert "exit code 127" in (folder.error() or "")
    assert "/no/such/python" in way.logs(folder)
    waiting = prepare(tmp_path / "resource", model)
    way = launcher(ray, gpus=1)
    way.start(waiting, 1)
    assert states(way, waiting) == ["queued"]
    way.stop(waiting, grace=1)
    assert waiting.state() == "stopped"


def benchseal(workspace: Path, *words: str) -> dict[str, Any]:
    """What a command says, as JSON; it is the lead who gives it."""
    command = [sys.executable, "-P", "-m", "core.cli", "--workspace", str(workspace), *words]
    done = subprocess.run(
        [*command, "--user", "ruth", "--json"], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def generated(place: Path, *words: str) -> dict[str, Any]:
    """What generating items of the demonstration's articles says, in a workspace made for it."""
    benchseal(place, "init")
    benchseal(place, "people", "ruth", "--role", "lead")
    demo = ("generate", "scp", str(resource("demo")), "--benchmark", "b", "--per-article", "2")
    return benchseal(place, *demo, "--seed", "7", *words)


def test_generation_and_screening_on_the_cluster_give_what_this_machine_gives(
    ray: RayCluster, tmp_path: Path
):
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    (there / "launchers.toml").write_text(f'[ray.lab]\naddress = "{ray.address}"\n')
    expected = generated(here)
    found = generated(there, "--launcher", "ray:lab", "--jobs", "2")
    assert found["digest"] == expected["digest"]
    assert found["added"] == expected["added"] > 0
    task = benchseal(here, "items", "--limit", "1")["items"][0]["task"]
    alike = ("duplicates", task, "--threshold", "0.02")
    expected = benchseal(here, *alike)
    assert expected["within"]
    assert benchseal(there, *alike, "--launcher", "ray:lab", "--shards", "2") == expected
    with LoopbackModel(Policy()) as model:
        gate = ("screen", "--base-url", model.url, "--model", "test-model", "--benchmark", "b")
        passed = benchseal(here, *gate)["passed"]
        told = benchseal(there, *gate, "--launcher", "ray:lab", "--shards", "2")
    assert told["passed"] == passed
    runs = benchseal(there, "runs")["runs"]
    assert {run["launcher"] for run in runs} == {"ray:lab"}


def test_a_node_that_fails_takes_its_shards_with_it_and_the_other_finishes_them(
    ray: RayCluster, model: LoopbackModel, tmp_path: Path
):
    """Last, for the second node is not started again."""
    expected = single_run(tmp_path / "single", model)
    way = launcher(ray)
    folder = prepare(tmp_path / "cluster", model)
    way.start(folder, SHARDS)
    until(lambda: all(lines(folder, shard) >= 2 for shard in range(SHARDS)), PATIENCE)
    model.policy.latency_s = SLOW
    end_node(ray.second)
    until(lambda: states(way, folder).count("killed") == 2, PATIENCE)
    model.policy.latency_s = 0.05
    assert way.requeue(folder) == 2
    assert way.wait(folder, 240)
    assert folder.state() == "finished"
    assert answers(folder) == expected
