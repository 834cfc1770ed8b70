"""Single cells of tables, as text, and how many of them a table may have."""

import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from core.errors import InputError

_HAN = re.compile(r"[\u3400-\u9fff]")
_MOST_CELLS = 20_000_000
_MOST_COLUMNS = 16_384  # as many as a sheet of Excel
_NO_VALUE = frozenset({"", "nan", "na", "n/a", "null", "none", "-", "–", "—"})


def has_no_value(text: str) -> bool:
    """Whether the cell of a figure says that there is none: empty, NaN, n/a, a dash."""
    return text.strip().lower() in _NO_VALUE


def cell_text(value: Any) -> str:
    """A value as it would stand in a cell of a text file; whole numbers without ``.0``."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, datetime):
        return str(value).removesuffix(" 00:00:00")
    return str(value)


def cell_lines(value: Any) -> str:
    """A value as text, of a list a line for each part of it, of a table a line for each row."""
    if not isinstance(value, list | tuple):
        return cell_text(value)
    return "\n".join(
        " | ".join(map(cell_text, part)) if isinstance(part, list | tuple) else cell_text(part)
        for part in value
    )


def in_a_row(parts: Iterable[object]) -> str:
    """Short texts of a list in one, as their own language lists them: “a, b”, but “甲、乙”."""
    texts = [str(part) for part in parts]
    return ("、" if any(map(_HAN.search, texts)) else ", ").join(texts)


def refuse_many_columns(path: Path, count: int) -> None:
    """Raise InputError for more columns than a table of rows has."""
    if count > _MOST_COLUMNS:
        raise InputError.trn(
            "“{path}” has 1 column; the limit is {most}.",
            "“{path}” has {n} columns; the limit is {most}.",
            count,
            path=path,
            most=_MOST_COLUMNS,
        )


def refuse_many_cells(path: Path, rows: int, columns: int) -> None:
    """Raise InputError for a table that would not fit into memory, whatever its size on disk."""
    if rows * columns > _MOST_CELLS:
        raise InputError.trn(
            "“{path}” has 1 cell; the limit is {most}.",
            "“{path}” has {n} cells; the limit is {most}.",
            rows * columns,
            path=path,
            most=_MOST_CELLS,
        )
