"""The Ray launcher: one job of the cluster's own job server per shard (Ray, "Jobs REST API").

The cluster needs nothing of Benchseal's but its program, and Benchseal nothing of Ray's: jobs are
submitted and asked for by HTTP. Run folders lie on a file system that the cluster shares.
"""

import json
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import quote

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from typing_extensions import override

from core.errors import InputError, OutsideError
from core.i18n import tr
from core.jobs.earlier_run import launch_to_wait_for
from core.jobs.folder import RunFolder
from core.jobs.launch_record import ALIVE, LaunchedShard, LaunchRecord, TaskState
from core.jobs.launchers.base import LauncherKind, refuse_locked
from core.jobs.launchers.local import refuse_start, shard_is_unfinished
from core.jobs.launchers.profiles import (
    OneLine,
    VariableName,
    profile_named,
    read_profiles,
    refuse_secrets,
)
from core.jobs.launchers.scheduler import ASK_EVERY_S, Scheduler, told_to_workers
from core.llm.keys import find_key, remember_named
from core.llm.types import ModelServer
from core.own_process import module_command, module_paths
from core.redaction import one_line

GRACE = 20.0  # seconds between asking workers to stop and stopping their jobs
STOP_S = 60.0  # seconds that Ray may take to end a stopped job
_ANSWER_S = 30.0
_MOST_BYTES = 2**20
_GIB = 2**30
_SIGNALS_FROM = 128  # a shell adds the number of the signal to it
_STATES: dict[str, TaskState] = {
    "PENDING": "queued",
    "RUNNING": "running",
    "SUCCEEDED": "done",
    "STOPPED": "cancelled",
    "FAILED": "failed",
}


