"""Stage 3: auditing the lot of a task by a random sample.

A lot is all accepted items of a task. Its sample is drawn by a recorded seed. When more drawn items
fail than the plan allows, the whole lot goes back to stage 1 as the task's next round, with the
reasons; when all drawn items are decided and few enough failed, the lot is approved.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from core.audit.sampling import draw
from core.errors import ConflictError, InputError, RightsError, StandsAlreadyError, StateError
from core.workflow.check.review import ReviewCard, card_in
from core.workflow.eligibility import refuse_author
from core.workflow.lookup import item_in, task_in
from core.workflow.protocols import settings_of
from core.workflow.rights import Action, require, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import benchmarks, drafts, items, ledger, lots, reviews
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import ItemRow
from db.ledger import NewEvent
from db.lots import LotRow
from db.people import PersonRow
from db.queries import item_lists
from db.reviews import DecisionRow
from db.tables import now
from db.vocabulary import DecisionKind, EventKind, ItemState, LotState, Stage, Verdict


@dataclass(frozen=True, slots=True)
class DrawnItem:
    """One drawn item and how its audit went: accept, reject, or empty while it waits."""

    number: int
    verdict: str
    reason: str
    auditor: str


@dataclass(frozen=True, slots=True)
class LotInfo:
    """A lot. ``state`` is open, passed or returned; ``drawn`` is in drawing order; ``ended`` is the
    ISO time at which it passed or was returned, empty while it is open."""

    id: int
    round: int
    attempt: int
    state: str
    seed: int
    size: int
    sample: int
    allowed: int
    started_by: str
    at: str
    drawn: tuple[DrawnItem, ...]
    ended: str = ""

    @property
    def decided(self) -> int:
        """How many drawn items have a verdict."""
        return sum(bool(entry.verdict) for entry in self.drawn)

    @property
    def failed(self) -> int:
        """How many drawn items failed."""
        return sum(entry.verdict == Verdict.REJECT for entry in self.drawn)


@dataclass(frozen=True, slots=True)
class AuditStatus:
    """Where a task's audit stands: its round, its items by state, and all its lots."""

    task: str
    benchmark: str
    round: int
    states: dict[str, int]
    lots: tuple[LotInfo, ...]


@dataclass(frozen=True, slots=True)
class AuditDecided:
    """One audit decision, and what it made of the lot."""

    number: int
    verdict: str
    lot: int
    lot_state: str
    round: int
    event: int


def start(
    ws: Workspace, task: str, person: str, *, seed: int | None = None, benchmark: str = ""
) -> AuditStatus:
    """Put all accepted items of a task in a lot and draw its sample; a seed is made when none is
    given, and recorded. A protocol without a sample approves the lot at once.

    Raises StateError when a lot is open already or nothing is accepted.
    """
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError.tr("A seed is a whole number from 0 to 2^63 − 1.")
    seed = secrets.randbelow(2**31) if seed is None else seed
    with writing_as(ws, person, Action.AUDIT) as (session, actor):
        task_row = task_in(session, task, benchmark)
        accepted = _lot_items(session, task_row)
        protocol = settings_of(task_row.protocol)
        drawn = draw([str(i.id) for i in accepted], protocol.audit_sample, seed)
        positions = {int(number): position for position, number in enumerate(drawn)}
        lot = lots.add(
            session,
            {
                "task_id": task_row.id,
                "round": task_row.round,
                "state": LotState.OPEN,
                "seed": seed,
                "size": len(accepted),
                "sample": len(drawn),
                "allowed": protocol.audit_allowed,
                "person_id": actor.id,
            },
            [(i.id, i.revision, positions.get(i.id)) for i in accepted],
        )
        data = {
            "lot": lot.id, "round": lot.round, "seed": seed, "size": lot.size,
            "allowed": lot.allowed, "protocol": task_row.protocol_version,
            "drawn": [int(number) for number in drawn],
        }  # fmt: skip
        head = NewEvent(EventKind.AUDIT_STARTED, actor.name, subject=task_row.name, data=data)
        moves = [Move(i, {"lot_id": lot.id}, {"lot": lot.id}) for i in accepted]
        apply(session, EventKind.AUDIT_STARTED, actor.name, moves, head=head)
        if not drawn:
            head = NewEvent(EventKind.AUDIT_ENDED, actor.name, subject=task_row.name, data=data)
            _pass(session, lot, actor, head)
        return _status(session, benchmarks.task(session, task_row.id))


def _lot_items(session: Session, task: TaskRow) -> list[ItemRow]:
    if any(lot.state == LotState.OPEN for lot in lots.of_task(session, task.id)):
        raise StateError.tr("A lot of “{task}” is already being audited.", task=task.name)
    accepted = items.in_state(session, (ItemState.ACCEPTED,), task_id=task.id)
    locked = items.get_many(session, [item.id for item in accepted], lock=True)
    ready = [
        item
        for item in locked
        if item.state == ItemState.ACCEPTED and item.lot_id is None and not item.barred
    ]
    if not ready:
        raise StateError.tr("“{task}” has no accepted items to audit.", task=task.name)
    return ready


