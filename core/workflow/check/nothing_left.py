"""Why there is nothing to review or to adjudicate for somebody, though not all is settled."""

from dataclasses import dataclass

from core.errors import RightsError
from core.i18n import labelled, listed, tr, trn
from core.workflow import team
from core.workflow.check import adjudicate, qualification, review
from core.workflow.check.visibility import visibility_of
from core.workflow.labels import role_label
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, at_work, is_allowed, require, roles_for
from core.workflow.workspace import Workspace
from db import benchmarks, people
from db.queries import item_lists, item_search, not_open, shares
from db.queries.item_search import ItemQuery
from db.vocabulary import DecisionKind

_MOST = 10_000


@dataclass(frozen=True, slots=True)
class NothingToReview:
    """Unsettled items that are not open to a reviewer, by why; a reason without items counts 0.

    To somebody who may not know which items are disputed, those count as decided on by others.
    """

    own: int = 0
    decided: int = 0
    skipped: int = 0
    held: int = 0
    gate: int = 0
    screening: int = 0
    disputed: int = 0
    assigned: int = 0
    quota: int = 0
    qualification: tuple[str, ...] = ()
    """What stands in the way of tasks that begin with a qualification round."""

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each reason."""
        said = (
            (self.gate, trn(
                "1 draft waits for screening by a language model.",
                "{n} drafts wait for screening by a language model.", self.gate)),
            (self.screening, trn(
                "1 item is being screened and comes back when the run ends.",
                "{n} items are being screened and come back when the run ends.",
                self.screening)),
            (self.held, trn(
                "1 item is in other people's hands.", "{n} items are in other people's hands.",
                self.held)),
            (self.decided, trn(
                "1 item that you decided on waits for another reviewer.",
                "{n} items that you decided on wait for another reviewer.", self.decided)),
            (self.disputed, trn(
                "1 item is disputed and waits for adjudication.",
                "{n} items are disputed and wait for adjudication.", self.disputed)),
            (self.own, trn(
                "1 item is your own; others review it.",
                "{n} items are your own; others review them.", self.own)),
            (self.skipped, trn(
                "1 item was skipped by you, so others review it.",
                "{n} items were skipped by you, so others review them.", self.skipped)),
            (self.quota, trn(
                "1 item is beyond your share of its task.",
                "{n} items are beyond your share of their tasks.", self.quota)),
            (self.assigned, trn(
                "1 item belongs to a task that is assigned to others.",
                "{n} items belong to tasks that are assigned to others.", self.assigned)),
        )  # fmt: skip
        return (*self.qualification, *(sentence for count, sentence in said if count))


def to_review(ws: Workspace, person: str, benchmark: str) -> NothingToReview:
    """Why items of a benchmark are not open to a reviewer; writes nothing."""
    with ws.reading() as session:
        actor = at_work(session, person)
        benchmark_id = benchmark_in(session, benchmark).id
        remaining = shares.remaining_of(session, actor.id)
        counts = not_open.reasons(session, actor.id, benchmark_id, remaining)
        if not is_allowed(actor.role, Action.ADJUDICATE) and (hidden := counts.pop("disputed", 0)):
            counts["held"] = counts.get("held", 0) + hidden
        counts.pop("open", None)
        unqualified = qualification.waiting_sentences(session, actor, benchmark_id)
        return NothingToReview(**counts, qualification=unqualified)


def waiting_elsewhere(ws: Workspace, person: str, benchmark: str) -> tuple[str, int]:
    """The first other benchmark with items for a reviewer, and how many; ("", 0) for none."""
    with ws.reading() as session:
        names = [row.name for row in benchmarks.benchmarks(session) if row.name != benchmark]
    left = ((name, review.queue(ws, person, name).left) for name in names)
    return next((found for found in left if found[1]), ("", 0))


def why_nothing(ws: Workspace, person: str, benchmark: str = "") -> tuple[str, ...]:
    """Why nothing waits for somebody: that they are paused, else what keeps the items of the
    benchmark, or of each, from them. Writes nothing."""
    with ws.reading() as session:
        actor = at_work(session, person)
        if not is_allowed(actor.role, Action.REVIEW):
            return ()
        try:
            team.refuse_paused(session, actor)
        except RightsError as paused:
            return (str(paused),)
        names = [benchmark] if benchmark else [row.name for row in benchmarks.benchmarks(session)]
    return tuple(
        sentence if len(names) == 1 else labelled(name, sentence)
        for name in names
        for sentence in to_review(ws, person, name).sentences()
    )


@dataclass(frozen=True, slots=True)
class NothingToAdjudicate:
    """Disputed items that a person may not settle, by the first reason that holds."""

    involved: int = 0
    """They wrote or reviewed them."""
    revealed: int = 0
    """They asked to see what is hidden of them."""
    stuck: int = 0
    """Of these, those that nobody in the team may settle."""
    able: tuple[str, ...] = ()
    """Who may settle some of them; told to those alone who change the team."""

    @property
    def total(self) -> int:
        """All disputed items that this person may not settle."""
        return self.involved + self.revealed

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each reason."""
        said = (
            (self.involved, trn(
                "1 item is disputed, but you wrote or reviewed it; someone else must settle it.",
                "{n} items are disputed, but you wrote or reviewed them; someone else must settle "
                "them.", self.involved)),
            (self.revealed, trn(
                "You have seen the hidden details of 1 disputed item; someone else must settle it.",
                "You have seen the hidden details of {n} disputed items; someone else must settle "
                "them.", self.revealed)),
            (self.stuck, trn(
                "Nobody in the team may settle 1 of them: that takes somebody else ({roles}), whom "
                "a lead adds in Team.",
                "Nobody in the team may settle {n} of them: that takes somebody else ({roles}), "
                "whom a lead adds in Team.", self.stuck,
                roles=listed(map(role_label, roles_for(Action.ADJUDICATE))))),
            (len(self.able), tr("Who may settle them: {names}.", names=listed(self.able))),
        )  # fmt: skip
        return tuple(sentence for count, sentence in said if count)


def to_adjudicate(ws: Workspace, person: str, benchmark: str = "") -> NothingToAdjudicate:
    """Which disputed items this person may not settle; writes nothing."""
    with ws.reading() as session:
        actor = require(session, person, Action.ADJUDICATE)
        home = benchmark_in(session, benchmark).id if benchmark else None
        query = ItemQuery(benchmark_id=home, disputed=True)
        numbers = item_search.ids(session, query, limit=_MOST)
        involved = item_lists.of_person(session, actor.id, numbers, (DecisionKind.REVIEW,))
        revealed = visibility_of(session, actor).revealed
        lines = item_search.lines(session, [n for n in numbers if n not in involved])
        seen = {line.id for line in lines if (line.id, line.revision) in revealed}
        barred = involved | seen
        free = {
            other.name: barred & {line.id for line in adjudicate.disputed_in(session, other, home)}
            for other in people.everybody(session)
            if barred and other.active and is_allowed(other.role, Action.ADJUDICATE)
        }
        able = sorted(name for name, settles in free.items() if settles)
        return NothingToAdjudicate(
            len(involved), len(seen), len(barred.difference(*free.values())),
            tuple(able) if is_allowed(actor.role, Action.CHANGE_PEOPLE) else (),
        )  # fmt: skip
