"""Pairs of answers of which one was preferred: ``chosen`` and ``rejected``, texts or conversations
(HH-RLHF, UltraFeedback, files for DPO)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from core.i18n import tr
from core.sources.imports.base import Rows
from core.sources.imports.json_rows import first_object, rows_inside

_CHOSEN, _REJECTED = "chosen", "rejected"
_ASKED = ("prompt", "question", "query")
_TOLD = ("instruction", "input")
_TEXTS = ("content", "value", "text")
_SPEAKERS = ("role", "from")
_SPEAKER = re.compile(r"\n\n(Human|Assistant): ?")
_Turn = tuple[str, str]
"""Who speaks, empty where nothing tells, and what."""


def is_preference(_path: Path, head: bytes) -> bool:
    """A JSON object with what was chosen and what was rejected."""
    return first_object(head).keys() >= {_CHOSEN, _REJECTED}


def preference_rows(path: Path) -> Rows:
    """One row a pair: its question, the text of each answer, and what else stands beside it.

    The question is a column's, else instruction and input, else what both conversations begin
    with. Conversations
    that are lists of turns are kept under ``turns``.
    """
    return rows_inside(path, _pair)


def _pair(values: Mapping[str, Any]) -> Iterator[dict[str, Any] | str]:
    given = {name: values.get(name) for name in (_CHOSEN, _REJECTED)}
    lists = all(isinstance(value, list) for value in given.values())
    turns = {name: _turns(value) for name, value in given.items()}
    if not all(turns.values()):
        yield tr("It does not have two answers to compare.")
        return
    before, answers = _shared(turns[_CHOSEN], turns[_REJECTED])
    asked: dict[str, Any] = {}
    if not any(values.get(name) for name in _ASKED):
        told = [str(values[name]) for name in _TOLD if values.get(name)]
        asked = {"question": "\n".join(told) or before}
    kept = {"turns": given} if lists else {}
    used = {*given, *(_TOLD if asked else ())}
    rest = {name: value for name, value in values.items() if name not in used}
    yield {**asked, **dict(zip(given, answers, strict=True)), **rest, **kept}


def _turns(value: Any) -> list[_Turn]:
    """The turns of a conversation in their order; of a plain answer it alone."""
    if isinstance(value, str):
        parts = _SPEAKER.split(value)
        turns = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    else:
        given = [turn for turn in (value if isinstance(value, list) else [value])
                 if isinstance(turn, dict)]  # fmt: skip
        turns = [(_first(turn, _SPEAKERS), _first(turn, _TEXTS)) for turn in given]
    return [(speaker, text.strip()) for speaker, text in turns if text.strip()]


def _first(turn: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((turn[name] for name in names if isinstance(turn.get(name), str)), "")


def _shared(first: Sequence[_Turn], second: Sequence[_Turn]) -> tuple[str, tuple[str, str]]:
    """What two conversations begin with, and how each goes on; each goes on with one turn at
    least."""
    pairs = zip(first[:-1], second[:-1], strict=False)
    count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return _written(first[:count]), (_written(first[count:]), _written(second[count:]))


def _written(turns: Sequence[_Turn]) -> str:
    """One turn as it is, several with their speakers."""
    if len(turns) == 1:
        return turns[0][1]
    return "\n\n".join(f"{speaker}: {text}" if speaker else text for speaker, text in turns)
