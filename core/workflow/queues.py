"""What waits for a person, at every stage: to write, review, settle, rate and audit."""

from dataclasses import dataclass, replace

from core.workflow.audit import lots
from core.workflow.check import adjudicate, qualification, rate
from core.workflow.lookup import task_in
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, at_work, is_allowed
from core.workflow.workspace import Workspace
from db import assignments, benchmarks, drafts, items
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.queries import item_lists, shares
from db.vocabulary import ItemState, Stage

SHOWN = 200


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One thing that waits: ``what`` is write, review, adjudicate, rate or audit. ``number`` is the
    item's, 0 for a draft that is not an item yet; ``held`` says that it is leased to the person.
    ``state`` is empty for an item to rate."""

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
    ws: Workspace, person: str, *, stage: int | None = None, benchmark: str = "", task: str = ""
) -> PersonalQueue:
    """What waits for a person, of all stages or one, of all tasks, those of a benchmark or one.

    Nothing is claimed by looking.
    """
    entries: list[QueueItem] = []
    counts: dict[str, int] = {}
    with ws.reading() as session:
        actor = at_work(session, person)
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        wanted = task_in(session, task, benchmark) if task else None
        if wanted is not None:
            benchmark_id = wanted.benchmark_id
        rows = benchmarks.tasks(session, benchmark_id)
        tasks = {row.id: row.name for row in rows if wanted in (None, row)}
        if stage in (None, Stage.PRODUCTION):
            to_write = _to_write(session, actor, tasks)
            counts["write"] = len(to_write)
            entries += to_write[:SHOWN]
        if stage in (None, Stage.CHECK):
            to_review, counts["review"] = _to_review(session, actor, benchmark_id, tasks)
            entries += to_review[:SHOWN]
            if is_allowed(actor.role, Action.ADJUDICATE):
                disputed = [
                    line
                    for line in adjudicate.disputed_in(session, actor, benchmark_id)
                    if wanted is None or line.task == wanted.name
                ]
                counts["adjudicate"] = len(disputed)
                entries += (
                    QueueItem(line.id, line.task, Stage.CHECK, "adjudicate", line.state)
                    for line in disputed[:SHOWN]
                )
            if is_allowed(actor.role, Action.RATE):
                to_rate = _to_rate(session, actor, benchmark_id, tasks)
                counts["rate"] = len(to_rate)
                entries += to_rate[:SHOWN]
        if stage in (None, Stage.AUDIT) and is_allowed(actor.role, Action.AUDIT):
            to_audit = _to_audit(session, actor, tasks)
            counts["audit"] = len(to_audit)
            entries += to_audit[:SHOWN]
    return PersonalQueue(actor.name, counts, tuple(entries))


def stage_counts(ws: Workspace, person: str, benchmark: str) -> dict[str, int]:
    """How many items of a benchmark this person could adjudicate, rate and audit now, by the kinds
    of work that their role allows; for counts that are shown all the time."""
    with ws.reading() as session:
        actor = at_work(session, person)
        benchmark_id = benchmark_in(session, benchmark).id
        counts: dict[str, int] = {}
        if is_allowed(actor.role, Action.ADJUDICATE):
            counts["adjudicate"] = len(adjudicate.disputed_in(session, actor, benchmark_id))
        if is_allowed(actor.role, Action.RATE):
            counts["rate"] = len(rate.waiting_in(session, actor, benchmark_id))
        if is_allowed(actor.role, Action.AUDIT):
            here = {task.id for task in benchmarks.tasks(session, benchmark_id)}
            drawn = lots.to_audit(session, actor)
            counts["audit"] = sum(task_id in here for task_id, _ in drawn)
    return counts


def _to_write(session: Session, actor: PersonRow, tasks: dict[int, str]) -> list[QueueItem]:
    new = [
        QueueItem(0, tasks[draft.task_id], Stage.PRODUCTION, "write", ItemState.DRAFT, True)
        for draft in drafts.of_person(session, actor.id)
        if not draft.item_id and draft.task_id in tasks
    ]
    returned = [
        QueueItem(item.id, tasks[item.task_id], Stage.PRODUCTION, "write", ItemState.RETURNED)
        for item in items.get_many(session, item_lists.returned_to(session, actor.id))
        if item.task_id in tasks
    ]
    return [*new, *returned]


def _to_review(
    session: Session, actor: PersonRow, benchmark_id: int | None, tasks: dict[int, str]
) -> tuple[list[QueueItem], int]:
    """What somebody can review of some tasks; who is paused keeps only what they hold."""
    leases = assignments.leased_to(session, actor.id, Stage.CHECK, benchmark_id)
    leased = items.get_many(session, [lease.item_id for lease in leases])
    held = {row.id for row in leased if row.task_id in tasks}
    remaining, pause = shares.remaining_and_pause(session, actor.id)
    if pause is not None:
        rows = items.get_many(session, sorted(held))
        return [_review_of(row, tasks, held=True) for row in rows], len(rows)
    unqualified = qualification.unqualified(session, actor, benchmark_id)
    other = [row.id for row in benchmarks.tasks(session, benchmark_id) if row.id not in tasks]
    remaining = replace(remaining, others=(*remaining.others, *other))
    rounds = {task: entry for task, entry in unqualified.items() if task not in remaining.closed}
    numbers, count = assignments.open_to(
        session, actor.id, Stage.CHECK, SHOWN, benchmark_id=benchmark_id,
        remaining=replace(remaining, full=(*remaining.full, *unqualified)),
    )  # fmt: skip
    drawn = [
        QueueItem(number, tasks[task_id], Stage.CHECK, "qualify", ItemState.IN_REVIEW)
        for task_id, number in qualification.drawn(session, actor, rounds).items()
        if number not in held
    ]
    rows = items.get_many(session, sorted({*held, *numbers}))
    entries = [_review_of(row, tasks, held=row.id in held) for row in rows]
    entries.sort(key=lambda entry: (not entry.held, entry.number))
    return [*drawn, *entries], count + len(held) + len(drawn)


def _review_of(row: ItemRow, tasks: dict[int, str], *, held: bool) -> QueueItem:
    return QueueItem(row.id, tasks[row.task_id], Stage.CHECK, "review", ItemState.IN_REVIEW, held)


def _to_rate(
    session: Session, actor: PersonRow, benchmark_id: int | None, tasks: dict[int, str]
) -> list[QueueItem]:
    """Drawn items; in which state they are could tell what others decided."""
    return [
        QueueItem(number, tasks[task_id], Stage.CHECK, "rate", "")
        for task_id, number in rate.waiting_in(session, actor, benchmark_id)
        if task_id in tasks
    ]


def _to_audit(session: Session, actor: PersonRow, tasks: dict[int, str]) -> list[QueueItem]:
    waiting = [entry for entry in lots.to_audit(session, actor) if entry[0] in tasks]
    states = {
        item.id: item.state for item in items.get_many(session, [number for _, number in waiting])
    }
    return [
        QueueItem(number, tasks[task_id], Stage.AUDIT, "audit", states[number])
        for task_id, number in waiting
    ]
