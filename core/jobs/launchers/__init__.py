"""The launchers by name: ``local``, and ``slurm:PROFILE`` for each profile of the workspace."""

from pathlib import Path

from core.errors import InputError
from core.i18n import tr
from core.jobs.launchers.base import Launcher
from core.jobs.launchers.local import LocalLauncher
from core.jobs.launchers.profiles import slurm_profile
from core.jobs.launchers.slurm import SlurmLauncher

__all__ = ["Launcher", "launcher_named"]


def launcher_named(name: str, workspace_folder: Path, gpus: int = 0) -> Launcher:
    """The launcher of that name; ``gpus`` per worker counts for the local one.

    Raises InputError for an unknown kind and NotFoundError for an unknown profile.
    """
    kind, _, profile = name.partition(":")
    if kind == "local" and not profile:
        return LocalLauncher(gpus)
    if kind == "slurm" and profile:
        return SlurmLauncher(profile, slurm_profile(workspace_folder, profile))
    raise InputError(tr("There is no launcher “{name}”. Use local or slurm:PROFILE.", name=name))
