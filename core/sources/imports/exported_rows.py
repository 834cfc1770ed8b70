"""Rows that Benchseal wrote for other programs, with the item that each was made of."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from core.bounded_json import parse_json
from core.i18n import tr
from core.sources.imports.base import ImportRow, RefusedRow

SHOWN_ANSWER = "shown_answer"
"""Beside an item: the answer that its row shows, which somebody may have changed there alone."""
_ITEM = "item"
_PARTED = re.compile(r"item (\d+)")  # as a workbook has a text that is too long for a cell
_MADE = frozenset({
    *("uid", "id", "task", "family", "format", "domain", "prompt", "input", "question", "choices"),
    *("target", "answer", "references", "read", "metadata", _ITEM, *"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
})  # fmt: skip

Found = ImportRow | RefusedRow


def with_items(rows: Iterable[Found]) -> tuple[bool, Iterator[Found]]:
    """Whether the first row that can be read has an item beside it, and the rows; if so the items,
    each with the columns that no export writes, such as annotations."""
    stream = iter(rows)
    before: list[Found] = []
    for row in stream:
        before.append(row)
        if isinstance(row, ImportRow):
            break
    last = before[-1] if before else None
    exported = isinstance(last, ImportRow) and _item_of(last.values) is not None
    whole = chain(before, stream)
    return exported, map(_unwrapped, whole) if exported else whole


def _item_of(values: Mapping[str, Any]) -> dict[str, Any] | None:
    if {"family", "payload"} <= values.keys():  # it is one
        return None
    about = values.get("metadata")  # of Inspect's samples
    text = values.get(_ITEM) or (about.get(_ITEM) if isinstance(about, Mapping) else None)
    parts = {int(m[1]): v for n, v in values.items() if (m := _PARTED.fullmatch(n))}
    if text is None and parts:
        text = "".join(str(parts[number] or "") for number in sorted(parts))
    if not isinstance(text, str) or not text.startswith("{"):
        return None
    try:
        item = parse_json(text)
    except ValueError:
        return None
    known = isinstance(item, dict) and item.keys() >= {"family", "payload", "content_hash"}
    return item if known else None


def _unwrapped(row: Found) -> Found:
    if isinstance(row, RefusedRow):
        return row
    item = _item_of(row.values)
    if item is None:
        return RefusedRow(row.line, tr("It is not an item: family or payload is missing."))
    more = {
        name: value
        for name, value in row.values.items()
        if name not in _MADE and not _PARTED.fullmatch(name) and value not in (None, "")
    }
    shown = row.values.get("target", row.values.get("answer"))
    return ImportRow(row.line, {**more, SHOWN_ANSWER: shown, **item}, row.file, row.row)
