"""Whether a worker is alive: by its number and the time when it was created, on any system."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchedShard, LaunchRecord
from core.jobs.launchers import local
from core.screening.run import PrescreenParams


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    params = PrescreenParams(base_url="http://127.0.0.1:9/v1", model="m")
    return RunFolder.create(tmp_path, "of-no-kind", params, [{"id": "1"}])


def ended_process() -> int:
    """The number of a process that has ended, and that its parent has waited for."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def launched(folder: RunFolder, pid: int, **fields: float) -> None:
    task = LaunchedShard(state="running", pid=pid, **fields)
    LaunchRecord(host=os.uname().nodename, tasks={0: task}).write(folder.path)


def without_proc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on a system that has no /proc: nothing can be read below it."""
    reading = Path.read_text

    def read_text(path: Path, *args: object, **kwargs: object) -> str:
        if str(path).startswith("/proc/"):
            raise FileNotFoundError(path)
        return reading(path, *args, **kwargs)

    monkeypatch.setattr(Path, "read_text", read_text)
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path / "no-proc"))


def test_a_worker_that_ended_before_anybody_looked_is_not_running(folder: RunFolder):
    launched(folder, ended_process())
    assert not folder.is_running()
    assert folder.state() == "interrupted"


def test_without_proc_a_dead_worker_is_not_running(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    without_proc(monkeypatch, tmp_path)
    local.start(folder)
    assert local.wait(folder, 20)
    assert not folder.is_running()
    assert folder.state() == "failed"


def test_a_living_worker_is_known_by_the_time_of_its_creation(folder: RunFolder):
    created = psutil.Process().create_time()
    launched(folder, os.getpid(), created=created)
    assert folder.state() == "running"
    launched(folder, os.getpid(), created=created - 60)
    assert folder.state() == "interrupted"


def test_stop_ends_no_process_that_has_the_number_of_a_worker_now(folder: RunFolder):
    stranger = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lock = folder.claim("shard-000")
    long_ago = {"host": os.uname().nodename, "pid": stranger.pid, "since": time.time() - 3600}
    folder.update_progress("0/1", {**long_ago, "at": 0.0, "done": 0, "before": 0})
    try:
        local.stop(folder, 0.1)
        assert stranger.communicate(b"still here", timeout=20) == (b"still here", None)
    finally:
        lock.close()
        stranger.kill()
