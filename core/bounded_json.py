"""JSON from outside: never deeper or costlier than it may be, and only text and numbers that can
be stored."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson
from pydantic_core import from_json

from core.files import read_regular

MOST_DEPTH = 128
MOST_DOCUMENT = 32 * 2**20  # bytes of a file that is read at once
MOST_LINE = 32 * 2**20  # bytes of a line of JSON
MOST_INTEGER = 2**63 - 1  # what a column of a database holds
_MOST_VALUES = 600 * 2**20  # bytes of memory for the values of a small text
_DIGITS = bytes(0x30 if chr(byte) in "0123456789" else 0x20 for byte in range(256))
_LONG_NUMBER = b"0" * 19
_TEXT = frozenset((str,))
_ODD_TEXT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


def parse_json(data: bytes | str, *, most_depth: int = MOST_DEPTH, as_written: bool = False) -> Any:
    """The value of a JSON text.

    Raises ValueError where it is not JSON, is nested deeper than ``most_depth``, holds an integer
    that no database stores, or would need far more memory than its size. NUL and half surrogate
    pairs, which nothing can write, are replaced, or kept ``as_written`` for who refuses them.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if is_costly(raw):
        raise ValueError("its values need too much memory for a text of its size")
    try:
        value = orjson.loads(raw)
    except ValueError:
        value = _read_exactly(raw, most_depth)
    if _is_row_of_texts(value):  # nothing that is deep, and no number
        return value if as_written or not _ODD_TEXT.search(raw) else _writable(value)
    long_number = _LONG_NUMBER in raw.translate(_DIGITS)
    if long_number:  # orjson makes of a whole number that is too long one that is not whole
        value = _read_exactly(raw, most_depth)
    if raw.count(b"[") + raw.count(b"{") > most_depth:
        refuse_deep(value, most_depth)
    if long_number:
        _refuse_long_numbers(value)
    return value if as_written or not _ODD_TEXT.search(raw) else _writable(value)


def _read_exactly(raw: bytes, most_depth: int) -> Any:
    try:
        return from_json(raw)
    except ValueError:
        try:
            # four times as slow, but it reads half a surrogate pair, and says what is off
            return json.loads(raw)
        except RecursionError:
            raise ValueError(f"it is nested deeper than {most_depth} levels") from None


def _is_row_of_texts(value: Any) -> bool:
    return type(value) is dict and _TEXT.issuperset(map(type, value.values()))


def read_document(path: str | Path) -> Any:
    """The JSON document in a file that somebody else may have written.

    Raises OSError for a file that cannot be opened, is not a regular one or has more than
    ``MOST_DOCUMENT`` bytes, and ValueError as ``parse_json``.
    """
    return parse_json(read_regular(path, MOST_DOCUMENT))


def bounded_lines(handle: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, one of more than ``MOST_LINE`` bytes in pieces that are no JSON."""
    return iter(lambda: handle.readline(MOST_LINE), b"")


def is_costly(text: bytes | str) -> bool:
    """Whether the values of a JSON text would take far more memory than the text itself does."""
    most = _MOST_VALUES + 16 * len(text)
    if 240 * len(text) <= most:  # not even if every character began an object
        return False
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return 70 * raw.count(b"[") + 240 * raw.count(b"{") + 60 * raw.count(b",") > most


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
