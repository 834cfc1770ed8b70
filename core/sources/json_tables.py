"""Rows of JSON: a line each, several lines each, a list, the list within an object, objects under
their ids, or columns side by side."""

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from operator import ne
from pathlib import Path
from typing import Any

from core.bounded_json import parse_json
from core.errors import InputError
from core.i18n import tr
from core.sources.text_files import LONGEST_LINE, json_document, lines_of
from core.sources.text_tables import UnreadableRow

_HOLDERS = ("data", "examples", "items")
JsonRow = tuple[int, dict[str, Any]] | UnreadableRow


def json_table_rows(path: Path, *, beside: bool = False) -> Iterator[JsonRow]:
    """Each row as ``(line, object)``, or why it is none; of a list the number from 1.

    With ``beside`` each row has what stands beside the rows in a document.

    Lines are read one at a time, a document as a whole. Raises InputError for a document that
    breaks.
    """
    lines = ((number, line) for number, line in enumerate(lines_of(path), 1) if line.strip())
    head = list(islice(lines, 2))
    if not head:
        return
    spread = head[0][1].strip() == "{"
    if _is_document(path, [line for _, line in head]) and not (spread and _are_several(path)):
        for number, value in enumerate(rows_in(path, json_document(path), beside=beside), 1):
            yield _row(number, value)
        return
    rows = chain(head, lines)
    for number, line in _spread(rows) if spread else rows:
        yield _line(number, line)


def _spread(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Objects over several lines, each to the brace at the beginning of a line, as one line each
    with the number of its first."""
    parts: list[str] = []
    begin = length = 0
    for number, line in lines:
        begin = begin if parts else number
        parts.append(line)
        length += len(line)
        if line.rstrip() in ("}", "},") or length > LONGEST_LINE:
            yield begin, "\n".join(parts).rstrip().removesuffix(",")
            parts, length = [], 0
    if parts:
        yield begin, "\n".join(parts)


def _is_document(path: Path, lines: list[str]) -> bool:
    first = lines[0].strip()
    if first.startswith("["):
        return True
    if path.suffix.lower() != ".json":
        return False
    return len(lines) == 1 or (first.startswith("{") and not _is_object(first))


def _are_several(path: Path) -> bool:
    """Whether an object that ends at the beginning of a line has another one behind it."""
    ended = False
    for line in lines_of(path):
        if ended and line.strip():
            return line.startswith("{")
        ended = line.rstrip() == "}"
    return False


def _is_object(line: str) -> bool:
    try:
        return isinstance(parse_json(line), dict)
    except ValueError:
        return False


def _line(number: int, line: str) -> JsonRow:
    try:
        written = line.encode()
    except UnicodeEncodeError:
        reason = tr("It contains bytes that are not valid in the file's encoding.")
        return UnreadableRow(number, reason)
    try:
        return _row(number, parse_json(written, as_written=True))
    except ValueError:
        return UnreadableRow(number, tr("It is not valid JSON."))


def _row(number: int, value: Any) -> JsonRow:
    if isinstance(value, dict):
        if any(map(ne, value.values(), value.values())):  # pandas writes NaN for an empty cell
            value = {name: None if cell != cell else cell for name, cell in value.items()}
        return number, value
    return UnreadableRow(number, tr("It is not a JSON object."))


def rows_in(path: Path, document: Any, *, beside: bool = False) -> list[Any]:
    """The rows of a list, of the one list in an object, of objects that stand under their ids, or
    of columns side by side; of lists under the names of splits, those of all with their ``split``.
    """
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        raise InputError.tr("“{path}” does not contain a list of rows.", path=path)
    lists = [value for value in document.values() if isinstance(value, list) and _is_column(value)]
    if len(lists) == len(document) > 1 and len({len(column) for column in lists}) == 1:
        return [dict(zip(document, cells, strict=True)) for cells in zip(*lists, strict=True)]
    if (rows := _under_ids(document)) is not None:
        return rows
    nested = [n for n, value in document.items() if isinstance(value, list) and value
              and isinstance(value[0], dict)]  # fmt: skip
    if len(nested) == len(document) > 1:  # splits
        return [with_surroundings(row, {"split": name}) if isinstance(row, dict) else row
                for name in nested for row in document[name]]  # fmt: skip
    held = next((n for n in _HOLDERS if not nested and isinstance(document.get(n), dict)), "")
    if held:
        rows = rows_in(path, document[held], beside=beside)
        about = {name: value for name, value in document.items() if beside and name != held}
        return [with_surroundings(row, about) if isinstance(row, dict) else row for row in rows]
    if not document or [] in [document.get(name) for name in _HOLDERS] + _all_alike(document):
        return []
    if len(nested) != 1:
        return [document]
    listed: list[Any] = document[nested[0]]
    if not beside:
        return listed
    about = {name: value for name, value in document.items() if name != nested[0]}
    return [with_surroundings(row, about) if isinstance(row, dict) else row for row in listed]


def _all_alike(document: Mapping[str, Any]) -> list[Any]:
    """What all names of an object stand for, where that is the same; else nothing."""
    values = list(document.values())
    return values[:1] if values.count(values[0]) == len(values) else []


def _is_column(values: list[Any]) -> bool:
    return not values or not all(isinstance(value, dict) for value in values)


def _under_ids(document: Mapping[str, Any]) -> list[Any] | None:
    """The objects of an object that have most of their names in common, each with what it stands
    under as its ``id``; None for any other. As pandas writes columns, numbers name the rows."""
    values = list(document.values())
    if len(values) < 2 or not all(isinstance(value, dict) and value for value in values):
        return None
    names = dict.fromkeys(name for value in values for name in value)
    shared = set(names).intersection(*values)
    if 2 * len(shared) < len(names):
        return None
    if all(name.isdecimal() for name in names):
        return [{n: cells[row] for n, cells in document.items() if row in cells} for row in names]
    return [with_surroundings(value, {"id": name}) for name, value in document.items()]


def with_surroundings(row: Mapping[str, Any], *around: Mapping[str, Any]) -> dict[str, Any]:
    """A row with what stands around it in its document, the nearest first: nothing of it
    overwrites another, for what has a name that is taken gets ``document.`` before its own."""
    whole = dict(row)
    for about in around:
        for name, value in about.items():
            free = name
            while free in whole:
                free = f"document.{free}"
            whole[free] = value
    return whole
