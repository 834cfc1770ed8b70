"""JSON from outside: never deeper than it may be, and only text and numbers that can be stored."""

import json
import re
from typing import Any

MOST_DEPTH = 128
MOST_INTEGER = 2**63 - 1  # what a column of a database holds
_LONG_NUMBER = re.compile(rb"\d{19}")
_ODD_TEXT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


def parse_json(data: bytes | str, *, most_depth: int = MOST_DEPTH) -> Any:
    """The value of a JSON text.

    Raises ValueError where it is not JSON, is nested deeper than ``most_depth``, or holds an
    integer that no database stores. NUL and half surrogate pairs, which nothing can write, are
    replaced.
    """
    from pydantic_core import from_json

    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        value = from_json(raw)
    except ValueError:
        try:
            # four times as slow, but it reads half a surrogate pair, and says what is off
            value = json.loads(raw)
        except RecursionError:
            raise ValueError(f"it is nested deeper than {most_depth} levels") from None
    if raw.count(b"[") + raw.count(b"{") > most_depth:
        refuse_deep(value, most_depth)
    if _LONG_NUMBER.search(raw):
        _refuse_long_numbers(value)
    return _writable(value) if _ODD_TEXT.search(raw) else value


def refuse_deep(value: Any, most: int) -> None:
    """ValueError for a value of lists and dicts that is nested deeper than ``most`` levels."""
    level = [value]
    for _ in range(most + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise ValueError(f"it is nested deeper than {most} levels")


def _refuse_long_numbers(value: Any) -> None:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _refuse_long_numbers(inner)
    elif isinstance(value, int) and not -MOST_INTEGER <= value <= MOST_INTEGER:
        raise ValueError("it holds a number that is too large")


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    if isinstance(value, list):
        return [_writable(inner) for inner in value]
    if isinstance(value, dict):
        return {_writable(name): _writable(inner) for name, inner in value.items()}
    return value
