"""The registry of launchers: ``local``, and ``slurm:PROFILE`` or ``ray:PROFILE`` for each profile
of the workspace.

To add one: a file beside this one and an entry in the tuple.
"""

from pathlib import Path

from core.errors import InputError
from core.i18n import listed
from core.jobs.launchers.base import Launcher, LauncherKind
from core.jobs.launchers.local import LOCAL
from core.jobs.launchers.profiles import refuse_foreign_tables
from core.jobs.launchers.ray import RAY
from core.jobs.launchers.slurm import SLURM

__all__ = ["LAUNCHERS", "Launcher", "LauncherKind", "launcher_named", "launcher_names"]

LAUNCHERS: tuple[LauncherKind, ...] = (
    LOCAL,
    SLURM,
    RAY,
)
"""Every way to start runs; each name stands once."""


def launcher_named(name: str, workspace_folder: Path, gpus: int = 0) -> Launcher:
    """The launcher of that name; ``gpus`` per worker counts for those of this machine.

    Raises InputError for an unknown kind and NotFoundError for an unknown profile.
    """
    wanted, _, profile = name.partition(":")
    for kind in LAUNCHERS:
        if kind.name == wanted and bool(profile) == (kind.profiles is not None):
            if profile:
                _refuse_unknown_kinds(workspace_folder)
            return kind.make(workspace_folder, profile, gpus)
    known = listed(kind.shown for kind in LAUNCHERS)
    raise InputError.tr(
        "There is no launcher “{name}”. Available: {known}.", name=name, known=known
    )


def launcher_names(workspace_folder: Path | None) -> tuple[str, ...]:
    """The names that ``launcher_named`` takes; those of profiles only with a workspace."""
    names: list[str] = []
    if workspace_folder is not None:
        _refuse_unknown_kinds(workspace_folder)
    for kind in LAUNCHERS:
        if kind.profiles is None:
            names.append(kind.name)
        elif workspace_folder is not None:
            names += [f"{kind.name}:{profile}" for profile in kind.profiles(workspace_folder)]
    return tuple(names)


def _refuse_unknown_kinds(workspace_folder: Path) -> None:
    kinds = (kind.name for kind in LAUNCHERS if kind.profiles is not None)
    refuse_foreign_tables(workspace_folder, kinds)