class RayProfile(BaseModel):
    """How runs are started on a Ray cluster.

    ``address`` is that of the cluster's dashboard, whose job server is asked. ``cpus``, ``gpus``,
    ``memory`` (GiB) and ``resources`` are what one shard takes of one node; Ray starts a shard
    where there is so much. ``python`` is the interpreter on the nodes, in which Benchseal is
    installed, or Benchseal's own program, as of its bundle; without it this very program, from
    the shared file system.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: Annotated[str, StringConstraints(pattern=r"^https?://[^\s\x00]+$")]
    cpus: float = Field(default=1, gt=0, allow_inf_nan=False)
    gpus: float = Field(default=0, ge=0, allow_inf_nan=False)
    memory: float = Field(default=0, ge=0, allow_inf_nan=False)
    resources: dict[OneLine, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = {}
    environment: dict[VariableName, OneLine] = {}
    python: OneLine = ""

    @model_validator(mode="after")
    def _without_secrets(self) -> "RayProfile":
        refuse_secrets(self.environment)
        return self


class _Job(BaseModel):
    """What the job server says of a job."""

    model_config = ConfigDict(extra="ignore")

    status: Literal["PENDING", "RUNNING", "SUCCEEDED", "STOPPED", "FAILED"]
    driver_exit_code: int | None = None
    message: str | None = None
    error_type: str | None = None


def ray_profiles(workspace_folder: Path) -> dict[str, RayProfile]:
    """The Ray profiles of a workspace by name; raises what ``read_profiles`` raises."""
    return read_profiles(workspace_folder, "ray", RayProfile)


@dataclass(frozen=True)
class RayLauncher(Scheduler):
    """Starts runs as the profile ``profile_name`` says."""

    printed: ClassVar[str] = "ray-*.txt"
    profile_name: str
    profile: RayProfile

    @property
    @override
    def name(self) -> str:
        """``ray:PROFILE``."""
        return f"ray:{self.profile_name}"

    def require(self) -> None:
        """OutsideError where the job server does not answer; InputError for one on another
        machine that this person did not allow."""
        if self._ask("GET", "/api/version") is None:
            raise self._unusable(tr("what answers there is not its job server"))

    def refuse_kind(self, kind: str) -> None:
        """Nothing to refuse: the cluster shares every folder."""
        del kind

    def refuse_after(self, earlier: LaunchRecord | None) -> None:
        """InputError for a run that would have to wait: Ray's jobs do not wait for one another, and
        one that waited by itself would keep its processors from those that it waits for."""
        if earlier is not None:
            raise InputError.tr(
                "Jobs of a Ray cluster do not wait for one another. Start the run once the other "
                "one has ended."
            )

    def start(self, folder: RunFolder, shards: int = 1) -> None:
        """Submit a job for each shard; they are queued when this returns. StateError for a locked
        run."""
        if folder.spec().locked:
            refuse_locked(self.name)
        self.refresh(folder, force=True)
        refuse_start(folder)
        self.refuse_after(launch_to_wait_for(folder))
        remember_named()
        folder.clear_outcome()
        folder.forget_progress()
        folder.files.write("job.sh", self._script(folder))
        launch = LaunchRecord(
            launcher=self.name,
            shards=shards,
            job=str(time.time_ns() // 1000),
            tasks={shard: LaunchedShard(state="queued") for shard in range(shards)},
        )
        # before the first job exists, so that none is ever unknown to the folder
        launch.write(folder.path)
        for shard in range(shards):
            self._submit(folder, launch, shard)

    def _submit(self, folder: RunFolder, launch: LaunchRecord, shard: int) -> None:
        profile = self.profile
        place = shlex.quote(str(folder.path.resolve()))
        body: dict[str, Any] = {
            "entrypoint": f"cd {place} && exec bash job.sh {shard}/{launch.shards}",
            "submission_id": _job_of(folder, launch, shard),
            "entrypoint_num_cpus": profile.cpus,
            "entrypoint_num_gpus": profile.gpus,
            "entrypoint_resources": profile.resources,
        }
        if profile.memory:
            body["entrypoint_memory"] = round(profile.memory * _GIB)
        if self._ask("POST", "/api/jobs/", body) is None:
            raise self._unusable(tr("what answers there is not its job server"))

    def _script(self, folder: RunFolder) -> str:
        """What a job runs: a file of the run folder, since the dashboard shows everybody what a
        job is given. The worker takes the shell's place, so that Ray's signals reach it."""
        variables = {**self.profile.environment, **told_to_workers(folder), "PYTHONUNBUFFERED": "1"}
        if not self.profile.python:
            variables["PYTHONPATH"] = module_paths()
        worker = module_command("core.cli", "run", ".", "--shard", python=self.profile.python)
        return "\n".join(
            [
                "#!/bin/bash",
                "set -eu",
                "umask 077",
                *(f"export {key}={shlex.quote(value)}" for key, value in variables.items()),
                f'exec {shlex.join(worker)} "$1" >>"ray-${{1%%/*}}.txt" 2>&1',
                "",
            ]
        )

    @override
    def refresh(self, folder: RunFolder, *, force: bool = False) -> None:
        """Ask the job server, at most every few seconds; a run that has ended is not asked for
        again."""
        launch = self.is_due(folder, ASK_EVERY_S, force=force)
        if launch is None:
            return
        tasks = {
            shard: self._state(folder, launch, shard) if task.state in ALIVE else task
            for shard, task in launch.tasks.items()
        }
        launch.model_copy(update={"tasks": tasks, "at": time.time()}).write(folder.path)

    def _state(self, folder: RunFolder, launch: LaunchRecord, shard: int) -> LaunchedShard:
        """A shard as the cluster reports it; gone if the cluster was restarted in the meantime."""
        last = launch.tasks[shard]
        answer = self._ask("GET", f"/api/jobs/{quote(_job_of(folder, launch, shard))}")
        if answer is None:
            return last.model_copy(update={"state": "gone", "reason": ""})
        try:
            job = _Job.model_validate(answer)
        except ValidationError:
            raise self._unusable(tr("what answers there is not its job server")) from None
        state, reason = _STATES[job.status], ""
        if state == "failed" and _was_killed(job):
            state = "killed"
        elif state == "failed":
            reason = _why_failed(job, shard)
        return last.model_copy(update={"state": state, "reason": reason})

    def stop(self, folder: RunFolder, grace: float = GRACE) -> None:
        """Drop what is queued, ask what runs to stop, and stop the jobs of what has not after
        ``grace`` s.

        Raises OutsideError where Ray has not ended them within a minute more.
        """
        folder.request_stop()
        self._stop_jobs(folder, ("queued",))
        if not self.gone_within(folder, grace):
            self._stop_jobs(folder, ALIVE)
            if not self.gone_within(folder, STOP_S):
                raise OutsideError.tr("Ray has not yet ended the stopped jobs of the run.")

    def _stop_jobs(self, folder: RunFolder, states: tuple[TaskState, ...]) -> None:
        """Stop the jobs in these states. One that waits counts as cancelled at once: the cluster
        ends it when its turn comes, which may be never."""
        self.refresh(folder, force=True)
        launch = self.own_launch(folder)
        if launch is None:
            return
        tasks = dict(launch.tasks)
        for shard, task in launch.tasks.items():
            if task.state in states:
                self._ask("POST", f"/api/jobs/{quote(_job_of(folder, launch, shard))}/stop", {})
                if task.state == "queued":
                    tasks[shard] = task.model_copy(update={"state": "cancelled"})
        launch.model_copy(update={"tasks": tasks}).write(folder.path)

    def requeue(self, folder: RunFolder) -> int:
        """Submit the shards again whose job ended unfinished; their number."""
        self.refresh(folder, force=True)
        launch = self.own_launch(folder)
        if launch is None or folder.result() is not None:
            return 0
        left = [
            shard
            for shard, task in launch.tasks.items()
            if task.state not in ALIVE and shard_is_unfinished(folder, shard, launch.shards)
        ]
        again = {
            shard: LaunchedShard(state="queued", requeues=launch.tasks[shard].requeues + 1)
            for shard in left
        }
        launch = launch.model_copy(update={"tasks": {**launch.tasks, **again}})
        launch.write(folder.path)
        for shard in left:
            self._submit(folder, launch, shard)
        return len(left)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the job server answers, as JSON; None for what it does not have.

        Raises OutsideError where it does not answer or refuses, InputError for a server that this
        person did not allow.
        """
        import httpx2

        from core.bounded_http import RefusedAnswer, fetch, post
        from core.bounded_json import parse_json

        address = self.profile.address.rstrip("/")
        key = find_key(ModelServer(address, "-"))
        headers = {"authorization": f"Bearer {key}"} if key else {}
        try:
            if method == "GET":
                answer = fetch(
                    address + path, total_s=_ANSWER_S, headers=headers, most_bytes=_MOST_BYTES
                )
            else:
                headers["content-type"] = "application/json"
                answer = post(
                    address + path, json.dumps(body).encode(), total_s=_ANSWER_S,
                    headers=headers, most_bytes=_MOST_BYTES,
                )  # fmt: skip
            if answer.status_code == httpx2.codes.NOT_FOUND:
                return None
            if answer.is_error:
                said = one_line(answer.text[:300]).strip().rstrip(".")
                raise self._unusable(f"{answer.status_code} {said}".strip())
            return parse_json(answer.text)
        except (httpx2.HTTPError, RefusedAnswer, ValueError) as error:
            raise self._unusable(one_line(str(error)) or type(error).__name__) from error

    def _unusable(self, reason: str) -> OutsideError:
        return OutsideError.tr(
            "The Ray cluster at {address} cannot be used: {reason}.",
            address=self.profile.address,
            reason=reason.rstrip("."),
        )


