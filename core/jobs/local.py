"""The local launcher: child processes in groups of their own, which outlive the window."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from core.errors import ConflictError, StateError
from core.jobs.folder import RunFolder
from core.text import tr

GRACE = 10.0  # seconds between asking a worker to stop and ending its process group

# Children of this process, kept so that they are reaped and never become zombies.
_children: list[tuple[Path, subprocess.Popen[bytes]]] = []


def start(folder: RunFolder, shards: int = 1) -> None:
    """Start (or resume) a run with that many workers; returns at once.

    Raises StateError when the run is finished, ConflictError when workers are busy with it.
    """
    _reap()
    if folder.result() is not None:
        raise StateError(tr("The run “{run}” is finished already.", run=folder.spec().id))
    if folder.is_running():
        raise ConflictError(tr("The run “{run}” is running already.", run=folder.spec().id))
    folder.clear_outcome()
    folder.forget_progress()
    for shard in range(shards):
        _children.append((folder.path, _spawn(folder.path, shard, shards)))


def _spawn(path: Path, shard: int, shards: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "core.cli", "run", str(path), "--shard", f"{shard}/{shards}"]
    environment = dict(os.environ, PYTHONUNBUFFERED="1")
    with (path / "log.txt").open("ab") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=environment,
        )


def _reap() -> None:
    _children[:] = [(path, child) for path, child in _children if child.poll() is None]


def wait(folder: RunFolder, timeout: float | None = None) -> bool:
    """Wait until no worker of the run is alive; False when the time ran out before."""
    deadline = None if timeout is None else time.monotonic() + timeout
    own = [child for path, child in _children if path == folder.path]
    for child in own:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            child.wait(left)
        except subprocess.TimeoutExpired:
            return False
    while folder.is_running():
        if deadline is not None and time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    _reap()
    return True


def stop(folder: RunFolder, grace: float = GRACE) -> None:
    """Ask the workers to stop; end their process groups when they have not after ``grace`` s."""
    folder.request_stop()
    deadline = time.monotonic() + grace
    while folder.is_running() and time.monotonic() < deadline:
        time.sleep(0.05)
    if folder.is_running():
        for shard in folder.read_progress().values():
            if shard["host"] == os.uname().nodename:
                _end_group(shard["pid"])
    _reap()


def _end_group(pid: int) -> None:
    try:
        group = os.getpgid(pid)
        # A worker that leads no group of its own was started by hand: end it alone.
        if group == pid:
            os.killpg(group, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
