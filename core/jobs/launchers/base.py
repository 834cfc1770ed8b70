"""What a launcher is: the one who starts workers on a run folder and knows how they fare."""

from typing import Protocol

from core.jobs.folder import RunFolder


class Launcher(Protocol):
    """One way to start runs. Stateless: all it knows of a run is in the run folder."""

    @property
    def name(self) -> str:
        """The name in ``launch.json``: ``local``, or ``slurm:PROFILE``."""

    def require(self) -> None:
        """Refuse, before anything is written, what cannot be started here (OutsideError)."""

    def start(self, folder: RunFolder, shards: int = 1) -> None:
        """Start or resume a run with that many shards; returns at once.

        Raises StateError when it is finished, ConflictError when it is running or queued,
        OutsideError when the launcher cannot start anything now.
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
