"""The one reader of tables: delimited text, Excel, Parquet, Feather and JSON.

What every table has in common, whoever asks for it:

- The kind of a file is told by its first bytes and its ending, the encoding of text by
  ``core.sources.encodings.encoding_of``, the delimiter (comma, semicolon, tab or bar) by which of
  them splits the first rows into the same number of cells. A first line ``sep=;`` names it.
- The first row that is not empty names the columns. A column without a name is called by its
  place, ``column 3``; unnamed columns at the right edge that hold nothing are left out. A table
  with two columns of one name is refused.
- Text stays text: ``007``, ``NA`` and ``1e5`` are what is written, and an empty cell is an empty
  text. Cells of Parquet, Feather and JSON keep their values (``cell_text`` writes them).
- A row with another number of cells than there are columns, or with damaged bytes, is kept apart
  with the reason (``Table.unreadable``), and reading goes on behind it.
- Lines with ``#`` and titles above the names of the columns are no rows; what else stands there is
  refused. Below the names, lines with ``#`` are remarks, unless they have a cell for every column.
- A file packed with gzip is read as what is in it.
- A workbook with merged rows or with formulas without results is refused, for its cells are empty.
- A workbook with several sheets is refused with their names until one is chosen.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import InputError
from core.i18n import tr
from core.sources.cell_text import cell_text, has_no_value, refuse_many_cells, refuse_many_columns
from core.sources.json_tables import json_table_rows
from core.sources.packed import unpacked
from core.sources.signatures import refuse_other_tables
from core.sources.text_files import head_of, refuse_empty
from core.sources.text_tables import (
    CellGrid,
    UnreadableRow,
    cells_of_text,
    foreign_pieces,
    grid_of_rows,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "UnreadableRow", "cell_text", "has_no_value", "is_sentence", "is_workbook",
           "no_names", "no_rows", "no_sheets", "place_name", "place_words", "read_table",
           "sheet_names"]  # fmt: skip

HeaderRule = Callable[[Sequence[str], Sequence[Sequence[str]]], bool]
"""Whether a first row names columns, from it and the columns of cells below it."""

_LONGEST_NAME = 80  # characters
_TEXT_ENDINGS = (".csv", ".tsv", ".tab", ".txt")
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table of a file.

    ``frame`` has one row per row of the file that could be read: its columns are ``columns``, its
    index is the line in a text file (of a row over several lines, the first), or the number of the
    row from 1. ``named`` says whether the columns have names, ``header_line`` on which line they
    are (0 for none). ``decimal_comma`` says that a comma separates nothing, so that ``0,5`` may be
    a number.
    """

    path: Path
    columns: tuple[str, ...]
    frame: "pd.DataFrame"
    unreadable: tuple[UnreadableRow, ...] = ()
    named: bool = True
    header_line: int = 0
    decimal_comma: bool = False

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each row that says something, as ``(line, {column: value})``."""
        lines = self.frame.index.tolist()
        cells = [self.frame[name].tolist() for name in self.columns]
        for line, values in zip(lines, zip(*cells, strict=True), strict=True):
            if any(value not in ("", None) for value in values):
                yield line, dict(zip(self.columns, values, strict=True))

    def text_rows(self, *, lenient: bool = False) -> Iterator[tuple[int, dict[str, str]]]:
        """As ``rows``, by column name in lower case, each cell as text without spaces around it.

        Raises InputError for column names that differ only in case and, unless ``lenient``, for
        the first row that could not be read.
        """
        if not lenient:
            self.refuse_unreadable()
        lower = [name.lower() for name in self.columns]
        _refuse_twice(self.path, lower)
        cells = [self.texts(place, strip=True) for place in range(len(lower))]
        for line, values in zip(self.frame.index.tolist(), zip(*cells, strict=True), strict=True):
            if any(values):
                yield line, dict(zip(lower, values, strict=True))

    def texts(self, column: int, *, strip: bool = False) -> list[str]:
        """The cells of the column at a place (from 0) as text."""
        values = self.frame.iloc[:, column].tolist()
        texts = [value if type(value) is str else cell_text(value) for value in values]
        if strip and any(text != text.strip() for text in set(texts)):
            texts = [text.strip() for text in texts]
        return texts

    def refuse_unreadable(self) -> None:
        """Raise InputError for the first row that could not be read, for those who need all."""
        first = next((row for row in self.unreadable if not row.remark), None)
        if first is not None:
            raise InputError.tr(
                "Line {line} of “{path}”: {reason}", line=first.line, path=self.path,
                reason=first.reason
            )  # fmt: skip

    def missing(self, *names: str) -> list[str]:
        """Those of the names, in lower case, that no column has in whatever case."""
        known = {name.lower() for name in self.columns}
        return [name for name in names if name not in known]

    def number(self, text: str) -> float | None:
        """A finite number, or None; with a decimal comma only where commas separate nothing."""
        if self.decimal_comma:
            text = text.replace(",", ".")
        try:
            value = float(text)
        except ValueError:
            return None
        return value if math.isfinite(value) else None


def read_table(path: Path, *, sheet: str = "", has_header: HeaderRule | None = None) -> Table:
    """The table in a file, held in memory whole.

    ``sheet`` names one of a workbook's. ``has_header`` decides on tables that may come without a
    line of names; by default the first row is one. Raises NotFoundError for a missing file and
    InputError for one that is not a table, with the same sentence for everybody who reads tables.
    """
    path = Path(path)
    with unpacked(path) as inner:
        table = replace(_read(inner, sheet, has_header), path=path)
    if table.frame.empty and all(row.remark for row in table.unreadable):
        raise InputError(no_rows(path))
    return table


def _read(path: Path, sheet: str, has_header: HeaderRule | None) -> Table:
    kind = table_kind(path)
    if sheet and kind != "excel":
        raise InputError(no_sheets(path))
    if kind == "json":
        return _of_objects(path)
    if kind in ("parquet", "feather"):
        return _of_arrow(path, kind)
    grid = _of_workbook(path, sheet) if kind == "excel" else cells_of_text(path)
    return _named(path, grid, has_header)


def table_kind(path: Path) -> str:
    """``excel``, ``parquet``, ``feather``, ``json`` or ``text``; errors as ``read_table``."""
    if path.is_dir():
        raise InputError.tr("“{path}” is a folder; give a file with a table.", path=path)
    head = head_of(path)
    refuse_empty(path, head)
    refuse_other_tables(path, head)
    ending = path.suffix.lower()
    if head.startswith(b"PAR1") or ending == ".parquet":
        return "parquet"
    if head.startswith((b"ARROW1", b"FEA1")) or ending == ".feather":
        return "feather"
    if is_workbook(path, head):
        return "excel"
    if ending in _JSON_ENDINGS:
        return "json"
    is_json = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))
    return "json" if is_json and ending not in _TEXT_ENDINGS else "text"


def is_workbook(path: Path, head: bytes) -> bool:
    """Whether a file is an Excel workbook, from its ending and its first bytes."""
    return path.suffix.lower() in (".xlsx", ".xlsm") or (
        head.startswith(b"PK\x03\x04") and b"xl/" in head
    )


def sheet_names(path: Path) -> tuple[str, ...]:
    """The non-empty sheets of a workbook; none for any other file."""
    if not path.is_file() or not is_workbook(path, head_of(path)):
        return ()
    return tuple(name for piece in foreign_pieces(path, kind="sheets") for name in piece["sheets"])


def no_rows(path: Path) -> str:
    """What is said of something that may hold rows and has none, on every way to its rows."""
    return tr("“{path}” has no rows.", path=path)


def is_sentence(name: str) -> bool:
    """Whether what stands in the line of names is too long to be one."""
    return len(name) > _LONGEST_NAME and " " in name


def no_names(path: Path, text: str) -> str:
    """What is said of a table whose first line is a row, with one of its cells."""
    return tr("“{path}” seems to have no line with the names of its columns: its first line looks "
              "like a row (“{name}”). Put one above it.", path=path, name=text[:60])  # fmt: skip


def no_sheets(path: Path) -> str:
    """What is said where a sheet is chosen of something that has none."""
    return tr("“{path}” has no sheets; only a workbook has.", path=path)


def place_name(place: int) -> str:
    """What a column without a name is called, by its place from 1."""
    return f"column {place}"


def place_words(name: str) -> str:
    """A column's name as people read it: that of ``place_name`` in their language."""
    place = name.removeprefix("column ")
    is_place = place.isdecimal() and name == place_name(int(place))
    return tr("column {place}", place=place) if is_place else name


