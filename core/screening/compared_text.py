"""The text of an item by which it is compared with others, and shown in one line of a list."""

from collections.abc import Mapping
from typing import Any, Protocol

from core.families import family
from core.families.base import ItemContent

ASKED = "\u2029"
"""Stands before what is asked of a passage, which other items may share."""


class HoldsContent(Protocol):
    """An item, or a row of one, with what its family reads."""

    @property
    def family(self) -> str: ...

    @property
    def format(self) -> str: ...

    @property
    def payload(self) -> Mapping[str, Any]: ...


def own_text(content: HoldsContent) -> str:
    """The item's own text, without an instruction that all of a task share, and with ``ASKED``
    behind its passage if it has one."""
    payload = dict(content.payload)
    if content.family == "instruction" and str(payload.get("input", "")).strip():
        payload["instruction"] = ""
    passage = str(payload.get("passage") or "")
    if passage:
        payload["passage"] = ""
    bare = ItemContent(content.family, content.format, payload)
    text = family(content.family).plain_text(bare)
    return f"{passage}\n{ASKED}{text}" if passage else text
