"""What the window remembers of a person between two starts: language, theme, keys, where it was."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, Field

from core.bounded_json import parse_json
from core.files import make_durable_folder, write_atomic

log = logging.getLogger(__name__)

_RECENT = 8
_MOST_BYTES = 2**22
_Pixels = Annotated[int, Field(ge=100, le=100_000)]


class Preferences(BaseModel):
    """One JSON file in the person's own configuration folder; never in a workspace."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    language: str = ""
    theme: str = "light"
    person: Mapping[str, str] = Field(default_factory=dict)
    """Workspace location to the name of who worked there last."""
    benchmark: Mapping[str, str] = Field(default_factory=dict)
    """Workspace location to the benchmark that was in front last."""
    keys: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Command id to the keys that replace its own; an empty tuple takes the key away."""
    recent: tuple[str, ...] = ()
    """Workspaces opened before, newest first."""
    columns: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """List to the ids of the columns that are shown in it, in their order."""
    size: tuple[_Pixels, _Pixels] = (1280, 820)

    def opened(self, location: str) -> "Preferences":
        """With this workspace as the newest one."""
        others = tuple(place for place in self.recent if place != location)
        return self.model_copy(update={"recent": (location, *others)[:_RECENT]})

    def with_person(self, location: str, name: str) -> "Preferences":
        """With this person as the one who works there."""
        return self.model_copy(update={"person": {**self.person, location: name}})

    def with_columns(self, name: str, shown: tuple[str, ...]) -> "Preferences":
        """With these columns in a list."""
        return self.model_copy(update={"columns": {**self.columns, name: shown}})

    def with_benchmark(self, location: str, name: str) -> "Preferences":
        """With this benchmark in front."""
        return self.model_copy(update={"benchmark": {**self.benchmark, location: name}})


def preferences_path() -> Path:
    """Where the preferences of this person lie."""
    return user_config_path("benchseal") / "window.json"


def load() -> Preferences:
    """What was remembered; the defaults where there is nothing or where the file is damaged."""
    path = preferences_path()
    try:
        if not path.exists():
            return Preferences()
        if path.is_file() and path.stat().st_size <= _MOST_BYTES:
            return Preferences.model_validate(parse_json(path.read_bytes()))
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read: %s", path, type(error).__name__)
        return Preferences()
    log.warning("%s is not a file of preferences", path)
    return Preferences()


def save(preferences: Preferences) -> None:
    """Write them in one step; they are on the disk when this returns."""
    path = preferences_path()
    make_durable_folder(path.parent)
    write_atomic(path, preferences.model_dump_json(indent=1) + "\n", durable=True)
