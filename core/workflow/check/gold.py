"""Gold items: known answers among the others, and how well each reviewer does on them.

A gold item is one whose right verdict a lead knows. It is shown to reviewers as if it were under
review, at the rate the protocol says; their verdicts change nothing but their own accuracy.
"""

import random
from collections.abc import Sequence

from core.errors import RightsError, StateError
from core.workflow.eligibility import refuse_invalid
from core.workflow.labels import state_label
from core.workflow.lookup import item_in
from core.workflow.protocols import ProtocolSettings
from core.workflow.rights import Action, known_person, writing_as
from core.workflow.team import GOLD_ANSWERS, gold_answers
from core.workflow.workspace import Workspace
from db import gold as rows
from db import ledger, people, splits
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.vocabulary import EventKind, ItemState, Stage


def mark_gold(ws: Workspace, person: str, number: int, verdict: str, why: str = "") -> None:
    """Let an item serve as gold with a known verdict.

    ``why`` is told after an answer in a qualification round; without it, what those who settled the
    item said. Only settled items can: StateError otherwise. Only leads and researchers may.
    """
    refuse_invalid(verdict, "gold", why or "gold")
    settled = (ItemState.ACCEPTED, ItemState.REJECTED, ItemState.APPROVED, ItemState.FROZEN)
    with writing_as(ws, person, Action.SET_GOLD) as (session, actor):
        item = item_in(session, number, lock=True)
        if item.state not in settled:
            raise StateError.tr(
                "Item #{number} is {state}; only a decided item can be gold.",
                number=number,
                state=state_label(item.state),
            )
        if splits.sealed_among(session, [number]):
            raise StateError.tr("Item #{number} is in a sealed split: nobody is shown it as gold.",
                                number=number)  # fmt: skip
        rows.set_gold(session, number, item.revision, item.task_id, verdict, actor.id)
        data = {"verdict": verdict, "revision": item.revision, **({"why": why} if why else {})}
        ledger.append(session, ledger.NewEvent(EventKind.GOLD, actor.name, number, data=data))


def unmark_gold(ws: Workspace, person: str, number: int) -> None:
    """Show an item as gold no longer."""
    with writing_as(ws, person, Action.SET_GOLD) as (session, actor):
        item_in(session, number, lock=True)
        rows.stop(session, number)
        event = ledger.NewEvent(EventKind.GOLD, actor.name, number, data={"verdict": ""})
        ledger.append(session, event)


def lift_pause(ws: Workspace, lead: str, reviewer: str) -> None:
    """Let a paused reviewer go on: their gold answers so far no longer count for the pause."""
    with writing_as(ws, lead, Action.LIFT_PAUSE, about=reviewer) as (session, actor):
        row = known_person(session, reviewer)
        newest = max((e[1] for e in rows.answers(session) if e[0] == row.name), default=0)
        people.set_gold_from(session, row.id, newest)
        data = {"gold_from": newest}
        event = ledger.NewEvent(EventKind.PERSON, actor.name, subject=row.name, data=data)
        ledger.append(session, event)


def gold_item_for(
    session: Session, item: ItemRow, person: PersonRow, protocol: ProtocolSettings
) -> int | None:
    """The gold item to show before an item that was just claimed, if it is time for one.

    The draw depends on the person, the task and how many items they have had, so that a claim
    that is asked for again gives the same. Raises RightsError when the reviewer is paused.
    """
    if protocol.gold_rate <= 0 and protocol.gold_limit <= 0:
        return None
    _refuse_paused(session, item, person, protocol.gold_limit)
    had, _ = rows.claimed(session, person.id, Stage.CHECK, item.task_id)
    if not is_gold_due((person.id, item.task_id, had), protocol.gold_rate):
        return None
    return rows.next_drawn_gold(session, item.task_id, person.id, f"{person.id}/{had}", item.id)


def is_gold_due(draw: Sequence[int], rate: float) -> bool:
    """Whether a gold item comes next; a draw is of a person, a task, and how many items of it they
    have had."""
    return random.Random("/".join(map(str, draw))).random() < rate


def _refuse_paused(session: Session, item: ItemRow, person: PersonRow, limit: float) -> None:
    if limit <= 0:
        return
    answers, right = gold_answers(session, item.task_id, person)
    if answers >= GOLD_ANSWERS and right / answers < limit:
        raise RightsError.trn(
            "{name} is paused: only {right} of 1 gold item was correct. Contact a lead.",
            "{name} is paused: only {right} of {n} gold items were correct. Contact a lead.",
            answers,
            name=person.name,
            right=right,
        )
