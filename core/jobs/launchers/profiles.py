"""The file ``launchers.toml`` of a workspace: where on which cluster runs may be started.

    [slurm.big]
    partition = "gpu"
    gpus = 4
    time = "12:00:00"

    [ray.lab]
    address = "http://head:8265"
    gpus = 1

Each launcher with profiles has a model of its own for them. The file holds no secrets: whoever may
read the workspace may read it.
"""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, StringConstraints, ValidationError

from core.errors import InputError, NotFoundError
from core.i18n import field_problem, listed, tr
from core.redaction import names_secret_variable, one_line, secret_in

PROFILES_FILE = "launchers.toml"
_MOST_BYTES = 2**20

VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
OneLine = Annotated[str, StringConstraints(pattern=r"^[^\n\r\x00]*$")]

ProfileT = TypeVar("ProfileT", bound=BaseModel)


def read_profiles(workspace_folder: Path, kind: str, model: type[ProfileT]) -> dict[str, ProfileT]:
    """The profiles of one kind of launcher by name, from its tables; none without the file.

    Raises InputError that names the first thing that is wrong in them.
    """
    path = workspace_folder / PROFILES_FILE
    tables = _content(path).get(kind, {})
    if not isinstance(tables, dict):
        raise _foreign(path, kind, (kind,))
    return {name: _profile(path, name, table, model) for name, table in tables.items()}


def profile_named(workspace_folder: Path, kind: str, model: type[ProfileT], name: str) -> ProfileT:
    """The profile of that name; NotFoundError tells which there are and where to write one."""
    known = read_profiles(workspace_folder, kind, model)
    if name in known:
        return known[name]
    raise NotFoundError.tr(
        "There is no {kind} profile “{name}” in “{path}”. Available: {known}.",
        kind=kind.capitalize(),
        name=name,
        path=workspace_folder / PROFILES_FILE,
        known=listed(known) or tr("none"),
    )


def refuse_foreign_tables(workspace_folder: Path, kinds: Iterable[str]) -> None:
    """InputError for a table of the file that belongs to none of these kinds of launchers."""
    known = tuple(kinds)
    path = workspace_folder / PROFILES_FILE
    for name in _content(path):
        if name not in known:
            raise _foreign(path, name, known)


def refuse_secrets(environment: Mapping[str, str], further: Iterable[str] = ()) -> None:
    """ValueError for a variable of a profile that looks like a secret; ``further`` are the names
    of variables that it sets in other places."""
    names = [name for name in environment if names_secret_variable(name)]
    names += filter(None, map(secret_in, environment.values()))
    names += filter(names_secret_variable, further)
    if names:
        raise ValueError(
            tr("“{name}” looks like a secret; a profile must not contain secrets", name=names[0])
        )


def _content(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        with path.open("rb") as handle:
            return tomllib.loads(handle.read(_MOST_BYTES).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError.tr(
            "Could not read “{path}”: {reason}.", path=path, reason=one_line(str(error))
        ) from error


def _foreign(path: Path, name: str, kinds: Iterable[str]) -> InputError:
    return InputError.tr(
        "“{path}” contains “{name}”; write profiles as {headings}.",
        path=path,
        name=name,
        headings=listed(f"[{kind}.NAME]" for kind in kinds),
    )


def _profile(path: Path, name: str, table: Any, model: type[ProfileT]) -> ProfileT:
    try:
        return model.model_validate(table)
    except ValidationError as error:
        field, problem = field_problem(error)
        raise InputError.tr(
            "“{path}”, profile “{name}”: {field}: {problem}.",
            path=path,
            name=name,
            field=field or name,
            problem=problem,
        ) from error
