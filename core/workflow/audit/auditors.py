"""Who may audit the items of a lot: nobody does who wrote or judged them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.i18n import listed, tr, trn
from core.workflow.audit.lots import involved
from core.workflow.labels import role_label
from core.workflow.lookup import task_in
from core.workflow.rights import Action, is_allowed, require, roles_for
from core.workflow.workspace import Workspace
from db import lots, people
from db.engine import Session
from db.people import PersonRow
from db.queries import item_lists

_FIRST, _MOST = 200, 20_000
"""Of how many items it mostly shows who may audit some, and how many a statement names."""


@dataclass(frozen=True, slots=True)
class LotAuditors:
    """Who is left to audit the items that wait: accepted ones in no lot, or drawn ones."""

    waiting: int = 0
    own: int = 0
    """Of these, those that the person who asks wrote or judged."""
    stuck: int = 0
    """Of those, the ones that nobody in the team may audit."""
    able: tuple[str, ...] = ()
    """Who may audit some of them."""

    def sentences(self) -> tuple[str, ...]:
        """What somebody should know before the audit starts; nothing for who may audit all."""
        said = (
            (self.own, trn(
                "You wrote or reviewed 1 of them; if it is drawn, someone else must audit it.",
                "You wrote or reviewed {n} of them; those that are drawn, someone else must audit.",
                self.own)),
            (self.stuck, trn(
                "Nobody in the team may audit 1 of them: that takes somebody else ({roles}), whom "
                "a lead adds in Team.",
                "Nobody in the team may audit {n} of them: that takes somebody else ({roles}), "
                "whom a lead adds in Team.", self.stuck,
                roles=listed(map(role_label, roles_for(Action.AUDIT))))),
            (len(self.able), tr("Who may audit them: {names}.", names=listed(self.able))),
        )  # fmt: skip
        return tuple(sentence for count, sentence in said if count)


def auditors(ws: Workspace, task: str, person: str, benchmark: str = "") -> LotAuditors:
    """Who may audit what waits of a task: what is drawn in its open lot, else what could be a lot.

    Writes nothing.
    """
    with ws.reading() as session:
        actor = require(session, person, Action.AUDIT)
        task_id = task_in(session, task, benchmark).id
        drawn = [number for _, number in lots.undecided(session, task_id)]
        ready = item_lists.could_be_lot(task_id)
        waiting = drawn or ready
        own = sorted(involved(session, actor, waiting))
        team = [
            other
            for other in people.everybody(session)
            if own
            and other.active
            and other.id != actor.id
            and is_allowed(other.role, Action.AUDIT)
        ]
        first, rest = own[:_FIRST], own[_FIRST:]
        shares = {other.id: len(involved(session, other, first)) for other in team}
        able = [p for p in team if shares[p.id] < len(first) or _may_some(session, p, rest)]
        team.sort(key=lambda other: shares[other.id])
        count = len(drawn) or item_lists.how_many(session, ready)
        names = tuple(sorted(other.name for other in able))
        return LotAuditors(count, len(own), _for_nobody(session, team, own), names)


def has_something_for(ws: Workspace, task: str, person: str, benchmark: str = "") -> bool:
    """Whether a person may audit some of what waits of a task: what is drawn in its open lot, else
    what could be a lot. Writes nothing."""
    with ws.reading() as session:
        actor = require(session, person, Action.AUDIT)
        task_id = task_in(session, task, benchmark).id
        if drawn := [number for _, number in lots.undecided(session, task_id)]:
            return len(involved(session, actor, drawn)) < len(drawn)
        ready = item_lists.could_be_lot(task_id)
        return len(involved(session, actor, ready)) < item_lists.how_many(session, ready)


def _may_some(session: Session, person: PersonRow, numbers: Sequence[int]) -> bool:
    """Whether a person may audit some of the items."""
    return any(len(involved(session, person, part)) < len(part) for part in _parts(numbers))


def _for_nobody(session: Session, team: Sequence[PersonRow], numbers: Sequence[int]) -> int:
    """How many of the items nobody of a team may audit: fast where who may audit most of them comes
    first, for only what is left is asked of the others."""
    count = 0
    for part in _parts(numbers):
        left = part
        for person in team:
            left = sorted(involved(session, person, left)) if left else left
        count += len(left)
    return count


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """As many items at once as one statement names."""
    return (numbers[start : start + _MOST] for start in range(0, len(numbers), _MOST))
