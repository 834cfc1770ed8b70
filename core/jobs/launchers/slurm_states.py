"""What Slurm says about the tasks of an array, whichever of its commands has to be asked.

``squeue`` knows the living. The ended are asked of ``sacct``, and of ``scontrol`` where no
accounting is kept; once the controller has forgotten them too, their last known state stands.
"""

import re
from collections.abc import Iterator, Mapping

from core.i18n import tr
from core.jobs.launch_record import ALIVE, LaunchedShard, TaskState
from core.jobs.launchers.cluster import Cluster

_LIVING: Mapping[str, TaskState] = {
    "PENDING": "queued", "REQUEUED": "queued", "REQUEUE_HOLD": "queued", "REQUEUE_FED": "queued",
    "SPECIAL_EXIT": "queued", "RESV_DEL_HOLD": "queued", "CONFIGURING": "queued",
    "SUSPENDED": "queued", "STOPPED": "queued", "RESIZING": "running",
    "RUNNING": "running", "COMPLETING": "running", "STAGE_OUT": "running", "SIGNALING": "running",
}  # fmt: skip
_ENDED: Mapping[str, TaskState] = {
    "COMPLETED": "done", "TIMEOUT": "timeout", "DEADLINE": "timeout", "CANCELLED": "cancelled",
    "REVOKED": "cancelled", "PREEMPTED": "killed", "NODE_FAIL": "killed", "FAILED": "failed",
    "BOOT_FAIL": "failed", "OUT_OF_MEMORY": "failed",
}  # fmt: skip
_FIELDS = "ArrayTaskID:|,State:|,RestartCnt:|,Reason:|"


def ask_states(
    cluster: Cluster, job: str, shards: int, last: Mapping[int, LaunchedShard]
) -> dict[int, LaunchedShard]:
    """The state of every task of the array; OutsideError if squeue cannot be run."""
    states = dict(read_squeue(_squeue(cluster, job), last))
    missing = set(range(shards)) - set(states)
    if missing:
        output = cluster.ask(["sacct", "-n", "-P", "-X", "-j", job, "-o", "JobID,State,ExitCode"])
        ended = dict(read_sacct(output.out)) if output.code == 0 else {}
        if missing - set(ended):
            ended = dict(read_scontrol(cluster.ask(["scontrol", "show", "job", job, "-o"]).out))
        states |= {shard: ended[shard] for shard in missing if shard in ended}
    for shard in set(range(shards)) - set(states):
        known = last.get(shard, LaunchedShard(state="gone"))
        states[shard] = known.model_copy(update={"state": "gone"}) if _lives(known) else known
    return {
        shard: task.model_copy(update={"requeues": last[shard].requeues} if shard in last else {})
        for shard, task in sorted(states.items())
    }


def _lives(task: LaunchedShard) -> bool:
    return task.state in ALIVE


def _squeue(cluster: Cluster, job: str) -> str:
    """Nothing where the job has left the queue; squeue then complains about its number."""
    output = cluster.ask(["squeue", "-h", "-r", "-j", job, "-O", _FIELDS])
    if output.code and "Invalid job id" not in output.err:
        return cluster.require(["squeue", "-h", "-r", "-j", job, "-O", _FIELDS])
    return output.out if not output.code else ""


def read_squeue(
    text: str, last: Mapping[int, LaunchedShard]
) -> Iterator[tuple[int, LaunchedShard]]:
    """The living tasks. One that waits again though nobody asked for it was preempted."""
    for line in text.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) < 4 or not fields[0].isdigit() or fields[1] not in _LIVING:
            continue
        shard, state = int(fields[0]), _LIVING[fields[1]]
        restarts = int(fields[2]) if fields[2].isdigit() else 0
        requeues = last[shard].requeues if shard in last else 0
        if state == "queued" and restarts > requeues:
            state = "preempted"
        yield shard, LaunchedShard(state=state, reason=fields[3], restarts=restarts)


def read_sacct(text: str) -> Iterator[tuple[int, LaunchedShard]]:
    """The ended tasks from ``sacct -n -P -X -o JobID,State,ExitCode``."""
    for line in text.splitlines():
        fields = line.split("|")
        match = re.fullmatch(r"\d+_(\d+)", fields[0])
        if match and len(fields) >= 3:
            yield from _ended(int(match[1]), fields[1], fields[2])


def read_scontrol(text: str) -> Iterator[tuple[int, LaunchedShard]]:
    """The ended tasks from ``scontrol show job JOB -o``, as long as it remembers them."""
    for line in text.splitlines():
        fields = dict(re.findall(r"(\w+)=(\S*)", line))
        if fields.get("ArrayTaskId", "").isdigit():
            shard = int(fields["ArrayTaskId"])
            yield from _ended(shard, fields.get("JobState", ""), fields.get("ExitCode", "0:0"))


def _ended(shard: int, state: str, exit_code: str) -> Iterator[tuple[int, LaunchedShard]]:
    word = state.split()[0].rstrip("+") if state.split() else ""
    if word not in _ENDED:
        return
    kind = _ENDED[word]
    code, _, number = exit_code.partition(":")
    if word == "FAILED" and number not in ("", "0"):
        kind = "killed"  # by a signal: nothing is wrong with the work itself
    reason = ""
    if kind == "failed":
        reason = tr(
            "Slurm ended shard {shard} with state {state} and exit code {code}. See its log "
            "for details.",
            shard=shard,
            state=word,
            code=code,
        )
    yield shard, LaunchedShard(state=kind, reason=reason, lost=word == "PREEMPTED")
