"""The one writer of table files: CSV, Markdown, LaTeX, a printable page, Parquet and Excel."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.errors import InputError, unwritable
from core.files import write_atomic
from core.i18n import listed
from core.optional_packages import needed_for
from core.report_table import Cell, ReportTable

if TYPE_CHECKING:
    import pandas as pd

_TEXTS: Mapping[str, Callable[[ReportTable], str]] = MappingProxyType(
    {
        ".csv": ReportTable.to_csv,
        ".md": ReportTable.to_markdown,
        ".tex": ReportTable.to_latex,
        ".html": ReportTable.to_html,
    }
)
ENDINGS = (*_TEXTS, ".parquet", ".xlsx")
_NOT_IN_EXCEL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_NOT_IN_SHEET_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_LONGEST_SHEET_NAME = 31


def write_table(path: Path, *tables: ReportTable) -> None:
    """Write tables by the ending of the file, in one step.

    Text formats have them one after another, a workbook on a sheet each, Parquet has one alone.
    Numbers keep their full precision but in LaTeX, Markdown and pages, which are for reading.
    Raises InputError for another ending, for several tables where one is possible, and where the
    file cannot be written.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError.tr("Name the file with one of the endings {endings}: “{path}”.",
                            endings=listed(ENDINGS), path=path)  # fmt: skip
    if ending in (".parquet", ".html") and len(tables) > 1:
        raise InputError.tr("“{path}” can hold one table only; choose .xlsx or .csv.", path=path)
    try:
        if ending in _TEXTS:
            text = "\n".join(_TEXTS[ending](table) for table in tables)
            write_atomic(path, text, for_others=True)
        else:
            _replace(path, tables, _write_parquet if ending == ".parquet" else _write_workbook)
    except OSError as error:
        raise unwritable(path, error) from error


def table_frame(table: ReportTable) -> "pd.DataFrame":
    """The rows with one dtype per column: Int64, Float64 or string, NA for a missing value."""
    import pandas as pd

    columns, rows = table.with_reasons()
    frame = pd.DataFrame(list(rows), columns=range(len(columns)), dtype=object)
    types = {place: _type_of([row[place] for row in rows]) for place in range(len(columns))}
    return frame.astype(types).set_axis(list(columns), axis=1)


def _type_of(cells: Sequence[Cell]) -> str:
    """The type of a column: text as soon as one of its cells is text."""
    if any(isinstance(cell, str) for cell in cells):
        return "string"
    return "Float64" if any(isinstance(cell, float) for cell in cells) else "Int64"


def _replace(
    path: Path,
    tables: Sequence[ReportTable],
    write: Callable[[Path, Sequence[ReportTable]], None],
) -> None:
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        write(temporary, tables)
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _write_parquet(path: Path, tables: Sequence[ReportTable]) -> None:
    with needed_for("Parquet", "pyarrow"):
        table_frame(tables[0]).to_parquet(path, index=False)


def _write_workbook(path: Path, tables: Sequence[ReportTable]) -> None:
    import pandas as pd

    with pd.ExcelWriter(path, engine="openpyxl") as book:
        for table in tables:
            name = _sheet_name(table.title, list(book.sheets))
            table_frame(_for_excel(table)).to_excel(book, sheet_name=name, index=False)
            for row in book.sheets[name].iter_rows():
                for cell in row:
                    if cell.data_type == "f":  # a text that begins with = is not a formula
                        cell.data_type = "s"


def _for_excel(table: ReportTable) -> ReportTable:
    """The table without the characters that no workbook can hold."""
    columns, rows = table.with_reasons()
    plain = tuple(
        tuple(_NOT_IN_EXCEL.sub("", cell) if isinstance(cell, str) else cell for cell in row)
        for row in rows
    )
    return ReportTable(table.title, columns, plain)


def _sheet_name(title: str, taken: Sequence[str]) -> str:
    plain = " ".join(_NOT_IN_SHEET_NAME.sub(" ", title).split())
    plain = plain[:_LONGEST_SHEET_NAME].strip("' ") or "table"
    known = {name.casefold() for name in taken}
    name, number = plain, 1
    while name.casefold() in known:
        number += 1
        name = f"{plain[: _LONGEST_SHEET_NAME - 5]} ({number})"
    return name
