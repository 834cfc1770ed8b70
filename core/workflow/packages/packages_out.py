"""The work packages that were handed out: what has come of each, and calling one off."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from core.errors import NotFoundError, StateError
from core.i18n import printed_day
from core.workflow.rights import Action, require, writing_as
from core.workflow.workspace import Workspace
from db import assignments, ledger
from db.queries.packaged_items import PackagedItem, packaged
from db.vocabulary import AssignmentState, EventKind


@dataclass(frozen=True, slots=True)
class PackageOut:
    """A package and how far it is. ``made`` and ``until`` are days (ISO); of its ``items`` the
    person ``decided`` or ``skipped`` some, and some are ``held`` for them still; the others have
    gone back to everybody."""

    package: str
    person: str
    lead: str
    made: str
    until: str
    items: int
    decided: int
    skipped: int
    held: int


def packages_out(ws: Workspace, person: str = "") -> tuple[PackageOut, ...]:
    """Every package that was handed out, newest first; for leads."""
    with ws.reading() as session:
        require(session, person, Action.ASSIGN)
        found = packaged(session)
    found.sort(key=lambda item: (item.at, item.package), reverse=True)
    return tuple(_summed(items) for _, items in groupby(found, lambda item: item.package))


def _summed(parts: Iterable[PackagedItem]) -> PackageOut:
    items = list(parts)
    states = [item.claim.state if item.claim is not None else "" for item in items]
    first = items[0]
    return PackageOut(
        first.package, first.person, first.lead, printed_day(first.at), first.until, len(items),
        states.count(AssignmentState.DONE), states.count(AssignmentState.SKIPPED),
        sum(item.is_held for item in items),
    )  # fmt: skip


def call_off(ws: Workspace, package: str, lead: str = "") -> int:
    """Give what a package still holds back to everybody; returns how many items that are.

    What its person sends back later is taken where the item still has a place for them. Leads
    only. NotFoundError for an unknown package, StateError where it holds nothing any more.
    """
    with writing_as(ws, lead, Action.ASSIGN) as (session, actor):
        items = packaged(session, package)
        if not items:
            raise NotFoundError.tr("There is no work package “{package}”.", package=package)
        claims = [item.claim for item in items if item.is_held and item.claim is not None]
        if not claims:
            raise StateError.tr("Nothing of this work package is held any more.")
        assignments.give_back(session, claims)
        told = {"package": package, "called_off": len(claims)}
        event = ledger.NewEvent(EventKind.PERSON, actor.name, subject=items[0].person, data=told)
        ledger.append(session, event)
    return len(claims)
