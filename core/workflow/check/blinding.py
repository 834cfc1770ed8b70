"""What stays hidden until one has decided oneself, and looking at it before (for leads).

Hidden are an item's author, the model's score, and what others decided or rated. They are shown to
a person who has decided on the present revision, on items that nobody reviews any more, and to a
lead who asks for them, which the ledger records and which bars the lead from reviewing the item.
"""

from collections.abc import Sequence

from core.workflow.check.review import PeerDecision, Reveal
from core.workflow.check.visibility import visibility_of
from core.workflow.lookup import item_in
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, writing_as
from core.workflow.workspace import Workspace
from db import assignments, items, ledger, reviews, screenings
from db.engine import Session
from db.ledger import NewEvent
from db.people import PersonRow
from db.vocabulary import REVEALED, DecisionKind, EventKind, Stage


def reveal(ws: Workspace, person: str, number: int) -> Reveal:
    """Show a lead or researcher what is hidden about an item, and write down that they looked.

    They cannot review this revision any more.
    """
    with writing_as(ws, person, Action.REVEAL) as (session, actor):
        item = item_in(session, number, lock=True)
        visibility = visibility_of(session, actor, number)
        if not visibility.shows_whole(number, item.revision, item.state):
            _bar(session, actor, [(number, item.revision)])
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


def reveal_all(ws: Workspace, person: str, benchmark: str = "") -> int:
    """Open everything that is hidden from a lead or researcher, in a benchmark or everywhere.

    As ``reveal`` for each item of which anything is hidden; returns how many that were.
    """
    with writing_as(ws, person, Action.REVEAL) as (session, actor):
        home = benchmark_in(session, benchmark).id if benchmark else None
        visibility = visibility_of(session, actor)
        hidden = [
            (number, revision)
            for number, revision, state in items.present_items(session, home, lock=True)
            if not visibility.shows_whole(number, revision, state)
        ]
        _bar(session, actor, hidden)
    return len(hidden)


def _bar(session: Session, actor: PersonRow, revisions: Sequence[tuple[int, int]]) -> None:
    """Who looks cannot judge: what they hold is given back, and the ledger records it."""
    assignments.exclude_reviewer(session, revisions, Stage.CHECK, actor.id, REVEALED)
    ledger.append(
        session,
        *(
            NewEvent(EventKind.REVEALED, actor.name, number, data={"revision": revision})
            for number, revision in revisions
        ),
    )
