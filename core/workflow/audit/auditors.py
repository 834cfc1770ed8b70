"""Who may audit the items of a lot: nobody does who wrote or judged them."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.i18n import listed, tr, trn
from core.workflow.audit.lots import involved
from core.workflow.labels import role_label
from core.workflow.lookup import task_in
from core.workflow.rights import Action, is_allowed, require, roles_for
from core.workflow.workspace import Workspace
from db import items, lots, people
from db.engine import Session
from db.vocabulary import ItemState


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
        numbers = _waiting(session, task_in(session, task, benchmark).id)
        own = involved(session, actor, numbers)
        free = {
            other.name: own - involved(session, other, sorted(own))
            for other in people.everybody(session)
            if own and other.active and is_allowed(other.role, Action.AUDIT)
        }
        able = tuple(sorted(name for name, audits in free.items() if audits))
        return LotAuditors(len(numbers), len(own), len(own.difference(*free.values())), able)


def _waiting(session: Session, task_id: int) -> Sequence[int]:
    drawn = [number for _, number in lots.undecided(session, task_id)]
    accepted = items.in_state(session, (ItemState.ACCEPTED,), task_id=task_id)
    return drawn or [i.id for i in accepted if i.lot_id is None and not i.barred]
