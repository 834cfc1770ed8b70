"""JSON as columns hold it: written with its characters rather than escapes, and read."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from itertools import count
from typing import Any

import orjson

_as_they_are = json.JSONEncoder(ensure_ascii=False).encode
_sorted = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
_SURE = frozenset((str, int, bool, type(None)))  # what orjson neither changes nor spells otherwise

_FEW = 300  # texts that are read before the quick reader is worth its import
_read = count(1)


@cache
def _quick_reader() -> Callable[[str], Any]:
    from pydantic_core import from_json

    return from_json


def read_json(text: str) -> Any:
    """As ``json.loads``, three times as quick where many are read: a report reads twenty thousand
    payloads. ValueError for what is no JSON, or is nested too deeply."""
    if next(_read) > _FEW:
        try:
            return _quick_reader()(text)
        except ValueError:
            pass  # json also reads half a surrogate pair
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def write_json(value: Any, option: int = 0) -> str:
    """A value as JSON text, in Chinese half as long as with escapes; ``option`` is for values that
    orjson writes."""
    written = _quickly(value, option)
    if written is not None:
        return written
    slowly = _as_they_are(value)
    try:
        slowly.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return json.dumps(value)
    return slowly


class SpelledPayload(dict[str, Any]):
    """A payload that stays as it is, with the ``text`` that ``write_payload`` makes of it."""

    __slots__ = ("text",)

    def __init__(self, payload: Mapping[str, Any], text: str) -> None:
        super().__init__(payload)
        self.text = text


def write_payload(value: Any) -> str:
    """A payload as JSON text, with its keys in their order where it holds nothing odd: most are
    stored in the very spelling that is hashed, and who reads them need not spell them again."""
    if type(value) is SpelledPayload:
        return value.text
    return write_json(value, orjson.OPT_SORT_KEYS)


def sorted_json(value: Any) -> str:
    """As ``write_json``, with the keys in their order and no blank between the parts, whatever
    encoder writes it; half a surrogate pair stays as it is."""
    written = _quickly(value, orjson.OPT_SORT_KEYS)
    return _sorted(value) if written is None else written


def _quickly(value: Any, option: int) -> str | None:
    if not _is_sure(value):  # a number that is not finite would become null
        return None
    try:
        return orjson.dumps(value, option=option).decode()
    except TypeError:  # half a surrogate pair, a very large number, a key that is not a text
        return None


def _is_sure(value: Any) -> bool:
    kind = type(value)
    if kind in _SURE:
        return True
    parts = value.values() if kind is dict else value if kind in (list, tuple) else None
    if parts is None:
        return isinstance(value, str)  # a stored word of an enumeration
    # most objects hold nothing else: their kinds are looked at all at once
    if _SURE.issuperset(map(type, parts)):
        return True
    for part in parts:  # noqa: SIM110 (half as long as a generator)
        if type(part) not in _SURE and not _is_sure(part):
            return False
    return True