def status(ws: Workspace, task: str, benchmark: str = "") -> AuditStatus:
    """Where a task's audit stands."""
    with ws.reading() as session:
        return _status(session, task_in(session, task, benchmark))


def _status(session: Session, task: TaskRow) -> AuditStatus:
    from db import people

    names = {row.id: row.name for row in people.everybody(session)}
    states = item_lists.states_of_task(session, task.id)
    return AuditStatus(
        task=task.name,
        benchmark=benchmarks.benchmark(session, task.benchmark_id).name,
        round=task.round,
        states={state.value: states.get(state, 0) for state in ItemState},
        lots=tuple(
            _info(session, lot, names.get(lot.person_id, ""))
            for lot in lots.of_task(session, task.id)
        ),
    )


def _info(session: Session, lot: LotRow, person: str) -> LotInfo:
    decisions = {d.item_id: d for d in reviews.decisions_of_lot(session, lot.id)}
    return LotInfo(
        lot.id, lot.round, lot.attempt, lot.state, lot.seed, lot.size, lot.sample, lot.allowed,
        person, lot.at.isoformat(timespec="seconds"),
        tuple(_drawn(number, decisions.get(number)) for number in lots.drawn(session, lot.id)),
        lot.ended_at.isoformat(timespec="seconds") if lot.ended_at else "",
    )  # fmt: skip


def _drawn(number: int, decision: DecisionRow | None) -> DrawnItem:
    if decision is None:
        return DrawnItem(number, "", "", "")
    return DrawnItem(number, decision.verdict, decision.reason, decision.person)


def next_card(ws: Workspace, task: str, person: str, benchmark: str = "") -> ReviewCard | None:
    """The next drawn item of a task's open lot that this auditor may decide; None: none left."""
    with ws.reading() as session:
        actor = require(session, person, Action.AUDIT)
        for _, number in to_audit(session, actor, task_in(session, task, benchmark).id):
            return card_in(session, item_in(session, number), actor)
    return None


def to_audit(
    session: Session, actor: PersonRow, task_id: int | None = None
) -> list[tuple[int, int]]:
    """(task id, item) of the drawn items that wait for an auditor, without those that this person
    wrote or judged: others must audit them."""
    waiting = lots.undecided(session, task_id)
    own = involved(session, actor, [number for _, number in waiting])
    return [entry for entry in waiting if entry[1] not in own]


def involved(session: Session, actor: PersonRow, numbers: item_lists.Numbers) -> set[int]:
    """Those of the items that a person wrote or judged, who may not audit them."""
    kinds = [kind for kind in DecisionKind if kind != DecisionKind.GOLD]
    return item_lists.of_person(session, actor.id, numbers, kinds)


def decide(
    ws: Workspace,
    person: str,
    number: int,
    verdict: str,
    *,
    reason: str = "",
    seconds: float = 0.0,
) -> AuditDecided:
    """Pass (accept) or fail (reject, with a reason) one drawn item; may end the lot.

    Raises StateError when the item is not drawn in an open lot, ConflictError when it was decided,
    RightsError for its author, its reviewers, and people who are no researcher or lead.
    """
    if verdict not in (Verdict.ACCEPT, Verdict.REJECT):
        raise InputError.tr("An audit decision must be accept or reject, not “{verdict}”.",
                            verdict=verdict)  # fmt: skip
    if verdict == Verdict.REJECT and not reason.strip():
        raise InputError.tr("A rejection needs a reason.")
    with writing_as(ws, person, Action.AUDIT) as (session, actor):
        lot, item = _lot_and_item(session, number, actor)
        refuse_author(session, item, actor)
        _refuse_reviewer(session, item, actor)
        drafts.drop_note(session, actor.id, number, "audit")
        decision_id = reviews.add_decision(
            session,
            {
                "item_id": number,
                "revision": item.revision,
                "stage": Stage.AUDIT,
                "kind": DecisionKind.AUDIT,
                "person_id": actor.id,
                "verdict": verdict,
                "reason": reason,
                "seconds": max(0.0, seconds),
                "lot_id": lot.id,
            },
        )
        data = {"decision": decision_id, "verdict": verdict, "reason": reason, "lot": lot.id}
        head = NewEvent(EventKind.AUDIT_DECIDED, actor.name, number, data=data)
        return _conclude(session, lot, actor, head)


