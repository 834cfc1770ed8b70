"""The file ``launchers.toml`` of a workspace: where on which cluster runs may be started.

    [slurm.big]
    partition = "gpu"
    gpus = 4
    time = "12:00:00"

It holds no secrets: whoever may read the workspace may read it.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from core.errors import InputError, NotFoundError
from core.i18n import listed, tr
from core.redaction import names_secret_variable, one_line, secret_in

PROFILES_FILE = "launchers.toml"
_MOST_BYTES = 2**20

_Word = Annotated[str, StringConstraints(pattern=r"^[\w.,:+@%\-]*$")]
_Module = Annotated[str, StringConstraints(pattern=r"^[\w.,:+@%/\-]+$")]
_Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_Line = Annotated[str, StringConstraints(pattern=r"^[^\n\r\x00]*$")]
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
    environment: dict[_Name, _Line] = {}
    options: tuple[_Option, ...] = ()
    python: _Line = ""
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
        secret_names = [name for name in self.environment if names_secret_variable(name)]
        secret_names += filter(None, map(secret_in, self.environment.values()))
        exported = (option for option in self.options if option.startswith("--export"))
        for option in exported:
            secret_names += filter(names_secret_variable, _ASSIGNED.findall(option))
        if secret := next(iter(secret_names), ""):
            raise ValueError(
                tr("“{name}” looks like a secret; a profile must not contain secrets", name=secret)
            )
        return self


def read_profiles(workspace_folder: Path) -> dict[str, SlurmProfile]:
    """The Slurm profiles of a workspace by name; none without the file.

    Raises InputError that names the first thing that is wrong in the file.
    """
    path = workspace_folder / PROFILES_FILE
    if not path.is_file():
        return {}
    try:
        with path.open("rb") as handle:
            content = tomllib.loads(handle.read(_MOST_BYTES).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            tr("Could not read “{path}”: {reason}.", path=path, reason=one_line(str(error)))
        ) from error
    foreign = next((name for name in content if name != "slurm"), None)
    tables = content.get("slurm", {})
    if foreign is not None or not isinstance(tables, dict):
        raise InputError(
            tr(
                "“{path}” contains “{name}”; write profiles as [slurm.NAME].",
                path=path,
                name=foreign or "slurm",
            )
        )
    return {name: _profile(path, name, table) for name, table in tables.items()}


def _profile(path: Path, name: str, table: Any) -> SlurmProfile:
    try:
        return SlurmProfile.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or name
        raise InputError(
            tr(
                "“{path}”, profile “{name}”: {field}: {problem}.",
                path=path,
                name=name,
                field=where,
                problem=first["msg"],
            )
        ) from error


def slurm_profile(workspace_folder: Path, name: str) -> SlurmProfile:
    """The profile of that name; NotFoundError tells which there are and where to write one."""
    known = read_profiles(workspace_folder)
    if name in known:
        return known[name]
    raise NotFoundError(
        tr(
            "There is no Slurm profile “{name}” in “{path}”. Available: {known}.",
            name=name,
            path=workspace_folder / PROFILES_FILE,
            known=listed(known) or tr("none"),
        )
    )
