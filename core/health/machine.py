"""What runs need: room on the disk, model servers, GPUs, Slurm, Ray."""

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_config_path, user_data_path, user_state_path

from core.errors import BenchsealError, InputError, OutsideError
from core.health import HealthCheck
from core.i18n import listed, tr, trn
from core.jobs.gpus import gpus_here, visible_gpus
from core.jobs.launchers import launcher_names
from core.jobs.launchers.profiles import PROFILES_FILE
from core.jobs.launchers.ray import RayLauncher, RayProfile, ray_profiles
from core.jobs.launchers.slurm_profiles import SlurmProfile, slurm_profiles
from core.llm.keys import AllowedServer, server_keys
from core.own_process import program_files

_GB = 1 << 30
_LEAST, _LITTLE = _GB // 5, 5 * _GB
_PATIENCE_S = 3.0
_CLOCKS_DIFFER = timedelta(minutes=10)
_NVIDIA = ("0x10de", "0x03")  # vendor of a PCI device, and the class of what draws or computes


def disk_check(folder: Path) -> HealthCheck:
    """How much room there is where a workspace lies, or would lie."""
    title, there = tr("disk"), folder
    while not there.is_dir():
        there = there.parent
    free = shutil.disk_usage(there).free
    says = tr("{free} GB are free in {path}.", free=f"{free / _GB:.1f}", path=there)
    if free < _LEAST:
        return HealthCheck(
            "disk", title, "stop", says, tr("Free some room, or move the workspace.")
        )
    if not _can_hold_a_file(there):
        return HealthCheck(
            "disk", title, "stop",
            tr("{path} can hold no more files, whatever their size: no inode is free.", path=there),
            tr("Remove files that nobody needs, or move the workspace."),
        )  # fmt: skip
    if free < _LITTLE:
        return HealthCheck(
            "disk", title, "note", says, tr("Runs and exports of many items need more.")
        )
    return HealthCheck("disk", title, "good", says)


def _can_hold_a_file(folder: Path) -> bool:
    """Whether an inode is free for one more; a system that does not count them says 0 of 0."""
    if not hasattr(os, "statvfs"):
        return True
    volume = os.statvfs(folder)
    return volume.f_favail > 0 or volume.f_files == 0


def own_folders_check() -> HealthCheck:
    """Whether this account can keep settings, keys and crash reports, which stand in its home."""
    places = user_config_path, user_data_path, user_state_path
    folders = list(dict.fromkeys(place("benchseal") for place in places))
    title = tr("own folders")
    if closed := [folder for folder in folders if not _can_be_written(folder)]:
        return HealthCheck(
            "own folders", title, "stop",
            tr("Settings, keys and crash reports cannot be kept: {paths} cannot be written.",
               paths=listed(map(str, closed))),
            tr("Get the right to write there, or set HOME to a folder that is yours."),
        )  # fmt: skip
    return HealthCheck("own folders", title, "good",
                       tr("Settings, keys and crash reports are kept in {paths}.",
                          paths=listed(map(str, folders))))  # fmt: skip


def _can_be_written(folder: Path) -> bool:
    """By this account, a folder that need not be there yet."""
    try:
        while not folder.exists():
            folder = folder.parent
    except OSError:
        return False
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def clock_check(
    here: datetime,
    newest: datetime | None,
    server: datetime | None = None,
    program: datetime | None = None,
) -> HealthCheck:
    """This computer's clock beside the newest event of a workspace, the clock of its server, and
    the time of the program's own files, None where there is none."""
    title, times = tr("clock"), {"here": _minute(here)}
    if server is not None and abs(server - here) > _CLOCKS_DIFFER:
        says = tr("This computer's clock says {here}, but its server's says {there}.", **times,
                  there=_minute(server))  # fmt: skip
    elif newest is not None and newest - here > _CLOCKS_DIFFER:
        says = tr("This computer's clock says {here}, but the workspace's newest event is "
                  "dated {there}.", **times, there=_minute(newest))  # fmt: skip
    elif program is not None and program - here > _CLOCKS_DIFFER:
        says = tr("This computer's clock says {here}, but the program's files are dated {there}.",
                  **times, there=_minute(program))  # fmt: skip
    elif newest is None:
        return HealthCheck(
            "clock", title, "good", tr("The clock is not behind the program's own files.")
        )
    else:
        return HealthCheck("clock", title, "good", tr("The clock agrees with the workspace."))
    remedy = tr(
        "Set whichever clock is wrong; for this computer's, as root: timedatectl set-ntp true"
    )
    return HealthCheck("clock", title, "stop", says, remedy)


