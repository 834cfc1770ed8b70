"""How JSON is written in a column: characters as they are, not by their numbers."""

import json
from typing import Any

import orjson

_as_they_are = json.JSONEncoder(ensure_ascii=False).encode
_sorted = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_SURE = frozenset((str, int, bool, type(None)))  # what orjson neither changes nor spells otherwise


def write_json(value: Any) -> str:
    """A value as JSON text, which takes half the place in Chinese of what numbers would take."""
    written = _quickly(value, 0)
    if written is not None:
        return written
    slowly = _as_they_are(value)
    try:
        slowly.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return json.dumps(value)
    return slowly


def sorted_json(value: Any) -> str:
    """As ``write_json``, with the keys in their order; half a surrogate pair stays as it is."""
    written = _quickly(value, orjson.OPT_SORT_KEYS)
    return _sorted(value) if written is None else written


def _quickly(value: Any, option: int) -> str | None:
    if not _is_sure(value):  # a number that is not finite would become null
        return None
    try:
        return orjson.dumps(value, option=option).decode()
    except TypeError:  # half a surrogate pair, a very large number, a key that is no text
        return None


def _is_sure(value: Any) -> bool:
    kind = type(value)
    if kind in _SURE:
        return True
    if kind is dict:
        return all(map(_is_sure, value.values()))
    if kind in (list, tuple):
        return all(map(_is_sure, value))
    return isinstance(value, str)  # a stored word of an enumeration
