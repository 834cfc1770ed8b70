"""Changing one's own earlier decision: a new decision in the place of the old one.

The ledger keeps both: the old one is taken back, the new one names it. What one did afterwards, on
this and on other items, stays as it is. Where somebody has built on the decision it stays too.
"""

from dataclasses import dataclass

from core.errors import InputError, StateError
from core.workflow.check import review
from core.workflow.check.done_before import OWN_DECISIONS
from core.workflow.check.review import CommittedDecision, ReviewCard
from core.workflow.eligibility import refuse_invalid
from core.workflow.items import undo
from core.workflow.lookup import item_in
from core.workflow.rights import Action, at_work, writing_as
from core.workflow.workspace import Workspace
from db import assignments, ledger, reviews
from db.engine import Session
from db.items import ItemRow
from db.ledger import LedgerEvent
from db.people import PersonRow
from db.reviews import DecisionRow
from db.vocabulary import EventKind, Stage


def change(
    ws: Workspace,
    person: str,
    number: int,
    verdict: str,
    *,
    reason: str = "",
    note: str = "",
    seconds: float = 0.0,
) -> CommittedDecision:
    """Replace one's own review decision on an item's present revision by another one.

    Raises StateError where there is none, or where others have built on it (with what they did),
    InputError for the same decision again, an unknown verdict, or a rejection or return without
    words; else the errors of ``review.decide``.
    """
    refuse_invalid(verdict, reason, note)
    fields = {"verdict": verdict, "reason": reason, "note": note, "seconds": seconds}
    with writing_as(ws, person, Action.REVIEW) as (session, actor):
        item = item_in(session, number, lock=True)
        decision, event = _standing(session, actor, item)
        _refuse_built_on(session, item, event)
        if same_decision(decision, verdict, reason, note):
            raise InputError.tr("That is your decision already.")
        undo.undo_in(session, actor, event)
        return review.decide_in(session, actor, number, fields, replaces=event.id)


def _standing(session: Session, actor: PersonRow, item: ItemRow) -> tuple[DecisionRow, LedgerEvent]:
    """A person's decision on an item's present revision, and the event that recorded it."""
    own = [
        decision
        for decision in reviews.decisions_on(session, item.id, item.revision)
        if decision.person_id == actor.id and decision.kind in OWN_DECISIONS
    ]
    for event in reversed(ledger.of_item(session, item.id)) if own else ():
        if event.kind == EventKind.DECIDED and event.data.get("decision") == own[-1].id:
            return own[-1], event
    raise StateError.tr(
        "{name} has no decision on item #{number} as it is now.",
        name=actor.name,
        number=item.id,
    )


def _refuse_built_on(session: Session, item: ItemRow, event: LedgerEvent) -> None:
    undo.refuse_qualification(event)
    later = undo.built_on(session, event)
    if later is not None:
        raise StateError.tr(
            "Your decision on item #{number} can no longer be changed: {what}.",
            number=item.id,
            what=undo.later_step(later),
        )


@dataclass(frozen=True, slots=True)
class EarlierCard:
    """An item that somebody has dealt with, as it is now: their decision on it (empty verdict:
    none, such as after a skip), and why that cannot be changed (empty: it can)."""

    card: ReviewCard
    verdict: str
    reason: str
    note: str
    refusal: str


def same_decision(stands: DecisionRow | EarlierCard, verdict: str, reason: str, note: str) -> bool:
    """Whether a decision that stands is this one."""
    return (stands.verdict, stands.reason, stands.note) == (verdict, reason, note)


def earlier(ws: Workspace, person: str, number: int) -> EarlierCard:
    """An item that somebody has dealt with, to look at again."""
    with ws.reading() as session:
        actor = at_work(session, person)
        item = item_in(session, number)
        claim = assignments.assignment_of(session, number, item.revision, Stage.CHECK, actor.id)
        gold = claim is not None and claim.gold
        card = review.card_in(session, item, actor, gold_item=gold)
        if not card.already:
            return EarlierCard(card, "", "", "", "")
        try:
            decision, event = _standing(session, actor, item)
        except StateError as error:
            return EarlierCard(card, card.already, "", "", str(error))
        refused = ""
        try:
            _refuse_built_on(session, item, event)
        except StateError as error:
            refused = str(error)
    return EarlierCard(card, decision.verdict, decision.reason, decision.note, refused)