def _lot_and_item(session: Session, number: int, actor: PersonRow) -> tuple[LotRow, ItemRow]:
    """The open lot in which an item was drawn, and the item; all items of the lot are locked."""
    item = item_in(session, number)
    if item.lot_id is None or number not in lots.drawn(session, item.lot_id):
        raise _not_under_audit(session, item, actor)
    members = [member[0] for member in lots.members(session, item.lot_id)]
    rows = {row.id: row for row in items.get_many(session, members, lock=True)}
    lot = lots.get(session, item.lot_id, lock=True)
    if lot.state != LotState.OPEN or rows[number].lot_id != lot.id:
        raise _not_under_audit(session, item, actor)
    if any(d.item_id == number for d in reviews.decisions_of_lot(session, lot.id)):
        raise _own_audit(session, item, actor) or ConflictError.tr(
            "Item #{number} has already been audited.", number=number
        )
    return lot, rows[number]


def _not_under_audit(session: Session, item: ItemRow, actor: PersonRow) -> Exception:
    return _own_audit(session, item, actor) or StateError.tr(
        "Item #{number} is not in a sample under audit.", number=item.id
    )


def _own_audit(session: Session, item: ItemRow, actor: PersonRow) -> Exception | None:
    """That this person audited the item before, perhaps with the decision that ended its lot."""
    decided = reviews.decisions_on(session, item.id, item.revision, DecisionKind.AUDIT)
    if all(done.person_id != actor.id for done in decided):
        return None
    return StandsAlreadyError.tr("You audited item #{number} already.", number=item.id)


def _refuse_reviewer(session: Session, item: ItemRow, actor: PersonRow) -> None:
    if involved(session, actor, [item.id]):
        raise RightsError.tr(
            "{name} reviewed item #{number}; someone else must audit it.",
            name=actor.name,
            number=item.id,
        )


def _conclude(session: Session, lot: LotRow, actor: PersonRow, head: NewEvent) -> AuditDecided:
    decisions = reviews.decisions_of_lot(session, lot.id)
    failed = [d for d in decisions if d.verdict == Verdict.REJECT]
    number, verdict = head.item_id or 0, str(head.data["verdict"])
    if len(failed) > lot.allowed:
        event = _return(session, lot, actor, head, failed)
        state, round_number = LotState.RETURNED, lot.round + 1
    elif len(decisions) == lot.sample:
        event = _pass(session, lot, actor, head)
        state, round_number = LotState.PASSED, lot.round
    else:
        item = item_in(session, number)
        data = dict(head.data)
        event = apply(session, head.kind, actor.name, [Move(item, {}, data)])
        state, round_number = LotState.OPEN, lot.round
    return AuditDecided(number, verdict, lot.id, state, round_number, event)


def _ended(head: NewEvent, more: dict[str, Any]) -> NewEvent:
    data = {**head.data, "ends": True, **more}
    return NewEvent(head.kind, head.actor, head.item_id, head.subject, data)


def _pass(session: Session, lot: LotRow, actor: PersonRow, head: NewEvent) -> int:
    """Approve the lot; the few failed items that the plan allows go back to their authors."""
    failed = {
        d.item_id: d.reason
        for d in reviews.decisions_of_lot(session, lot.id)
        if d.verdict == Verdict.REJECT
    }
    members = items.get_many(session, [m[0] for m in lots.members(session, lot.id)], lock=True)
    moves = [
        Move(item, {"state": ItemState.RETURNED, "lot_id": None, "open_slots": 0},
             {"lot": lot.id, "reason": failed[item.id]})
        if item.id in failed
        else Move(item, {"state": ItemState.APPROVED}, {"lot": lot.id})
        for item in members
    ]  # fmt: skip
    lots.set_state(session, lot.id, LotState.PASSED, now())
    end = _ended(head, {"lot": lot.id, "passed": True})
    return apply(session, EventKind.APPROVED, actor.name, moves, head=end)


def _return(
    session: Session,
    lot: LotRow,
    actor: PersonRow,
    head: NewEvent,
    failed: list[DecisionRow],
) -> int:
    """Send the whole lot back to stage 1 as the task's next round."""
    task = benchmarks.task(session, lot.task_id)
    reasons = [{"item": d.item_id, "reason": d.reason} for d in failed]
    reason_of = {d.item_id: d.reason for d in failed}
    members = items.get_many(session, [m[0] for m in lots.members(session, lot.id)], lock=True)
    values = {
        "state": ItemState.RETURNED, "lot_id": None, "open_slots": 0, "round": task.round + 1
    }  # fmt: skip
    moves = [
        Move(item, values, {"lot": lot.id, "reason": reason_of.get(item.id, "")})
        for item in members
    ]
    lots.set_state(session, lot.id, LotState.RETURNED, now())
    benchmarks.set_round(session, lot.task_id, task.round + 1)
    end = _ended(head, {"passed": False, "task_round": task.round, "reasons": reasons})
    event = apply(session, EventKind.RETURNED, actor.name, moves, head=end)
    ledger.append(
        session,
        NewEvent(
            EventKind.AUDIT_ENDED,
            actor.name,
            subject=task.name,
            data={"lot": lot.id, "round": task.round + 1, "reasons": reasons},
        ),
    )
    return event
