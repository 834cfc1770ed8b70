"""Tables of labelled data: CSV, GLUE's TSV, JSON lines, JSON and Parquet, row by row."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from core.errors import InputError, OutsideError
from core.i18n import tr
from core.llm.replies import clean
from core.sources.encodings import decode

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_DELIMITERS = (",", ";", "\t", "|")
_LONGEST_CELL = 2**24  # characters; Python's own limit is 2**17

Rows = Iterator[tuple[int, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class LabelledTable:
    """The columns of a file and its rows as ``(number from 1, {column: value})``.

    A row lacks the columns that its line lacks. ``no_objects`` counts the lines of JSON that are
    none.
    """

    header: tuple[str, ...]
    rows: Rows
    no_objects: int = 0


def open_table(path: Path) -> LabelledTable:
    """The table in a file, by its ending. Raises InputError where it holds none."""
    ending = path.suffix.lower()
    if ending == ".parquet":
        return _parquet(path)
    if ending in (".jsonl", ".ndjson"):
        return _of_objects(*_json_lines(text_of(path).split("\n")))
    if ending == ".json":
        return _of_objects(*_json_document(text_of(path)))
    if ending in (".csv", ".tsv", ".txt"):
        return _text_table(path, ending)
    raise InputError(
        tr(
            "“{path}” is of no kind that can be read. Give a TweetEval folder, or a file ending "
            "in .tsv, .csv, .json, .jsonl or .parquet.",
            path=path,
        )
    )


def text_of(path: Path) -> str:
    """The text of a file in whatever encoding; OutsideError where it may not be read."""
    try:
        return decode(path.read_bytes()).removeprefix("\ufeff")
    except OSError as error:
        raise OutsideError(
            tr("“{path}” cannot be read: {problem}.", path=path, problem=error.strerror or error)
        ) from error


def written(value: Any) -> str | None:
    """A cell as one line of text; None for what is no text, such as a list.

    Whole floats (a label column with gaps) lose their ``.0``.
    """
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, list | tuple | dict):
        return None
    return " ".join(clean(str(value)).split())


# --- CSV and TSV -----------------------------------------------------------------------------


def _text_table(path: Path, ending: str) -> LabelledTable:
    text = text_of(path)
    rows = _csv_rows(path, text) if ending == ".csv" else _tab_rows(text)
    header = tuple(name.strip() for name in next(rows, []))
    if len(header) < 2:
        raise InputError(
            tr("The first line of “{path}” does not name two or more columns.", path=path)
        )
    return LabelledTable(header, _by_header(path, header, rows, quoting=ending == ".csv"))


def _by_header(
    path: Path, header: Sequence[str], rows: Iterable[list[str]], *, quoting: bool
) -> Rows:
    for number, cells in enumerate(rows, start=1):
        if quoting and len(cells) < len(header) and "\n" in "".join(cells[-1:]):
            raise InputError(
                tr(
                    "In “{path}” a quotation mark that opens in row {row} is never closed, so "
                    "that everything after it would be lost. Close it, or double it.",
                    path=path,
                    row=number,
                )
            )
        if any(cells):
            # of two columns of one name the first counts
            yield number, dict(reversed(list(zip(header, cells, strict=False))))


def _csv_rows(path: Path, text: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST_CELL)
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    except csv.Error as error:
        raise InputError(
            tr("“{path}” cannot be read as a table: {problem}.", path=path, problem=error)
        ) from error


def _tab_rows(text: str) -> Iterator[list[str]]:
    """GLUE's TSV has no quoting: a lone quotation mark is part of the text. Copies written by
    other programs have it, and then every cell that begins with a mark is a well-formed one."""
    rows = [line.split("\t") for line in text.replace("\r\n", "\n").split("\n")]
    marked = [cell for row in rows for cell in row if cell.startswith('"')]
    if marked and all(_QUOTED.fullmatch(cell) for cell in marked):
        rows = [[_unquoted(cell) for cell in row] for row in rows]
    return iter(rows)


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def _delimiter(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(_DELIMITERS, key=first.count)


# --- JSON ------------------------------------------------------------------------------------


def _of_objects(rows: list[tuple[int, Any]], broken: int) -> LabelledTable:
    """Columns are those of all rows together: a row may lack what the next one has."""
    objects = [(number, row) for number, row in rows if isinstance(row, dict)]
    header = tuple(dict.fromkeys(name for _, row in objects for name in row))
    full = ((number, {**dict.fromkeys(header), **row}) for number, row in objects)
    return LabelledTable(header, full, broken + len(rows) - len(objects))


def _json_lines(lines: Iterable[str]) -> tuple[list[tuple[int, Any]], int]:
    rows: list[tuple[int, Any]] = []
    broken = 0
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                rows.append((number, json.loads(line)))
            except (ValueError, RecursionError):
                broken += 1
    return rows, broken


def _json_document(text: str) -> tuple[list[tuple[int, Any]], int]:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        return _json_lines(text.split("\n"))  # JSON lines under another name
    return list(enumerate(_rows_in(document), start=1)), 0


def _rows_in(document: Any) -> list[Any]:
    """The rows of a list, of the one list in an object, or of columns side by side."""
    if isinstance(document, list):
        return document
    if isinstance(document, dict) and document:
        lists = [value for value in document.values() if isinstance(value, list)]
        if len(lists) == len(document) > 1 and len({len(column) for column in lists}) == 1:
            return [dict(zip(document, cells, strict=True)) for cells in zip(*lists, strict=True)]
        nested = [value for value in lists if value and isinstance(value[0], dict)]
        if len(nested) == 1:
            return nested[0]
    return [document]


# --- Parquet ---------------------------------------------------------------------------------


def _parquet(path: Path) -> LabelledTable:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            header = tuple(str(name) for name in file.schema_arrow.names)
    except (pa.ArrowException, OSError) as error:
        raise _no_parquet(path, error) from error
    return LabelledTable(header, _parquet_rows(path))


def _parquet_rows(path: Path) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            rows = chain.from_iterable(b.to_pylist() for b in file.iter_batches(batch_size=4096))
            yield from enumerate(rows, start=1)
    except (pa.ArrowException, OSError) as error:
        raise _no_parquet(path, error) from error


def _no_parquet(path: Path, error: Exception) -> InputError:
    return InputError(
        tr("“{path}” cannot be read as Parquet: {problem}.", path=path, problem=error)
    )
