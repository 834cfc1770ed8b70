"""One action on many items: what it would change, then changing it, undone as one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InputError, RightsError, StateError
from core.text import tr
from core.workflow.acting import protocol_of
from core.workflow.administer import known_person
from core.workflow.finding import Filters, query_of
from core.workflow.transitions import Move, apply, is_legal
from core.workflow.workspace import Workspace
from db import items, ledger
from db.engine import Session
from db.items import ItemRow
from db.queries import bulk as bulk_rows
from db.queries import items as found
from db.vocabulary import EventKind, ItemState, Role

# Action to the state it brings an item to.
ACTIONS: Mapping[str, str] = {
    "reject": ItemState.REJECTED,
    "return": ItemState.RETURNED,
    "reopen": ItemState.IN_REVIEW,
}
_FROM: Mapping[str, frozenset[str]] = {
    "reject": frozenset({ItemState.IN_REVIEW, ItemState.ACCEPTED, ItemState.DRAFT}),
    "return": frozenset({ItemState.IN_REVIEW, ItemState.ACCEPTED, ItemState.DRAFT}),
    "reopen": frozenset({ItemState.SCREENED_OUT}),
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
    """What was changed. ``event`` is the one number by which all of it is undone; 0 for nothing."""

    changed: int
    cannot: Mapping[str, int]
    event: int


def preview(ws: Workspace, chosen: Filters, action: BulkAction) -> BulkPreview:
    """What ``run`` would do now; writes nothing."""
    _check(action, words_needed=False)
    with ws.reading() as session:
        able, cannot = _sorted_out(session, _found(session, chosen), action)
    before = Counter(item.state for item in able)
    return BulkPreview(len(able), dict(sorted(before.items())), ACTIONS[action.name], cannot)


def run(ws: Workspace, chosen: Filters, action: BulkAction, person: str) -> BulkDone:
    """Change every matching item that can be changed, one event each, in one transaction.

    Only researchers and leads may. Undoing the event of the answer takes all of it back. Raises
    InputError for an unknown action and for missing words, StateError where nothing matches.
    """
    _check(action, words_needed=True)
    with ws.writing() as session:
        actor = known_person(session, person)
        if actor.role not in (Role.RESEARCHER, Role.LEAD):
            raise RightsError(
                tr(
                    "Only researchers and leads change many items at once; {name} is neither.",
                    name=actor.name,
                )
            )
        able, cannot = _sorted_out(session, _found(session, chosen), action)
        if not able:
            raise StateError(tr("No item would change; nothing was written."))
        slots = _slots(session, able) if action.name == "reopen" else {}
        moves = [Move(item, _values(item, action, slots), _said(action)) for item in able]
        head = ledger.NewEvent(
            EventKind.BULK,
            actor.name,
            subject=action.name,
            data={"action": action.name, "items": len(able), "words": action.words},
        )
        event = apply(session, EventKind.BULK, actor.name, moves, head=head)
    return BulkDone(len(able), cannot, event)


def _check(action: BulkAction, *, words_needed: bool) -> None:
    if action.name not in ACTIONS:
        raise InputError(
            tr(
                "There is no action “{name}” for many items. Known: {known}.",
                name=action.name,
                known=", ".join(ACTIONS),
            )
        )
    if words_needed and action.name != "reopen" and not action.words.strip():
        raise InputError(tr("Say why: a rejection needs a reason and a return a note."))


def _found(session: Session, chosen: Filters) -> list[ItemRow]:
    return items.get_many(session, found.ids(session, query_of(session, chosen), limit=None))


def _sorted_out(
    session: Session, rows: Sequence[ItemRow], action: BulkAction
) -> tuple[list[ItemRow], dict[str, int]]:
    """The items that can be changed, and the reasons of the others with their counts."""
    held = bulk_rows.held(session)
    able: list[ItemRow] = []
    cannot: Counter[str] = Counter()
    for item in rows:
        if item.state == ACTIONS[action.name]:
            cannot[tr("It is {state} already.", state=item.state)] += 1
        elif item.state not in _FROM[action.name] or not is_legal(item.state, ACTIONS[action.name]):
            cannot[tr("It is {state}.", state=item.state)] += 1
        elif item.lot_id is not None:
            cannot[tr("It is in a lot that is audited.")] += 1
        elif item.id in held:
            cannot[tr("Somebody is working on it.")] += 1
        else:
            able.append(item)
    return able, dict(cannot.most_common())


def _slots(session: Session, rows: Sequence[ItemRow]) -> dict[int, int]:
    """Reviewers on every item, by task."""
    first = {item.task_id: item for item in rows}
    return {task_id: protocol_of(session, item).overlap for task_id, item in first.items()}


def _values(item: ItemRow, action: BulkAction, slots: Mapping[int, int]) -> dict[str, Any]:
    if action.name == "reopen":
        return {"state": ItemState.IN_REVIEW, "open_slots": slots[item.task_id]}
    return {"state": ACTIONS[action.name], "open_slots": 0, "disputed": False}


def _said(action: BulkAction) -> dict[str, Any]:
    name = "note" if action.name == "return" else "reason"
    return {"action": action.name, name: action.words} if action.words else {"action": action.name}
