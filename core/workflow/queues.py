"""What waits for a person, at every stage: to write, to review, to settle, to audit."""

from dataclasses import dataclass

from core.workflow.audit import lots as audit
from core.workflow.check import adjudicate
from core.workflow.lookup import item_in
from core.workflow.people import benchmark_in
from core.workflow.production import write
from core.workflow.rights import Action, known_person, may
from core.workflow.workspace import Workspace
from db import assignments, benchmarks, items, lots, reviews
from db.engine import Session
from db.people import PersonRow
from db.vocabulary import ItemState, LotState, Stage

SHOWN = 200


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One thing that waits: ``what`` is write, review, adjudicate or audit. ``number`` is the
    item's, 0 for a draft that is no item yet; ``held`` says that it is leased to the person."""

    number: int
    task: str
    stage: int
    what: str
    state: str
    held: bool = False


@dataclass(frozen=True, slots=True)
class PersonalQueue:
    """What waits for a person; ``counts`` by kind of work, ``entries`` the first of each."""

    person: str
    counts: dict[str, int]
    entries: tuple[QueueItem, ...]

    @property
    def total(self) -> int:
        """Everything that waits."""
        return sum(self.counts.values())


def queue(
    ws: Workspace, person: str, *, stage: int | None = None, benchmark: str = ""
) -> PersonalQueue:
    """What waits for a person, of all stages or one. Nothing is claimed by looking."""
    with ws.reading() as session:
        actor = known_person(session, person)
        chosen = benchmark_in(session, benchmark).id if benchmark else None
    found: dict[str, list[QueueItem]] = {}
    counts: dict[str, int] = {}
    if stage in (None, Stage.PRODUCTION):
        found["write"] = _to_write(ws, actor)
    if stage in (None, Stage.CHECK):
        with ws.reading() as session:
            found["review"], counts["review"] = _to_review(session, actor, chosen)
        if may(actor.role, Action.ADJUDICATE):
            found["adjudicate"] = [
                QueueItem(line.id, line.task, Stage.CHECK, "adjudicate", line.state)
                for line in adjudicate.disputed(ws, person, benchmark)
            ]
    if stage in (None, Stage.AUDIT) and may(actor.role, Action.AUDIT):
        with ws.reading() as session:
            found["audit"] = _to_audit(session, actor)
    for what, listed in found.items():
        counts.setdefault(what, len(listed))
    entries = tuple(entry for listed in found.values() for entry in listed[:SHOWN])
    return PersonalQueue(actor.name, counts, entries)


def _to_write(ws: Workspace, actor: PersonRow) -> list[QueueItem]:
    drafts = [
        QueueItem(0, draft.task, Stage.PRODUCTION, "write", ItemState.DRAFT, True)
        for draft in write.my_drafts(ws, actor.name)
        if not draft.item
    ]
    back = [
        QueueItem(entry.number, entry.task, Stage.PRODUCTION, "write", ItemState.RETURNED)
        for entry in write.returned_to(ws, actor.name)
    ]
    return [*drafts, *back]


def _to_review(
    session: Session, actor: PersonRow, benchmark_id: int | None
) -> tuple[list[QueueItem], int]:
    homes = {row.id: row.name for row in benchmarks.tasks(session)}
    held = {
        own.item_id for own in assignments.leased_to(session, actor.id, Stage.CHECK, benchmark_id)
    }
    numbers, count = assignments.open_to(
        session, actor.id, Stage.CHECK, SHOWN, benchmark_id=benchmark_id
    )
    rows = items.get_many(session, sorted({*held, *numbers}))
    entries = [
        QueueItem(
            row.id, homes[row.task_id], Stage.CHECK, "review", ItemState.IN_REVIEW, row.id in held
        )
        for row in rows
    ]
    entries.sort(key=lambda entry: (not entry.held, entry.number))
    return entries, count + len(held)


def _to_audit(session: Session, actor: PersonRow) -> list[QueueItem]:
    found = []
    for lot in lots.in_state(session, LotState.OPEN):
        task = benchmarks.task_name(session, lot.task_id)
        done = {decision.item_id for decision in reviews.decisions_of_lot(session, lot.id)}
        for number in lots.drawn(session, lot.id):
            item = item_in(session, number)
            if number not in done and not audit.took_part(session, item, actor):
                found.append(QueueItem(number, task, Stage.AUDIT, "audit", item.state))
    return found
