"""Which columns of somebody's file hold running text, told by an example of each."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.i18n import listed
from core.sources.cell_text import cell_lines
from core.sources.tables import is_sentence, no_names, place_name, place_words

_REMARKS = frozenset({"explanation", "rationale", "reason", "comment", "comments", "note", "notes"})
"""Columns of running text that may tell the answer."""
_LEAST = 20
"""Characters of an example from which on it is running text."""
_LEAST_CHINESE = 8
_LONG = 400  # characters of what is a passage rather than a remark
_PAIRS = (
    ("premise", "hypothesis"),
    ("context", "sentence"),
    ("context", "hypothesis"),
    ("premises", "conclusion"),
)
_PARTED = frozenset({"sentence", "sent", "text", "question", "query", "premise", "utterance", "s"})
_PART = re.compile(r"(.+)([12ab])")
_SECOND = {"1": "2", "a": "b"}


def refuse_row_for_names(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """InputError where the first line of a table is a row, told by a name of a column that stands
    in that column again or is a sentence, and where several columns have no name, as below merged
    cells."""
    rows = list(rows)
    named = [name for name in (rows[0] if rows else ()) if name.strip()]
    unnamed = [name for place, name in enumerate(named, 1) if name == place_name(place)]
    if 1 < len(unnamed) < len(named):
        raise InputError.tr(
            "The line with the names of the columns of “{path}” is empty in {columns}. Put one "
            "name above each column, and delete what stands above the names.",
            path=path, columns=listed(map(place_words, unnamed))
        )  # fmt: skip
    again = (n for row in rows for n, value in row.items() if n.strip() and str(value).strip() == n)
    if name := next(chain(filter(is_sentence, named), again), ""):
        raise InputError(no_names(path, name))


def examples_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every column of the rows with the first value that says something."""
    examples: dict[str, Any] = {}
    for row in rows:
        for name, value in row.items():
            if examples.get(name) in (None, "", []):
                examples[name] = value
    return examples


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


def long_texts(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The columns that have a text of a paragraph or more, or a list of such, in most rows."""
    rows = list(rows)
    lengths = {
        name: sum(len(cell_lines(row.get(name))) >= _LONG for row in rows)
        for name in dict.fromkeys(name for row in rows for name in row)
        if any(isinstance(row.get(name), str | list) for row in rows)
    }
    return [
        name
        for name, count in lengths.items()
        if 2 * count > len(rows) and name.strip().casefold() not in _REMARKS
    ]


def _is_running(text: str) -> bool:
    if text.isascii():
        return len(text) >= _LEAST and len(text.split()) > 2
    return len(text) >= _LEAST or sum("一" <= sign <= "鿿" for sign in text) >= _LEAST_CHINESE


def paired_texts(examples: Mapping[str, Any]) -> tuple[str, str] | None:
    """The columns of a pair of texts, such as a premise and its hypothesis (SNLI, ANLI) or
    ``sentence1`` and ``sentence2`` (GLUE, CLUE); None where there is none."""
    plain = {
        re.sub(r"[\s_-]+", "", name).casefold(): name
        for name, value in examples.items()
        if (isinstance(value, str) and value.strip())
        or (isinstance(value, list) and value and all(isinstance(part, str) for part in value))
    }
    for first, second in _PAIRS:
        if first in plain and second in plain:
            return plain[first], plain[second]
    for name, first in plain.items():
        part = _PART.fullmatch(name)
        if part is None or part[1] not in _PARTED or part[2] not in _SECOND:
            continue
        if (second := part[1] + _SECOND[part[2]]) in plain:
            return first, plain[second]
    return None


def is_said_in(value: Any, texts: Sequence[str]) -> bool:
    """Whether a cell's whole content is in the texts that stand elsewhere."""
    if isinstance(value, list | tuple):
        alone = len(set(map(repr, value))) == len(value)  # what is there twice is there twice
        return alone and all(isinstance(v, str) and v.strip() in texts for v in value)
    if not isinstance(value, str):
        return False
    wanted = value.strip()
    return wanted in texts or any(f"\n{wanted}\n" in f"\n{text}\n" for text in texts)
