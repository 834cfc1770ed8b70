"""The Slurm launcher: one array per launch, one shard per task."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.engine_options import options_for_jobs
from core.errors import ConflictError, OutsideError
from core.i18n import tr
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchedShard, LaunchRecord, read_launch
from core.jobs.launchers.base import LauncherKind, refuse_copy, refuse_locked
from core.jobs.launchers.cluster import Cluster
from core.jobs.launchers.local import refuse_start, shard_is_unfinished
from core.jobs.launchers.profiles import SlurmProfile, read_profiles, slurm_profile
from core.jobs.launchers.slurm_script import render
from core.jobs.launchers.slurm_states import ask_states
from core.llm.keys import for_jobs
from core.own_places import places_for_jobs
from core.redaction import one_line

GRACE = 20.0  # seconds between asking workers to stop and cancelling their job
CANCEL_S = 60.0  # seconds that Slurm may take to end a cancelled job
PATIENCE_S = 300.0  # seconds that a waiting person puts up with a controller that is silent
_MODELS = ("model", "adapter", "base_model")  # parameters that may name a folder with one
_ASK_EVERY = 2.0  # seconds between two questions to Slurm about the same run
_ASK_HOST_EVERY = 15.0  # the same where each question goes through ssh and copies files


def _addresses(params: Any) -> set[str]:
    """The addresses of servers in a run's parameters."""
    if isinstance(params, dict):
        knowledge = str(params.get("knowledge", "")).partition("gdelt-doc:")[2]
        own = (params.get("base_url"), knowledge)
        inner = set().union(*map(_addresses, params.values()))
        return inner | {address for address in own if isinstance(address, str) and address.strip()}
    return set()


