"""A change of a task's protocol: what becomes of the items that wait."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.workflow.protocols import ProtocolSettings, changed, settings_of
from core.workflow.transitions import Move, apply
from db import benchmarks, items, reviews
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import ItemRow
from db.ledger import NewEvent
from db.people import PersonRow
from db.vocabulary import EventKind, ItemState


@dataclass(frozen=True, slots=True)
class ProtocolChange:
    """What an edit did. ``applied`` items wait and follow the new protocol from now on;
    ``kept`` were judged already and end under the one they began with."""

    version: int
    settings: ProtocolSettings
    changed: dict[str, Any]
    applied: int
    kept: int


def protocol_change(
    session: Session, row: TaskRow, values: Mapping[str, str], *, lock: bool
) -> tuple[ProtocolChange, list[Move]]:
    """What an edit of the protocol makes of it, and what becomes of the waiting items."""
    before = settings_of(row.protocol)
    after = changed(before, dict(values))
    old, new = before.model_dump(), after.model_dump()
    differences = {key: new[key] for key in new if new[key] != old[key]}
    waiting = _in_work(session, row, lock=lock)
    if not differences:
        return ProtocolChange(row.protocol_version, after, {}, 0, len(waiting)), []
    version = row.protocol_version + 1
    judged = _judged(session, waiting)
    moves, kept = [], 0
    for item in waiting:
        places = _places(item, before, after) if item.id not in judged else None
        if places is None:
            kept += 1
        elif places != item.open_slots:
            moves.append(Move(item, {"open_slots": places}, {"protocol": version}))
    return ProtocolChange(version, after, differences, len(moves), kept), moves


def _judged(session: Session, waiting: Sequence[ItemRow]) -> set[int]:
    """Those on which somebody decided; who only holds one has not begun to judge it."""
    held = {item.id: item.revision for item in waiting if item.taken}
    decided = reviews.decisions_on_items(session, list(held))
    return {one.item_id for one in decided if held[one.item_id] == one.revision}


def write_protocol(
    session: Session,
    row: TaskRow,
    change: ProtocolChange,
    moves: Sequence[Move],
    actor: PersonRow,
) -> None:
    """Store a new version of the protocol and move the items that follow it, in one event."""
    if not change.changed:
        return
    settings = change.settings.model_dump()
    version = benchmarks.add_protocol(session, row.id, settings, actor.id)
    data = {
        "benchmark": benchmarks.benchmark(session, row.benchmark_id).name,
        "version": version, "changed": change.changed, "round": row.round,
        "applied": change.applied, "kept": change.kept,
    }  # fmt: skip
    head = NewEvent(EventKind.PROTOCOL, actor.name, subject=row.name, data=data)
    apply(session, EventKind.PROTOCOL, actor.name, moves, head=head)


def _in_work(session: Session, row: TaskRow, *, lock: bool) -> list[ItemRow]:
    """The task's items that a reviewer may still take, also those that an import still hides."""
    states = (ItemState.DRAFT, ItemState.IN_REVIEW)
    waiting = items.in_state(session, states, task_id=row.id, hidden=True)
    if not lock:
        return waiting
    return items.get_many(session, [item.id for item in waiting], lock=True, hidden=True)


def _places(item: ItemRow, before: ProtocolSettings, after: ProtocolSettings) -> int | None:
    """How many reviewers an item that nobody judged gets under the new protocol, but all who hold
    it now; None for one that ends under the protocol it began with."""
    if item.disputed:
        return None
    if item.state == ItemState.DRAFT:
        return 0 if after.gate == "required" else max(after.overlap, item.taken)
    return max(after.overlap, item.taken) if item.open_slots == before.overlap else None
