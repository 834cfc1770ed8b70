"""What stays hidden until one has decided oneself, and looking at it before (for leads).

Hidden are an item's author, the model's score, and what others decided or rated. They are shown to
a person who has decided on the present revision, on items that nobody reviews any more, and to a
lead who asks for them, which the ledger records and which bars the lead from reviewing the item.
"""

from core.workflow.check.review import REVEALED, PeerDecision, Reveal
from core.workflow.lookup import item_in
from core.workflow.rights import Action, writing_as
from core.workflow.workspace import Workspace
from db import assignments, ledger, reviews, screenings
from db.engine import Session
from db.items import ItemRow
from db.ledger import NewEvent
from db.people import PersonRow
from db.vocabulary import AssignmentState, DecisionKind, EventKind, ItemState, Stage

# While an item is in one of these states, people may still have to judge it.
OPEN_STATES = (ItemState.DRAFT, ItemState.SCREENING, ItemState.IN_REVIEW)


def may_see(session: Session, item: ItemRow, person: PersonRow | None) -> bool:
    """Whether what others said about an item's present revision is open to this person."""
    if person is not None:
        own = assignments.assignment_of(session, item.id, item.revision, Stage.CHECK, person.id)
        if own is not None and own.state == AssignmentState.LEASED:
            return False
    if item.state not in OPEN_STATES:
        return True
    if person is None:
        return False
    if own is not None and own.reason == REVEALED:
        return True
    mine = reviews.decisions_on(session, item.id, item.revision)
    return any(d.person_id == person.id and d.kind != DecisionKind.GOLD for d in mine)


def may_see_ratings(session: Session, item: ItemRow, person: PersonRow | None) -> bool:
    """Whether the ratings of an item's present revision are open to this person.

    Only those who have rated it, and leads who asked to see what is hidden, may.
    """
    if person is None:
        return False
    found = reviews.ratings_on(session, item.id, item.revision)
    if any(rating.person_id == person.id for rating in found):
        return True
    own = assignments.assignment_of(session, item.id, item.revision, Stage.CHECK, person.id)
    return own is not None and own.reason == REVEALED


def reveal(ws: Workspace, person: str, number: int) -> Reveal:
    """Show a lead or researcher what is hidden about an item, and write down that they looked.

    They cannot review this revision any more.
    """
    with writing_as(ws, person, Action.REVEAL) as (session, actor):
        item = item_in(session, number, lock=True)
        if not may_see(session, item, actor) or not may_see_ratings(session, item, actor):
            own = assignments.assignment_of(session, number, item.revision, Stage.CHECK, actor.id)
            if own is not None and own.state == AssignmentState.LEASED:
                # who is about to judge it gives it back: looking and then judging is not blind
                assignments.set_assignment(session, own.id, AssignmentState.SKIPPED, REVEALED)
                assignments.recount(session, [number], Stage.CHECK)
            assignments.bar(session, number, item.revision, Stage.CHECK, actor.id, REVEALED)
            data = {"revision": item.revision}
            ledger.append(session, NewEvent(EventKind.REVEALED, actor.name, number, data=data))
        screening = screenings.newest_of(session, number, item.revision)
        others = [
            PeerDecision(decision.verdict, decision.reason, decision.note)
            for decision in reviews.decisions_on(session, number, item.revision)
            if decision.person_id != actor.id and decision.kind != DecisionKind.GOLD
        ]
    return Reveal(
        score=screening.score if screening else None,
        threshold=screening.threshold if screening else None,
        rationale=screening.rationale if screening else "",
        others=tuple(others),
    )
