"""Which items of a task are public: as CIF-Bench divides its tasks (§3.2).

What came from existing sources is published first, what was written here stays private first, and
both halves have their share of every label.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from core.audit.sampling import draw
from db.items import FreezableRow, FreezableRows

_Key = TypeVar("_Key", str, tuple[str, ...])
_FEWEST_OF_A_LABEL = 2
"""So many items has a label on average; where labels are rarer they are no labels to balance by."""


def public_items(rows: Sequence[FreezableRow], count: int, seed: int) -> set[int]:
    """The ids of ``count`` of these items, by a recorded seed.

    Every label gives its share, rounded so that they add up. Of a label the items without an author
    here, which were imported, are drawn before those that somebody wrote.
    """
    labels: dict[str, FreezableRows] = {}
    for row in rows:
        labels.setdefault(row.label, FreezableRows()).append(row)
    if len(labels) * _FEWEST_OF_A_LABEL > len(rows):
        labels = {"": FreezableRows(rows)}
    chosen: set[int] = set()
    for label, wanted in shares_of(labels, min(count, len(rows))).items():
        imported = [str(row.id) for row in labels[label] if row.author_id is None]
        written = [str(row.id) for row in labels[label] if row.author_id is not None]
        drawn = draw(imported, wanted, seed)
        drawn += draw(written, wanted - len(drawn), seed)
        chosen.update(map(int, drawn))
    return chosen


def shares_of(groups: Mapping[_Key, Sequence[Any]], count: int) -> dict[_Key, int]:
    """How many of each group so that they add up to ``count``, by the largest remainders."""
    whole = sum(map(len, groups.values()))
    exact = {key: count * len(rows) / max(1, whole) for key, rows in groups.items()}
    shares = {key: int(share) for key, share in exact.items()}
    by_remainder = sorted(exact, key=lambda key: (shares[key] - exact[key], key))
    for key in by_remainder[: count - sum(shares.values())]:
        shares[key] += 1
    return shares
