"""Accuracies of models on private and public benchmarks, read from a CSV file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from core.errors import InputError
from core.i18n import listed, tr, trn
from core.sources.tables import Table, has_no_value, read_table

Side = Literal["private", "public"]


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """One accuracy in 0…1 of a model on a benchmark or a domain.

    ``n`` is the number of items behind it where that is known, ``run`` what it came from;
    ``digest`` is the SHA-256 of the file that it was read from; ``sources`` are (sum of scores,
    items) of each article that items share, where that is known.
    """

    model: str
    set: Side
    domain: str
    accuracy: float
    n: int | None = None
    run: str = ""
    digest: str = ""
    sources: Mapping[str, tuple[float, int]] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AccuracyTable:
    """What a file holds: its rows, every model that it names, and what was noticed.

    A model of which no cell has a number is among ``models`` and has no row.
    """

    rows: tuple[AccuracyRow, ...]
    models: tuple[str, ...]
    notes: tuple[str, ...] = ()


_REQUIRED = ("model", "set", "domain", "accuracy")
_SHOWN = 8
MOST_ITEMS = 10**9
"""No benchmark has more; a larger number is something else."""


def read_accuracies(path: Path, usual: Side | None = None, sheet: str = "") -> AccuracyTable:
    """A table with the columns model, set, domain, accuracy, and maybe n, stderr, source.

    ``usual`` is the set of a row that names none. A cell that says that there is no accuracy
    (empty, NaN) is missing, never zero: it is left out and noted. Raises InputError, naming the
    line, for anything that is not such a row.
    """
    table = read_table(path, sheet=sheet)
    lacking = [n for n in table.missing(*_REQUIRED) if not (n == "set" and usual)]
    if lacking:
        raise InputError.tr(
            "“{path}” has no column {columns}. It needs model, set, domain and accuracy.",
            path=path,
            columns=listed(lacking),
        )
    rows: list[AccuracyRow] = []
    models: dict[str, None] = {}
    empty: list[int] = []
    uncounted: list[int] = []
    for line, fields in table.text_rows():
        model, side, domain = _place(table, line, fields, usual)
        models[model] = None
        if "accuracy" in fields and has_no_value(fields["accuracy"]):
            empty.append(line)
            continue
        rows.append(_row(table, line, fields, AccuracyRow(model, side, domain, 0.0)))
        if rows[-1].n is None and not has_no_value(_count(fields)):
            uncounted.append(line)
    if not rows:
        raise InputError.tr("“{path}” contains no accuracies.", path=path)
    return AccuracyTable(tuple(rows), tuple(models), tuple(_notes(path, empty, uncounted)))


def _notes(path: Path, empty: list[int], uncounted: list[int]) -> Iterator[str]:
    if empty:
        yield trn(
            "“{path}”: 1 row has no accuracy and is excluded (line {lines}).",
            "“{path}”: {n} rows have no accuracy and are excluded (lines {lines}).",
            len(empty),
            path=path,
            lines=_some(empty),
        )
    if uncounted:
        yield trn(
            "“{path}”: in 1 row the number of items is not a valid number, so it gives no "
            "interval (line {lines}).",
            "“{path}”: in {n} rows the number of items is not a valid number, so they give "
            "no intervals (lines {lines}).",
            len(uncounted),
            path=path,
            lines=_some(uncounted),
        )


def _some(lines: list[int]) -> str:
    return listed(lines[:_SHOWN]) + ("…" if lines[_SHOWN:] else "")


def _count(fields: Mapping[str, str]) -> str:
    return fields.get("n") or fields.get("items") or ""


def _place(
    table: Table, line: int, fields: Mapping[str, str], usual: Side | None
) -> tuple[str, Side, str]:
    """Model, set and domain of a row."""
    if not fields.get("model") or not fields.get("domain"):
        raise InputError.tr(
            "“{path}”, line {line}: model or domain is empty.", path=table.path, line=line
        )
    side = fields.get("set", "").lower() or (usual or "")
    if side not in ("private", "public"):
        raise InputError.tr(
            "“{path}”, line {line}: the set must be private or public, not “{value}”.",
            path=table.path,
            line=line,
            value=fields.get("set", ""),
        )
    return fields["model"], "private" if side == "private" else "public", fields["domain"]


def _row(table: Table, line: int, fields: Mapping[str, str], place: AccuracyRow) -> AccuracyRow:
    written = fields.get("accuracy", "")
    accuracy = table.number(written)
    if accuracy is None or not 0 <= accuracy <= 1:
        raise InputError(_no_accuracy(table, line, written, accuracy))
    count = table.number(_count(fields))
    if count is None:
        count = _items_behind(accuracy, table.number(fields.get("stderr", "")))
    return AccuracyRow(
        place.model,
        place.set,
        place.domain,
        accuracy,
        int(count) if count and 1 <= count <= MOST_ITEMS else None,
        fields.get("source") or table.path.name,
    )


def _no_accuracy(table: Table, line: int, written: str, value: float | None) -> str:
    sentence = tr(
        "“{path}”, line {line}: the accuracy must be a number from 0 to 1, not “{value}”.",
        path=table.path,
        line=line,
        value=written,
    )
    if written.endswith("%") or (value is not None and 1 < value <= 100):
        return tr("{what} Divide percentages by 100.", what=sentence)
    return sentence


def _items_behind(accuracy: float, error: float | None) -> float | None:
    """The n of which √(p(1−p)/(n−1)) is the standard error."""
    if error is None or error < 1 / MOST_ITEMS or accuracy in (0.0, 1.0):
        return None
    return round(accuracy * (1 - accuracy) / error**2 + 1)
