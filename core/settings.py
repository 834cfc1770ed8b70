"""What a person sets for themselves: one typed model, behind the settings page and ``config``.

It lies in the person's own configuration folder, never in a workspace. The window keeps more in
the same file (``gui.preferences``); what is not named here stays as it is.
"""

import fcntl
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.bounded_json import parse_json
from core.errors import InputError
from core.files import json_text, make_durable_folder, write_atomic
from core.i18n import field_problem, tr_noop
from core.known_names import refuse_unknown

MOST_BYTES = 2**22
"""A file that is longer is not one of ours."""


class Settings(BaseModel):
    """What can be set. ``title`` is what the window calls a field, ``description`` explains it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    language: Literal["", "en", "zh"] = Field(
        default="", title=tr_noop("Language"), description=tr_noop("empty: that of the system")
    )
    theme: Literal["light", "dark"] = Field(
        default="light", title=tr_noop("Theme"), description=tr_noop("colours of the window")
    )
    font: Annotated[str, Field(max_length=100)] = Field(
        default="", title=tr_noop("Font"), description=tr_noop("empty: the usual fonts")
    )
    text_size: Annotated[int, Field(ge=8, le=72)] = Field(
        default=17, title=tr_noop("Item text"), description=tr_noop("size in pixels")
    )
    line_height: Annotated[float, Field(ge=1, le=3)] = Field(
        default=1.5, title=tr_noop("Line height"), description=tr_noop("times the text size")
    )
    density: Annotated[float, Field(ge=0, le=4)] = Field(
        default=1.0,
        title=tr_noop("Space between paragraphs"),
        description=tr_noop("times the usual space"),
    )
    formulas: bool = Field(
        default=True,
        title=tr_noop("Draw formulas"),
        description=tr_noop("otherwise items show the TeX that was written"),
    )
    guideline: bool = Field(
        default=False,
        title=tr_noop("Guideline beside the item"),
        description=tr_noop("whether it is shown at the start"),
    )
    server: Annotated[str, Field(max_length=2000)] = Field(
        default="",
        title=tr_noop("Usual model server"),
        description=tr_noop("address that a new screening offers"),
    )
    model: Annotated[str, Field(max_length=500)] = Field(
        default="",
        title=tr_noop("Usual model"),
        description=tr_noop("name that a new screening offers"),
    )
    anchor_to: Annotated[str, Field(max_length=2000)] = Field(
        default="",
        title=tr_noop("Anchors also to"),
        description=tr_noop("folder, git repository or file for the ledger's anchors"),
    )
    anchor_stamp: Annotated[str, Field(max_length=2000)] = Field(
        default="",
        title=tr_noop("Time stamps from"),
        description=tr_noop("address of an RFC 3161 server for the anchors"),
    )
    anchor_roots: Annotated[str, Field(max_length=2000)] = Field(
        default="",
        title=tr_noop("Trusted for time stamps"),
        description=tr_noop("PEM file with the root certificates of that server"),
    )


def settings_path() -> Path:
    """Where the settings of this person lie."""
    return user_config_path("benchseal") / "window.json"


def settings() -> Settings:
    """The stored settings; defaults if the file is missing or damaged."""
    try:
        return Settings.model_validate(_stored(settings_path()))
    except ValueError:
        return Settings()


def checked(now: Settings, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as the model takes them, from texts too; InputError names the wrong one."""
    for name in values:
        refuse_unknown(
            name,
            Settings.model_fields,
            tr_noop("There is no setting “{name}”. Available: {known}."),
        )
    whole = {name: getattr(now, name) for name in Settings.model_fields} | dict(values)
    try:
        after = Settings.model_validate(whole)
    except ValidationError as error:
        where, problem = field_problem(error)
        name = where.partition(".")[0]
        raise InputError.tr("“{value}” is not a valid value for the setting {name}: {problem}.",
                            value=whole[name], name=name, problem=problem) from error  # fmt: skip
    return {name: getattr(after, name) for name in values}


def change(values: Mapping[str, str]) -> Settings:
    """Set some values, given as text; on the disk when this returns. What other programs wrote
    meanwhile stays. A window that is open takes them up at its next start.

    InputError for an unknown name or a wrong value.
    """
    path = settings_path()
    make_durable_folder(path.parent)
    with (path.parent / "window.lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            stored = _stored(path)
        except ValueError:
            stored = {}
        done = checked(settings(), values)
        write_atomic(path, json_text({**stored, **done}), durable=True)
    return settings()


def _stored(path: Path) -> dict[str, Any]:
    """The file as it is; ValueError where it is damaged."""
    try:
        if not path.is_file():
            return {}
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(path.name)
        stored = parse_json(path.read_bytes())
    except OSError:
        return {}
    if not isinstance(stored, dict):
        raise ValueError(path.name)
    return stored
