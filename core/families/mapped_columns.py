"""What a mapping finds in a row: a column, a field of an object in one, several, or a value."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from core.families.choice_columns import FROM_ONE, FROM_ZERO, listed_cell
from core.sources.cell_text import cell_lines, cell_text

_LISTS = (list, tuple)


@lru_cache(maxsize=256)  # asked of every row again
def mapped_columns(source: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that a part of a mapping takes its values from, of a file with these."""
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
