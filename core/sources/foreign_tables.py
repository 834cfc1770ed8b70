"""Tables in formats of other programs, interpreted: what ``tables`` asks of the child process.

Each job yields pieces of JSON: of Parquet, Feather and Arrow streams first ``{"columns": […]}``
and then ``{"cells": [[…], …]}``, a list for each column; of a workbook and of irregular text rows
``{"rows": [[line, [cell, …]], …]}``, of a workbook also whether its first line begins with a
``merged`` cell; of the kind ``sheets`` ``{"sheets": [name, …]}``, those of a
workbook that hold something; of XML ``{"objects": [{…}, …]}``; of YAML ``{"document": …}`` for each
document. Values that JSON does not have are given as text.
"""

import math
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from core.errors import InputError
from core.files import open_regular
from core.i18n import listed, tr
from core.optional_packages import needed_for
from core.sources.cell_text import cell_text, refuse_many_cells, refuse_many_columns
from core.sources.text_tables import irregular_records

if TYPE_CHECKING:
    import pandas as pd

_ROWS = 1000
"""Rows of one piece."""
_SHOWN_SHEETS = 20
_PIECE, _OVERLAP = 2**20, 2**12
_NO_RESULT = re.compile(
    rb'<c r="([A-Z]+\d+)"(?![^>]* t="str")[^>]*><f[^>]*>[^<]*</f>(?:<v\s*/>|<v></v>)?</c>'
)
_MERGED_FIRST = "merged"  # of a sheet: whether its first line begins with a merged cell
_MERGED = re.compile(rb'<mergeCell ref="([A-Z]+(\d+):[A-Z]+(\d+))"')


def read_foreign_table(
    path: Path, *, kind: str, sheet: str = "", delimiter: str = "", quoted: bool = True
) -> Iterator[dict[str, Any]]:
    """The pieces of a file of the kind ``parquet``, ``feather``, ``arrow``, ``excel``, ``sheets``,
    ``yaml``, ``xml`` or ``text``."""
    if kind == "excel":
        return _of_workbook(path, sheet)
    if kind == "sheets":
        return _sheets(path)
    if kind == "yaml":
        return _of_yaml(path)
    if kind == "xml":
        return _of_xml(path)
    if kind == "text":
        return _of_irregular_text(path, delimiter, quoted=quoted)
    return _of_arrow(path, kind)


# --- Parquet, Feather ------------------------------------------------------------------------


def _of_arrow(path: Path, kind: str) -> Iterator[dict[str, Any]]:
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    named = kind.capitalize()
    with needed_for(named, "pyarrow"):
        import pyarrow as pa

    pa.set_cpu_count(1)
    try:
        with open_regular(path) as handle:
            yield from _pieces(path, _batches(handle, kind))
    except (UnicodeDecodeError, InputError, MemoryError) as error:
        if not isinstance(error, UnicodeDecodeError):
            raise
        raise InputError.tr(
            "“{path}” has text that is not UTF-8, which {kind} needs.", path=path, kind=named
        ) from error
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError) as error:
        problem = " ".join(str(error).split())[:300].rstrip(" .")
        raise InputError.tr("“{path}” cannot be read as {kind}: {problem}.", path=path, kind=named,
                            problem=problem) from error  # fmt: skip


def _batches(handle: Any, kind: str) -> Iterator[tuple[Sequence[str], int, Iterator[Any]]]:
    """Once: names of the columns, number of rows, and the record batches."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    if kind == "parquet":
        file = parquet.ParquetFile(handle)
        schema, rows = file.schema_arrow, file.metadata.num_rows
        yield schema.names, rows, file.iter_batches(batch_size=_ROWS, use_threads=False)
        return
    if kind == "arrow":
        table = pa.ipc.open_stream(handle).read_all()
    else:
        table = feather.read_table(handle, use_threads=False)
    yield table.column_names, table.num_rows, iter(table.to_batches(max_chunksize=_ROWS))


def _pieces(
    path: Path, found: Iterator[tuple[Sequence[str], int, Iterator[Any]]]
) -> Iterator[dict[str, Any]]:
    for columns, rows, batches in found:
        refuse_many_columns(path, len(columns))
        refuse_many_cells(path, rows, len(columns))
        yield {"columns": [str(name) for name in columns], "rows": rows}
        for batch in batches:
            yield {"cells": [[_plain(v) for v in column.to_pylist()] for column in batch.columns]}


def _plain(value: Any) -> Any:
    """A value as JSON has it; dates, times, decimals and bytes as their text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else (None if math.isnan(value) else str(value))
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    return cell_text(value)


# --- Excel -----------------------------------------------------------------------------------


