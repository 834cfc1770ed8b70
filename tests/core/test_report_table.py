"""Results as JSON objects."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.report_table import JsonFields


@dataclass(frozen=True, slots=True)
class Part(JsonFields):
    name: str
    score: float | None = None


@dataclass(frozen=True)
class Whole(JsonFields):
    _not_in_json = ("kept",)

    parts: tuple[Part, ...]
    by: Mapping[str, tuple[int, ...]]
    kept: object


def test_fields_are_plain_values_and_parts_are_objects() -> None:
    whole = Whole((Part("a", 0.5), Part("b")), MappingProxyType({"x": (1, 2)}), object())
    assert json.loads(json.dumps(whole.as_json())) == {
        "parts": [{"name": "a", "score": 0.5}, {"name": "b", "score": None}],
        "by": {"x": [1, 2]},
    }
