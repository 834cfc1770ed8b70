"""Which columns of somebody's file hold running text, told by an example of each."""

from collections.abc import Collection, Mapping
from typing import Any

_REMARKS = frozenset({"explanation", "rationale", "reason", "comment", "comments", "note", "notes"})
"""Columns of running text that may tell the answer."""
_LEAST = 20
"""Characters of an example from which on it is running text."""
_LEAST_CHINESE = 8


def running_texts(examples: Mapping[str, Any], taken: Collection[str]) -> list[str]:
    """The columns beside ``taken`` whose example is a text of several words, and no remark."""
    return [
        name
        for name, value in examples.items()
        if name not in taken
        and name.strip().casefold() not in _REMARKS
        and isinstance(value, str)
        and _is_running(value.strip())
    ]


def _is_running(text: str) -> bool:
    if text.isascii():
        return len(text) >= _LEAST and len(text.split()) > 2
    return len(text) >= _LEAST or sum("一" <= sign <= "鿿" for sign in text) >= _LEAST_CHINESE
