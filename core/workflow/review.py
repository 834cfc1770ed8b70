"""Reviewing: the queue, claiming the next item, deciding, skipping and undoing.

An item revision is reviewed by as many people as its task's protocol says (``overlap``). One
"return" settles it at once; otherwise all must have decided, and it is accepted or rejected when
they agree and disputed when they do not.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from core.errors import ConflictError, InputError, NotFoundError, RightsError, StateError
from core.families.base import Defect, ItemContent
from core.text import tr
from core.workflow.administer import benchmark_in, known_person, person_in
from core.workflow.protocols import ProtocolSettings, settings_of
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger, reviews, screenings
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.queries import look
from db.vocabulary import (
    AssignmentState,
    DecisionKind,
    EventKind,
    ItemState,
    Stage,
    Verdict,
)

# Short reasons for a rejection, in the order of their digits in the window.
REASONS = ("ambiguous", "not_solvable", "formula", "language", "other")


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """An item one has just dealt with."""

    number: int
    verdict: str


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """How far a reviewer is: decided, still open to them, and the newest of the decided."""

    done: int
    left: int
    recent: tuple[QueueEntry, ...]

    @property
    def total(self) -> int:
        """Decided and open together."""
        return self.done + self.left


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """Everything that is shown of one item; nothing that must stay hidden before deciding."""

    number: int
    revision: int
    task: str
    state: str
    content: ItemContent
    defects: tuple[Defect, ...]
    barred: str
    already: str

    @property
    def family(self) -> str:
        """Name of the item's family."""
        return self.content.family

    @property
    def format(self) -> str:
        """Format of the item within its family."""
        return self.content.format


