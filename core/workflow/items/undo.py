"""Undo: taking back what one did, after a restart and across stages, unless others built on it.

An event is taken back by another event, which brings the item's tracked columns back to what they
were before it; what was said is marked as withdrawn, never removed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import BenchsealError, NotFoundError, RightsError, StateError
from core.i18n import tr
from core.workflow.check import review
from core.workflow.check.leases import lease_length
from core.workflow.labels import EVENT_KINDS, word
from core.workflow.lookup import item_in, protocol_of
from core.workflow.rights import Action, at_work, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import assignments, benchmarks, comments, drafts, items, ledger, lots, reviews
from db.assignments import AssignmentRow
from db.engine import Session
from db.items import ItemRow
from db.ledger import LedgerEvent, NewEvent
from db.people import PersonRow
from db.vocabulary import (
    REVEALED,
    AssignmentState,
    CommentKind,
    DecisionKind,
    EventKind,
    ItemState,
    LotState,
    Stage,
)

UNDOABLE = (
    EventKind.DECIDED,
    EventKind.ADJUDICATED,
    EventKind.AUDIT_DECIDED,
    EventKind.SUBMITTED,
    EventKind.REVISED,
    EventKind.RATED,
    EventKind.BULK,
    EventKind.SKIPPED,
)
# Events after which an earlier one can still be taken back: they change nothing of the item.
NEUTRAL = (
    EventKind.REVEALED,
    EventKind.SKIPPED,
    EventKind.RATED,
    EventKind.GOLD,
    EventKind.SECOND_LOOK,
    EventKind.LOOKED_AGAIN,
    EventKind.ERRATUM,
    EventKind.ASKED,
    EventKind.ANSWERED,
    EventKind.UNSURE,
)


@dataclass(frozen=True, slots=True)
class Undone:
    """Something that was taken back: ``number`` the item (0: many), ``verdict`` in a word,
    ``values`` the ratings by criterion, ``stands`` the verdict that stands again where a change
    of it was taken back."""

    number: int
    verdict: str
    event: int
    kind: str = EventKind.DECIDED
    changed: int = 1
    values: Mapping[str, float] = field(default_factory=dict)
    stands: str = ""


@dataclass(frozen=True, slots=True)
class NextUndo:
    """What undoing would take back now; ``refusal`` says why it cannot (empty: it can)."""

    event: int
    kind: str
    number: int
    verdict: str
    changes: int
    refusal: str


def preview(ws: Workspace, person: str) -> NextUndo | None:
    """What ``undo`` would do for this person; None when there is nothing."""
    with ws.reading() as session:
        actor = at_work(session, person)
        event = _newest(session, actor)
        if event is None:
            return None
        changes = int(event.item_id is not None) + ledger.group_size(event)
        refusal = ""
        try:
            refuse_qualification(event)
            for part in _built_upon(session, event):
                _refuse_built_on(session, actor, part)
            _skipped_claim(session, actor, event)
        except BenchsealError as error:
            refusal = str(error)
    number, verdict = _word(event)
    return NextUndo(event.id, event.kind, number, verdict, max(1, changes), refusal)


def undo(ws: Workspace, person: str, event: int | None = None) -> Undone:
    """Take back the newest thing a person did that still stands, or a certain event of theirs.

    Where that changed an earlier decision, the earlier one is made once more in its place.
    Raises StateError when there is nothing, when it was taken back already, or when somebody has
    built on it since; NotFoundError and RightsError when the event is none of theirs.
    """
    with writing_as(ws, person, Action.UNDO) as (session, actor):
        undone_event = _newest(session, actor) if event is None else _own(session, actor, event)
        if undone_event is None:
            raise StateError.tr("{name} has nothing to undo.", name=actor.name)
        undone = undo_in(session, actor, undone_event)
        return replace(undone, stands=_decide_again(session, actor, undone_event))


def _decide_again(session: Session, actor: PersonRow, event: LedgerEvent) -> str:
    """Make the decision again that a change replaced; its verdict, empty where it was not a
    change."""
    replaced = ledger.event(session, int(event.data.get("replaces", 0)))
    earlier = reviews.decision(session, int(replaced.data["decision"])) if replaced else None
    if replaced is None or earlier is None or event.item_id is None:
        return ""
    fields = {"verdict": earlier.verdict, "reason": earlier.reason, "note": earlier.note,
              "seconds": earlier.seconds}  # fmt: skip
    review.decide_in(session, actor, event.item_id, fields, told={"restores": replaced.id},
                     replaces=int(replaced.data.get("replaces", 0)))  # fmt: skip
    return earlier.verdict


def _newest(session: Session, actor: PersonRow) -> LedgerEvent | None:
    before: int | None = None
    while True:
        events = ledger.newest_of_actor(session, actor.name, UNDOABLE, before=before)
        if not events:
            return None
        undone = ledger.undone_by(session, actor.name, events[-1].id)
        for event in events:
            if event.id not in undone and _changed_items(event):
                return event
        before = events[-1].id


def _changed_items(event: LedgerEvent) -> bool:
    """Whether it is a step of its own that changed items; drawing items for rating did not."""
    return "head" not in event.data and (event.item_id is not None or ledger.group_size(event) > 0)


def _own(session: Session, actor: PersonRow, number: int) -> LedgerEvent:
    event = ledger.event(session, number)
    if event is None:
        raise NotFoundError.tr("There is no event {number} in the ledger.", number=number)
    if event.kind not in UNDOABLE or not _changed_items(event):
        raise _fixed(event)
    if event.actor != actor.name:
        raise RightsError.tr(
            "Event {number} belongs to somebody else; only they can undo it.",
            number=number,
        )
    if number in ledger.undone_by(session, actor.name, number):
        raise StateError.tr("Event {number} has already been undone.", number=number)
    return event


def _fixed(event: LedgerEvent) -> StateError:
    return StateError.tr(
        "Event {number} ({kind}) cannot be undone.",
        number=event.id,
        kind=word(EVENT_KINDS, event.kind),
    )


def _parts(session: Session, event: LedgerEvent) -> list[LedgerEvent]:
    """The events that changed items, in order: the event itself, or those written with it."""
    first = [event] if event.item_id is not None else []
    return [*first, *ledger.group(session, event)]


def _built_upon(session: Session, event: LedgerEvent) -> list[LedgerEvent]:
    """The parts that have to be looked at: of a change of many items, those with something later.

    The window asks again and again; reading the history of every item would take seconds.
    """
    if event.kind == EventKind.SKIPPED:
        return []  # whether the item still waits is all that counts: ``_skipped_claim``
    if event.kind != EventKind.BULK:
        return _parts(session, event)
    touched = ledger.touched_since(session, event)
    return [part for part in _parts(session, event) if part.item_id in touched] if touched else []


def _word(event: LedgerEvent) -> tuple[int, str]:
    return event.item_id or 0, str(event.data.get("verdict") or event.data.get("action") or "")


def undo_in(session: Session, actor: PersonRow, event: LedgerEvent) -> Undone:
    """Take back an event within a session; the errors of ``undo`` where others built on it."""
    parts = [part for part in _parts(session, event) if part.item_id is not None]
    ids = sorted({part.item_id for part in parts if part.item_id is not None})
    rows = {row.id: row for row in items.get_many(session, ids, lock=True)}
    refuse_qualification(event)
    for part in _built_upon(session, event):
        _refuse_built_on(session, actor, part)
    _refuse_gone_on(session, event)
    _skipped_claim(session, actor, event)
    moves = _moves_back(rows, event, parts)
    number, verdict = _word(event)
    head = None
    if event.item_id is None or len(moves) > 1:
        data = {"undone": event.id, "verdict": verdict, "kind": event.kind}
        head = NewEvent(EventKind.UNDONE, actor.name, subject=event.subject, data=data)
    undoing = apply(session, EventKind.UNDONE, actor.name, moves, head=head)
    _keep_words(session, actor, event)
    _put_back(session, actor, event, parts, undoing)
    values = dict(event.data.get("values") or {})
    return Undone(number, verdict, undoing, event.kind, max(1, len(ids)), values)


def _moves_back(
    rows: dict[int, ItemRow], event: LedgerEvent, parts: list[LedgerEvent]
) -> list[Move]:
    """One move per item, back to what it was before the first of the parts."""
    back: dict[int, dict[str, Any]] = {}
    for part in reversed(parts):
        if part.item_id is not None:
            back.setdefault(part.item_id, {}).update(part.data.get("before", {}))
    verdict = _word(event)[1]
    moves = []
    for item_id, values in back.items():
        data = {"undone": event.id, "verdict": verdict, "kind": event.kind}
        if event.kind == EventKind.SUBMITTED:
            # A first hand-in has nothing before it: the item goes back to its author.
            values = {"state": "returned", "open_slots": 0, **values}
        moves.append(Move(rows[item_id], values, data))
    return moves


def refuse_qualification(event: LedgerEvent) -> None:
    """StateError for an answer of a qualification round: the correct one was told after it."""
    if event.data.get("qualification"):
        raise StateError.tr(
            "Your answer on item #{number} belongs to the qualification round and stays: you "
            "have been told the correct one.",
            number=event.item_id,
        )


def _refuse_built_on(session: Session, actor: PersonRow, event: LedgerEvent) -> None:
    other = built_on(session, event)
    if other is None:
        return
    if other.actor == actor.name and other.kind in UNDOABLE and "head" not in other.data:
        raise StateError.tr(
            "Event {number} on item #{item} is later; undo it first.",
            number=other.id,
            item=event.item_id,
        )
    raise StateError.tr(
        "This step on item #{number} can no longer be undone: other work builds on it ({what}).",
        number=event.item_id,
        what=later_step(other),
    )


_LATER_STEPS: Mapping[str, Callable[[], str]] = {
    EventKind.DECIDED: lambda: tr("another reviewer has decided on it"),
    EventKind.ADJUDICATED: lambda: tr("the disagreement was adjudicated"),
    EventKind.AUDIT_STARTED: lambda: tr("it belongs to a lot that is being audited"),
    EventKind.AUDIT_DECIDED: lambda: tr("it was audited"),
    EventKind.AUDIT_ENDED: lambda: tr("it was audited"),
    EventKind.APPROVED: lambda: tr("it was approved with its lot"),
    EventKind.RETURNED: lambda: tr("it was returned with its lot"),
    EventKind.FROZEN: lambda: tr("it was frozen in a split"),
    EventKind.REVISED: lambda: tr("it has a new revision"),
    EventKind.SUBMITTED: lambda: tr("it has a new revision"),
    EventKind.CLAIMED: lambda: tr("somebody reviews it"),
    EventKind.BULK: lambda: tr("it was changed in bulk"),
    EventKind.SCREENING_STARTED: lambda: tr("it is being screened"),
    EventKind.SCREENED: lambda: tr("it was screened"),
}


def later_step(event: LedgerEvent) -> str:
    """What somebody did with an item after a step, in words without a name."""
    without_audit = event.kind == EventKind.APPROVED and "why" in event.data  # by a freeze
    words = _LATER_STEPS.get(EventKind.FROZEN if without_audit else event.kind)
    return words() if words else tr("somebody has gone on with it")


def built_on(session: Session, event: LedgerEvent) -> LedgerEvent | None:
    """The first later event that builds on one about an item; None where it can be taken back."""
    if event.item_id is None:
        return None
    later = ledger.later_on_item(session, event.item_id, event.id)
    undone = {e.data["undone"] for e in later if e.kind == EventKind.UNDONE}
    size = int(event.data.get("group", 0))
    for other in later:
        if other.id <= event.id + size or other.kind in NEUTRAL or other.kind == EventKind.UNDONE:
            continue
        head = other.data.get("head", other.id)
        if other.id in undone or head in undone or other.data.get("gold"):
            continue
        if event.kind == EventKind.RATED and other.kind == EventKind.CLAIMED:
            continue  # ratings change nothing that a reviewer takes up
        return other
    return None


def _skipped_claim(session: Session, actor: PersonRow, event: LedgerEvent) -> AssignmentRow | None:
    """The claim that a skip ended, while the item still waits for this person; None for others.

    Raises StateError where it does not: judged by others, moved on, or looked behind meanwhile.
    """
    if event.kind != EventKind.SKIPPED or event.item_id is None:
        return None
    item = item_in(session, event.item_id)
    revision = int(event.data.get("revision", item.revision))
    claim = assignments.assignment_of(session, item.id, revision, Stage.CHECK, actor.id)
    ended = (AssignmentState.SKIPPED, AssignmentState.POSTPONED)
    waits = item.state in (ItemState.DRAFT, ItemState.IN_REVIEW) and item.taken < item.open_slots
    if (
        claim is None
        or claim.state not in ended
        or claim.reason == REVEALED
        or revision != item.revision
        or not (claim.gold or waits)
    ):
        raise StateError.tr("Item #{number} no longer waits for a reviewer.", number=event.item_id)
    return claim


def _refuse_gone_on(session: Session, event: LedgerEvent) -> None:
    """An audit decision cannot be taken back once the task has another lot."""
    lot_id = event.data.get("lot")
    if event.kind != EventKind.AUDIT_DECIDED or lot_id is None:
        return
    lot = lots.get(session, lot_id, lock=True)
    newest = lots.of_task(session, lot.task_id)[-1]
    if newest.id != lot.id:
        raise StateError.tr(
            "The task has been audited again since then; this can no longer be undone."
        )
    if not event.data.get("ends") and lot.state != LotState.OPEN:
        raise StateError.tr(
            "The audit has ended since then, so event {number} cannot be undone. Only "
            "the end of the audit can, by the person who ended it.",
            number=event.id,
        )


_WRITTEN_AT: Mapping[str, str] = {
    EventKind.DECIDED: "review",
    EventKind.SKIPPED: "review",
    EventKind.RATED: "rate",
    EventKind.ADJUDICATED: "adjudicate",
    EventKind.AUDIT_DECIDED: "audit",
}
"""Where the note stood that was written beside a step."""


def _keep_words(session: Session, actor: PersonRow, event: LedgerEvent) -> None:
    """What was written beside the step is a note that is being written once more."""
    place = _WRITTEN_AT.get(event.kind)
    if place is not None and event.item_id is not None:
        words = _words(session, event.item_id, event.data)
        if words:
            drafts.keep_note(session, actor.id, event.item_id, place, words)


def _words(session: Session, item_id: int, data: Mapping[str, Any]) -> str:
    if "decision" in data:
        for decision in reviews.decisions_on(session, item_id):
            if decision.id == int(data["decision"]):
                audited = decision.kind == DecisionKind.AUDIT
                return decision.reason if audited else decision.note
    if "comment" in data:
        for remark in comments.of_item(session, item_id, (CommentKind.RATING,)):
            if remark.id == int(data["comment"]):
                return remark.text
    return "" if "verdict" in data else str(data.get("reason", ""))  # of a skip


def _put_back(
    session: Session,
    actor: PersonRow,
    event: LedgerEvent,
    parts: list[LedgerEvent],
    undoing: int,
) -> None:
    """Withdraw what was said, give leases back, open the lot again."""
    data = event.data
    ids = sorted({part.item_id for part in parts if part.item_id is not None})
    decision_ids = [int(e.data["decision"]) for e in [event, *parts] if "decision" in e.data]
    if decision_ids:
        reviews.withdraw(session, decision_ids, undoing)
    if "ratings" in data:
        _withdraw_ratings(session, data, undoing)
    if event.kind == EventKind.DECIDED:
        _lease_again(session, actor, event, Stage.CHECK)
    _take_up_skipped(session, actor, event)
    if event.kind == EventKind.RATED and not data.get("replaced"):
        _lease_again(session, actor, event, Stage.RATING)
    if event.kind == EventKind.AUDIT_DECIDED and data.get("ends"):
        lots.set_state(session, data["lot"], LotState.OPEN, None)
        if "task_round" in data:
            lot = lots.get(session, data["lot"])
            benchmarks.set_round(session, lot.task_id, int(data["task_round"]))
    if event.kind in (EventKind.REVISED, EventKind.SUBMITTED):
        for item_id in ids:
            items.point_to_revision(session, item_id)
    if ids and event.kind != EventKind.RATED:
        assignments.recount(session, ids, Stage.CHECK)


def _take_up_skipped(session: Session, actor: PersonRow, event: LedgerEvent) -> None:
    if claim := _skipped_claim(session, actor, event):
        lease = lease_length(protocol_of(session, item_in(session, claim.item_id)))
        assignments.lease_item(
            session, claim.item_id, actor.id, Stage.CHECK, lease, gold=claim.gold
        )


def _withdraw_ratings(session: Session, data: Mapping[str, Any], undoing: int) -> None:
    """Ratings and the comment beside them are withdrawn; what they replaced stands again."""
    reviews.withdraw_ratings(session, data["ratings"], undoing)
    if data.get("replaced"):
        reviews.restore_ratings(session, data["replaced"])
    if data.get("comment"):
        comments.withdraw(session, int(data["comment"]), undoing)


def _lease_again(session: Session, actor: PersonRow, event: LedgerEvent, stage: Stage) -> None:
    """The item is with its reviewer or rater once more, as before."""
    if event.item_id is None:
        return
    item = item_in(session, event.item_id)
    revision = int(event.data.get("revision", item.revision))
    assignment = assignments.assignment_of(session, item.id, revision, stage, actor.id)
    if assignment is not None and assignment.state == AssignmentState.DONE:
        assignments.reopen_assignment(
            session, assignment.id, lease_length(protocol_of(session, item))
        )