@dataclass(frozen=True)
class SlurmLauncher:
    """Starts runs as the profile ``profile_name`` says."""

    profile_name: str
    profile: SlurmProfile

    @property
    def name(self) -> str:
        """``slurm:PROFILE``."""
        return f"slurm:{self.profile_name}"

    @property
    def _cluster(self) -> Cluster:
        return Cluster(self.profile)

    def require(self) -> None:
        """OutsideError where Slurm cannot be asked here, or its host not be reached."""
        self._cluster.require(["sbatch", "--version"])

    def refuse_kind(self, kind: str) -> None:
        """InputError for a kind whose folder is not copied, where the profile has a host."""
        if self.profile.host:
            refuse_copy(kind, self.profile.host)

    def start(self, folder: RunFolder, shards: int = 1) -> None:
        """Submit the array; it is queued when this returns. StateError for a locked run."""
        if folder.spec().locked:
            refuse_locked(self.name)
        self.refuse_kind(folder.spec().kind)
        self.refresh(folder, force=True)
        refuse_start(folder)
        folder.clear_outcome()
        folder.forget_progress()
        run_id = folder.spec().id
        params = folder.spec().params
        models = [str(params[name]) for name in _MODELS if params.get(name)]
        models += map(str, params.get("models", ()))
        places = places_for_jobs(models, filter(None, [str(params.get("knowledge") or "")]))
        allowed = {**for_jobs(_addresses(params)), **options_for_jobs(), **places}
        folder.files.write("job.sh", render(self.profile, run_id, shards, allowed))
        cluster, place = self._cluster, self._cluster.place(folder)
        cluster.send(folder)
        # a word of its own, so that a ~ at its beginning is expanded on the other side
        out = cluster.require(["sbatch", "--parsable", "--chdir", place, f"{place}/job.sh"])
        job = out.strip().split("\n")[-1].split(";")[0].strip()
        if not job.isdigit():
            raise OutsideError(
                tr("sbatch answered “{answer}” instead of a job number.", answer=out[:200])
            )
        tasks = {shard: LaunchedShard(state="queued") for shard in range(shards)}
        LaunchRecord(
            launcher=self.name, shards=shards, job=job, host=self.profile.host, tasks=tasks
        ).write(folder.path)  # fmt: skip

    def refresh(self, folder: RunFolder, *, force: bool = False) -> None:
        """Ask Slurm, at most every few seconds; a run that has ended is not asked for again."""
        launch = self._launch(folder)
        if launch is None or (folder.result() is not None and not launch.alive(folder.path)):
            return
        if not launch.alive(folder.path) and not force:
            return
        pause = _ASK_HOST_EVERY if self.profile.host else _ASK_EVERY
        if not force and 0 <= time.time() - launch.at < pause:
            return
        tasks = ask_states(self._cluster, launch.job, launch.shards, launch.tasks)
        self._cluster.fetch(folder)
        launch.model_copy(update={"tasks": tasks, "at": time.time()}).write(folder.path)

    def _launch(self, folder: RunFolder) -> LaunchRecord | None:
        """The newest launch, where it was one of this launcher."""
        launch = read_launch(folder.path)
        return launch if launch and launch.launcher == self.name and launch.job else None

    def stop(self, folder: RunFolder, grace: float = GRACE) -> None:
        """Drop what is queued, ask what runs to stop, and cancel what has not after ``grace`` s.

        Raises OutsideError where Slurm has not ended it within a minute more.
        """
        launch = self._launch(folder)
        folder.request_stop()
        if launch is None:
            return
        if self.profile.host:
            self._cluster.require(["touch", f"{self._cluster.place(folder)}/stop"])
        self._cluster.ask(["scancel", "--state=PENDING", launch.job])
        if not self._gone_within(folder, grace):
            self._cluster.ask(["scancel", launch.job])
            if not self._gone_within(folder, CANCEL_S):
                raise OutsideError(
                    tr("Slurm has not yet ended the cancelled job {job}.", job=launch.job)
                )

    def _gone_within(self, folder: RunFolder, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while True:
            self.refresh(folder, force=True)
            launch = self._launch(folder)
            if launch is None or not launch.alive(folder.path):
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.5)

    def requeue(self, folder: RunFolder) -> int:
        """Queue the tasks again that ended unfinished; ConflictError where Slurm forgot them."""
        self.refresh(folder, force=True)
        launch = self._launch(folder)
        if launch is None or folder.result() is not None:
            return 0
        tasks, count = dict(launch.tasks), 0
        for shard, task in launch.tasks.items():
            alive = task.state in ("queued", "running", "preempted")
            if alive or not shard_is_unfinished(folder, shard, launch.shards):
                continue
            output = self._cluster.ask(["scontrol", "requeue", f"{launch.job}_{shard}"])
            if output.code:
                raise ConflictError(
                    tr(
                        "Slurm cannot requeue shard {shard}: {reason}. Resume the run once "
                        "its other shards have ended.",
                        shard=shard,
                        reason=" ".join((output.err or output.out).split()),
                    )
                )
            count += 1
            tasks[shard] = LaunchedShard(state="queued", requeues=task.requeues + 1)
        launch.model_copy(update={"tasks": tasks}).write(folder.path)
        return count

    def logs(self, folder: RunFolder, lines: int = 200) -> str:
        """The end of ``log.txt``, and of what each task printed."""
        parts = [folder.log_tail(lines)]
        for name in folder.files.names("slurm-*.txt"):
            if printed := folder.log_tail(lines, name):
                parts.append(f"== {one_line(name)}\n{printed}")
        return "\n".join(part for part in parts if part)

    def wait(self, folder: RunFolder, timeout: float | None = None) -> bool:
        """Wait until no task is alive; False when the time ran out before.

        A controller that does not answer is asked again for some minutes before that is an error.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        answered = time.monotonic()
        while True:
            try:
                self.refresh(folder)
                launch = self._launch(folder)
                if launch is None or not launch.alive(folder.path):
                    self.refresh(folder, force=True)
                    return True
                answered = time.monotonic()
            except OutsideError:
                if time.monotonic() - answered > PATIENCE_S:
                    raise
                time.sleep(_ASK_EVERY)
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(0.5)


def _of_profile(workspace_folder: Path, profile: str, _gpus: int) -> SlurmLauncher:
    return SlurmLauncher(profile, slurm_profile(workspace_folder, profile))


SLURM = LauncherKind("slurm", _of_profile, read_profiles)
