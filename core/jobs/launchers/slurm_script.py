"""The batch script of a run: an array with one task per shard."""

import shlex
from collections.abc import Mapping

from core.jobs.launchers.cluster import quoted
from core.jobs.launchers.slurm_profiles import SlurmProfile
from core.own_process import module_command, module_paths

# Joins the machines of one task to a Ray cluster, which vLLM finds by RAY_ADDRESS.
_RAY = """\
head="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
address="$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | cut -d ' ' -f 1)"
export RAY_ADDRESS="$address:$((20000 + SLURM_JOB_ID % 20000))"
srun --overlap --nodes=1 --ntasks=1 --nodelist="$head" \\
    ray start --head --node-ip-address="$address" --port="${RAY_ADDRESS##*:}" --block &
until ray status >/dev/null 2>&1; do sleep 2; done
srun --overlap --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) \\
    --exclude="$head" ray start --address="$RAY_ADDRESS" --block &
alive() { ray list nodes --limit 1000 2>/dev/null | grep -c ALIVE; }
until [ "$(alive)" -ge "$SLURM_JOB_NUM_NODES" ]; do sleep 2; done
"""


def render(
    profile: SlurmProfile,
    name: str,
    shards: int,
    environment: Mapping[str, str] | None = None,
    *,
    after: str = "",
) -> str:
    """The script that ``sbatch`` is given; the run folder is its working directory.

    ``environment`` comes beside that of the profile. The tasks wait until all of the job ``after``
    have ended, however that was: their workers look whether they ended well, for with ``afterok``
    Slurm gives up for good once a task was killed, also where it is queued again and ends well.

    The worker takes the shell's place, so that Slurm's signals reach it and nothing else.
    """
    variables = {**profile.environment, **(environment or {})}
    options = _options(profile, name, shards, after)
    lines = ["#!/bin/bash", *(f"#SBATCH {option}" for option in options)]
    lines += ["set -eu", "umask 077"]
    if profile.modules:
        # the function `module` is not always there in a batch shell
        lines += ["type module >/dev/null 2>&1 || . /etc/profile"]
        lines += [f"module load {shlex.quote(module)}" for module in profile.modules]
    lines += [f"export {key}={shlex.quote(value)}" for key, value in variables.items()]
    lines += ["export PYTHONUNBUFFERED=1"]
    if profile.nodes > 1:
        lines += [_RAY.rstrip("\n")]
    if not (profile.python or profile.host):
        lines += [f"export PYTHONPATH={shlex.quote(module_paths())}"]
    python = profile.python or ("python3" if profile.host else "")
    worker = map(quoted, module_command("core.cli", "run", ".", "--shard", python=python))
    lines += [f'exec {" ".join(worker)} "$SLURM_ARRAY_TASK_ID/{shards}"']
    return "\n".join(lines) + "\n"


def _options(profile: SlurmProfile, name: str, shards: int, after: str) -> list[str]:
    limit = f"%{profile.at_once}" if profile.at_once else ""
    options = [
        f"--job-name={name}",
        f"--array=0-{shards - 1}{limit}",
        "--output=slurm-%a.txt",
        "--open-mode=append",
        f"--nodes={profile.nodes}",
        f"--ntasks={profile.nodes}",
        "--requeue" if profile.requeue else "--no-requeue",
    ]
    if after:
        options.append(f"--dependency=afterany:{after}")
    values = {
        "partition": profile.partition,
        "account": profile.account,
        "qos": profile.qos,
        "gres": f"gpu:{profile.gpus}" if profile.gpus else "",
        "cpus-per-task": profile.cpus,
        "mem": profile.memory,
        "time": profile.time,
    }
    return [*options, *(f"--{key}={value}" for key, value in values.items() if value),
            *profile.options]  # fmt: skip
