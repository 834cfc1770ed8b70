"""What runs need: room on the disk, model servers, GPUs, Slurm, Ray."""

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from core.errors import BenchsealError, InputError, OutsideError
from core.health import HealthCheck
from core.i18n import listed, tr, trn
from core.jobs.gpus import gpus_here, visible_gpus
from core.jobs.launchers.ray import RayLauncher, RayProfile, ray_profiles
from core.jobs.launchers.slurm_profiles import slurm_profiles
from core.llm.keys import AllowedServer, server_keys

_GB = 1 << 30
_LEAST, _LITTLE = _GB // 5, 5 * _GB
_PATIENCE_S = 3.0


def disk_check(folder: Path) -> HealthCheck:
    """How much room there is where a workspace lies, or would lie."""
    title, there = tr("disk"), folder
    while not there.exists():
        there = there.parent
    free = shutil.disk_usage(there).free
    says = tr("{free} GB are free in {path}.", free=f"{free / _GB:.1f}", path=there)
    if free < _LEAST:
        return HealthCheck(
            "disk", title, "stop", says, tr("Free some room, or move the workspace.")
        )
    if free < _LITTLE:
        return HealthCheck(
            "disk", title, "note", says, tr("Runs and exports of many items need more.")
        )
    return HealthCheck("disk", title, "good", says)


def server_checks(environment: Mapping[str, str] = os.environ) -> list[HealthCheck]:
    """One line for each model server that this person allowed: its key, and whether it answers.

    Nothing is sent: a connection is opened and closed.
    """
    title = tr("servers")
    try:
        servers = server_keys()
    except BenchsealError as error:
        return [HealthCheck("servers", title, "stop", str(error), tr("Mend or remove that file."))]
    if not servers:
        return [
            HealthCheck(
                "servers", title, "note", tr("No model server is set up."),
                tr("Add one under Settings or with: benchseal keys add URL"),
            )
        ]  # fmt: skip
    return [_server(known.server, known.has_key, environment) for known in servers]


def _server(server: AllowedServer, has_key: bool, environment: Mapping[str, str]) -> HealthCheck:
    title, name, shown = tr("servers"), "servers", {"name": server.name, "url": server.origin}
    if server.key != "none" and not has_key:
        return HealthCheck(
            name, title, "stop", tr("{name} ({url}) has no key.", **shown),
            tr("Set it again: benchseal keys add {url} --ask", **shown),
        )  # fmt: skip
    parts = urlsplit(server.origin)
    host, local = parts.hostname or "", parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not local and any(environment.get(v) for v in ("https_proxy", "HTTPS_PROXY", "all_proxy")):
        says = tr("{name} ({url}) is reached by a proxy; not tried.", **shown)
        return HealthCheck(name, title, "note", says, tr("Test the server under Settings."))
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((host, port), timeout=_PATIENCE_S).close()
    except OSError as error:
        return HealthCheck(
            name, title, "stop",
            tr("{name} ({url}) does not answer: {reason}.", **shown,
               reason=error.strerror or error),
            tr("Start the server, or see whether its address and this network are right."),
        )  # fmt: skip
    return HealthCheck(name, title, "good", tr("{name} ({url}) answers.", **shown))


def gpu_check() -> HealthCheck:
    """The GPUs that local models could use."""
    title, found = tr("GPUs"), gpus_here()
    if found:
        names = listed(
            tr("{name}, {free} of {total} GB free", name=gpu.name, free=f"{gpu.free / _GB:.0f}",
               total=f"{gpu.total / _GB:.0f}")
            for gpu in found
        )  # fmt: skip
        return HealthCheck("GPUs", title, "good", names)
    if visible_gpus():
        return HealthCheck(
            "GPUs", title, "stop", tr("The NVIDIA driver does not tell which GPUs there are."),
            tr("See what nvidia-smi says; the machine may need a restart after an upgrade."),
        )  # fmt: skip
    return HealthCheck(
        "GPUs", title, "note", tr("There is no NVIDIA GPU."),
        tr("Evaluate by a model server or Slurm, or on a machine that has one."),
    )  # fmt: skip


def slurm_check(folder: Path | None) -> HealthCheck:
    """Whether Slurm answers here, and which profiles the workspace in ``folder`` has."""
    title = "Slurm"
    try:
        profiles = slurm_profiles(folder) if folder is not None else {}
    except BenchsealError as error:
        return HealthCheck("Slurm", title, "stop", str(error), tr("Mend launchers.toml."))
    named = trn("1 profile: {names}.", "{n} profiles: {names}.", len(profiles),
                names=listed(profiles)) if profiles else ""  # fmt: skip
    away = [name for name, profile in profiles.items() if profile.host]
    if shutil.which("sbatch") is None:
        if len(away) < len(profiles):
            return HealthCheck(
                "Slurm", title, "stop", tr("{named} sbatch is not here.", named=named),
                tr("Give the profile a host in launchers.toml, or work on a login node."),
            )  # fmt: skip
        return HealthCheck("Slurm", title, "note", named or tr("Slurm is not used here."))
    try:
        done = subprocess.run(
            ["sinfo", "--noheader", "--format=%P"], capture_output=True, text=True, timeout=20,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        trouble = done.stderr.strip() if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        trouble = str(error)
    if trouble:
        return HealthCheck(
            "Slurm", title, "stop" if profiles else "note",
            tr("Slurm does not answer: {reason}.", reason=trouble.splitlines()[-1].rstrip(".")),
            tr("Ask who runs the cluster whether slurmctld is up.") if profiles
            else tr("Only runs on a cluster need it; there, work on a login node."),
        )  # fmt: skip
    partitions = listed(done.stdout.split())
    return HealthCheck(
        "Slurm", title, "good", tr("Slurm answers; partitions: {names}. {profiles}",
                                   names=partitions, profiles=named).strip(),
    )  # fmt: skip


def ray_checks(folder: Path | None) -> list[HealthCheck]:
    """Whether the job server of each Ray profile of the workspace in ``folder`` answers."""
    try:
        profiles = ray_profiles(folder) if folder is not None else {}
    except BenchsealError as error:
        return [HealthCheck("Ray", "Ray", "stop", str(error), tr("Mend launchers.toml."))]
    except OSError:
        return []  # said already where Slurm's profiles were looked for
    return [_ray_check(name, profile) for name, profile in profiles.items()]


def _ray_check(name: str, profile: RayProfile) -> HealthCheck:
    title = tr("Ray, profile {profile}", profile=name)
    try:
        RayLauncher(name, profile).require()
    except InputError as error:  # not allowed yet; the sentence says how
        return HealthCheck("Ray", title, "stop", str(error))
    except OutsideError as error:
        remedy = tr("See whether its head node runs, and whether the address in launchers.toml "
                    "is that of its dashboard.")  # fmt: skip
        return HealthCheck("Ray", title, "stop", str(error), remedy)
    return HealthCheck("Ray", title, "good", tr("The job server answers."))
