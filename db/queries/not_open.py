"""Why items that are not settled yet are not open to a reviewer, counted."""

from sqlalchemy import ColumnElement, and_, case, exists, func, select

from db.assignments import not_written_by
from db.importing.pending_imports import is_shown
from db.people import UNLIMITED, RemainingShares
from db.session import Session
from db.tables import ASSIGNMENT, ITEM
from db.vocabulary import AssignmentState, ItemState, Stage

_UNSETTLED = (ItemState.DRAFT, ItemState.SCREENING, ItemState.IN_REVIEW)


def reasons(
    session: Session, person_id: int, benchmark_id: int, remaining: RemainingShares = UNLIMITED
) -> dict[str, int]:
    """Unsettled items of a benchmark by why this person is not given them to review.

    ``screening``: a run holds them; ``disputed``; ``own``: they wrote them; ``gate``: drafts that
    no screening has passed; ``decided`` and ``skipped`` by them; ``held``: others have all the
    places; ``assigned``: their task is shared out to others; ``quota``: this person has had their
    share of the task; ``open``: nothing stands in the way. Each item counts once, for the first
    that fits.
    """

    def mine(*states: AssignmentState) -> ColumnElement[bool]:
        return exists().where(
            ASSIGNMENT.c.item_id == ITEM.c.id,
            ASSIGNMENT.c.revision == ITEM.c.revision,
            ASSIGNMENT.c.stage == Stage.CHECK,
            ASSIGNMENT.c.person_id == person_id,
            ASSIGNMENT.c.state.in_(states),
        )

    why = case(
        (ITEM.c.state == ItemState.SCREENING, "screening"),
        (ITEM.c.disputed, "disputed"),
        (~not_written_by(person_id), "own"),
        (mine(AssignmentState.DONE), "decided"),
        (and_(ITEM.c.state == ItemState.DRAFT, ITEM.c.open_slots == 0), "gate"),
        (mine(AssignmentState.SKIPPED), "skipped"),
        (ITEM.c.taken >= ITEM.c.open_slots, "held"),
        (ITEM.c.task_id.in_(remaining.others), "assigned"),
        (ITEM.c.task_id.in_(remaining.full), "quota"),
        else_="open",
    ).label("why")
    query = (
        select(why, func.count(ITEM.c.id))
        .where(ITEM.c.benchmark_id == benchmark_id, ITEM.c.state.in_(_UNSETTLED), is_shown())
        .group_by(why)
    )
    return {row[0]: row[1] for row in session.execute(query)}
