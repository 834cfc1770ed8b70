"""Tables that people bring: CSV in any usual encoding, by commas, semicolons or tabs."""

import csv
import io
import math
import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError
from core.i18n import tr
from core.sources.encodings import decode
from core.sources.limits import UnreadableSource

_SEPARATORS = (",", ";", "\t")
_NAMED_SEPARATOR = re.compile(r"sep=([,;\t])\r?\n", re.IGNORECASE)
_NOTHING = frozenset({"", "nan", "na", "n/a", "null", "none", "-", "–", "—"})


@dataclass(frozen=True, slots=True)
class CsvTable:
    """Heads as they are written, and the rows that say something.

    A row is its line in the file and its cells by head in small letters, without spaces around.
    """

    path: Path
    heads: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, str]], ...]
    separator: str

    def lacking(self, *names: str) -> list[str]:
        """Those of the names that are no head."""
        known = {head.lower() for head in self.heads}
        return [name for name in names if name not in known]

    def number(self, text: str) -> float | None:
        """A finite number, or None; with a decimal comma only where commas separate nothing."""
        if self.separator != ",":
            text = text.replace(",", ".")
        try:
            value = float(text)
        except ValueError:
            return None
        return value if math.isfinite(value) else None


def is_nothing(text: str) -> bool:
    """Whether a cell says that there is no value: empty, NaN, n/a, a dash."""
    return text.strip().lower() in _NOTHING


def read_csv_table(path: Path) -> CsvTable:
    """Read a file; InputError for one that cannot be read, is no CSV, or names a column twice.

    A first line such as ``sep=;``, which spreadsheets write, names the separator and is no row.
    """
    if path.is_dir():
        raise InputError(tr("“{path}” is a folder; a CSV file is expected.", path=path))
    try:
        text = decode(path.read_bytes()).lstrip("\ufeff")
    except (OSError, UnreadableSource) as error:
        raise InputError(tr("“{path}” cannot be read.", path=path)) from error
    if not text.strip():
        raise InputError(tr("“{path}” is empty.", path=path))
    first = text.lstrip().partition("\n")[0].partition("\r")[0]
    separator = max(_SEPARATORS, key=first.count)
    if named := _NAMED_SEPARATOR.match(text):
        separator, text = named[1], "\n" + text[named.end() :]
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=separator)
    heads: tuple[str, ...] = ()
    rows: list[tuple[int, dict[str, str]]] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if not heads:
                heads = _heads(path, cells)
                continue
            fields = dict(zip((head.lower() for head in heads), cells, strict=False))
            rows.append((reader.line_num, {name: cell for name, cell in fields.items() if name}))
    except csv.Error as error:
        raise InputError(
            tr("“{path}” is no CSV file: {reason}.", path=path, reason=error)
        ) from error
    return CsvTable(path, heads, tuple(rows), separator)


def _heads(path: Path, cells: list[str]) -> tuple[str, ...]:
    named = [cell.lower() for cell in cells if cell]
    twice = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    if twice:
        raise InputError(
            tr("“{path}” has the column “{name}” more than once.", path=path, name=twice[0])
        )
    return tuple(cells)
