"""What every import format gives: rows with their place in the file, or the reason for none."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


class ImportRow(NamedTuple):
    """One row of a file. ``line`` is its line, or its place where the file has no lines, from 1.

    Of rows of several files ``file`` and ``row`` name the one it is from, and its place there.
    """

    line: int
    values: Mapping[str, Any]
    file: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that cannot be read, and why, in words for people."""

    line: int
    reason: str


Rows = Iterator[ImportRow | RefusedRow]


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """One kind of file. ``sniff`` says from a path and its first 64 kB whether it is this kind.

    ``rows`` reads the rows of a path, and of a table with ``sheet`` one of a workbook's; it raises
    InputError for a file that is not of the kind.
    """

    name: str
    title: str
    sniff: Callable[[Path, bytes], bool]
    rows: Callable[..., Rows]
    is_table: bool = False
    reads_folders: bool = False
    has_answers: bool = False
    """Whether it reads the answers that lie beside a file itself."""