def _of_workbook(path: Path, sheet: str) -> Iterator[dict[str, Any]]:
    frames = _frames(path, sheet)
    filled = [name for name, frame in frames.items() if frame.size]
    if not filled:
        raise InputError.tr("“{path}” is empty.", path=path)
    if len(filled) > 1:
        raise InputError.tr(
            "“{path}” has several sheets: {names}. Choose one (--sheet).", path=path,
            names=listed(filled[:_SHOWN_SHEETS])
        )  # fmt: skip
    frame = frames[filled[0]]
    refuse_many_columns(path, frame.shape[1])
    refuse_many_cells(path, *frame.shape)
    cells = zip(*([cell_text(cell) for cell in frame[place]] for place in frame), strict=True)
    rows = ((line, row) for line, row in enumerate(cells, 1) if any(row))
    while piece := list(islice(rows, _ROWS)):
        yield {"rows": piece, "merged": frame.attrs[_MERGED_FIRST]}


def _sheets(path: Path) -> Iterator[dict[str, Any]]:
    yield {"sheets": [name for name, frame in _frames(path, "", rows=5).items() if frame.size]}


def _frames(path: Path, sheet: str, rows: int | None = None) -> "dict[str, pd.DataFrame]":
    """The sheets of a workbook by name, all or one, whole or their first rows."""
    import pandas as pd

    try:
        with open_regular(path) as handle, pd.ExcelFile(handle, engine="openpyxl") as book:
            names = [str(name) for name in book.sheet_names]
            if sheet and sheet not in names:
                raise InputError.tr(
                    "“{path}” has no sheet “{sheet}”. Its sheets are: {names}.", path=path,
                    sheet=sheet, names=listed(names[:_SHOWN_SHEETS])
                )  # fmt: skip
            wanted = [sheet] if sheet else names
            merged = _refuse_unstored(path, book.book, wanted) if rows is None else []
            frames: dict[str, pd.DataFrame] = pd.read_excel(
                book, sheet_name=wanted, header=None, dtype=object,
                na_filter=False, nrows=rows,
            )  # fmt: skip
            for name, frame in frames.items():
                frame.attrs[_MERGED_FIRST] = name in merged
            return frames
    except (InputError, MemoryError):
        raise
    except Exception as error:  # openpyxl raises whatever its zip and XML readers raise
        raise InputError.tr("“{path}” cannot be read as a workbook.", path=path) from error


def _refuse_unstored(path: Path, book: Any, names: Sequence[str]) -> list[str]:
    """The sheets whose first line begins with a merged cell.

    InputError where cells look empty that are not: rows of one merged cell but the first, and
    formulas whose results no program has stored.
    """
    titled = []
    for name in names:
        inner = getattr(book[name], "_worksheet_path", "")
        if not inner:  # a sheet of a chart has no cells
            continue
        with open_regular(path) as handle, ZipFile(handle) as archive:
            found = _unstored(archive, inner)
        if found is None:
            continue
        kind, cells = found
        if kind == "title":
            titled.append(name)
            continue
        raise InputError(
            tr("“{path}” has merged cells ({cells}), of which only the first has a value. Unmerge "
               "them and fill in the others.", path=path, cells=cells)
            if kind == "merged"
            else tr("“{path}” has formulas without results, the first in {cell}. Open it in a "
                    "spreadsheet program and save it there.", path=path, cell=cells)
        )  # fmt: skip
    return titled


def _unstored(archive: ZipFile, inner: str) -> tuple[str, str] | None:
    """The first such cell of a sheet and whether it is ``merged`` or a ``formula``; else, where
    the first line begins with a merged cell, that as ``title``."""
    kept, title = b"", ""
    with archive.open(inner) as sheet:
        while piece := sheet.read(_PIECE):
            kept += piece
            if formula := _NO_RESULT.search(kept):
                return "formula", formula[1].decode()
            for merged in _MERGED.finditer(kept):
                if merged[2] != merged[3]:
                    return "merged", merged[1].decode()
                if merged[1].startswith(b"A1:"):
                    title = merged[1].decode()
            kept = kept[-_OVERLAP:]
    return ("title", title) if title else None


# --- YAML ------------------------------------------------------------------------------------


def _of_yaml(path: Path) -> Iterator[dict[str, Any]]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        with open_regular(path) as handle:
            for document in yaml.load_all(handle, Loader=loader):
                yield {"document": _plain(document)}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 0
        raise InputError.tr(
            "“{path}” is not valid YAML: error in line {line}.", path=path, line=line
        ) from error


# --- XML -------------------------------------------------------------------------------------


def _of_xml(path: Path) -> Iterator[dict[str, Any]]:
    from core.sources.xml_rows import xml_rows

    rows = xml_rows(path)
    while piece := list(islice(rows, _ROWS)):
        yield {"objects": piece}


# --- irregular text --------------------------------------------------------------------------


def _of_irregular_text(path: Path, delimiter: str, *, quoted: bool) -> Iterator[dict[str, Any]]:
    records = irregular_records(path, delimiter, quoted=quoted)
    while piece := list(islice(records, _ROWS)):
        yield {"rows": piece}
