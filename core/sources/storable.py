"""What no database keeps of a value from a file: a NUL, half a character, a number without end."""

import math
from collections.abc import Mapping
from typing import Any

import orjson

from core.i18n import tr
from core.sources.text_files import is_damaged


def unstorable(value: Any) -> str:
    """Why no database keeps such a value; empty where nothing is wrong."""
    try:
        written = orjson.dumps(value)
    except TypeError:  # half a surrogate pair, or what JSON has not
        return _what_is_unstorable(value)
    # a number that is not finite becomes null
    odd = b"\\u0000" in written or b"null" in written
    return _what_is_unstorable(value) if odd else ""


def _what_is_unstorable(value: Any) -> str:
    if isinstance(value, str):
        if "\x00" in value:
            return tr("It contains a NUL character, which is not allowed in texts.")
        if is_damaged(value):
            return tr("It contains half a character (an unpaired surrogate).")
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return tr("It contains a number that is not finite.")
    parts: list[Any] = []
    if isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple):
        parts = list(value)
    return next((problem for part in parts if (problem := _what_is_unstorable(part))), "")