def _named(path: Path, grid: CellGrid, has_header: HeaderRule | None) -> Table:
    """The grid with its columns named: by its first row, or by their places."""
    first: list[str] = [cell.strip() for cell in grid.frame.iloc[0].tolist()]
    body = grid.frame.iloc[1:]
    header = grid.names_rows or has_header is None
    if not header and has_header is not None:
        header = has_header(first, [body[place].tolist() for place in body])
    if grid.names_rows:
        first = ["", *first[:-1]]
    frame = body if header else grid.frame
    names = first if header else [""] * len(first)
    width = next((n for n in range(len(names), 0, -1) if names[n - 1] or _holds(frame[n - 1])), 0)
    columns = tuple(name or place_name(place) for place, name in enumerate(names[:width], 1))
    if len(set(columns)) < len(columns) and (text := next(filter(is_sentence, columns), "")):
        raise InputError(no_names(path, text))
    _refuse_twice(path, columns)
    frame = frame.iloc[:, :width].set_axis(list(columns), axis=1)
    line = int(grid.frame.index[0]) if header else 0
    return Table(path, columns, frame, grid.unreadable, header, line, grid.decimal_comma)


def _holds(column: "pd.Series[Any]") -> bool:
    return bool((column != "").any())


def _refuse_twice(path: Path, columns: Sequence[str]) -> None:
    twice = next((name for place, name in enumerate(columns) if name in columns[:place]), None)
    if twice is not None:
        raise InputError.tr(
            "“{path}” has the column “{name}” more than once. Give each column its own name.",
            path=path, name=twice
        )  # fmt: skip


