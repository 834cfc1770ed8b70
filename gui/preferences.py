"""What the window remembers of a person between two starts: language, theme, keys, where it was."""

import fcntl
import logging
from collections.abc import Mapping
from typing import Annotated

from pydantic import ConfigDict, Field

from core.bounded_json import parse_json
from core.files import make_durable_folder, write_atomic
from core.settings import MOST_BYTES, Settings, settings_path
from gui.theme import ReadingType

log = logging.getLogger(__name__)

_RECENT = 8
_Pixels = Annotated[int, Field(ge=100, le=100_000)]


class Preferences(Settings):
    """What is set, and what is only remembered: one JSON file in the person's own configuration
    folder; never in a workspace."""

    model_config = ConfigDict(frozen=True, extra="ignore")

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
    place: Mapping[str, str] = Field(default_factory=dict)
    """Workspace location to the panel that was in front last."""
    item: Mapping[str, int] = Field(default_factory=dict)
    """Workspace location to the item that was on the page in Review last."""

    @property
    def reading(self) -> ReadingType:
        """How the text of items is set."""
        return ReadingType(self.text_size, self.line_height, self.density, self.formulas)

    def with_place(self, location: str, panel: str, item: int) -> "Preferences":
        """With this panel in front, and this item on the page (0: none)."""
        items = {place: number for place, number in self.item.items() if place != location}
        if item:
            items[location] = item
        return self.model_copy(update={"place": {**self.place, location: panel}, "item": items})

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


def load() -> Preferences:
    """What was remembered; the defaults where there is nothing or where the file is damaged."""
    path = settings_path()
    try:
        if not path.exists():
            return Preferences()
        if path.is_file() and path.stat().st_size <= MOST_BYTES:
            return Preferences.model_validate(parse_json(path.read_bytes()))
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read: %s", path, type(error).__name__)
        return Preferences()
    log.warning("%s is not a file of preferences", path)
    return Preferences()


def save(preferences: Preferences, before: Preferences | None = None) -> None:
    """Write them in one step; they are on the disk when this returns.

    With ``before``, what this window began with, only what differs from it is written: what other
    windows changed meanwhile stays. One window writes at a time.
    """
    path = settings_path()
    make_durable_folder(path.parent)
    with (path.parent / "window.lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        kept = preferences if before is None else _merged(load(), before, preferences)
        write_atomic(path, kept.model_dump_json(indent=1) + "\n", durable=True)


def _merged(stored: Preferences, before: Preferences, after: Preferences) -> Preferences:
    """What is stored, with the changes from ``before`` to ``after``; a mapping entry by entry."""
    changes: dict[str, object] = {}
    for name in Preferences.model_fields:
        old, new, there = getattr(before, name), getattr(after, name), getattr(stored, name)
        if old == new:
            continue
        if isinstance(new, Mapping):
            gone = set(old) - set(new)
            differing = {key: value for key, value in new.items() if old.get(key) != value}
            new = {key: value for key, value in there.items() if key not in gone} | differing
        elif name == "recent":
            new = tuple(dict.fromkeys((*new, *there)))[:_RECENT]
        changes[name] = new
    return stored.model_copy(update=changes)