def program_time() -> datetime:
    """When the files of this program were written, as far as they tell: a clock that is behind
    that is wrong."""
    return datetime.fromtimestamp(max(path.stat().st_mtime for path in program_files()), UTC)


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def server_checks(environment: Mapping[str, str] = os.environ) -> list[HealthCheck]:
    """One line for each model server that this person allowed: its key, and whether it answers.

    Nothing is sent: a connection is opened and closed.
    """
    title = tr("servers")
    try:
        servers = server_keys()
    except BenchsealError as error:
        return [HealthCheck("servers", title, "stop", str(error), tr("Fix or remove that file."))]
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
        says = tr("{name} ({url}) is reached through a proxy; not tried.", **shown)
        return HealthCheck(name, title, "note", says, tr("Test the server under Settings."))
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((host, port), timeout=_PATIENCE_S).close()
    except OSError as error:
        return HealthCheck(
            name, title, "stop",
            tr("{name} ({url}) does not answer: {reason}.", **shown,
               reason=error.strerror or error),
            tr("Start the server, or check its address and the network."),
        )  # fmt: skip
    return HealthCheck(name, title, "good", tr("{name} ({url}) answers.", **shown))


def gpu_check(devices: Path = Path("/sys/bus/pci/devices")) -> HealthCheck:
    """The GPUs that local models could use; ``devices`` is where Linux lists what is built in."""
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
            tr("Check what nvidia-smi says; the machine may need a restart after an upgrade."),
        )  # fmt: skip
    if any(_is_nvidia(one) for one in devices.glob("*")):
        return HealthCheck(
            "GPUs", title, "note", tr("There is an NVIDIA GPU, and no driver that runs it."),
            tr("Install NVIDIA's driver (Debian: nvidia-driver) and restart the machine."),
        )  # fmt: skip
    return HealthCheck(
        "GPUs", title, "note", tr("There is no NVIDIA GPU."),
        tr("Evaluate with a model server or Slurm, or on a machine that has one."),
    )  # fmt: skip


def _is_nvidia(device: Path) -> bool:
    try:
        found = [(device / name).read_text("ascii").strip() for name in ("vendor", "class")]
    except (OSError, ValueError):
        return False
    return all(map(str.startswith, found, _NVIDIA))


def launcher_checks(folder: Path | None) -> list[HealthCheck]:
    """Slurm, and each Ray profile, of the workspace in ``folder``; a file of profiles in which
    something is wrong has a line of its own, and then none of its profiles is known."""
    try:
        launcher_names(folder)
    except BenchsealError as error:
        name = PROFILES_FILE
        wrong = HealthCheck(name, name, "stop", str(error), tr("Fix launchers.toml."))
        return [wrong, slurm_check({})]
    if folder is None:
        return [slurm_check({})]
    ray = [_ray_check(name, profile) for name, profile in ray_profiles(folder).items()]
    return [slurm_check(slurm_profiles(folder)), *ray]


def slurm_check(profiles: Mapping[str, SlurmProfile]) -> HealthCheck:
    """Whether Slurm answers here, for these profiles of a workspace."""
    title = "Slurm"
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
            tr("Ask whoever runs the cluster whether slurmctld is up.") if profiles
            else tr("Only runs on a cluster need it; there, work on a login node."),
        )  # fmt: skip
    partitions = listed(done.stdout.split())
    return HealthCheck(
        "Slurm", title, "good", tr("Slurm answers; partitions: {names}. {profiles}",
                                   names=partitions, profiles=named).strip(),
    )  # fmt: skip


def _ray_check(name: str, profile: RayProfile) -> HealthCheck:
    title = tr("Ray, profile {profile}", profile=name)
    try:
        RayLauncher(name, profile).require()
    except InputError as error:  # not allowed yet; the sentence says how
        return HealthCheck("Ray", title, "stop", str(error))
    except OutsideError as error:
        remedy = tr("Check whether its head node is running, and whether the address in "
                    "launchers.toml is that of its dashboard.")  # fmt: skip
        return HealthCheck("Ray", title, "stop", str(error), remedy)
    return HealthCheck("Ray", title, "good", tr("The job server answers."))
