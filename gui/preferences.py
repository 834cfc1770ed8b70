"""What the window remembers of a person between two starts: language, theme, keys, where it was."""

from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.files import write_atomic

_RECENT = 8


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
    size: tuple[int, int] = (1280, 820)

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
    try:
        return Preferences.model_validate_json(preferences_path().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return Preferences()


def save(preferences: Preferences) -> None:
    """Write them in one step."""
    path = preferences_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, preferences.model_dump_json(indent=1) + "\n")
