"""The cells of delimited text: by pandas' parser where it is well-formed, else row by row.

Both ways give the same cells. The second one costs more and loses no more than the row at fault.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.errors import InputError
from core.i18n import tr, trn
from core.sources.bounded import read_by_kept_child
from core.sources.cell_text import refuse_many_cells, refuse_many_columns
from core.sources.question_columns import KEYS, PASSAGES, QUESTIONS, plain_name
from core.sources.text_files import HEAD, is_damaged, text_of_file

if TYPE_CHECKING:
    import pandas as pd

_DELIMITERS = (",", ";", "\t", "|")
_DELIMITER_LINE = re.compile(r"sep=([,;|\t])(?:\r\n|\r|\n)", re.IGNORECASE)
"""How a spreadsheet is told the delimiter, in a line before the table."""
_SAMPLE_ROWS = 200
_MOST_LINES = 2000  # of one quoted cell; a mark that is never closed must not swallow the file
_LONGEST_NAME = 40  # characters
_TABLE_WIDTH = 3  # filled cells from which on a single one above them is not a name of a column
_KNOWN_NAMES = frozenset((*QUESTIONS, *KEYS, *PASSAGES))
_LONGEST_CELL = 2**24  # characters; Python's own limit is 2**17


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """A row that could not be read, and why, in words for people. A remark is a line with ``#``
    before it that has not as many cells as the table has columns."""

    line: int
    reason: str
    remark: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CellGrid:
    """Rows of one width, the one that may name columns among them as the first.

    ``frame`` has columns 0, 1, 2 … and the lines as its index. With ``names_rows`` the first row is
    one cell short (and padded at its end): as R writes it, the first column names the rows.
    """

    frame: "pd.DataFrame"
    unreadable: tuple[UnreadableRow, ...] = ()
    names_rows: bool = False
    decimal_comma: bool = True


Record = tuple[int, list[str] | None]
"""A line and its cells; None where a quotation mark is never closed."""


def cells_of_text(path: Path) -> CellGrid:
    """The cells of a delimited text file; InputError for one without any."""
    text, named, sound = _body(path)
    first_line = 2 if named else 1
    if not text:
        raise InputError.tr("“{path}” is empty.", path=path)
    delimiter = named or _delimiter(path, text)
    quoted = _is_quoted(text[:HEAD], delimiter)
    grid = None
    if sound and "\r" not in text and "\x00" not in text:
        grid = _well_formed(path, text, delimiter, first_line, quoted=quoted)
    if grid is None:
        records = foreign_rows(path, kind="text", delimiter=delimiter, quoted=quoted)
        rows = [
            (line + first_line - 1, cells)
            for line, cells in records
            if cells is None or not _is_blank(cells)
        ]
        grid = grid_of_rows(path, rows, header_quoted=text.startswith('"'))
    return CellGrid(grid.frame, grid.unreadable, grid.names_rows, delimiter != ",")


def _body(path: Path) -> tuple[str, str, bool]:
    """The text behind a line that names the delimiter, that delimiter, and whether all is sound."""
    text, sound = text_of_file(path)
    if "\n" not in text:
        text = text.replace("\r", "\n")
    text = text.replace("\n\ufeff", "\n")  # of a file that was put behind another
    named = _DELIMITER_LINE.match(text)
    start = named.end() if named else 0
    return text[start:].rstrip("\r\n"), named[1] if named else "", sound


def irregular_records(path: Path, delimiter: str, *, quoted: bool) -> Iterator[Record]:
    """The rows of a text whose marks are not paired or whose rows are not of one width.

    Where a mark is never closed, reading goes on behind its line, which can take very long: this
    is for the child process.
    """
    text, _, _ = _body(path)
    return _records(text, delimiter) if quoted else _plain_records(text, delimiter)


def foreign_pieces(path: Path, **options: Any) -> Iterator[dict[str, Any]]:
    """What ``foreign_tables`` yields for a file, from a child process.

    Raises InputError, with the path, for what it refuses or has no end with.
    """
    name = str(path)
    try:
        yield from read_by_kept_child("table", path, **options)
    except InputError as error:
        if name in str(error):
            raise
        raise InputError.tr("“{path}”: {reason}", path=path, reason=str(error)) from error


def foreign_rows(path: Path, **options: Any) -> list[Record]:
    """The rows of a workbook or of irregular text; errors as ``foreign_pieces``."""
    return [(line, cells) for piece in foreign_pieces(path, **options)
            for line, cells in piece["rows"]]  # fmt: skip


def _is_blank(cells: Sequence[str]) -> bool:
    return len(cells) == 1 and not cells[0].strip()


def _is_comment(cells: Sequence[str]) -> bool:
    return cells[0].lstrip().startswith("#") and cells[0].strip().lower() not in ("#n/a", "#")


# --- delimiter and quoting -------------------------------------------------------------------


def _delimiter(path: Path, text: str) -> str:
    """The delimiter with which most rows at the beginning have the same, largest number of cells.

    It has to split the first row, or the one below titles. A file that is called .tsv has tabs.
    """
    sample = text if len(text) <= HEAD else text[: text.rfind("\n", 0, HEAD) + 1] or text[:HEAD]
    if path.suffix.lower() in (".tsv", ".tab") and "\t" in sample.lstrip().partition("\n")[0]:
        return "\t"
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        try:
            reader = csv.reader(io.StringIO(sample), delimiter=delimiter)
            rows = [row for row in islice(reader, _SAMPLE_ROWS) if row and not _is_blank(row)]
        except csv.Error:
            continue
        rows = [row for row in rows if not _is_comment(row)] or rows
        widths = [len(row) for row in rows]
        if widths and widths[0] < 2:
            widths = widths[_titles_above(rows, surely=True) :]
        if not widths or widths[0] < 2:
            continue
        usual, count = max(Counter(widths).items(), key=lambda found: (found[1], found[0]))
        score = (count / len(widths), usual)
        if usual > 1 and score > best_score:
            best, best_score = delimiter, score
    return best


def _is_quoted(sample: str, delimiter: str) -> bool:
    """GLUE's TSV has no quoting: a cell there may begin with a mark that is part of the text."""
    if delimiter != "\t":
        return True
    lines = sample.split("\n") if len(sample) < HEAD else sample.split("\n")[:-1]
    cells = [cell.rstrip("\r") for line in lines for cell in line.split("\t")]
    begun = [cell for cell in cells if cell.startswith('"')]
    closed = [len(cell) > 1 and cell.endswith('"') and cell.count('"') % 2 == 0 for cell in begun]
    return bool(begun) and (all(closed) or _fits_only_quoted(lines))


