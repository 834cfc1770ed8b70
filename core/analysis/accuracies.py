"""Accuracies of models on private and public benchmarks, read from a CSV file."""

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.errors import InputError
from core.sources.encodings import decode
from core.sources.limits import UnreadableSource
from core.text import tr

Side = Literal["private", "public"]


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """One accuracy in 0…1 of a model on a benchmark or a domain.

    ``n`` is the number of items behind it where that is known, ``run`` what it came from.
    """

    model: str
    set: Side
    domain: str
    accuracy: float
    n: int | None = None
    run: str = ""


_REQUIRED = ("model", "set", "domain", "accuracy")


def read_accuracies(path: Path, usual: Side | None = None) -> list[AccuracyRow]:
    """Rows of a CSV file with the columns model, set, domain, accuracy, and maybe n or stderr.

    ``usual`` is the set of a row that names none. Raises InputError, naming the line, for
    anything that is not such a row.
    """
    try:
        text = decode(path.read_bytes())
    except (OSError, UnreadableSource) as error:
        raise InputError(tr("“{path}” cannot be read.", path=path)) from error
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
    try:
        heads = [(head or "").strip().lower() for head in reader.fieldnames or ()]
        lacking = [n for n in _REQUIRED if n not in heads and not (n == "set" and usual)]
        if lacking:
            raise InputError(
                tr(
                    "“{path}” has no column {columns}. Expected are model, set, domain, accuracy.",
                    path=path,
                    columns=", ".join(lacking),
                )
            )
        reader.fieldnames = heads
        rows = [_row(path, reader.line_num, row, usual) for row in reader]
    except csv.Error as error:
        raise InputError(
            tr("“{path}” is no CSV file: {reason}.", path=path, reason=error)
        ) from error
    if not rows:
        raise InputError(tr("“{path}” holds no accuracies.", path=path))
    return rows


def _row(path: Path, line: int, row: Mapping[str, Any], usual: Side | None) -> AccuracyRow:
    fields = {name: str(value or "").strip() for name, value in row.items() if name}
    side = fields.get("set", "").lower() or (usual or "")
    accuracy = _number(fields["accuracy"])
    if not fields["model"] or not fields["domain"]:
        raise InputError(
            tr("“{path}”, line {line}: model or domain is empty.", path=path, line=line)
        )
    if side not in ("private", "public"):
        raise InputError(
            tr(
                "“{path}”, line {line}: the set is “{value}”; it is private or public.",
                path=path,
                line=line,
                value=fields.get("set", ""),
            )
        )
    if accuracy is None or not 0 <= accuracy <= 1:
        raise InputError(
            tr(
                "“{path}”, line {line}: the accuracy is “{value}”; it is a number from 0 to 1.",
                path=path,
                line=line,
                value=fields["accuracy"],
            )
        )
    count = _number(fields.get("n") or fields.get("items") or "")
    if count is None:
        count = _items_behind(accuracy, _number(fields.get("stderr", "")))
    return AccuracyRow(
        fields["model"],
        "private" if side == "private" else "public",
        fields["domain"],
        accuracy,
        int(count) if count and count >= 1 else None,
        fields.get("source") or path.name,
    )


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _items_behind(accuracy: float, error: float | None) -> float | None:
    """The n of which √(p(1−p)/(n−1)) is the standard error."""
    if error is None or error <= 0 or accuracy in (0.0, 1.0):
        return None
    return round(accuracy * (1 - accuracy) / error**2 + 1)


def domain_means(rows: Iterable[AccuracyRow], model: str) -> dict[str, float]:
    """Mean private accuracy of a model per domain."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.model == model and row.set == "private":
            found.setdefault(row.domain, []).append(row.accuracy)
    return {domain: sum(values) / len(values) for domain, values in found.items()}