# --- JSON, Parquet, Feather ------------------------------------------------------------------


def _of_objects(path: Path) -> Table:
    """Columns are those of all objects together: a row may lack what the next one has."""
    import pandas as pd

    objects: list[tuple[int, dict[str, Any]]] = []
    unreadable: list[UnreadableRow] = []
    for row in json_table_rows(path):
        if isinstance(row, UnreadableRow):
            unreadable.append(row)
        else:
            objects.append(row)
    columns = tuple(dict.fromkeys(name for _, values in objects for name in values))
    refuse_many_columns(path, len(columns))
    refuse_many_cells(path, len(objects), len(columns))
    cells = {name: [values.get(name) for _, values in objects] for name in columns}
    frame = pd.DataFrame(cells, index=[line for line, _ in objects], dtype=object)
    return Table(path, columns, frame, tuple(unreadable), decimal_comma=True)


def _of_arrow(path: Path, kind: str) -> Table:
    import pandas as pd

    columns: tuple[str, ...] = ()
    cells: list[list[Any]] = []
    rows = 0
    for piece in foreign_pieces(path, kind=kind):
        if "columns" in piece:
            columns = tuple(str(name) for name in piece["columns"])
            rows = int(piece["rows"])
            _refuse_twice(path, columns)
            cells = [[] for _ in columns]
        else:
            for column, more in zip(cells, piece["cells"], strict=True):
                column += more
    index = range(1, (len(cells[0]) if cells else rows) + 1)
    frame = pd.DataFrame(dict(zip(columns, cells, strict=True)), index=index, dtype=object)
    return Table(path, columns, frame, decimal_comma=True)


def _of_workbook(path: Path, sheet: str) -> CellGrid:
    pieces = list(foreign_pieces(path, kind="excel", sheet=sheet))
    rows = [(line, cells) for piece in pieces for line, cells in piece["rows"]]
    return grid_of_rows(path, rows, merged=rows[0][0] == 1 and pieces[0]["merged"])
