"""Jobs of this machine: GPUs are shared out one by one, and nothing is lost between windows."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import ConflictError, OutsideError
from core.i18n import set_language
from core.jobs.folder import RunFolder
from core.jobs.gpus import visible_gpus
from core.jobs.launch_record import LaunchedShard, LaunchRecord, process_created, read_launch
from core.jobs.launchers.local import LocalLauncher, wait
from tests.polling import until
from tests.servers.cluster_runs import prepare
from tests.servers.model_server import LoopbackModel, Policy


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(Policy(latency_s=0.1), answer=lambda _: "A") as running:
        yield running


def devices_of(folder: RunFolder) -> str:
    """What the living worker of a run was told of its GPUs."""
    (figures,) = folder.read_progress().values()
    content = Path(f"/proc/{figures['pid']}/environ").read_bytes().split(b"\0")
    return next(line for line in content if line.startswith(b"CUDA_VISIBLE")).decode()


def test_a_worker_tells_of_its_work_in_the_language_of_who_started_it(
    tmp_path: Path, model: LoopbackModel, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_LANG", "en")  # a Chinese window on an English desktop
    folder = prepare(tmp_path, model, 2)
    set_language("zh")
    LocalLauncher(0, devices=()).start(folder)
    set_language("en")
    wait(folder, 60)
    log = folder.log_tail()
    assert "分片 0/1：共 2 个条目，待处理 2 个，此前已完成 0 个" in log
    assert "分片 0/1：完成" in log
    assert "done" not in log


def test_without_a_gpu_a_job_that_needs_one_says_so_and_leaves_the_run_untouched(
    tmp_path: Path, model: LoopbackModel
):
    folder = prepare(tmp_path, model, 12)
    with pytest.raises(OutsideError, match="needs a GPU"):
        LocalLauncher(1, devices=()).start(folder)
    with pytest.raises(OutsideError, match="4 GPUs at once, but this machine has 2"):
        LocalLauncher(4, devices=("0", "1")).start(folder)
    assert folder.state() == "prepared"


def test_the_environment_restricts_the_gpus(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3, GPU-1a2b")
    assert visible_gpus() == ("3", "GPU-1a2b")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert visible_gpus() == ()


def test_jobs_take_one_gpu_each_and_the_others_wait_their_turn(
    tmp_path: Path, model: LoopbackModel
):
    way = LocalLauncher(1, devices=("0", "1"))
    first, second, third = (prepare(tmp_path / str(n), model, 400) for n in range(3))
    for folder in (first, second):
        way.start(folder)
        until(lambda f=folder: bool(f.finished_ids()))
    way.start(third)
    assert third.state() == "queued"
    assert {devices_of(first), devices_of(second)} == {
        "CUDA_VISIBLE_DEVICES=0", "CUDA_VISIBLE_DEVICES=1",
    }  # fmt: skip
    with pytest.raises(ConflictError):
        way.start(third)
    # a job without need of a GPU is not held up
    plain = prepare(tmp_path / "plain", model, 3)
    LocalLauncher().start(plain)
    assert wait(plain, 60)
    assert plain.state() == "finished"
    assert third.state() == "queued"
    model.policy.latency_s = 0.0
    for folder in (first, second, third):
        assert wait(folder, 60)
        assert folder.state() == "finished"


def test_a_queued_job_can_be_stopped_and_a_killed_one_frees_its_gpu(
    tmp_path: Path, model: LoopbackModel
):
    way = LocalLauncher(1, devices=("0",))
    busy, queued, after = (prepare(tmp_path / str(n), model, 200) for n in range(3))
    way.start(busy)
    until(lambda: bool(busy.finished_ids()))
    way.start(queued)
    way.start(after)
    way.stop(queued)
    assert queued.state() == "stopped"
    assert not queued.finished_ids()
    assert after.state() == "queued"
    (figures,) = busy.read_progress().values()
    os.killpg(int(figures["pid"]), signal.SIGKILL)
    until(lambda: bool(after.finished_ids()))
    assert busy.state() == "interrupted"
    way.stop(after)
    assert after.state() == "stopped"


def test_a_job_may_take_several_gpus_at_once(tmp_path: Path, model: LoopbackModel):
    folder = prepare(tmp_path, model, 400)
    way = LocalLauncher(2, devices=("4", "5"))
    way.start(folder)
    until(lambda: bool(folder.finished_ids()))
    assert devices_of(folder) == "CUDA_VISIBLE_DEVICES=4,5"
    way.stop(folder)


def test_workers_outlive_the_process_that_started_them(tmp_path: Path, model: LoopbackModel):
    folder = prepare(tmp_path, model, 30)
    code = (
        "import sys; from pathlib import Path; from core.jobs.launchers.local import LocalLauncher;"
        "from core.jobs.folder import RunFolder;"
        "LocalLauncher(1, devices=('0',)).start(RunFolder(Path(sys.argv[1])))"
    )
    subprocess.run([sys.executable, "-c", code, str(folder.path)], check=True)
    assert folder.state() in ("queued", "running")
    assert wait(folder, 60)
    assert folder.state() == "finished"


def test_a_run_is_running_from_the_moment_it_is_started(tmp_path: Path, model: LoopbackModel):
    folder = prepare(tmp_path, model, 12)
    LocalLauncher().start(folder, 2)
    assert folder.state() == "running"
    with pytest.raises(ConflictError):
        LocalLauncher().start(folder, 2)
    assert wait(folder, 60)


def test_only_the_dead_shard_is_started_again(tmp_path: Path, model: LoopbackModel):
    folder = prepare(tmp_path, model, 80)
    way = LocalLauncher()
    way.start(folder, 2)
    until(
        lambda: [figures["done"] > 2 for figures in folder.read_progress().values()] == [True] * 2
    )
    assert way.requeue(folder) == 0
    os.kill(int(folder.read_progress()["1/2"]["pid"]), signal.SIGKILL)
    until(lambda: not folder.is_claimed(1))
    assert way.requeue(folder) == 1
    model.policy.latency_s = 0.0
    assert wait(folder, 60)
    assert folder.state() == "finished"
    assert 0 < folder.result()["resumed"] < 80


def test_a_process_number_that_went_to_somebody_else_is_not_ours(
    tmp_path: Path, model: LoopbackModel
):
    folder = prepare(tmp_path, model, 12)
    task = LaunchedShard(state="running", pid=os.getpid(), created=process_created(os.getpid()))
    launch = LaunchRecord(host=os.uname().nodename, tasks={0: task}).write(folder.path)
    assert folder.state() == "running"
    other = task.model_copy(update={"created": task.created - 60})
    launch.model_copy(update={"tasks": {0: other}}).write(folder.path)
    assert folder.state() == "interrupted"
    LocalLauncher().stop(folder, 0.2)  # and nobody is killed


def test_a_damaged_launch_file_is_as_none(tmp_path: Path, model: LoopbackModel):
    folder = prepare(tmp_path, model, 12)
    (folder.path / "launch.json").write_bytes(b'{"launcher": "lo\xff')
    assert read_launch(folder.path) is None
    assert folder.state() == "prepared"


def test_the_launcher_can_be_written_down_with_other_gpus():
    assert replace(LocalLauncher(), gpus=2).name == "local"