def _fits_only_quoted(lines: Sequence[str]) -> bool:
    """Whether rows are of one width when marks quote line ends, and are not when they are text."""
    if len({line.count("\t") for line in lines if line.strip()}) == 1:
        return False
    quoted = csv.reader([f"{line}\n" for line in lines], delimiter="\t", strict=True)
    try:
        rows = [row for row in islice(quoted, _SAMPLE_ROWS) if row]
    except csv.Error:
        return False
    return len({len(row) for row in rows}) == 1


# --- well-formed text ------------------------------------------------------------------------


def _well_formed(
    path: Path, text: str, delimiter: str, first_line: int, *, quoted: bool
) -> CellGrid | None:
    """The cells where every mark is paired, every row has as many cells as the first, and the first
    is no title; None where that is not so."""
    import pandas as pd

    parts = text.replace('""', "").split('"') if quoted else [text]
    if len(parts) % 2 == 0 or not _is_paired(parts[::2], delimiter):
        return None
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    try:
        head = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting)
        width = len(next(head))
        refuse_many_columns(path, width)
        frame = pd.read_csv(
            io.StringIO(text), sep=delimiter, header=None, names=list(range(width)), dtype=object,
            index_col=False, keep_default_na=False, na_filter=False, skip_blank_lines=False,
            quoting=quoting,
        )  # fmt: skip
    except (csv.Error, ValueError):  # pandas' ParserError is one
        return None
    # no row is wider, so the sum tells whether one is narrower
    delimiters = sum(part.count(delimiter) for part in parts[::2])
    if width < 2 or delimiters != len(frame) * (width - 1) or not any(frame.iloc[0]):
        return None
    if not any(frame.iloc[0, 1:]) and _titles_above(frame.head(_SAMPLE_ROWS).to_numpy().tolist()):
        return None
    lines = _first_lines(frame, first_line, one_each=not any("\n" in part for part in parts[1::2]))
    return CellGrid(frame.set_axis(lines, axis=0))


def _is_paired(outside: Sequence[str], delimiter: str) -> bool:
    """Whether each quotation mark begins or ends a cell, from the text between the quoted cells."""
    ends = (delimiter, "\n", "\r")
    between = set(outside[1:-1])
    return (
        all(part.startswith(ends) and part.endswith(ends) for part in between)
        and (len(outside) == 1 or not outside[0] or outside[0].endswith(ends))
        and (len(outside) == 1 or not outside[-1] or outside[-1].startswith(ends))
    )


