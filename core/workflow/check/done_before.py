"""What a reviewer did already, in another window or on the command line, said to them."""

from core.errors import ConflictError, StandsAlreadyError
from core.i18n import sentences, tr
from core.workflow.labels import label_of
from db import reviews
from db.assignments import AssignmentRow
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.vocabulary import REVEALED, AssignmentState, DecisionKind

OWN_DECISIONS = (DecisionKind.REVIEW, DecisionKind.GOLD)
"""The kinds of a reviewer's decision, which look alike to them."""
_SKIPPED = (AssignmentState.SKIPPED, AssignmentState.POSTPONED)


def decided_before(
    session: Session, item: ItemRow, person: PersonRow, recorded_by: str
) -> ConflictError:
    """That a person's decision on an item stands, said to them or to who brings another one."""
    if recorded_by:
        return ConflictError.tr(
            "{name} has decided on item #{number} already.", name=person.name, number=item.id
        )
    own = [d.verdict for d in reviews.decisions_on(session, item.id, item.revision)
           if d.person_id == person.id and d.kind in OWN_DECISIONS]  # fmt: skip
    said = [tr("You decided on item #{number} already: {verdict}.", number=item.id,
               verdict=label_of(verdict)) for verdict in own[-1:]]  # fmt: skip
    listed = tr("“My work” lists that decision; it can be changed there, or undone.")
    return StandsAlreadyError(
        sentences((*said, listed)),
        command=tr("For example: benchseal decide {number} --change --accept", number=item.id),
    )


def refuse_done(
    session: Session, item: ItemRow, person: PersonRow, claim: AssignmentRow | None
) -> None:
    """StandsAlreadyError where a person decided on an item or skipped it; ``claim`` is theirs."""
    if claim is None:
        return
    if claim.state == AssignmentState.DONE:
        raise decided_before(session, item, person, "")
    if claim.state in _SKIPPED and claim.reason != REVEALED:
        raise StandsAlreadyError.tr("You skipped item #{number} already.", number=item.id)
