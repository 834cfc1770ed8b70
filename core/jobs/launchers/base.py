"""What a launcher is: the one who starts workers on a run folder and knows how they fare."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.errors import InputError, StateError
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchRecord


class Launcher(Protocol):
    """One way to start runs. Stateless: all it knows of a run is in the run folder."""

    @property
    def name(self) -> str:
        """The name in ``launch.json``: ``local``, or that of a profile (``slurm:PROFILE``)."""

    def require(self) -> None:
        """Refuse, before anything is written, what cannot be started here (OutsideError)."""

    def refuse_kind(self, kind: str) -> None:
        """InputError for a kind of run whose folder cannot be worked on where this launcher starts
        workers."""

    def refuse_after(self, earlier: LaunchRecord | None) -> None:
        """InputError where a run that is started here cannot come after one that goes on and was
        started like that, None for one that is finished."""

    def start(self, folder: RunFolder, shards: int = 1) -> None:
        """Start or resume a run with that many shards; returns at once. A run that comes after
        another (``core.jobs.earlier_run``) is queued until that one has ended.

        Servers named with the order are remembered before workers ask them (``remember_named``).
        Raises StateError when it is finished or the earlier run ended unfinished, ConflictError
        when it is running or queued, OutsideError when the launcher cannot start anything now, and
        what ``refuse_kind`` and ``refuse_after`` raise.
        """

    def stop(self, folder: RunFolder, grace: float = 10.0) -> None:
        """Ask the workers to stop and end those that have not within ``grace`` seconds."""

    def refresh(self, folder: RunFolder) -> None:
        """Bring ``launch.json`` up to date, so that ``RunFolder.state`` tells the truth."""

    def requeue(self, folder: RunFolder) -> int:
        """Start those shards again that ended unfinished while others go on; their number."""

    def logs(self, folder: RunFolder, lines: int = 200) -> str:
        """The last lines of the worker's log, and of what the launcher itself wrote."""

    def wait(self, folder: RunFolder, timeout: float | None = None) -> bool:
        """Wait until no worker is alive or queued; False when the time ran out before."""


@dataclass(frozen=True)
class LauncherKind:
    """An entry of the registry: a launcher, or one for each profile that a workspace has."""

    name: str
    make: Callable[[Path, str, int], Launcher]
    """From the workspace's folder, a profile (empty where there are none) and the GPUs that each
    worker needs; NotFoundError for an unknown profile."""
    profiles: Callable[[Path], Iterable[str]] | None = None
    """The profiles in a workspace's folder; None for a launcher that has none."""

    @property
    def shown(self) -> str:
        """How it is named on the command line."""
        return self.name if self.profiles is None else f"{self.name}:PROFILE"


def refuse_locked(launcher: str) -> None:
    """StateError where a launcher cannot hand a worker the key of a locked run: only a process of
    this machine is given one by its standard input."""
    if launcher != "local":
        raise StateError.tr(
            "The split was sealed, so the run is locked, and its key is handed to workers of "
            "this machine only: a cluster keeps what a job is given in its files. Use the "
            "launcher “local”."
        )


def refuse_earlier(launcher: str, earlier: LaunchRecord) -> None:
    """InputError for a run that was to wait for one of another launcher."""
    raise InputError.tr(
        "A run of launcher “{launcher}” cannot wait for one of launcher “{other}”. Use the same "
        "launcher, or start it once that run has ended.",
        launcher=launcher,
        other=earlier.launcher,
    )


def refuse_copy(kind: str, host: str) -> None:
    """InputError for a kind of run whose folder is never copied to another host: that of a job of
    several splits, whose cells lie beside it, and those that judges read, with the references."""
    if kind == "matrix":
        raise InputError.tr(
            "The runs of several splits are not copied to host “{host}”. Evaluate the splits "
            "one by one, or start the job on that host.",
            host=host,
        )
    if kind in ("judge", "pairwise"):
        raise InputError.tr(
            "A judge reads the reference answers, which are not copied to host “{host}”. Use "
            "“local”, or a profile without a host.",
            host=host,
        )
