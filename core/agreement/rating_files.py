"""Ratings from a file: reading the text, its delimiter and header."""

import csv
import io
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from core.agreement.layouts import (
    ID_WORDS,
    LAYOUTS,
    Sheet,
    guess_layout,
    refuse_totals,
    table_of_sheet,
)
from core.agreement.ratings import RatingTable, as_number, is_missing
from core.errors import InputError, NotFoundError
from core.i18n import tr, trn

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 200
_SHOWN = 20
_MARKS = (  # the longer ones first: UTF-32 begins like UTF-16
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_DELIMITER_LINE = re.compile(r"sep=([,;|\t])\r?\n", re.IGNORECASE)
"""How a spreadsheet is told the delimiter, in a line before the table."""


def read_ratings(path: Path, layout: str | None = None) -> RatingTable:
    """Ratings of a delimited text file.

    Layouts: ``raters`` (a row per item, a column per rater, empty where missing, a leading id
    column allowed), ``counts`` (a row per item, a column per category), ``contingency`` (two
    raters' square table with the categories as row and column labels) and ``long`` (item, rater,
    value). Without ``layout`` it is guessed where it is plain, and asked for where not.
    """
    if layout is not None and layout not in LAYOUTS:
        raise InputError(
            tr(
                "There is no layout “{name}”. Choose one of {known}.",
                name=layout,
                known=", ".join(LAYOUTS),
            )
        )
    sheet = read_sheet(path, layout)
    refuse_totals(sheet)
    guess = guess_layout(sheet)
    chosen = layout or guess
    if chosen is None:
        raise InputError(
            tr(
                "It is not plain whether the columns of {path} are raters or categories. "
                "Say --layout raters or --layout counts.",
                path=path,
            )
        )
    table = table_of_sheet(sheet, chosen)
    return replace(table, remarks=(*table.remarks, *_remarks(sheet, guess, chosen)))


def _remarks(sheet: Sheet, guess: str | None, chosen: str) -> list[str]:
    """What a reader may have meant otherwise."""
    found = []
    if len(sheet.columns) == 1:
        found.append(
            tr(
                "{path} has only one column. Columns are separated by a comma, a semicolon, a tab "
                "or “|”.",
                path=sheet.path,
            )
        )
    if sheet.header is not None and _numbers_columns(sheet.header):
        found.append(
            tr(
                "The first line of {path} was read as names: {names}. If it holds ratings, put a "
                "line of names before it.",
                path=sheet.path,
                names=", ".join(sheet.header[:_SHOWN]),
            )
        )
    if guess not in (chosen, None, "raters"):  # “raters” where nothing speaks against it
        found.append(
            tr(
                "{path} looks like the layout “{guess}”; it was read as “{layout}”, as asked for.",
                path=sheet.path,
                guess=guess,
                layout=chosen,
            )
        )
    return found


def _numbers_columns(header: tuple[str, ...]) -> bool:
    return all(as_number(name) is not None for name in header)


def read_sheet(path: Path, layout: str | None = None) -> Sheet:
    """Header and rows of a file; InputError with the line where it is not a table."""
    text = _decode(path)
    named = _DELIMITER_LINE.match(text)
    delimiter = named[1] if named else _delimiter(text)
    rows = _without_empty_ends(_rows(path, text, delimiter)[1 if named else 0 :])
    if not rows:
        raise InputError(tr("{path} holds no ratings: it is empty.", path=path))
    names, body = _split_header(rows, layout)
    if not body:
        raise InputError(tr("{path} holds a header but no ratings.", path=path))
    header, body = _even(path, names, body)
    columns = tuple(tuple(row.cells[i] for row in body) for i in range(len(body[0].cells)))
    return Sheet(str(path), header, columns, delimiter == ";")


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: list[str]


def _decode(path: Path) -> str:
    """Text of UTF-8 (with or without mark), UTF-16 or UTF-32 with a mark, else GB18030."""
    if path.is_dir():
        raise InputError(tr("{path} is a folder; give a file with ratings.", path=path))
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise NotFoundError(tr("There is no file {path}.", path=path)) from error
    except OSError as error:
        raise InputError(
            tr("{path} cannot be read: {reason}.", path=path, reason=error.strerror or error)
        ) from error
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if b"\0" in data and marked is None:
        raise InputError(_not_text(path))
    for encoding in (marked,) if marked else ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError(_not_text(path))


def _not_text(path: Path) -> str:
    return tr("{path} is not a text file. Save the ratings as CSV in UTF-8.", path=path)


def _delimiter(text: str) -> str:
    """The delimiter with which most sample lines have the same, largest number of fields."""
    sample = "\n".join(text.splitlines()[:_SAMPLE])
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        try:
            rows = list(csv.reader(io.StringIO(sample), delimiter=delimiter))
        except csv.Error:
            continue
        widths = [len(row) for row in rows if row and not _is_comment(row)]
        if not widths:
            continue
        usual = max(set(widths), key=widths.count)
        score = (widths.count(usual) / len(widths), usual)
        if usual > 1 and score > best_score:
            best, best_score = delimiter, score
    return best


def _rows(path: Path, text: str, delimiter: str) -> list[_Row]:
    rows = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if cells and (len(cells) > 1 or cells[0].strip()) and not _is_comment(cells):
                rows.append(_Row(reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise InputError(
            tr(
                "Line {line} of {path} is not well-formed CSV: {reason}.",
                line=reader.line_num,
                path=path,
                reason=error,
            )
        ) from error
    return rows


def _without_empty_ends(rows: list[_Row]) -> list[_Row]:
    """Without the columns at the right that are empty in every row, name included, as spreadsheets
    leave them: they hold no rater."""
    last = max((_filled(row.cells) for row in rows), default=0)
    if not last or _names_rows(rows):
        return rows
    return [replace(row, cells=row.cells[:last]) for row in rows]


def _names_rows(rows: list[_Row]) -> bool:
    """Whether the header is one short because the first column names the rows, as R writes it."""
    header, body = rows[0].cells, [row.cells for row in rows[1:]]
    short = {len(cells) for cells in body} == {len(header) + 1}
    distinct = len({cells[0] for cells in body}) == len(body)
    return short and distinct and not ID_WORDS.fullmatch(header[0])


def _filled(cells: list[str]) -> int:
    """How many cells there are up to the last that is not empty."""
    return next((n for n in range(len(cells), 0, -1) if cells[n - 1]), 0)


def _is_comment(cells: list[str]) -> bool:
    return cells[0].lstrip().startswith("#") and cells[0].strip().lower() not in ("#n/a", "#")


def _split_header(rows: list[_Row], layout: str | None) -> tuple[list[str] | None, list[_Row]]:
    first, rest = rows[0].cells, rows[1:]
    if _is_header(first, rest, layout):
        return first, rest
    return None, rows


def _is_header(first: list[str], rest: list[_Row], layout: str | None) -> bool:
    """Names rather than ratings: words over numbers, or words found nowhere below."""
    if not rest:
        return not any(as_number(cell) is not None for cell in first)
    if all(len(row.cells) == len(first) + 1 for row in rest):
        return True
    seen = {cell for row in rest for cell in row.cells}
    if len(first) > 1 and ID_WORDS.fullmatch(first[0]) and first[0] not in seen:
        return True
    names = [cell for cell in first if not is_missing(cell)]
    if not names or any(is_missing(cell) for cell in first[1:]):
        return False
    if all(as_number(name) is None for name in names):
        if any(_holds_numbers([row.cells[i : i + 1] for row in rest]) for i in range(len(first))):
            return True
        return seen.isdisjoint(first[1:] or first)
    return _is_numeric_header(first, rest) or _is_numbered(first, rest, layout)


def _holds_numbers(column: list[list[str]]) -> bool:
    """Numbers and gaps only, with at least one number."""
    cells = [cell[0] for cell in column if cell and not is_missing(cell[0])]
    return bool(cells) and all(as_number(cell) is not None for cell in cells)


def _is_numeric_header(first: list[str], rest: list[_Row]) -> bool:
    """Ascending category numbers over counts: the rows below share a sum that the first lacks."""
    numbers = [as_number(cell) for cell in first]
    start = 1 if numbers[0] is None else 0
    for skip in {start, 1}:
        labels = [number for number in numbers[skip:] if number is not None]
        if len(labels) < 2 or len(labels) != len(numbers) - skip:
            continue
        ascending = all(b > a for a, b in pairwise(labels))
        sums = {_sum(row.cells[skip:]) for row in rest}
        if ascending and len(rest) > 1 and len(sums) == 1 and None not in sums:
            return sum(labels) not in sums
    return start == 1 and all(as_number(row.cells[0]) is not None for row in rest)


def _is_numbered(first: list[str], rest: list[_Row], layout: str | None) -> bool:
    """Columns called 1, 2, 3 or 0, 1, 2, as programs number them.

    Two columns may well be two ratings or counts, unless the first name is no rating or the counts
    below add up to something else.
    """
    start = 1 if as_number(first[0]) is None else 0
    numbers = [as_number(cell) for cell in first[start:]]
    known = [number for number in numbers if number is not None]
    if len(known) < max(2, len(numbers)) or (start and first[0] in {r.cells[0] for r in rest}):
        return False
    if layout == "counts" and not all(number >= 0 and number.is_integer() for number in known):
        return True
    if known[0] not in (0.0, 1.0) or any(b - a != 1 for a, b in pairwise(known)):
        return False
    if len(known) > 2:
        return True
    if layout == "counts":
        return {_sum(row.cells[start:]) for row in rest} != {_sum(first[start:])}
    return known[0] not in {as_number(cell) for row in rest for cell in row.cells[start:]}


def _sum(cells: list[str]) -> float | None:
    numbers = [as_number(cell) for cell in cells]
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _even(
    path: Path, header: list[str] | None, body: list[_Row]
) -> tuple[tuple[str, ...] | None, list[_Row]]:
    """All rows of one width; a header that is one short names no row-name column."""
    width = len(body[0].cells)
    if header is not None and len(header) == width - 1:
        header = ["", *header]
    width = len(header) if header is not None else width
    for row in body:
        if len(row.cells) != width:
            raise InputError(
                trn(
                    "Line {line} of {path} has 1 field where {expected} are expected. Give "
                    "every row the same number of fields, empty where a rating is missing.",
                    "Line {line} of {path} has {n} fields where {expected} are expected. "
                    "Give every row the same number of fields, empty where a rating is "
                    "missing.",
                    len(row.cells),
                    line=row.line,
                    path=path,
                    expected=width,
                )
            )
    return (None if header is None else tuple(header)), body
