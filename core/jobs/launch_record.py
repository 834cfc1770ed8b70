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

TaskState = Literal[
    "queued", "running", "done", "preempted", "timeout", "cancelled", "killed", "failed", "gone"
]
# ``preempted`` is alive: the task was sent away and waits for its turn again.
ALIVE: tuple[TaskState, ...] = ("queued", "running", "preempted")


class LaunchedShard(BaseModel):
    """One shard as its launcher last saw it.

    ``pid`` and ``started`` (clock ticks since the machine started) name a local process beyond
    doubt; ``restarts`` counts how often a scheduler started the task again by itself.
    ``lost`` is true where a task that ended was preempted rather than ended by its own doing.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: TaskState = "queued"
    reason: str = ""
    pid: int = 0
    started: int = 0
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
        if self.host != os.uname().nodename or process_started(task.pid) != task.started:
            return "gone"
        return "queued" if queued_file(folder, shard).exists() else "running"

    def ended(self) -> TaskState | None:
        """Why a run without living tasks is not finished, where its launcher knows."""
        states = [task.state for task in self.tasks.values()]
        if any(task.lost for task in self.tasks.values()):
            return "preempted"
        return next((state for state in ("timeout", "failed") if state in states), None)

    def trouble(self) -> str | None:
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


def process_started(pid: int) -> int:
    """When a living process started, in clock ticks since the machine did; 0 for none.

    With it a number that the system gave to another process meanwhile is not mistaken for ours.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return 0
    return 0 if fields[0] in "ZX" else int(fields[19])
