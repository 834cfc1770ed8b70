"""The Slurm launcher: one array per launch, one shard per task."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from typing_extensions import override

from core.errors import ConflictError, InputError, OutsideError
from core.jobs.earlier_run import launch_to_wait_for
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchedShard, LaunchRecord
from core.jobs.launchers.base import (
    LauncherKind,
    refuse_copy,
    refuse_earlier,
    refuse_locked,
)
from core.jobs.launchers.cluster import Cluster
from core.jobs.launchers.local import refuse_start, shard_is_unfinished
from core.jobs.launchers.scheduler import ASK_EVERY_S, Scheduler, told_to_workers
from core.jobs.launchers.slurm_profiles import SlurmProfile, slurm_profile, slurm_profiles
from core.jobs.launchers.slurm_script import render
from core.jobs.launchers.slurm_states import ask_states
from core.llm.keys import remember_named

GRACE = 20.0  # seconds between asking workers to stop and cancelling their job
CANCEL_S = 60.0  # seconds that Slurm may take to end a cancelled job
_ASK_HOST_EVERY = 15.0  # seconds between two questions that go through ssh and copy files


@dataclass(frozen=True)
class SlurmLauncher(Scheduler):
    """Starts runs as the profile ``profile_name`` says."""

    printed: ClassVar[str] = "slurm-*.txt"
    profile_name: str
    profile: SlurmProfile

    @property
    @override
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

    def refuse_after(self, earlier: LaunchRecord | None) -> None:
        """InputError for a run that Slurm here knows nothing of, and where run folders are copied:
        the earlier run would not be there."""
        if self.profile.host:
            raise InputError.tr(
                "Run folders are copied to host “{host}” one by one, so a run there cannot come "
                "after another. Use a profile without a host, or start it once the results of "
                "the other run are in the workspace.",
                host=self.profile.host,
            )
        if earlier is not None and (earlier.host or not earlier.launcher.startswith("slurm:")):
            refuse_earlier(self.name, earlier)

    def start(self, folder: RunFolder, shards: int = 1) -> None:
        """Submit the array; it is queued when this returns. StateError for a locked run."""
        if folder.spec().locked:
            refuse_locked(self.name)
        self.refuse_kind(folder.spec().kind)
        self.refresh(folder, force=True)
        refuse_start(folder)
        earlier = launch_to_wait_for(folder)
        if folder.spec().after:
            self.refuse_after(earlier)
        remember_named()
        folder.clear_outcome()
        folder.forget_progress()
        run_id = folder.spec().id
        script = render(
            self.profile,
            run_id,
            shards,
            told_to_workers(folder),
            after=earlier.job if earlier else "",
        )
        folder.files.write("job.sh", script)
        cluster, place = self._cluster, self._cluster.place(folder)
        cluster.send(folder)
        # a word of its own, so that a ~ at its beginning is expanded on the other side
        out = cluster.require(["sbatch", "--parsable", "--chdir", place, f"{place}/job.sh"])
        job = out.strip().split("\n")[-1].split(";")[0].strip()
        if not job.isdigit():
            raise OutsideError.tr(
                "sbatch answered “{answer}” instead of a job number.", answer=out[:200]
            )
        tasks = {shard: LaunchedShard(state="queued") for shard in range(shards)}
        LaunchRecord(
            launcher=self.name, shards=shards, job=job, host=self.profile.host, tasks=tasks
        ).write(folder.path)  # fmt: skip

    @override
    def refresh(self, folder: RunFolder, *, force: bool = False) -> None:
        """Ask Slurm, at most every few seconds; a run that has ended is not asked for again."""
        pause = _ASK_HOST_EVERY if self.profile.host else ASK_EVERY_S
        launch = self.is_due(folder, pause, force=force)
        if launch is None:
            return
        tasks = ask_states(self._cluster, launch.job, launch.shards, launch.tasks)
        self._cluster.fetch(folder)
        launch.model_copy(update={"tasks": tasks, "at": time.time()}).write(folder.path)

    def stop(self, folder: RunFolder, grace: float = GRACE) -> None:
        """Drop what is queued, ask what runs to stop, and cancel what has not after ``grace`` s.

        Raises OutsideError where Slurm has not ended it within a minute more.
        """
        launch = self.own_launch(folder)
        folder.request_stop()
        if launch is None:
            return
        if self.profile.host:
            self._cluster.require(["touch", f"{self._cluster.place(folder)}/stop"])
        self._cluster.ask(["scancel", "--state=PENDING", launch.job])
        if not self.gone_within(folder, grace):
            self._cluster.ask(["scancel", launch.job])
            if not self.gone_within(folder, CANCEL_S):
                raise OutsideError.tr(
                    "Slurm has not yet ended the cancelled job {job}.", job=launch.job
                )

    def requeue(self, folder: RunFolder) -> int:
        """Queue the tasks again that ended unfinished; ConflictError where Slurm forgot them."""
        self.refresh(folder, force=True)
        launch = self.own_launch(folder)
        if launch is None or folder.result() is not None:
            return 0
        tasks, count = dict(launch.tasks), 0
        for shard, task in launch.tasks.items():
            alive = task.state in ("queued", "running", "preempted")
            if alive or not shard_is_unfinished(folder, shard, launch.shards):
                continue
            output = self._cluster.ask(["scontrol", "requeue", f"{launch.job}_{shard}"])
            if output.code:
                raise ConflictError.tr(
                    "Slurm cannot requeue shard {shard}: {reason}. Resume the run once "
                    "its other shards have ended.",
                    shard=shard,
                    reason=" ".join((output.err or output.out).split()),
                )
            count += 1
            tasks[shard] = LaunchedShard(state="queued", requeues=task.requeues + 1)
        launch.model_copy(update={"tasks": tasks}).write(folder.path)
        return count


def _of_profile(workspace_folder: Path, profile: str, _gpus: int) -> SlurmLauncher:
    return SlurmLauncher(profile, slurm_profile(workspace_folder, profile))


SLURM = LauncherKind("slurm", _of_profile, slurm_profiles)
