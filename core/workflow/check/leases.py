"""How long claims last: what a task's protocol says, again and again while their holder works."""

from collections.abc import Iterable
from datetime import timedelta

from core.workflow.lookup import protocol_of
from core.workflow.protocols import ProtocolSettings
from core.workflow.rights import Action, at_work, require
from core.workflow.workspace import Workspace
from db import assignments, items
from db.assignments import AssignmentRow
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.vocabulary import PACKAGED, Stage


def lease_length(protocol: ProtocolSettings) -> timedelta:
    """How long a claim lasts unless it is renewed."""
    return timedelta(minutes=protocol.lease_minutes)


def renew_if_due(session: Session, held: Iterable[tuple[AssignmentRow, ItemRow]]) -> None:
    """Renew the leases of a task once one of them has less than nine tenths of its time left."""
    for length, leases in _by_length(session, held).items():
        assignments.renew_leases_if_due(session, leases, length)


def renew(ws: Workspace, reviewer: str) -> int:
    """Renew all leases of a reviewer who is active; returns how many end later now.

    Raises RightsError for somebody who may not review.
    """
    with ws.writing() as session:
        person = require(session, reviewer, Action.REVIEW, lock=True)
        leases = _held(session, person, *Stage)
        numbers = [lease.item_id for lease in leases]
        found = {row.id: row for row in items.get_many(session, numbers, hidden=True)}
        lengths = _by_length(session, ((one, found[one.item_id]) for one in leases)).items()
        return sum(assignments.renew_leases(session, some, length) for length, some in lengths)


def release(ws: Workspace, reviewer: str) -> int:
    """Give back everything the reviewer holds undecided, for others; returns how many."""
    with ws.writing() as session:
        person = at_work(session, reviewer)
        leases = _held(session, person, Stage.CHECK, Stage.RATING)
        assignments.give_back(session, leases)
    return len(leases)


def _held(session: Session, person: PersonRow, *stages: Stage) -> list[AssignmentRow]:
    """What somebody holds here: what is in their work packages has a term of its own."""
    leases = [one for stage in stages for one in assignments.leased_to(session, person.id, stage)]
    return [lease for lease in leases if lease.reason != PACKAGED]


def _by_length(
    session: Session, held: Iterable[tuple[AssignmentRow, ItemRow]]
) -> dict[timedelta, list[AssignmentRow]]:
    """Leases by how long one is in the protocol of its item's task."""
    lengths: dict[int, timedelta] = {}
    found: dict[timedelta, list[AssignmentRow]] = {}
    for lease, item in held:
        if item.task_id not in lengths:
            lengths[item.task_id] = lease_length(protocol_of(session, item))
        found.setdefault(lengths[item.task_id], []).append(lease)
    return found