def _first_lines(frame: "pd.DataFrame", first_line: int, *, one_each: bool) -> list[int] | range:
    """The line on which each row begins."""
    if one_each:
        return range(first_line, first_line + len(frame))
    lines = [1] * len(frame)
    for column in frame:
        for place, cell in enumerate(frame[column].tolist()):
            if "\n" in cell:
                lines[place] += cell.count("\n")
    return list(accumulate(lines[:-1], initial=first_line))


# --- any text --------------------------------------------------------------------------------


def _plain_records(text: str, delimiter: str) -> Iterator[Record]:
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, line.removesuffix("\r").split(delimiter)


def _records(text: str, delimiter: str) -> Iterator[Record]:
    """Where a mark is never closed, its own line is None and reading goes on behind it."""
    csv.field_size_limit(_LONGEST_CELL)
    width = len(_cells(text.partition("\n")[0].partition("\r")[0], delimiter) or ())
    lines = [
        part
        for line in text.split("\n")
        for part in _parted(line.removesuffix("\r"), delimiter, width)
    ]
    place = 0
    while place < len(lines):
        cells = _cells(lines[place], delimiter)
        end = place + 1
        if cells is None:
            marks = lines[place].count('"')
            while cells is None and end < min(len(lines), place + _MOST_LINES):
                marks += lines[end].count('"')
                end += 1
                if marks % 2 == 0:
                    cells = _cells("\n".join(lines[place:end]), delimiter)
        yield place + 1, cells
        place = end if cells is not None else place + 1


def _parted(line: str, delimiter: str, width: int) -> list[str]:
    """The rows of a line in which carriage returns end some, where all of them fit the table."""
    parts = line.split("\r")
    if len(parts) < 2 or width < 2:
        return [line]
    fits = all(len(_cells(part, delimiter) or ()) == width for part in parts)
    return parts if fits else [line]


def _cells(text: str, delimiter: str) -> list[str] | None:
    """The cells of one record; None where a quoted cell is still open at its end."""
    if '"' not in text:
        return text.split(delimiter)
    for strict in (True, False):
        try:
            rows = list(csv.reader(io.StringIO(text), delimiter=delimiter, strict=strict))
        except csv.Error as error:
            if "unexpected end" in str(error):
                return None
            continue
        if len(rows) == 1:
            return rows[0]
    return None


def grid_of_rows(
    path: Path, rows: Sequence[Record], *, header_quoted: bool = False, merged: bool = False
) -> CellGrid:
    """Rows as one grid, those apart that are of another width than the first or are damaged.

    Empty cells at the right edge that no column has are no cells. ``merged`` says that the cells
    of the first line are one.
    """
    import pandas as pd

    start = next((n for n, (_, cells) in enumerate(rows) if cells is None or any(cells)), len(rows))
    titles, rows = _without_title(path, rows[start:], merged=merged)
    if not rows:
        raise InputError.tr("“{path}” is empty.", path=path)
    first = rows[0][1]
    if first is None:
        raise InputError.tr(
            "Line {line} of “{path}”: {reason}", line=rows[0][0], path=path, reason=_open_mark()
        )
    body = [cells for _, cells in rows[1:] if cells is not None]
    names_rows = _is_short(first, body, header_quoted=header_quoted)
    if names_rows:
        first = [*first, ""]
    filled = max((_filled(cells[: len(first)]) for cells in body), default=0)
    width = len(first) if names_rows else max(_filled(first), filled)
    refuse_many_columns(path, width)
    refuse_many_cells(path, len(rows), width)
    lines: list[int] = []
    kept: list[list[str]] = []
    unreadable = [
        UnreadableRow(line, tr("It stands above the names of the columns."), remark=True)
        for line in titles
    ]
    for line, cells in ((rows[0][0], first), *rows[1:]):
        problem = _problem(cells, width)
        if problem and cells and len(cells) != width and _is_comment(cells):
            unreadable.append(UnreadableRow(line, tr("It is a remark (#)."), remark=True))
        elif problem or cells is None:
            unreadable.append(UnreadableRow(line, problem))
        else:
            lines.append(line)
            kept.append(cells[:width])
    frame = pd.DataFrame(kept, index=lines, columns=range(width), dtype=object)
    return CellGrid(frame, tuple(unreadable), names_rows)


