"""What a dataclass is as a JSON object: its fields by their names."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


class JsonFields:
    """A dataclass whose JSON object holds its fields; ``_not_in_json`` are left out."""

    __slots__ = ()
    _not_in_json: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """One object: tuples as lists, mappings as objects, and parts by their own ``as_json``."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in fields(self)  # type: ignore[arg-type]
            if field.name not in self._not_in_json
        }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return value.as_json() if hasattr(value, "as_json") else value
