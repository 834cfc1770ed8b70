"""What launchers share that hand their shards to a scheduler and learn by asking how they fare."""

import time
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from core.errors import OutsideError
from core.jobs.engine_options import options_for_jobs
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchRecord, read_launch
from core.llm.keys import for_jobs
from core.own_places import places_for_jobs
from core.redaction import one_line

PATIENCE_S = 300.0  # seconds that a waiting person puts up with a scheduler that is silent
ASK_EVERY_S = 2.0  # seconds between two questions about the same run
_LOOK_EVERY_S = 0.5
_MODELS = ("model", "adapter", "base_model")  # parameters that may name a folder with one


class Scheduler(ABC):
    """A launcher whose workers belong to a scheduler, which is asked for the state of each."""

    printed: ClassVar[str]
    """The pattern of the files in a run folder that hold what its tasks printed."""

    @property
    @abstractmethod
    def name(self) -> str:
        """``KIND:PROFILE``."""

    @abstractmethod
    def refresh(self, folder: RunFolder, *, force: bool = False) -> None:
        """Bring ``launch.json`` up to date, with ``force`` however lately that was done."""

    def own_launch(self, folder: RunFolder) -> LaunchRecord | None:
        """The newest launch, where it was one of this launcher."""
        launch = read_launch(folder.path)
        return launch if launch and launch.launcher == self.name and launch.job else None

    def is_due(self, folder: RunFolder, pause: float, *, force: bool) -> LaunchRecord | None:
        """The launch where its tasks are to be asked for: at most every ``pause`` seconds, and no
        longer once the run has ended."""
        launch = self.own_launch(folder)
        if launch is None:
            return None
        if not launch.alive(folder.path) and (folder.result() is not None or not force):
            return None
        if not force and 0 <= time.time() - launch.at < pause:
            return None
        return launch

    def gone_within(self, folder: RunFolder, seconds: float) -> bool:
        """Wait until none of its tasks is alive; False when they still were after ``seconds``."""
        deadline = time.monotonic() + seconds
        while True:
            self.refresh(folder, force=True)
            launch = self.own_launch(folder)
            if launch is None or not launch.alive(folder.path):
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_EVERY_S)

    def wait(self, folder: RunFolder, timeout: float | None = None) -> bool:
        """Wait until no task is alive; False when the time ran out before.

        A scheduler that does not answer is asked again for some minutes before that is an error.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        answered = time.monotonic()
        while True:
            try:
                self.refresh(folder)
                launch = self.own_launch(folder)
                if launch is None or not launch.alive(folder.path):
                    self.refresh(folder, force=True)
                    return True
                answered = time.monotonic()
            except OutsideError:
                if time.monotonic() - answered > PATIENCE_S:
                    raise
                time.sleep(ASK_EVERY_S)
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_EVERY_S)

    def logs(self, folder: RunFolder, lines: int = 200) -> str:
        """The end of ``log.txt``, and of what each task printed."""
        parts = [folder.log_tail(lines)]
        for name in folder.files.names(self.printed):
            if printed := folder.log_tail(lines, name):
                parts.append(f"== {one_line(name)}\n{printed}")
        return "\n".join(part for part in parts if part)


def told_to_workers(folder: RunFolder) -> dict[str, str]:
    """The variables by which a worker elsewhere knows what this person allowed: the servers of
    the run, the options of engines, and the folders that models are loaded from."""
    params = folder.spec().params
    models = [str(params[name]) for name in _MODELS if params.get(name)]
    models += map(str, params.get("models", ()))
    places = places_for_jobs(models, filter(None, [str(params.get("knowledge") or "")]))
    return {**for_jobs(_addresses(params)), **options_for_jobs(), **places}


def _addresses(params: Any) -> set[str]:
    """The addresses of servers in a run's parameters."""
    if isinstance(params, dict):
        knowledge = str(params.get("knowledge", "")).partition("gdelt-doc:")[2]
        own = (params.get("base_url"), knowledge)
        inner = set().union(*map(_addresses, params.values()))
        return inner | {address for address in own if isinstance(address, str) and address.strip()}
    return set()
