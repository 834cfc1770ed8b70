"""``launch.json``: how a run was last started, and what its launcher last knew of each task.

One shard is one task. The file says nothing about the work itself: finished items are lines in the
shard files, whoever ran them.
"""

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from core.files import write_json

LAUNCH_FILE = "launch.json"
_SAME_PROCESS = 2.0  # seconds; a clock that is set right moves a process's time of creation

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
    pid: int = 0
    created: float = 0.0
    restarts: int = 0
    requeues: int = 0
    lost: bool = False


class LaunchRecord(BaseModel):
    """The content of ``launch.json``. ``at`` is when the tasks' states were last asked for."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    launcher: str = "local"
    shards: int = 1
    gpus: int = 0
    job: str = ""
    host: str = ""
    at: float = 0.0
    tasks: dict[int, LaunchedShard] = {}

    def write(self, folder: Path) -> "LaunchRecord":
        """Replace ``launch.json`` in one step."""
        write_json(folder / LAUNCH_FILE, self.model_dump())
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
        return "queued" if queued_file(folder, shard).exists() else "running"

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
    try:
        return LaunchRecord.model_validate_json((folder / LAUNCH_FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def queued_file(folder: Path, shard: int) -> Path:
    """Exists while that shard waits for a GPU of this machine."""
    return folder / f"shard-{shard:03d}.queued"


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
