"""Who may audit the items of a lot: nobody does who wrote or judged them."""

from dataclasses import dataclass

from core.i18n import listed, tr, trn
from core.workflow.audit.lots import involved
from core.workflow.labels import role_label
from core.workflow.lookup import task_in
from core.workflow.rights import Action, is_allowed, require, roles_for
from core.workflow.workspace import Workspace
from db import lots, people
from db.queries import item_lists


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
        own = involved(session, actor, waiting)
        free = {
            other.name: own - involved(session, other, waiting)
            for other in people.everybody(session)
            if own and other.active and is_allowed(other.role, Action.AUDIT)
        }
        able = tuple(sorted(name for name, audits in free.items() if audits))
        count = len(drawn) or item_lists.how_many(session, ready)
        return LotAuditors(count, len(own), len(own.difference(*free.values())), able)
