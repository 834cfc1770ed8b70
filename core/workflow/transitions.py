"""The one place where an item changes state: the row and its ledger event, together."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from core.errors import StateError
from db import items, ledger
from db.engine import Session
from db.items import ItemRow
from db.ledger import NewEvent
from db.vocabulary import EventKind, ItemState

# The columns of an item that an event remembers, so that it can be undone and recomputed.
TRACKED = ("state", "revision", "open_slots", "disputed", "lot_id", "round")

# Where an item may go from each state; only undoing an event goes back on its own path.
ALLOWED_TRANSITIONS: Mapping[str, frozenset[str]] = {
    ItemState.DRAFT: frozenset(
        {
            ItemState.SCREENING,
            ItemState.IN_REVIEW,
            ItemState.ACCEPTED,
            ItemState.REJECTED,
            ItemState.RETURNED,
        }
    ),
    ItemState.SCREENING: frozenset({ItemState.SCREENED_OUT, ItemState.IN_REVIEW, ItemState.DRAFT}),
    ItemState.SCREENED_OUT: frozenset({ItemState.IN_REVIEW}),
    ItemState.IN_REVIEW: frozenset({ItemState.ACCEPTED, ItemState.REJECTED, ItemState.RETURNED}),
    ItemState.ACCEPTED: frozenset(
        {ItemState.APPROVED, ItemState.REJECTED, ItemState.RETURNED, ItemState.IN_REVIEW}
    ),
    ItemState.REJECTED: frozenset({ItemState.IN_REVIEW, ItemState.RETURNED}),
    ItemState.RETURNED: frozenset({ItemState.DRAFT, ItemState.REJECTED}),
    ItemState.APPROVED: frozenset({ItemState.FROZEN}),
    ItemState.FROZEN: frozenset(),
}


class Move(NamedTuple):
    """One item's change: which columns get which values, and what the event says of it."""

    item: ItemRow
    values: Mapping[str, Any]
    data: Mapping[str, Any]


def apply(
    session: Session,
    kind: str,
    actor: str,
    moves: Sequence[Move],
    *,
    head: NewEvent | None = None,
) -> int:
    """Change items and append one event each; returns the number of the last event.

    An event's data holds ``before`` and ``after``: the tracked columns that changed. With
    ``head`` that event comes first and remembers in ``group`` how many follow, and they name it,
    so that all are undone as one; then its number is returned.

    Raises StateError for a change of state that the pipeline does not have.
    """
    events = []
    together = {} if head is None else {"head": ledger.next_number(session)}
    groups: dict[tuple[tuple[str, Any], ...], list[int]] = {}
    shared: Mapping[str, Any] | None = None  # most moves have the values of the one before
    for move in moves:
        _check(kind, move)
        if move.values is not shared:
            shared = move.values
            ids = groups.setdefault(tuple(sorted(shared.items())), [])
        item = move.item
        ids.append(item.id)
        changed = {
            name: value
            for name, value in move.values.items()
            if name in TRACKED and getattr(item, name) != value
        }
        data = {
            **move.data,
            **together,
            "before": {name: getattr(item, name) for name in changed},
            "after": changed,
            "revision": item.revision,
        }
        events.append(NewEvent(kind, actor, item.id, data=data))
    for values, ids in groups.items():
        if values:
            items.change(session, ids, **dict(values))
    if head is None:
        return ledger.append(session, *events)
    grouped = {**head.data, "group": len(events)}
    first = NewEvent(head.kind, head.actor, head.item_id, head.subject, grouped)
    return ledger.append(session, first, *events) - len(events)


def is_legal(before: str, after: str) -> bool:
    """Whether the pipeline has a step from one state to another."""
    return before == after or after in ALLOWED_TRANSITIONS.get(before, frozenset())


def _check(kind: str, move: Move) -> None:
    before, after = move.item.state, move.values.get("state", move.item.state)
    if kind != EventKind.UNDONE and not is_legal(before, after):
        raise StateError.tr(
            "Item #{number} cannot go from {before} to {after}.",
            number=move.item.id,
            before=before,
            after=after,
        )
