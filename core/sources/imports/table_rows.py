"""CSV, TSV and Parquet, a row at a time; a bad row never takes the ones after it along."""

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from core.errors import InputError
from core.i18n import tr, trn
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.open_text import HEAD, is_damaged, lines_of, opened

_DELIMITERS = (",", "\t", ";", "|")
_MOST_LINES = 2000  # in one quoted cell; an open quotation mark must not swallow the file
_SAMPLE_LINES = 50


def is_table(path: Path, _head: bytes) -> bool:
    """By its name."""
    return path.suffix.lower() in (".csv", ".tsv", ".tab")


def is_parquet(_path: Path, head: bytes) -> bool:
    """By its first bytes."""
    return head.startswith(b"PAR1")


def table_rows(path: Path) -> Rows:
    """The rows under the header, by column name. ``line`` is the first line of the row.

    The delimiter is the one that splits the first lines most evenly. Where a quotation mark is
    never closed, its own line is refused and reading goes on behind it.
    """
    sample = _sample(path)
    delimiter = _delimiter(path, sample)
    quoted = _is_quoted(sample, delimiter)
    records = _records(_Lines(path), delimiter) if quoted else _plain(path, delimiter)
    header: list[str] | None = None
    for line, cells in records:
        if header is None:
            header = _header(path, cells)
        elif cells is None:
            yield RefusedRow(line, tr("A quotation mark in it is never closed."))
        elif any(cells):
            yield _row(line, header, cells)
    if header is None:
        raise InputError(tr("“{path}” is empty.", path=path))


def _row(line: int, header: Sequence[str], cells: Sequence[str]) -> ImportRow | RefusedRow:
    if len(cells) != len(header):
        return RefusedRow(
            line,
            tr(
                "It has {cells} for {columns}.",
                cells=trn("1 cell", "{n} cells", len(cells)),
                columns=trn("1 column", "{n} columns", len(header)),
            ),
        )
    if any(is_damaged(cell) for cell in cells):
        return RefusedRow(line, tr("It has bytes that are no characters of the file's encoding."))
    return ImportRow(line, dict(zip(header, cells, strict=True)))


def _header(path: Path, cells: Sequence[str] | None) -> list[str]:
    names = [cell.strip().removeprefix("\ufeff") for cell in cells or ()]
    if not any(names) or len(set(names)) < len(names):
        raise InputError(
            tr("The first line of “{path}” must name its columns, each differently.", path=path)
        )
    return names


def _sample(path: Path) -> str:
    with opened(path) as handle:
        return handle.read(HEAD)


def _delimiter(path: Path, sample: str) -> str:
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    lines = [line for line in sample.split("\n")[:_SAMPLE_LINES] if line.strip()]
    if not lines:
        return ","

    def evenness(delimiter: str) -> tuple[int, int]:
        wanted = lines[0].count(delimiter)
        same = sum(line.count(delimiter) == wanted for line in lines)
        return (same if wanted else 0, wanted)

    return max(_DELIMITERS, key=evenness)


def _is_quoted(sample: str, delimiter: str) -> bool:
    """GLUE's TSV has no quoting: a cell there may begin with a mark that is part of the text."""
    if delimiter != "\t":
        return True
    cells = [cell.rstrip("\r") for line in sample.split("\n")[:-1] for cell in line.split("\t")]
    begun = [cell for cell in cells if cell.startswith('"')]
    closed = [len(cell) > 1 and cell.endswith('"') and cell.count('"') % 2 == 0 for cell in begun]
    return bool(begun) and (all(closed) or _fits_only_quoted(sample, delimiter))


def _fits_only_quoted(sample: str, delimiter: str) -> bool:
    """Whether rows are of one width when marks quote line ends, and are not when they are text."""
    lines = sample.split("\n")[:-1] if sample.endswith("\n") else sample.split("\n")
    widths = {line.count(delimiter) for line in lines if line.strip()}
    if len(widths) == 1:
        return False
    quoted = csv.reader(_keeping_ends(sample), delimiter=delimiter, strict=True)
    try:
        rows = [row for row in islice(quoted, _SAMPLE_LINES) if row]
    except csv.Error:
        return False
    return len({len(row) for row in rows}) == 1


def _plain(path: Path, delimiter: str) -> Iterator[tuple[int, list[str] | None]]:
    for number, line in enumerate(lines_of(path), start=1):
        yield number, line.split(delimiter) if line.strip() else []


class _Lines:
    """Lines of a file with their numbers, which can be given back."""

    def __init__(self, path: Path) -> None:
        self._lines = enumerate(lines_of(path), start=1)
        self._back: deque[tuple[int, str]] = deque()

    def next(self) -> tuple[int, str] | None:
        """The next line; None at the end."""
        return self._back.popleft() if self._back else next(self._lines, None)

    def give_back(self, lines: Sequence[tuple[int, str]]) -> None:
        """Read these lines again, in their order."""
        self._back.extendleft(reversed(lines))


def _records(lines: _Lines, delimiter: str) -> Iterator[tuple[int, list[str] | None]]:
    while (first := lines.next()) is not None:
        taken = [first]
        marks = first[1].count('"')
        cells = _cells([first[1]], delimiter)
        while cells is None and len(taken) < _MOST_LINES:
            following = lines.next()
            if following is None:
                break
            taken.append(following)
            marks += following[1].count('"')
            if marks % 2 == 0:
                cells = _cells([text for _, text in taken], delimiter)
        if cells is None:
            lines.give_back(taken[1:])
        yield first[0], cells


def _cells(lines: Sequence[str], delimiter: str) -> list[str] | None:
    """The cells of one record; None where a quoted cell is still open at its end."""
    text = "\n".join(lines)
    if '"' not in text:
        return text.split(delimiter)
    for strict in (True, False):
        try:
            rows = list(csv.reader(_keeping_ends(text), delimiter=delimiter, strict=strict))
        except csv.Error as error:
            if "unexpected end" in str(error):
                return None
            continue
        if len(rows) == 1:
            return rows[0]
    return None


def _keeping_ends(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + parts[-1:]


def parquet_rows(path: Path) -> Rows:
    """The rows of a Parquet file, read in batches."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1024):
                for values in batch.to_pylist():
                    number += 1
                    yield ImportRow(number, values)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            tr(
                "“{path}” cannot be read as Parquet: {problem}.",
                path=path,
                problem=str(error).rstrip(" ."),
            )
        ) from error
