"""One action on many items: what it would change, then changing it; one undo takes all back."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import StateError
from core.i18n import tr, tr_noop
from core.known_names import refuse_unknown
from core.workflow.eligibility import refuse_invalid
from core.workflow.items.search import Filters, complete_index, query_of
from core.workflow.lookup import protocol_of
from core.workflow.rights import Action, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import assignments, items, reviews
from db.engine import Session
from db.items import ItemRow
from db.ledger import NewEvent
from db.queries import item_search as item_search
from db.queries.item_search import ItemQuery
from db.vocabulary import DecisionKind, EventKind, ItemState, Stage, Verdict

# Action to the state it brings an item to, and the states it can be done in.
ACTIONS: Mapping[str, ItemState] = {
    "reject": ItemState.REJECTED,
    "return": ItemState.RETURNED,
    "reopen": ItemState.IN_REVIEW,
}
_FROM: Mapping[str, tuple[ItemState, ...]] = {
    "reject": (ItemState.DRAFT, ItemState.IN_REVIEW, ItemState.ACCEPTED, ItemState.RETURNED),
    "return": (ItemState.DRAFT, ItemState.IN_REVIEW, ItemState.ACCEPTED, ItemState.REJECTED),
    "reopen": (ItemState.ACCEPTED, ItemState.REJECTED, ItemState.SCREENED_OUT),
}


@dataclass(frozen=True, slots=True)
class BulkAction:
    """What is done to each item. ``words`` are the reason of a rejection or a return's note."""

    name: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class BulkPreview:
    """How many items would change, from which states, and how many cannot, by reason."""

    will_change: int
    before: Mapping[str, int]
    after: str
    cannot: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class BulkDone:
    """What was changed, and the one event by which all of it is undone."""

    changed: tuple[int, ...]
    cannot: Mapping[str, int]
    event: int


def preview(ws: Workspace, filters: Filters, action: BulkAction, viewer: str) -> BulkPreview:
    """What ``run`` would do now; writes nothing."""
    _check(action)
    complete_index(ws, filters)
    with ws.reading() as session:
        changeable, cannot = _sorted_out(
            session, query_of(session, filters, viewer), action, lock=False
        )
    before = Counter(str(item.state) for item in changeable)
    return BulkPreview(len(changeable), dict(sorted(before.items())), ACTIONS[action.name], cannot)


def run(ws: Workspace, filters: Filters, action: BulkAction, person: str) -> BulkDone:
    """Change every matching item that can be changed, one event each, in one transaction.

    Only leads and researchers may. Leases on the items are given back. Raises InputError for an
    unknown action or missing words, StateError where not one item can be changed.
    """
    _check(action)
    if action.name in (Verdict.REJECT, Verdict.RETURN):
        refuse_invalid(action.name, action.words, action.words)
    complete_index(ws, filters)
    with writing_as(ws, person, Action.CHANGE_MANY) as (session, actor):
        query = query_of(session, filters, actor.name)
        changeable, cannot = _sorted_out(session, query, action, lock=True)
        if not changeable:
            raise StateError.tr("No items would change; nothing was written.")
        slots = _slots(session, changeable) if action.name == "reopen" else {}
        moves = [_move(session, item, action, slots) for item in changeable]
        data = {"action": action.name, "reason": action.words, "items": len(moves)}
        head = NewEvent(EventKind.BULK, actor.name, data=data)
        ids = [item.id for item in changeable]
        event = apply(session, EventKind.BULK, actor.name, moves, head=head)
        assignments.release_leases(session, ids, Stage.CHECK)
        assignments.recount(session, ids, Stage.CHECK)
    return BulkDone(tuple(ids), cannot, event)


def _check(action: BulkAction) -> None:
    refuse_unknown(
        action.name, ACTIONS, tr_noop("There is no bulk action “{name}”. Available: {known}.")
    )


def _sorted_out(
    session: Session, query: ItemQuery, action: BulkAction, *, lock: bool
) -> tuple[list[ItemRow], dict[str, int]]:
    """The items that can be changed, and the reasons of the others with their counts."""
    numbers = item_search.ids(session, query, limit=None)
    changeable: list[ItemRow] = []
    cannot: Counter[str] = Counter()
    for item in items.get_many(session, numbers, lock=lock):
        if item.state not in _FROM[action.name]:
            cannot[_why_not(item.state)] += 1
        elif item.state == ItemState.ACCEPTED and item.lot_id is not None:
            cannot[tr("in a lot under audit")] += 1
        else:
            changeable.append(item)
    return changeable, dict(cannot.most_common())


def _why_not(state: str) -> str:
    words = {
        ItemState.DRAFT: tr("still a draft"),
        ItemState.SCREENING: tr("being screened"),
        ItemState.SCREENED_OUT: tr("screened out"),
        ItemState.IN_REVIEW: tr("already in review"),
        ItemState.REJECTED: tr("already rejected"),
        ItemState.RETURNED: tr("already with the author"),
        ItemState.APPROVED: tr("approved by an audit"),
        ItemState.FROZEN: tr("frozen in a split"),
    }
    return words.get(ItemState(state), state)


def _slots(session: Session, rows: list[ItemRow]) -> dict[int, int]:
    """Reviewers on every item, by task."""
    first = {item.task_id: item for item in rows}
    return {task_id: protocol_of(session, item).overlap for task_id, item in first.items()}


def _move(
    session: Session,
    item: ItemRow,
    action: BulkAction,
    slots: Mapping[int, int],
) -> Move:
    if action.name == "reopen":
        decisions = reviews.decisions_on(session, item.id, item.revision, DecisionKind.REVIEW)
        # One more reviewer than there were, so that a reopened item is really looked at again.
        places = max(slots[item.task_id], len(decisions) + 1)
        values: dict[str, Any] = {"state": ItemState.IN_REVIEW, "open_slots": places}
        return Move(item, values, {"action": action.name})
    values = {"state": ACTIONS[action.name], "open_slots": 0, "disputed": False}
    words = "note" if action.name == "return" else "reason"
    return Move(item, values, {"action": action.name, words: action.words})
