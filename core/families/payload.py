"""The typed content of an item revision, and what a mapping finds for it in a row of a file."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.sources.cell_text import cell_lines, cell_text, in_a_row

_LISTS = (list, tuple)
_LONGEST_LABEL = 60  # characters; what is longer in a list is a text of its own


class Payload(BaseModel):
    """The content of one item revision. Frozen; its canonical JSON is what is hashed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def fitted(value: Any, info: Any) -> Any:
    """The cell of a table as a field of a payload takes it: numbers and truth values become text
    where text is wanted, one text a list where a list is wanted. ``info`` is the field's
    ``FieldInfo``."""
    wants_text = info.annotation is str
    if wants_text and isinstance(value, str):
        return value
    if wants_text and isinstance(value, bool):
        return str(value).lower()
    if wants_text and isinstance(value, int | float):
        return cell_text(value)
    if wants_text and isinstance(value, list) and all(isinstance(v, str | int) for v in value):
        parts = [str(part) for part in value]
        long = any(len(part) > _LONGEST_LABEL or "\n" in part for part in parts)
        return "\n".join(parts) if long else in_a_row(parts)
    if wants_text and isinstance(value, list) and all(isinstance(v, dict) for v in value):
        return json.dumps(value, ensure_ascii=False)  # what is to be found in a text, as it is
    if "tuple" in str(info.annotation) and isinstance(value, str):
        text = value.strip()
        separator = next((sign for sign in ("|", "、", ";", "；", ",", "，") if sign in text), None)
        return [part.strip() for part in text.split(separator) if part.strip()]
    return value


@lru_cache(maxsize=256)  # asked of every row again
def mapped_columns(source: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that a part of a mapping takes its values from, of a file with these."""
    from core.families.choice_columns import FROM_ONE, FROM_ZERO  # few commands read files

    if source.startswith("="):
        return ()
    if source not in columns and source.endswith((FROM_ZERO, FROM_ONE)):
        source = source[:-2]
    return (source,) if source in columns or "+" not in source else tuple(source.split("+"))


def mapped_value(values: Mapping[str, Any], source: str, *, listed: bool) -> Any:
    """What a row has for a part of a mapping; ``listed`` for a field that holds a list."""
    if not source:
        return None
    if source.startswith("="):
        return source[1:]
    if source in values:
        return values[source]
    columns = mapped_columns(source, tuple(values))
    if len(columns) == 1:
        value = _cell(values, columns[0])
        counted = source[-2:] if columns[0] != source else ""
        return (counted, value) if counted else value
    cells = [_cell(values, column) for column in columns]
    if listed:
        from core.families.choice_columns import listed_cell

        cells = [listed_cell(name, cell) for name, cell in zip(columns, cells, strict=True)]
        parts = [part for cell in cells for part in (cell if isinstance(cell, _LISTS) else [cell])]
        return [cell_text(part) for part in parts]
    return "\n".join(text for text in map(cell_lines, cells) if text)


def _cell(values: Mapping[str, Any], column: str) -> Any:
    """A column's value, or that of a field of an object in a column."""
    name, _, field = column.partition(".")
    value = values.get(name)
    if column in values or not isinstance(value, Mapping):
        return values.get(column)
    return value.get(field)