def _job_of(folder: RunFolder, launch: LaunchRecord, shard: int) -> str:
    """The name of a shard's newest job; a cluster takes each name once."""
    requeues = launch.tasks[shard].requeues
    return f"benchseal-{folder.spec().id}-{launch.job}-{shard}-{requeues}"


def _was_killed(job: _Job) -> bool:
    """Whether the job was ended from outside, by a signal or with its node: nothing is wrong with
    the work itself."""
    code = job.driver_exit_code
    if code is None:
        return job.error_type == "JOB_SUPERVISOR_ACTOR_DIED"
    return code < 0 or code > _SIGNALS_FROM


def _why_failed(job: _Job, shard: int) -> str:
    if job.driver_exit_code is None:
        reason = one_line((job.message or job.error_type or "?")[:300]).rstrip(".")
        return tr("Ray did not start shard {shard}: {reason}.", shard=shard, reason=reason)
    return tr(
        "Ray ended shard {shard} with exit code {code}. See its log for details.",
        shard=shard,
        code=job.driver_exit_code,
    )


def _of_profile(workspace_folder: Path, profile: str, _gpus: int) -> RayLauncher:
    return RayLauncher(profile, profile_named(workspace_folder, "ray", RayProfile, profile))


RAY = LauncherKind("ray", _of_profile, ray_profiles)