@dataclass(frozen=True, slots=True)
class Opinion:
    """What somebody else said about the item, without their name."""

    verdict: str
    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class Reveal:
    """What was hidden until one's own decision was committed."""

    score: float | None
    threshold: float | None
    rationale: str
    others: tuple[Opinion, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """A committed decision."""

    number: int
    verdict: str
    state: str
    disputed: bool
    event: int
    reveal: Reveal


@dataclass(frozen=True, slots=True)
class Undone:
    """A decision that was taken back."""

    number: int
    verdict: str
    event: int


def queue(ws: Workspace, reviewer: str, benchmark: str) -> ReviewQueue:
    """How far a reviewer is in a benchmark."""
    with ws.reading() as session:
        person = known_person(session, reviewer)
        chosen = benchmark_in(session, benchmark)
        done, left = reviews.queue_counts(session, person.id, Stage.CHECK, chosen.id)
        recent = look.recent_of(session, person.id, chosen.id)
    return ReviewQueue(done, left, tuple(QueueEntry(*entry) for entry in recent))


def next_card(
    ws: Workspace, reviewer: str, benchmark: str, *, leave_out: tuple[int, ...] = ()
) -> ReviewCard | None:
    """Claim the next item of a benchmark for a reviewer; None when nothing is left for them.

    Items that the reviewer holds already come first, except those in ``leave_out`` (the one on
    screen, so that the next can be loaded while it is read).
    """
    with ws.writing() as session:
        person = person_in(session, reviewer)
        chosen = benchmark_in(session, benchmark)
        reviews.expire_leases(session)
        for held in reviews.leased_to(session, person.id, Stage.CHECK, chosen.id):
            if held.item_id not in leave_out:
                return _card(session, held.item_id, person)
        number = reviews.claim_next(
            session, person.id, Stage.CHECK, timedelta(minutes=30), benchmark_id=chosen.id
        )
        if number is None:
            return None
        _note_claim(session, number, person)
        return _card(session, number, person)


def _note_claim(session: Session, number: int, person: PersonRow) -> None:
    item = items.get(session, number)
    if item is not None and item.state == ItemState.DRAFT:
        apply(
            session,
            EventKind.CLAIMED,
            person.name,
            [Move(item, {"state": ItemState.IN_REVIEW}, {})],
        )


def card(ws: Workspace, reviewer: str, number: int) -> ReviewCard:
    """One item as a reviewer sees it, without claiming it."""
    with ws.reading() as session:
        return _card(session, number, known_person(session, reviewer))


def _card(session: Session, number: int, person: PersonRow) -> ReviewCard:
    item = item_in(session, number)
    content = items.revision(session, number, item.revision)
    task = benchmarks.task(session, item.task_id)
    mine = [
        decision.verdict
        for decision in reviews.decisions_on(session, number, item.revision)
        if decision.person_id == person.id
    ]
    return ReviewCard(
        number=number,
        revision=item.revision,
        task=task.name,
        state=item.state,
        content=ItemContent(
            item.family, item.format, content.payload, content.provenance, item.domain
        ),
        defects=tuple(Defect(d["name"], d.get("detail", "")) for d in content.defects),
        barred=item.barred,
        already=mine[-1] if mine else "",
    )


def item_in(session: Session, number: int, *, lock: bool = False) -> ItemRow:
    """One item by its number; NotFoundError when there is none."""
    item = items.get(session, number, lock=lock)
    if item is None:
        raise NotFoundError(tr("There is no item #{number}.", number=number))
    return item


def decide(
    ws: Workspace,
    reviewer: str,
    number: int,
    verdict: str,
    *,
    reason: str = "",
    note: str = "",
    seconds: float = 0.0,
    revision: int | None = None,
) -> Decided:
    """Commit one decision. It is on disk when this returns.

    Raises StateError (not under review, barred), ConflictError (decided already, changed since
    it was shown, all places taken), RightsError (one's own item), InputError (unknown verdict, a
    rejection or return without words).
    """
    _check_words(verdict, reason, note)
    with ws.writing() as session:
        person = person_in(session, reviewer)
        item = item_in(session, number, lock=True)
        protocol = protocol_of(session, item)
        item = _hold(session, item, person, protocol, revision)
        if item.barred and verdict == Verdict.ACCEPT:
            raise StateError(
                tr(
                    "Item #{number} can never be accepted: it was made {why}.",
                    number=number,
                    why=item.barred,
                )
            )
        decision_id = reviews.add_decision(
            session,
            {
                "item_id": number,
                "revision": item.revision,
                "stage": Stage.CHECK,
                "kind": DecisionKind.REVIEW,
                "person_id": person.id,
                "verdict": verdict,
                "reason": reason,
                "note": note,
                "seconds": max(0.0, seconds),
            },
        )
        standing = reviews.decisions_on(session, number, item.revision, DecisionKind.REVIEW)
        values = _settle([decision.verdict for decision in standing], protocol)
        if values.get("open_slots") == 0 and values.get("state") != ItemState.IN_REVIEW:
            reviews.release_others(session, number, item.revision, Stage.CHECK, person.id)
        data = {"decision": decision_id, "verdict": verdict, "reason": reason, "note": note}
        event = apply(session, EventKind.DECIDED, person.name, [Move(item, values, data)])
        others = [decision for decision in standing if decision.person_id != person.id]
        reveal = _reveal(session, item, others)
        state = str(values.get("state", item.state))
        disputed = bool(values.get("disputed", item.disputed))
    return Decided(number, verdict, state, disputed, event, reveal)


def _check_words(verdict: str, reason: str, note: str) -> None:
    if verdict not in [known.value for known in Verdict]:
        raise InputError(
            tr("A decision is accept, reject or return, not “{verdict}”.", verdict=verdict)
        )
    if verdict == Verdict.REJECT and not reason.strip():
        raise InputError(tr("A rejection needs a reason."))
    if verdict == Verdict.RETURN and not note.strip():
        raise InputError(tr("A return needs a note that tells the author what to change."))


def protocol_of(session: Session, item: ItemRow) -> ProtocolSettings:
    """The protocol that applies to an item now."""
    return settings_of(benchmarks.task(session, item.task_id).protocol)


def _hold(
    session: Session,
    item: ItemRow,
    person: PersonRow,
    protocol: ProtocolSettings,
    revision: int | None,
) -> ItemRow:
    """Make sure that this person holds this item revision; claim it when a place is open."""
    if revision is not None and revision != item.revision:
        raise ConflictError(
            tr("Item #{number} was changed since it was shown. Look at it again.", number=item.id)
        )
    if item.author_id == person.id:
        raise RightsError(
            tr(
                "{name} wrote item #{number}; somebody else must review it.",
                name=person.name,
                number=item.id,
            )
        )
    own = reviews.assignment_of(session, item.id, item.revision, Stage.CHECK, person.id)
    if own is not None and own.state == AssignmentState.DONE:
        raise ConflictError(
            tr(
                "{name} has decided on item #{number} already. Undo first.",
                name=person.name,
                number=item.id,
            )
        )
    waiting = item.state == ItemState.DRAFT and protocol.gate != "required"
    if item.state != ItemState.IN_REVIEW and not waiting:
        raise StateError(
            tr(
                "Item #{number} is not under review: it is {state}.",
                number=item.id,
                state=item.state,
            )
        )
    if own is None or own.state != AssignmentState.LEASED:
        if item.open_slots <= 0:
            reviews.expire_leases(session)
            item = item_in(session, item.id)
        if item.open_slots <= 0:
            raise ConflictError(
                tr("All reviewers that item #{number} needs have it already.", number=item.id)
            )
        lease = timedelta(minutes=protocol.lease_minutes)
        reviews.lease_item(session, item.id, person.id, Stage.CHECK, lease)
        own = reviews.assignment_of(session, item.id, item.revision, Stage.CHECK, person.id)
        item = item_in(session, item.id)
    assert own is not None
    reviews.set_assignment(session, own.id, AssignmentState.DONE)
    return item


def _settle(verdicts: list[str], protocol: ProtocolSettings) -> dict[str, Any]:
    """Where the verdicts so far bring an item: the columns to set."""
    if Verdict.RETURN in verdicts:
        return {"state": ItemState.RETURNED, "open_slots": 0}
    if len(verdicts) < protocol.overlap:
        return {"state": ItemState.IN_REVIEW}
    if len(set(verdicts)) > 1:
        return {"state": ItemState.IN_REVIEW, "open_slots": 0, "disputed": True}
    state = ItemState.ACCEPTED if verdicts[0] == Verdict.ACCEPT else ItemState.REJECTED
    return {"state": state, "open_slots": 0}


def _reveal(session: Session, item: ItemRow, others: list[reviews.DecisionRow]) -> Reveal:
    screening = screenings.newest_of(session, item.id, item.revision)
    return Reveal(
        score=screening.score if screening else None,
        threshold=screening.threshold if screening else None,
        rationale=screening.rationale if screening else "",
        others=tuple(Opinion(other.verdict, other.reason, other.note) for other in others),
    )


def skip(ws: Workspace, reviewer: str, number: int, reason: str = "") -> None:
    """Give an item back undecided; it goes to others, and not to this reviewer again."""
    with ws.writing() as session:
        person = known_person(session, reviewer)
        item = item_in(session, number, lock=True)
        own = reviews.assignment_of(session, number, item.revision, Stage.CHECK, person.id)
        if own is None or own.state != AssignmentState.LEASED:
            raise StateError(
                tr("Item #{number} is not with {name}.", number=number, name=person.name)
            )
        reviews.set_assignment(session, own.id, AssignmentState.SKIPPED, reason)
        values = {"open_slots": item.open_slots + 1}
        apply(session, EventKind.SKIPPED, person.name, [Move(item, values, {"reason": reason})])


def undo(ws: Workspace, reviewer: str) -> Undone:
    """Take back the reviewer's newest decision that still stands.

    Raises StateError when there is none, or when somebody has built on it since.
    """
    with ws.writing() as session:
        person = known_person(session, reviewer)
        for event in ledger.newest_of_actor(session, person.name, (EventKind.DECIDED,)):
            decision = reviews.decision(session, event.data["decision"])
            if decision is not None and _stands(session, decision):
                return _undo_decision(session, person, event, decision)
    raise StateError(tr("{name} has nothing to undo.", name=reviewer))


def _stands(session: Session, decision: reviews.DecisionRow) -> bool:
    standing = reviews.decisions_on(session, decision.item_id)
    return any(other.id == decision.id for other in standing)


def _undo_decision(
    session: Session,
    person: PersonRow,
    event: ledger.LedgerEvent,
    decision: reviews.DecisionRow,
) -> Undone:
    item = item_in(session, decision.item_id, lock=True)
    later = [e for e in ledger.of_item(session, item.id) if e.id > event.id]
    if any(e.actor != person.name for e in later):
        raise StateError(
            tr(
                "The decision on item #{number} cannot be undone any more: others have gone on "
                "from it.",
                number=item.id,
            )
        )
    own = reviews.assignment_of(session, item.id, decision.revision, Stage.CHECK, person.id)
    if own is not None:
        reviews.set_assignment(session, own.id, AssignmentState.LEASED)
        reviews.renew_leases(session, person.id, _lease_end(session, item))
    number = apply(
        session,
        EventKind.UNDONE,
        person.name,
        [Move(item, event.data["before"], {"undone": event.id, "verdict": decision.verdict})],
    )
    reviews.withdraw_decision(session, decision.id, number)
    return Undone(item.id, decision.verdict, number)


def _lease_end(session: Session, item: ItemRow) -> Any:
    from db.tables import now

    return now() + timedelta(minutes=protocol_of(session, item).lease_minutes)
