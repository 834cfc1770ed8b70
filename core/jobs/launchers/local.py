"""The local launcher: child processes in groups of their own, which outlive the window.

A run that needs GPUs queues for them (``core.jobs.gpus``); any other starts at once.
"""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import ConflictError, OutsideError, StateError
from core.files import private_umask
from core.jobs import earlier_run, gpus
from core.jobs.child_environment import worker_environment
from core.jobs.earlier_run import launch_to_wait_for
from core.jobs.folder import RunFolder
from core.jobs.gpus import visible_gpus
from core.jobs.launch_record import (
    LaunchedShard,
    LaunchRecord,
    is_alive,
    is_worker_of,
    lived_at,
    process_created,
    queued_name,
    read_launch,
)
from core.jobs.launchers.base import LauncherKind, refuse_earlier
from core.jobs.locked_rows import handed_over
from core.llm.keys import remember_named
from core.own_process import module_command, module_environment

GRACE = 10.0  # seconds between asking a worker to stop and ending its process group

# Children of this process, kept so that they are reaped and never become zombies.
_children: list[tuple[Path, subprocess.Popen[bytes]]] = []


@dataclass(frozen=True)
class LocalLauncher:
    """Workers on this machine; ``gpus`` is how many each one needs.

    ``devices`` are the GPUs to share out, None for all that this machine shows.
    """

    gpus: int = 0
    devices: tuple[str, ...] | None = None
    name: str = "local"

    def require(self) -> None:
        """OutsideError where this machine has fewer GPUs than one worker needs."""
        self._devices()

    def refuse_kind(self, kind: str) -> None:
        """Nothing to refuse: this machine has every folder."""
        del kind

    def refuse_after(self, earlier: LaunchRecord | None) -> None:
        """InputError for a run of a scheduler or of another machine: nobody here is told when it
        ends."""
        if earlier is not None and not (earlier.launcher == "local" and _is_of_here(earlier)):
            refuse_earlier(self.name, earlier)

    def start(self, folder: RunFolder, shards: int = 1) -> None:
        """Start (or resume) a run with that many workers; returns at once.

        Raises StateError when the run is finished, ConflictError when workers are busy with it,
        OutsideError when this machine has fewer GPUs than one worker needs.
        """
        refuse_start(folder)
        earlier = launch_to_wait_for(folder)
        self.refuse_after(earlier)
        remember_named()
        devices = self._devices()
        folder.clear_outcome()
        folder.forget_progress()
        self._launch(folder, range(shards), shards, devices, {}, wait=earlier is not None)

    def requeue(self, folder: RunFolder) -> int:
        """Start the shards again whose worker ended unfinished; their number."""
        launch = read_launch(folder.path)
        if launch is None or folder.result() is not None:
            return 0
        _reap()
        wait = launch_to_wait_for(folder) is not None
        left = [
            shard
            for shard in range(launch.shards)
            if shard_is_unfinished(folder, shard, launch.shards)
            and not folder.is_claimed(shard)
            and not _is_alive(launch, shard)
        ]
        self._launch(folder, left, launch.shards, self._devices(), launch.tasks, wait=wait)
        return len(left)

    def _launch(
        self,
        folder: RunFolder,
        to_start: Sequence[int],
        shards: int,
        devices: tuple[str, ...],
        tasks: dict[int, LaunchedShard],
        *,
        wait: bool,
    ) -> None:
        tasks = dict(tasks)
        for shard in to_start:
            child = _spawn(folder, shard, shards, devices, self.gpus, wait=wait)
            _children.append((folder.path, child))
            created = process_created(child.pid)
            tasks[shard] = LaunchedShard(state="running", pid=child.pid, created=created)
        host = os.uname().nodename
        LaunchRecord(
            launcher=self.name, shards=shards, gpus=self.gpus, host=host, tasks=tasks
        ).write(folder.path)  # fmt: skip

    def _devices(self) -> tuple[str, ...]:
        if not self.gpus:
            return ()
        devices = visible_gpus() if self.devices is None else self.devices
        if not devices:
            raise OutsideError.tr(
                "The run needs a GPU, and this machine has none. Choose a Slurm profile "
                "as launcher, or start the run without a GPU if its engine does not "
                "need one."
            )
        if len(devices) < self.gpus:
            raise OutsideError.trn(
                "The run needs 1 GPU, but this machine has {there}.",
                "The run needs {n} GPUs at once, but this machine has {there}.",
                self.gpus,
                there=len(devices),
            )
        return devices

    def stop(self, folder: RunFolder, grace: float = GRACE) -> None:
        """Ask the workers to stop; end their process groups when they have not after ``grace``."""
        stop(folder, grace)

    def refresh(self, folder: RunFolder) -> None:
        """Nothing to ask: living processes speak for themselves."""
        del folder
        _reap()

    def logs(self, folder: RunFolder, lines: int = 200) -> str:
        """The end of ``log.txt``."""
        return folder.log_tail(lines)

    def wait(self, folder: RunFolder, timeout: float | None = None) -> bool:
        """Wait until no worker is alive or queued; False when the time ran out before."""
        return wait(folder, timeout)


