"""What rows that repeat an earlier one have beside its content: it stays with the earlier item."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from core.families.base import COLUMNS
from core.families.intake import AcceptedRow
from core.i18n import listed, tr

REPEATED = "repeated_rows"
"""The column of an item for what rows with its content say in their own columns, each with the line
it is from; a text about the same may have been rated by several people, a row each."""
_KEPT = 100


def with_repeats(rows: Iterable[AcceptedRow]) -> tuple[AcceptedRow, dict[int, str]]:
    """The first of rows with one content, with what the others say that it does not, and for each
    of them, by its line, in words that it repeats the first and what became of its columns."""
    rows = iter(rows)
    first = next(rows)
    own = dict(first.content.provenance.get(COLUMNS) or {})
    repeats: list[dict[str, Any]] = []
    reasons: dict[int, str] = {}
    for row in rows:
        columns = row.content.provenance.get(COLUMNS) or {}
        other = {name: value for name, value in columns.items() if own.get(name) != value}
        kept = bool(other) and len(repeats) < _KEPT
        if kept:
            repeats.append({"line": row.line, **other})
        reasons[row.line] = _reason(first.line, other, kept=kept)
    if not repeats:
        return first, reasons
    earlier = own.get(REPEATED)
    own[REPEATED] = [*(earlier if isinstance(earlier, list) else ()), *repeats]
    provenance = {**first.content.provenance, COLUMNS: own}
    return first._replace(content=replace(first.content, provenance=provenance)), reasons


def _reason(line: int, other: dict[str, Any], *, kept: bool) -> str:
    if not other:
        return tr("It has the same content as line {line}.", line=line)
    if kept:
        return tr("It has the same content as line {line}; what it says beside it is kept with "
                  "that item: {columns}.", line=line, columns=listed(other))  # fmt: skip
    return tr("It has the same content as line {line}; what it says beside it is not kept: "
              "{columns}.", line=line, columns=listed(other))  # fmt: skip
