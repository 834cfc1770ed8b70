"""Rows of tables, those that can be read and those that cannot, in the order of the file."""

from heapq import merge
from pathlib import Path

from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.tables import is_workbook, read_table
from core.sources.text_files import HEAD


def is_text_table(path: Path, head: bytes) -> bool:
    """By its name; a text (SNLI, XNLI) by having as many tabs in each of its first lines."""
    if path.suffix.lower() != ".txt":
        return path.suffix.lower() in (".csv", ".tsv", ".tab")
    lines = head.rstrip(b"\r\n").splitlines()
    tabs = {line.count(b"\t") for line in (lines[:-1] if len(head) == HEAD else lines)}
    return len(lines) > 1 and len(tabs) == 1 and tabs != {0}


def is_excel(path: Path, head: bytes) -> bool:
    """By its name or its first bytes."""
    return is_workbook(path, head)


def is_parquet(_path: Path, head: bytes) -> bool:
    """By its first bytes."""
    return head.startswith(b"PAR1")


def is_feather(_path: Path, head: bytes) -> bool:
    """By its first bytes."""
    return head.startswith((b"ARROW1", b"FEA1"))


def table_rows(path: Path, sheet: str = "") -> Rows:
    """The rows of any table, by column name; ``sheet`` names one of a workbook's."""
    table = read_table(path, sheet=sheet)
    rows: Rows = (ImportRow(line, values) for line, values in table.rows())
    refused: Rows = (RefusedRow(row.line, row.reason) for row in table.unreadable)
    yield from merge(rows, refused, key=lambda row: row.line)
