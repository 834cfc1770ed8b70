"""Reading items in the form in which the ArxivRoll benchmark is published.

One JSON object with the lists ``s``, ``c`` and ``p``, or JSON lines of such items. Four options
stand under ``A``–``D`` or ``Selection 1``–``Selection 4``. What is missing is read as empty,
so that the defect checks can speak of it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.families.base import ItemContent
from core.families.scp_payload import CLOZE, LETTERS, PREDICTION, SEQUENCING, mask_mark

LISTS = {"s": SEQUENCING, "c": CLOZE, "p": PREDICTION}

_MASK = re.compile(r"<\|\s*masked?[ _]*se[nt]*ence\s*\|>", re.IGNORECASE)
_LETTER = re.compile(r"\*\*\s*([A-H])\s*(?:\*\*\s*:|:\s*\*\*)")
_BETWEEN_LETTERS = re.compile(r"[\s,;>→()-]+")
_LABEL = re.compile(r"(?:Selection\s*)?([1-8]|[A-H])\s*$", re.IGNORECASE)


def format_of(row: Any) -> str | None:
    """The format of a published item, by its fields; None for anything else."""
    if not isinstance(row, Mapping):
        return None
    if "shuffled_text" in row:
        return SEQUENCING
    if "text_with_holes" in row:
        return CLOZE
    if "context" in row and ("label" in row or "A" in row):
        return PREDICTION
    return None


def is_collection(value: Any) -> bool:
    """Whether a JSON value is the one object with lists of items."""
    return (
        isinstance(value, Mapping)
        and any(name in value for name in LISTS)
        and all(isinstance(value[name], list) for name in LISTS if name in value)
    )


def rows_of(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The items of a collection with their places, such as ``s[3]`` (from 1)."""
    for name in LISTS:
        for number, row in enumerate(value.get(name, ()), 1):
            yield f"{name}[{number}]", row


def to_item(row: Mapping[str, Any], format: str) -> ItemContent:
    """A published item as ours; the label's index, or -1 where it names no option."""
    options = _options(row)
    if format != PREDICTION:
        options = [_BETWEEN_LETTERS.sub("", option) for option in options]
    key = _key(row.get("label"))
    payload: dict[str, Any]
    if format == SEQUENCING:
        payload = {"parts": _lettered(row.get("shuffled_text")), "orders": options, "key": key}
    elif format == CLOZE:
        payload = {
            "text": _numbered(str(row.get("text_with_holes") or "")),
            "candidates": _lettered(row.get("text_candidates")),
            "assignments": options,
            "key": key,
        }
    else:
        payload = {"context": str(row.get("context") or ""), "options": options, "key": key}
    return ItemContent("scp", format, payload, {"form": "arxivroll"})


def _options(row: Mapping[str, Any]) -> list[str]:
    options = []
    for number, letter in enumerate(LETTERS, 1):
        value = row.get(letter, row.get(f"Selection {number}"))
        if value is not None:
            options.append(value if isinstance(value, str) else str(value))
    return options


def _key(label: Any) -> int:
    if isinstance(label, int) and not isinstance(label, bool):
        return label
    match = _LABEL.match(str(label or "").strip())
    if match is None:
        return -1
    name = match.group(1).upper()
    return int(name) - 1 if name.isdigit() else LETTERS.index(name)


def _lettered(text: Any) -> list[str]:
    """The texts behind ``**A**:``, ``**B**:`` and so on, in the order of appearance."""
    if isinstance(text, list):
        return [str(piece) for piece in text]
    pieces = _LETTER.split(str(text or ""))
    return [piece.strip() for piece in pieces[2::2]]


def _numbered(text: str) -> str:
    number = 0

    def next_hole(_: re.Match[str]) -> str:
        nonlocal number
        number += 1
        return mask_mark(number)

    return _MASK.sub(next_hole, text)