def refuse_start(folder: RunFolder) -> None:
    """StateError for a finished run, ConflictError for one that somebody works on or queues."""
    _reap()
    if folder.result() is not None:
        raise StateError.tr("Run “{run}” is already finished.", run=folder.spec().id)
    if folder.is_running():
        raise ConflictError.tr("Run “{run}” is already in progress.", run=folder.spec().id)


def shard_is_unfinished(folder: RunFolder, shard: int, shards: int) -> bool:
    """Whether a work item of that shard has no record yet."""
    spec = folder.spec()
    if spec.after and not spec.total:
        return True  # nobody knows its work yet
    finished = folder.finished_ids()
    return any(
        id_ not in finished
        for index, id_ in enumerate(folder.work_ids())
        if index % shards == shard
    )


def start(folder: RunFolder, shards: int = 1, *, gpus: int = 0) -> None:
    """Start (or resume) a run on this machine; see ``LocalLauncher.start``."""
    LocalLauncher(gpus).start(folder, shards)


def _spawn(
    folder: RunFolder, shard: int, shards: int, devices: Sequence[str], count: int, *, wait: bool
) -> subprocess.Popen[bytes]:
    path = folder.path
    command = module_command("core.cli", "run", str(path), "--shard", f"{shard}/{shards}")
    if count or wait:
        # marked before the process exists, so that it is never seen as running while it queues
        folder.files.write(queued_name(shard), "")
    if count:
        command = gpus.waiting_command(command, path, shard, devices, count)
    if wait:
        command = earlier_run.waiting_command(command, path, shard)
    environment = module_environment(worker_environment())
    environment["PYTHONUNBUFFERED"] = "1"
    key = handed_over(folder.key()) if folder.spec().locked else b""
    with folder.files.append_to("log.txt") as log:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if key else subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=environment,
            umask=private_umask(path),
        )
    if child.stdin is not None:
        # less than a pipe holds, so that this waits for nobody; who has ended reads nothing
        with suppress(BrokenPipeError), child.stdin as handle:
            handle.write(key)
    return child


def _reap() -> None:
    _children[:] = [(path, child) for path, child in _children if child.poll() is None]


def _is_of_here(launch: LaunchRecord) -> bool:
    return launch.host == os.uname().nodename


def _is_alive(launch: LaunchRecord, shard: int) -> bool:
    task = launch.tasks.get(shard)
    return bool(task and task.pid and _is_of_here(launch) and is_alive(task.pid, task.created))


def wait(folder: RunFolder, timeout: float | None = None) -> bool:
    """Wait until no worker of the run is alive; False when the time ran out before."""
    deadline = None if timeout is None else time.monotonic() + timeout
    children = [child for path, child in _children if path == folder.path]
    for child in children:
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
        _reap()
        time.sleep(0.05)
    if folder.is_running():
        for pid in _living_pids(folder):
            _end_group(pid)
    _reap()


def _living_pids(folder: RunFolder) -> set[int]:
    """Processes that are certainly this run's: the launch names them, or they hold a shard."""
    host = os.uname().nodename
    pids: set[int] = set()
    launch = read_launch(folder.path)
    if launch:
        pids |= {task.pid for shard, task in launch.tasks.items() if _is_alive(launch, shard)}
    for name, figures in folder.read_progress().items():
        if figures["host"] == host and folder.is_claimed(int(name.split("/")[0])):
            pid = int(figures["pid"])
            if lived_at(pid, figures["since"]):  # else another process has its number now
                pids.add(pid)
    return {pid for pid in pids if is_worker_of(pid, folder.path)}


def _end_group(pid: int) -> None:
    with suppress(ProcessLookupError):
        # A worker that leads no group of its own was started by hand: end it alone.
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)


LOCAL = LauncherKind("local", lambda _folder, _profile, gpus: LocalLauncher(gpus))
