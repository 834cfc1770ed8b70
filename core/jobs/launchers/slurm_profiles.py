"""The profiles of Slurm clusters in a workspace's ``launchers.toml``: tables ``[slurm.NAME]``."""

import re
from itertools import chain
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from core.i18n import tr
from core.jobs.launchers.profiles import (
    OneLine,
    VariableName,
    profile_named,
    read_profiles,
    refuse_secrets,
)

_Word = Annotated[str, StringConstraints(pattern=r"^[\w.,:+@%\-]*$")]
_Module = Annotated[str, StringConstraints(pattern=r"^[\w.,:+@%/\-]+$")]
_Option = Annotated[str, StringConstraints(pattern=r"^--[a-z][^\n\r\x00]*$")]
_Host = Annotated[str, StringConstraints(pattern=r"^$|^[A-Za-z0-9_][\w.@\-]*$")]
_Folder = Annotated[str, StringConstraints(pattern=r"^$|^[/~][^\n\r\x00]*$")]
_OWN_OPTIONS = ("--array", "--chdir", "--wrap")  # with others the shards would not be a run's
_ASSIGNED = re.compile(r"(\w[\w\-]*)=")


class SlurmProfile(BaseModel):
    """How runs are started on a Slurm cluster.

    ``gpus`` is a number per node or a kind and a number (``a100:4``); ``time`` as Slurm writes
    it; ``at_once`` limits how many shards run at the same time; ``options`` are further lines for
    ``sbatch``. ``python`` is the interpreter there, in which Benchseal is installed,
    or Benchseal's own program, as of its bundle. With
    ``nodes`` above 1 a shard has that many machines, joined by Ray for vLLM.

    With ``host`` the commands go through ``ssh``, and run folders are copied below ``folder``
    there with ``rsync``; the host must be known already (``known_hosts`` or ssh's own file).
    Without, the run folder lies on a file system that the cluster shares.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    partition: _Word = ""
    account: _Word = ""
    qos: _Word = ""
    gpus: Annotated[int, Field(ge=0)] | _Word = 0
    cpus: int = Field(default=0, ge=0)
    memory: _Word = ""
    time: Annotated[str, StringConstraints(pattern=r"^$|^[\d\-:]+$")] = ""
    nodes: int = Field(default=1, ge=1)
    at_once: int = Field(default=0, ge=0)
    requeue: bool = True
    modules: tuple[_Module, ...] = ()
    environment: dict[VariableName, OneLine] = {}
    options: tuple[_Option, ...] = ()
    python: OneLine = ""
    host: _Host = ""
    port: int = Field(default=0, ge=0, le=65535)
    folder: _Folder = ""
    known_hosts: _Folder = ""

    @model_validator(mode="after")
    def _whole(self) -> "SlurmProfile":
        if self.host and not self.folder:
            raise ValueError(tr("a profile with a host also needs a folder on that host"))
        reserved = (option for option in self.options if option.partition("=")[0] in _OWN_OPTIONS)
        if reserved_option := next(reserved, ""):
            raise ValueError(
                tr(
                    "“{option}” is set by Benchseal for every run; remove it",
                    option=reserved_option,
                )
            )
        exported = (option for option in self.options if option.startswith("--export"))
        refuse_secrets(self.environment, chain.from_iterable(map(_ASSIGNED.findall, exported)))
        return self


def slurm_profiles(workspace_folder: Path) -> dict[str, SlurmProfile]:
    """The Slurm profiles of a workspace by name; raises what ``read_profiles`` raises."""
    return read_profiles(workspace_folder, "slurm", SlurmProfile)


def slurm_profile(workspace_folder: Path, name: str) -> SlurmProfile:
    """The Slurm profile of that name; raises what ``profile_named`` raises."""
    return profile_named(workspace_folder, "slurm", SlurmProfile, name)
