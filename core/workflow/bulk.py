"""Bulk actions on many items, with a preview of what will change; one undo takes all back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InputError, StateError
from core.text import tr
from core.workflow.acting import check_words
from core.workflow.administer import acting
from core.workflow.protocols import ProtocolSettings, settings_of
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import assignments, benchmarks, items, reviews
from db.engine import Session
from db.items import ItemRow
from db.ledger import NewEvent
from db.people import PersonRow
from db.vocabulary import DecisionKind, EventKind, ItemState, Role, Stage, Verdict

ROLES = (Role.LEAD, Role.RESEARCHER)
ACTIONS = ("reject", "return", "reopen")


@dataclass(frozen=True, slots=True)
class BulkPlan:
    """What an action would do: the items it changes, and those it cannot, with the reason."""

    action: str
    changes: tuple[int, ...]
    cannot: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class BulkDone:
    """What an action did, under the event that undo takes back."""

    action: str
    changed: tuple[int, ...]
    cannot: tuple[tuple[int, str], ...]
    event: int


def preview(ws: Workspace, numbers: Sequence[int], action: str) -> BulkPlan:
    """What an action would change, without changing it. Unknown numbers cannot be changed."""
    with ws.reading() as session:
        chosen, cannot = _split(session, numbers, action, lock=False)
    return BulkPlan(action, tuple(item.id for item in chosen), tuple(cannot))


def carry_out(
    ws: Workspace, person: str, numbers: Sequence[int], action: str, *, reason: str = ""
) -> BulkDone:
    """Reject, return or reopen many items at once; the rest is named with the reason.

    Only leads and researchers may. Rejecting and returning need a reason. Raises StateError when
    not one of the items can be changed.
    """
    actor = acting(ws, person, ROLES, tr("changing many items at once"))
    if action in (Verdict.REJECT, Verdict.RETURN):
        check_words(action, reason, reason)
    with ws.writing() as session:
        chosen, cannot = _split(session, numbers, action, lock=True)
        if not chosen:
            first = cannot[0][1] if cannot else "–"
            raise StateError(tr("None of these items can be changed: {reason}", reason=first))
        moves = [_move(session, item, actor, action, reason) for item in chosen]
        data = {"action": action, "reason": reason, "items": len(moves)}
        head = NewEvent(EventKind.BULK, actor.name, data=data)
        ids = [item.id for item in chosen]
        event = apply(session, EventKind.BULK, actor.name, moves, head=head)
        assignments.release_leases(session, ids, Stage.CHECK)
        assignments.recount(session, ids, Stage.CHECK)
    return BulkDone(action, tuple(ids), tuple(cannot), event)


def _split(
    session: Session, numbers: Sequence[int], action: str, *, lock: bool
) -> tuple[list[ItemRow], list[tuple[int, str]]]:
    if action not in ACTIONS:
        raise InputError(
            tr(
                "There is no bulk action “{action}”. Known: {known}.",
                action=action,
                known=", ".join(ACTIONS),
            )
        )
    wanted = list(dict.fromkeys(numbers))
    rows = {row.id: row for row in items.get_many(session, wanted, lock=lock)}
    chosen: list[ItemRow] = []
    cannot: list[tuple[int, str]] = []
    for number in wanted:
        why = _refusal(rows.get(number), action)
        if why:
            cannot.append((number, why))
        else:
            chosen.append(rows[number])
    return chosen, cannot


_FROM: dict[str, tuple[ItemState, ...]] = {
    "reject": (ItemState.DRAFT, ItemState.IN_REVIEW, ItemState.ACCEPTED, ItemState.RETURNED),
    "return": (ItemState.DRAFT, ItemState.IN_REVIEW, ItemState.ACCEPTED, ItemState.REJECTED),
    "reopen": (ItemState.ACCEPTED, ItemState.REJECTED, ItemState.SCREENED_OUT),
}


def _refusal(item: ItemRow | None, action: str) -> str:
    if item is None:
        return tr("there is no such item")
    if item.state not in _FROM[action]:
        return tr("it is {state}", state=item.state)
    if item.state == ItemState.ACCEPTED and item.lot_id is not None:
        return tr("it is being audited")
    return ""


def _move(session: Session, item: ItemRow, actor: PersonRow, action: str, reason: str) -> Move:
    if action == "reopen":
        protocol: ProtocolSettings = settings_of(benchmarks.task(session, item.task_id).protocol)
        said = reviews.decisions_on(session, item.id, item.revision, DecisionKind.REVIEW)
        # One more reviewer than there were, so that a reopened item is really looked at again.
        places = max(protocol.overlap, len(said) + 1)
        return Move(item, {"state": ItemState.IN_REVIEW, "open_slots": places}, {"action": action})
    values: dict[str, Any] = {"open_slots": 0, "disputed": False}
    values["state"] = ItemState.REJECTED if action == "reject" else ItemState.RETURNED
    decision = reviews.add_decision(
        session,
        {
            "item_id": item.id,
            "revision": item.revision,
            "stage": Stage.CHECK,
            "kind": DecisionKind.BULK,
            "person_id": actor.id,
            "verdict": action,
            "reason": reason if action == "reject" else "",
            "note": reason if action == "return" else "",
        },
    )
    return Move(item, values, {"action": action, "decision": decision, "reason": reason})
