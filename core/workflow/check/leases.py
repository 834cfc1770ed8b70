"""How long claims last: what a task's protocol says, again and again while their holder works."""

from collections.abc import Iterable
from datetime import timedelta

from core.workflow.lookup import item_in, protocol_of
from core.workflow.protocols import ProtocolSettings
from core.workflow.rights import Action, at_work, require
from core.workflow.workspace import Workspace
from db import assignments
from db.assignments import AssignmentRow
from db.engine import Session
from db.items import ItemRow
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
        held = [
            (lease, item_in(session, lease.item_id))
            for stage in Stage
            for lease in assignments.leased_to(session, person.id, stage)
        ]
        lengths = _by_length(session, held).items()
        return sum(assignments.renew_leases(session, some, length) for length, some in lengths)


def release(ws: Workspace, reviewer: str) -> int:
    """Give back everything the reviewer holds undecided, for others; returns how many."""
    with ws.writing() as session:
        person = at_work(session, reviewer)
        leases = assignments.leased_to(session, person.id, Stage.CHECK)
        leases += assignments.leased_to(session, person.id, Stage.RATING)
        leases = [lease for lease in leases if lease.reason != PACKAGED]
        assignments.give_back(session, leases)
    return len(leases)


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