def _without_title(
    path: Path, rows: Sequence[Record], *, merged: bool
) -> tuple[list[int], Sequence[Record]]:
    """The lines of titles, and the rows from the names of the columns on: remarks with ``#`` above
    them are none. A first line that is one ``merged`` cell names neither of two columns.

    Raises InputError for another line above them, which would name one column of several.
    """
    usual = _usual_width([cells for _, cells in rows[1:_SAMPLE_ROWS]])
    while len(rows) > 1 and (first := rows[0][1]) and usual > len(first) and _is_comment(first):
        rows = rows[1:]
    above = _titles_above([cells for _, cells in rows[:_SAMPLE_ROWS]], merged=merged)
    width = 2 if merged else _TABLE_WIDTH
    if not above and len(rows) > 1 and usual >= width and _is_title(rows[0][1], below=False):
        raise InputError.tr(
            "Line {line} of “{path}” has one cell and those below it have {count}. Delete what "
            "stands above the names of the columns.", line=rows[0][0], path=path, count=usual
        )  # fmt: skip
    return [line for line, cells in rows[:above] if any(cells or ())], rows[above:]


def _titles_above(
    rows: Sequence[Sequence[str] | None], *, merged: bool = False, surely: bool = False
) -> int:
    """How many of the rows at the beginning stand as titles above the names of the columns.

    Over two columns, and wherever ``surely`` is asked for, they do where one cell of the file is
    ``merged``, where two of the names are usual, or where the title is of several words, no part of
    a row, and the rows below it are not prose with a space behind each comma.
    """
    above = 0
    while above < len(rows) and _is_title(rows[above], below=bool(above)):
        above += 1
    names = rows[above] if 0 < above < len(rows) else None
    usual = _usual_width(rows[1:])
    if not names or usual < 2 or not _are_names(names, usual):
        return 0
    title, below = rows[0] or (), [cells for cells in rows[above:] if cells]
    if merged or sum(plain_name(name) in _KNOWN_NAMES for name in names) >= 2:
        return above
    if any(title[0] == cells[0] for cells in below):  # a rating, where no line names the raters
        return 0
    if usual >= _TABLE_WIDTH and not surely:
        return above
    is_alone = len(title) == 1 and len(title[0].split()) > 1
    is_prose = any(name[:1].isspace() for name in names)
    return above if is_alone and not is_prose and {len(cells) for cells in below} == {usual} else 0


def _usual_width(rows: Sequence[Sequence[str] | None]) -> int:
    """How many filled cells most of the rows have; 0 without a row."""
    counts = Counter(sum(map(bool, cells)) for cells in rows if cells is not None)
    return counts.most_common(1)[0][0] if counts else 0


def _is_title(cells: Sequence[str] | None, *, below: bool) -> bool:
    """Whether a row has its first cell alone; below such a one also an empty row."""
    if not cells or any(cells[1:]):
        return False
    return bool(cells[0]) or below


def _are_names(cells: Sequence[str], usual: int) -> bool:
    """Whether a row may name the columns below it: as many different short words, and no number."""
    given = [cell.strip() for cell in cells if cell.strip()]
    is_short = all(len(cell) <= _LONGEST_NAME and not cell[:1].isdigit() for cell in given)
    return len(given) >= usual and len(set(given)) == len(given) and is_short


def _is_short(first: list[str], body: Sequence[list[str]], *, header_quoted: bool) -> bool:
    """Whether the first row is one short because the first column names the rows."""
    if not body or len(first) < 2 or any(len(cells) != len(first) + 1 for cells in body):
        return False
    if not any(cells[-1] for cells in body) and not header_quoted:
        return False
    return _names_rows([cells[0] for cells in body], header_quoted)


def _names_rows(names: Sequence[str], header_quoted: bool) -> bool:
    """Whether these may name rows as R writes them: each differently, in quotation marks or by
    numbers from 1. Without that, a comma in the text of each row would look the same."""
    running = [str(number) for number in range(1, len(names) + 1)]
    return list(names) == running or (header_quoted and len(set(names)) == len(names))


def _filled(cells: Sequence[str]) -> int:
    """How many cells there are up to the last that is not empty."""
    return next((n for n in range(len(cells), 0, -1) if cells[n - 1]), 0)


def _problem(cells: Sequence[str] | None, width: int) -> str:
    if cells is None:
        return _open_mark()
    if len(cells) < width or any(cells[width:]):
        return tr(
            "It has {cells} for {columns}.",
            cells=trn("1 cell", "{n} cells", len(cells)),
            columns=trn("1 column", "{n} columns", width),
        )
    if any(is_damaged(cell) for cell in cells):
        return tr("It contains bytes that are not valid in the file's encoding.")
    if any("\x00" in cell for cell in cells):
        return tr("It contains a NUL character, which is not allowed in texts.")
    return ""


def _open_mark() -> str:
    return tr("It contains a quotation mark that is never closed.")
