"""Adjudication: settling what reviewers disagree about, with their reasons but without names."""

import random
from dataclasses import dataclass

from core.errors import RightsError, StateError
from core.i18n import tr
from core.workflow.check.review import PeerDecision, ReviewCard, card_in
from core.workflow.lookup import check_words, item_in, refuse_author
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, require, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import items, reviews
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.queries import item_search as found
from db.queries.item_search import ItemLine, ItemQuery
from db.vocabulary import DecisionKind, EventKind, ItemState, Stage, Verdict

_MOST = 10_000

_STATES = {
    Verdict.ACCEPT: ItemState.ACCEPTED,
    Verdict.REJECT: ItemState.REJECTED,
    Verdict.RETURN: ItemState.RETURNED,
}


@dataclass(frozen=True, slots=True)
class DisputedCard:
    """A disputed item with what its reviewers said, in an order that tells nothing."""

    card: ReviewCard
    opinions: tuple[PeerDecision, ...]


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """A disagreement that was settled."""

    number: int
    verdict: str
    state: str
    event: int


def disputed(ws: Workspace, person: str, benchmark: str = "") -> tuple[ItemLine, ...]:
    """The disputed items that this person may settle: not their own, not reviewed by them."""
    with ws.reading() as session:
        actor = require(session, person, Action.ADJUDICATE)
        number = benchmark_in(session, benchmark).id if benchmark else None
        wanted = ItemQuery(benchmark_id=number, disputed=True)
        lines = found.lines(session, found.ids(session, wanted, limit=_MOST))
        return tuple(line for line in lines if _may_settle(session, line.id, actor))


def _may_settle(session: Session, number: int, actor: PersonRow) -> bool:
    item = item_in(session, number)
    said = reviews.decisions_on(session, number, item.revision, DecisionKind.REVIEW)
    if any(decision.person_id == actor.id for decision in said):
        return False
    return item.author_id != actor.id and not items.has_written(session, number, actor.id)


def card(ws: Workspace, person: str, number: int) -> DisputedCard:
    """A disputed item as its adjudicator sees it."""
    with ws.reading() as session:
        actor = require(session, person, Action.ADJUDICATE)
        item = item_in(session, number)
        said = _disagreement(session, item, actor)
        opinions = [PeerDecision(d.verdict, d.reason, d.note) for d in said]
        random.Random(f"{number}/{item.revision}").shuffle(opinions)
        return DisputedCard(card_in(session, item, actor), tuple(opinions))


def _disagreement(session: Session, item: ItemRow, actor: PersonRow) -> list[reviews.DecisionRow]:
    """What the reviewers said; the errors of ``settle`` when this person may not settle it."""
    if not item.disputed:
        raise StateError(
            tr(
                "Item #{number} is not disputed: it is {state}.",
                number=item.id,
                state=item.state,
            )
        )
    refuse_author(session, item, actor)
    said = reviews.decisions_on(session, item.id, item.revision, DecisionKind.REVIEW)
    if any(decision.person_id == actor.id for decision in said):
        raise RightsError(
            tr(
                "{name} reviewed item #{number}; somebody else must settle it.",
                name=actor.name,
                number=item.id,
            )
        )
    return said


def settle(
    ws: Workspace,
    person: str,
    number: int,
    verdict: str,
    *,
    reason: str = "",
    note: str = "",
    seconds: float = 0.0,
) -> Adjudicated:
    """Decide a disagreement: the item is accepted, rejected or returned.

    Raises StateError when the item is not disputed (any more), RightsError for its author, its
    reviewers and people whose role does not adjudicate.
    """
    check_words(verdict, reason, note)
    with writing_as(ws, person, Action.ADJUDICATE) as (session, actor):
        item = item_in(session, number, lock=True)
        said = _disagreement(session, item, actor)
        if item.barred and verdict == Verdict.ACCEPT:
            raise StateError(
                tr(
                    "Item #{number} can never be accepted: it was made {why}.",
                    number=number,
                    why=item.barred,
                )
            )
        decision = reviews.add_decision(
            session,
            {
                "item_id": number,
                "revision": item.revision,
                "stage": Stage.CHECK,
                "kind": DecisionKind.ADJUDICATION,
                "person_id": actor.id,
                "verdict": verdict,
                "reason": reason,
                "note": note,
                "seconds": max(0.0, seconds),
            },
        )
        state = _STATES[Verdict(verdict)]
        values = {"state": state, "disputed": False, "open_slots": 0}
        data = {
            "decision": decision,
            "verdict": verdict,
            "reason": reason,
            "note": note,
            "reviewers": [d.verdict for d in said],
        }
        event = apply(session, EventKind.ADJUDICATED, actor.name, [Move(item, values, data)])
    return Adjudicated(number, verdict, state, event)
