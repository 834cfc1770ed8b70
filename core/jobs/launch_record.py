"""``launch.json``: how a run was last started, and what its launcher last knew of each task.

One shard is one task. The file says nothing about the work itself: finished items are lines in the
shard files, whoever ran them.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from core.bounded_json import parse_json
from core.errors import InputError
from core.guarded_folder import GuardedFolder

LAUNCH_FILE = "launch.json"
_PROGRAMS = {"core.cli", "core.jobs.gpus", "core.jobs.earlier_run"}  # as launchers start them
_SAME_PROCESS = 2.0  # seconds; a clock that is set right moves a process's time of creation

_Number = Annotated[int, Field(ge=0, le=10**6)]
_Shards = Annotated[int, Field(ge=0, le=10**4)]
_Moment = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]  # seconds since 1970
# an argument of Slurm's commands
_Job = Annotated[str, StringConstraints(pattern=r"^[0-9]{0,18}$")]

TaskState = Literal[
    "queued", "running", "done", "preempted", "timeout", "cancelled", "killed", "failed", "gone"
]
# ``preempted`` is alive: the task was sent away and waits for its turn again.
ALIVE: tuple[TaskState, ...] = ("queued", "running", "preempted")


class LaunchedShard(BaseModel):
    """One shard as its launcher last saw it.

    ``pid`` and ``created`` (seconds since 1970, 0 where nobody saw it start) name a local process
    beyond doubt; ``restarts`` counts how often a scheduler started the task again by itself.
    ``lost`` is true where a task that ended was preempted rather than ended by its own doing.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: TaskState = "queued"
    reason: str = ""
    pid: Annotated[int, Field(ge=0, le=2**31)] = 0
    created: _Moment = 0.0
    restarts: _Number = 0
    requeues: _Number = 0
    lost: bool = False


class LaunchRecord(BaseModel):
    """The content of ``launch.json``. ``at`` is when the tasks' states were last asked for."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    launcher: str = "local"
    shards: _Shards = 1
    gpus: _Number = 0
    job: _Job = ""
    host: str = ""
    at: _Moment = 0.0
    tasks: dict[_Shards, LaunchedShard] = {}

    def write(self, folder: Path) -> "LaunchRecord":
        """Replace ``launch.json`` in one step."""
        GuardedFolder(folder).write(LAUNCH_FILE, self.model_dump_json(indent=1) + "\n")
        return self

    def alive(self, folder: Path) -> frozenset[TaskState]:
        """The states of the tasks that will still do something."""
        states = {self._state(folder, shard, task) for shard, task in self.tasks.items()}
        return frozenset(states & set(ALIVE))

    def _state(self, folder: Path, shard: int, task: LaunchedShard) -> TaskState:
        if not task.pid:
            return task.state
        if self.host != os.uname().nodename or not is_alive(task.pid, task.created):
            return "gone"
        return "queued" if GuardedFolder(folder).has(queued_name(shard)) else "running"

    def ended(self) -> TaskState | None:
        """Why a run without living tasks is not finished, where its launcher knows."""
        states = [task.state for task in self.tasks.values()]
        if any(task.lost for task in self.tasks.values()):
            return "preempted"
        return next((state for state in ("timeout", "failed") if state in states), None)

    def failure_reason(self) -> str | None:
        """What the launcher said about the first task that failed."""
        return next((task.reason for task in self.tasks.values() if task.state == "failed"), None)


def read_launch(folder: Path) -> LaunchRecord | None:
    """The newest launch of a run; None before the first, or where the file is damaged."""
    with suppress(OSError, ValueError, InputError):
        return LaunchRecord.model_validate(parse_json(GuardedFolder(folder).read(LAUNCH_FILE)))
    return None


def queued_name(shard: int) -> str:
    """The file that exists while that shard waits for a GPU of this machine."""
    return f"shard-{shard:03d}.queued"


def is_worker_of(pid: int, folder: Path) -> bool:
    """Whether a process works on that run folder, or waits for GPUs to do so.

    Its own command line and open files say so; what the folder says of it can be anybody's word.
    """
    import psutil

    with suppress(psutil.Error, OSError, ValueError):
        process = psutil.Process(pid)
        command = process.cmdline()
        ours = not _PROGRAMS.isdisjoint(command)
        if ours and any(_is_same(Path(process.cwd(), part), folder) for part in command[1:]):
            return True
        return any(
            path.suffix == ".lock" and _is_same(path.parent, folder)
            for path in (Path(file.path) for file in process.open_files())
        )
    return False


def _is_same(path: Path, folder: Path) -> bool:
    with suppress(OSError, ValueError):
        return path.samefile(folder)
    return False


def process_created(pid: int) -> float:
    """When a living process was created, in seconds since 1970; 0 where there is none."""
    import psutil

    try:
        process = psutil.Process(pid)
        return 0.0 if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except (psutil.Error, OSError, ValueError):
        return 0.0


def is_alive(pid: int, created: float) -> bool:
    """Whether the process that was created at that time lives; no other with its number counts."""
    now = process_created(pid)
    return bool(created and now) and abs(now - created) < _SAME_PROCESS


def lived_at(pid: int, moment: float) -> bool:
    """Whether the process of that number is one that lived then (seconds since 1970) already."""
    return 0 < process_created(pid) < moment + _SAME_PROCESS
