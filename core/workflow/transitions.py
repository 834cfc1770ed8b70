"""The one place where an item changes state: the row and its ledger event, together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from db import items, ledger
from db.engine import Session
from db.items import ItemRow

# The columns of an item that an event remembers, so that it can be undone and recomputed.
TRACKED = ("state", "revision", "open_slots", "disputed", "lot_id")


@dataclass(frozen=True, slots=True)
class Move:
    """One item's change: which columns get which values, and what the event says of it."""

    item: ItemRow
    values: Mapping[str, Any]
    data: Mapping[str, Any]


def snapshot(item: ItemRow) -> dict[str, Any]:
    """The tracked columns of an item."""
    return {name: getattr(item, name) for name in TRACKED}


def apply(session: Session, kind: str, actor: str, moves: Sequence[Move]) -> int:
    """Change items and append one event each; returns the number of the last event.

    An event's data holds ``before`` and ``after``: the tracked columns that changed.
    """
    events = []
    groups: dict[tuple[tuple[str, Any], ...], list[int]] = {}
    for move in moves:
        groups.setdefault(tuple(sorted(move.values.items())), []).append(move.item.id)
        before = snapshot(move.item)
        changed = {n: v for n, v in move.values.items() if n in before and before[n] != v}
        data = {
            **move.data,
            "before": {name: before[name] for name in changed},
            "after": changed,
            "revision": move.item.revision,
        }
        events.append(ledger.NewEvent(kind, actor, move.item.id, data=data))
    for values, ids in groups.items():
        if values:
            items.change(session, ids, **dict(values))
    return ledger.append(session, *events)
