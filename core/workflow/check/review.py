"""Reviewing: the queue, claiming the next item, deciding and skipping.

An item revision is reviewed by as many people as the protocol said when it was opened for review
(``open_slots``). One "return" settles it at once; otherwise all must have decided, and it is
accepted or rejected when they agree and disputed when they do not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from core.errors import ConflictError, InputError, RightsError, StateError
from core.families.base import Defect, ItemContent
from core.workflow import team
from core.workflow.check import gold, leases, qualification
from core.workflow.check.committed import CommittedDecision, PeerDecision, Reveal
from core.workflow.check.done_before import decided_before, refuse_done
from core.workflow.check.qualification import Standing
from core.workflow.check.reasons import REASONS, reasons_of
from core.workflow.check.visibility import closed_among, refuse_closed
from core.workflow.defects import shown_defects
from core.workflow.eligibility import refuse_author, refuse_barred, refuse_changed, refuse_invalid
from core.workflow.labels import state_label
from core.workflow.lookup import LARGEST, item_in, protocol_of
from core.workflow.people import benchmark_in
from core.workflow.protocols import LEASE_MINUTES, settings_of
from core.workflow.rights import Action, at_work, require, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import assignments, benchmarks, drafts, items, reviews, screenings
from db.assignments import AssignmentRow
from db.claiming import claims, single_steps
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.queries import item_lists, shares
from db.vocabulary import (
    PACKAGED,
    REVEALED,
    AssignmentState,
    DecisionKind,
    EventKind,
    ItemState,
    Stage,
    Verdict,
)

__all__ = [
    "REASONS", "CommittedDecision", "PeerDecision", "Reveal", "item_in", "protocol_of",
    "reasons_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """An item one has just dealt with; the verdict is ``skip`` for one that was given back."""

    number: int
    verdict: str


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """How far a reviewer is: decided, still open to them, what they decided or skipped last, and
    how many they skipped that nobody has decided on instead."""

    done: int
    left: int
    recent: tuple[QueueEntry, ...]
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """Everything that is shown of one item; nothing that must stay hidden before deciding.

    ``already`` is one's own verdict on it, ``reasons`` those of its task for a rejection.
    """

    number: int
    revision: int
    task: str
    state: str
    content: ItemContent
    defects: tuple[Defect, ...]
    barred: str
    already: str
    reasons: tuple[str, ...] = REASONS
    qualification: Standing | None = None
    """How far its reader is in the qualification round that it belongs to; None for others."""

    @property
    def family(self) -> str:
        """Name of the item's family."""
        return self.content.family


def queue(ws: Workspace, reviewer: str, benchmark: str) -> ReviewQueue:
    """How far a reviewer is in a benchmark."""
    with ws.reading() as session:
        person = at_work(session, reviewer)
        benchmark_row = benchmark_in(session, benchmark)
        remaining = shares.remaining_of(session, person.id)
        unqualified = qualification.unqualified(session, person, benchmark_row.id)
        rounds = {
            task: entry for task, entry in unqualified.items() if task not in remaining.closed
        }
        remaining = replace(remaining, full=(*remaining.full, *unqualified))
        done, left, skipped = assignments.progress(
            session, person.id, Stage.CHECK, benchmark_row.id, remaining
        )
        left += len(qualification.drawn(session, person, rounds))
        recent = item_lists.recent_of(session, person.id, benchmark_row.id)
    return ReviewQueue(done, left, tuple(QueueEntry(*entry) for entry in recent), skipped)


def next_card(
    ws: Workspace, reviewer: str, benchmark: str, *, leave_out: tuple[int, ...] = ()
) -> ReviewCard | None:
    """Claim the next item of a benchmark for a reviewer; None when nothing is left for them.

    Items that the reviewer holds already come first, except those in ``leave_out`` (the one on
    screen, so that the next can be loaded while it is read). Whoever asks is active: all their
    leases are renewed, once a tenth of one is over. What is new comes from the tasks that are
    theirs, up to their share of each. Raises RightsError when the reviewer is paused.
    """
    if ws.has_steps:
        with ws.stepping() as session:
            plain = single_steps.next_item(session, reviewer, benchmark, leave_out)
        if plain is not None:
            return _due_gold_item(ws, reviewer, plain) or _plain_card(plain)
    with writing_as(ws, reviewer, Action.REVIEW) as (session, person):
        benchmark_id = benchmark_in(session, benchmark).id
        return _next_card(session, person, benchmark_id, leave_out)


def _next_card(
    session: Session, person: PersonRow, benchmark_id: int, leave_out: tuple[int, ...]
) -> ReviewCard | None:
    assignments.expire_leases(session)
    held = claims.held_items(session, person.id, Stage.CHECK, benchmark_id)
    for lease, item in _kept(session, held):
        if lease.item_id not in leave_out:
            # An undone first decision left a draft in the hands of the one who made it.
            item = _start_review(session, item, person)
            return _card(session, item, person, fresh=True, gold_item=lease.gold)
    closed = tuple(team.remaining_shares(session, person).closed)
    while True:
        claimed = claims.claim_next(
            session, person.id, Stage.CHECK, timedelta(minutes=LEASE_MINUTES),
            benchmark_id=benchmark_id, closed=closed,
        )  # fmt: skip
        if claimed is None:
            number = qualification.next_of_rounds(session, person, benchmark_id, closed)
            return _gold_card(session, number, person)
        item = claimed
        protocol = protocol_of(session, item)
        standing = qualification.standing_in(session, person, item.task_id, protocol)
        if standing is None or standing.state == "passed":
            break
        _give_back(session, item, person)
        if (drawn := qualification.draw(session, person, item.task_id, standing)) is not None:
            return _gold_card(session, drawn, person)
        closed = (*closed, item.task_id)
    if protocol.lease_minutes != LEASE_MINUTES:
        length = leases.lease_length(protocol)
        assignments.set_lease(session, item.id, Stage.CHECK, person.id, length)
    item = _start_review(session, item, person)
    gold_number = gold.gold_item_for(session, item, person, protocol)
    if gold_number is not None:
        return _gold_card(session, gold_number, person)
    return _card(session, item, person, fresh=True)


def _kept(
    session: Session, held: Sequence[tuple[AssignmentRow, ItemRow]]
) -> list[tuple[AssignmentRow, ItemRow]]:
    """Of what somebody holds, what they can still decide here; its leases are renewed if due."""
    kept = [
        (lease, item)
        for lease, item in held
        if lease.reason != PACKAGED and not _release_if_settled(session, lease, item)
    ]
    leases.renew_if_due(session, kept)
    return kept


def _release_if_settled(session: Session, lease: AssignmentRow, item: ItemRow) -> bool:
    """Whether nothing is left to decide of what is held, which ends it: it was settled by somebody
    else, or lies in a split that is sealed."""
    if lease.gold:
        if over := bool(closed_among(session, [item])):
            assignments.end_assignment(session, lease.id, AssignmentState.RELEASED)
    elif over := item.state not in (ItemState.DRAFT, ItemState.IN_REVIEW):
        assignments.end_assignment(session, lease.id, AssignmentState.RELEASED)
        assignments.free_place(session, lease.item_id, lease.revision)
    return over


def _due_gold_item(
    ws: Workspace, reviewer: str, plain: single_steps.PlainItem
) -> ReviewCard | None:
    """The gold item that comes before one that was just claimed, if it is time for one."""
    if plain.draw is None or not gold.is_gold_due(plain.draw, plain.gold_rate or 0.0):
        return None
    with writing_as(ws, reviewer, Action.REVIEW) as (session, person):
        item = item_in(session, plain.number)
        number = gold.gold_item_for(session, item, person, protocol_of(session, item))
        return _gold_card(session, number, person)


def _plain_card(item: single_steps.PlainItem) -> ReviewCard:
    shown = ItemContent(item.family, item.format, item.payload, item.provenance, item.domain)
    return ReviewCard(
        item.number, item.revision, item.task, ItemState.IN_REVIEW, shown,
        shown_defects(item.defects, shown), item.barred, "", reasons_of(item.profile, item.family),
    )  # fmt: skip


def _gold_card(session: Session, number: int | None, person: PersonRow) -> ReviewCard | None:
    if number is None:
        return None
    lease = leases.lease_length(protocol_of(session, item_in(session, number)))
    assignments.lease_item(session, number, person.id, Stage.CHECK, lease, gold=True)
    return _card(session, item_in(session, number), person, fresh=True, gold_item=True)


def _give_back(session: Session, item: ItemRow, person: PersonRow) -> None:
    """End a claim of a moment ago, for an item that its claimant may not have yet."""
    claim = assignments.assignment_of(session, item.id, item.revision, Stage.CHECK, person.id)
    assert claim is not None
    assignments.end_assignment(session, claim.id, AssignmentState.EXPIRED)
    assignments.free_place(session, item.id, item.revision)


def _start_review(session: Session, item: ItemRow, person: PersonRow) -> ItemRow:
    """The item, under review from the moment that somebody holds it."""
    if item.state != ItemState.DRAFT:
        return item
    begun = {"state": ItemState.IN_REVIEW}
    apply(session, EventKind.CLAIMED, person.name, [Move(item, begun, {})])
    return item._replace(state=ItemState.IN_REVIEW)


def review_card(ws: Workspace, reviewer: str, number: int) -> ReviewCard:
    """One item as a reviewer sees it, without claiming it."""
    with ws.reading() as session:
        person = at_work(session, reviewer)
        item = item_in(session, number)
        assignment = assignments.assignment_of(
            session, number, item.revision, Stage.CHECK, person.id
        )
        return _card(session, item, person, gold_item=assignment is not None and assignment.gold)


def card_in(
    session: Session, item: ItemRow, person: PersonRow, *, gold_item: bool = False
) -> ReviewCard:
    """As ``review_card``, within a session; ``gold_item`` where it was shown as a gold one."""
    return _card(session, item, person, gold_item=gold_item)


def _card(
    session: Session,
    item: ItemRow,
    person: PersonRow,
    *,
    fresh: bool = False,
    gold_item: bool = False,
) -> ReviewCard:
    refuse_closed(session, item)
    content = items.revision(session, item.id, item.revision)
    # What was leased a moment ago cannot have been decided by the same person.
    decisions = [] if fresh else reviews.decisions_on(session, item.id, item.revision)
    own_verdicts = [one.verdict for one in decisions if one.person_id == person.id]
    task = benchmarks.task(session, item.task_id)
    shown = ItemContent(item.family, item.format, content.payload, content.provenance, item.domain)
    return ReviewCard(
        number=item.id,
        revision=item.revision,
        task=task.name,
        # A gold item looks like every other one.
        state=ItemState.IN_REVIEW if gold_item else item.state,
        content=shown,
        defects=shown_defects(content.defects, shown),
        barred=item.barred,
        already=own_verdicts[-1] if own_verdicts else "",
        reasons=reasons_of(task.profile, item.family),
        qualification=_standing_of_round(session, person, task)
        if gold_item and not own_verdicts
        else None,
    )


def _standing_of_round(
    session: Session, person: PersonRow, task: benchmarks.TaskRow
) -> Standing | None:
    standing = qualification.standing_in(session, person, task.id, settings_of(task.protocol))
    return standing if standing is not None and standing.state == "open" else None


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
    recorded_by: str = "",
) -> CommittedDecision:
    """Commit one decision. It is on disk when this returns.

    ``seconds`` is how long the reviewer was active on the item; ``recorded_by`` is the lead who
    brought a decision in that was made elsewhere, which the ledger then says. Raises StateError
    (not under review, barred), ConflictError (decided already, changed since it was shown, all
    places taken), RightsError (one's own item, or revealed before), InputError (unknown verdict, a
    rejection or return without words).
    """
    refuse_invalid(verdict, reason, note)
    fields = {"verdict": verdict, "reason": reason, "note": note, "seconds": seconds}
    if not recorded_by and (done := decide_at_once(ws, reviewer, number, fields, revision)):
        return done
    with writing_as(ws, reviewer, Action.REVIEW) as (session, person):
        return decide_in(session, person, number, fields, revision, recorded_by=recorded_by)


def _seconds(seconds: float) -> float:
    """Active seconds that can be true: not negative, not more than a day."""
    return min(max(0.0, float(seconds)), 86_400.0) if seconds == seconds else 0.0


def decide_at_once(
    ws: Workspace, reviewer: str, number: int, fields: dict[str, Any], revision: int | None,
    token: str = "",
) -> CommittedDecision | None:  # fmt: skip
    """As ``decide``, in one statement of a server that does that; None, with nothing written, for
    ``decide_in`` to do it. ``token`` is kept in the event."""
    if not ws.has_steps or not 0 < number < LARGEST:
        return None
    fields = {**fields, "seconds": _seconds(fields["seconds"])}
    with ws.stepping() as session:
        done = single_steps.decide(session, reviewer, number, revision, fields, token)
        if done is None:
            return None
    others = tuple(PeerDecision(*other) for other in done.others)
    reveal = Reveal(done.score, done.threshold, done.rationale, others)
    return CommittedDecision(
        number, fields["verdict"], done.state, done.disputed, done.event, reveal
    )


def decide_in(
    session: Session,
    person: PersonRow,
    number: int,
    fields: dict[str, Any],
    revision: int | None = None,
    *,
    replaces: int = 0,
    recorded_by: str = "",
    told: Mapping[str, Any] | None = None,
) -> CommittedDecision:
    """As ``decide``, within a session; ``replaces`` is the event of one's own former decision,
    ``told`` is what the ledger says of this one beside it."""
    fields = {**fields, "seconds": _seconds(fields["seconds"])}
    item = item_in(session, number, lock=True)
    drafts.drop_note(session, person.id, number, "review")
    assignment = _complete_assignment(session, item, person, revision, recorded_by)
    if assignment.gold:
        return _decide_gold(session, item, person, fields, replaces, told)
    _refuse_closed(item)
    refuse_barred(item, fields["verdict"])
    decision_id = _insert_decision(session, item, person, fields, DecisionKind.REVIEW)
    decisions = reviews.decisions_on(session, number, item.revision, DecisionKind.REVIEW)
    values = outcome_of([decision.verdict for decision in decisions], item.open_slots)
    data = {"decision": decision_id, **{k: v for k, v in fields.items() if k != "seconds"}}
    data |= {"recorded_by": recorded_by} if recorded_by else {}
    data |= told or {}
    others = [decision for decision in decisions if decision.person_id != person.id]
    if replaces:
        # what others said was open to this person from the first decision on
        data |= {"replaces": replaces, "knew_others": bool(others)}
    event = apply(session, EventKind.DECIDED, person.name, [Move(item, values, data)])
    if values.get("open_slots") == 0:
        assignments.release_leases(session, [number], Stage.CHECK, person.id)
    return CommittedDecision(
        number,
        fields["verdict"],
        str(values.get("state", item.state)),
        bool(values.get("disputed", item.disputed)),
        event,
        _reveal(session, item, others),
    )


def _insert_decision(
    session: Session, item: ItemRow, person: PersonRow, fields: dict[str, Any], kind: str
) -> int:
    values = {"item_id": item.id, "revision": item.revision, "stage": Stage.CHECK, "kind": kind,
              "person_id": person.id, **fields}  # fmt: skip
    return reviews.add_decision(session, values)


def _decide_gold(
    session: Session, item: ItemRow, person: PersonRow, fields: dict[str, Any], replaces: int,
    told: Mapping[str, Any] | None,
) -> CommittedDecision:  # fmt: skip
    """Keep the verdict for the reviewer's accuracy; the item itself stays as it is."""
    protocol = protocol_of(session, item)
    before = qualification.standing_in(session, person, item.task_id, protocol)
    decision_id = _insert_decision(session, item, person, fields, DecisionKind.GOLD)
    data = {"decision": decision_id, "gold": True, "verdict": fields["verdict"], **(told or {})}
    if replaces:
        data["replaces"] = replaces
    answer = None
    if before is not None and before.state == "open":
        standing = qualification.standing_in(session, person, item.task_id, protocol)
        assert standing is not None
        answer = qualification.answer_on(session, item, fields["verdict"], standing)
        data["qualification"] = standing.state
    event = apply(session, EventKind.DECIDED, person.name, [Move(item, {}, data)])
    state = outcome_of([fields["verdict"]], 1)["state"]
    return CommittedDecision(
        item.id, fields["verdict"], state, False, event, _reveal(session, item, []), answer
    )


def _complete_assignment(
    session: Session, item: ItemRow, person: PersonRow, revision: int | None, recorded_by: str
) -> AssignmentRow:
    """Make sure that this person holds this item revision; claim it when a place is open."""
    refuse_changed(session, item, revision)
    assignment = assignments.assignment_of(session, item.id, item.revision, Stage.CHECK, person.id)
    if assignment is None or assignment.state != AssignmentState.LEASED:
        assignment = _claim(session, item, person, assignment, recorded_by)
    assignments.end_assignment(session, assignment.id, AssignmentState.DONE)
    return assignment


def _claim(
    session: Session,
    item: ItemRow,
    person: PersonRow,
    assignment: AssignmentRow | None,
    recorded_by: str,
) -> AssignmentRow:
    if assignment is not None and assignment.state == AssignmentState.DONE:
        raise decided_before(session, item, person, recorded_by)
    refuse_author(session, item, person)
    if assignment is not None and assignment.reason == REVEALED:
        raise RightsError.tr(
            "{name} has seen the hidden details of item #{number}; someone else must judge it.",
            name=person.name,
            number=item.id,
        )
    protocol = protocol_of(session, item)
    as_gold = qualification.is_next(session, item, person, protocol)
    if not as_gold:
        _refuse_closed(item)
    if not recorded_by:
        team.refuse_new(session, person, item.task_id)
        if not as_gold:
            qualification.require_passed(session, item, person, protocol)
    if not as_gold:
        _require_free_slot(session, item)
    lease = leases.lease_length(protocol)
    assignments.lease_item(session, item.id, person.id, Stage.CHECK, lease, gold=as_gold)
    leased = assignments.assignment_of(session, item.id, item.revision, Stage.CHECK, person.id)
    assert leased is not None
    return leased


def _require_free_slot(session: Session, item: ItemRow) -> None:
    """ConflictError when every place of an item is taken, also after leases that ran out."""
    if item.taken >= item.open_slots:
        assignments.expire_leases(session)
        item = item_in(session, item.id)
    if item.taken >= item.open_slots:
        raise ConflictError.tr("Item #{number} already has all its reviewers.", number=item.id)


def _refuse_closed(item: ItemRow) -> None:
    """StateError when an item is not there to be reviewed."""
    waiting = item.state == ItemState.DRAFT and item.open_slots > 0
    if item.state != ItemState.IN_REVIEW and not waiting:
        raise StateError.tr("Item #{number} is not in review; its state is {state}.",
                            number=item.id, state=state_label(item.state))  # fmt: skip


def outcome_of(verdicts: list[str], reviewers: int) -> dict[str, Any]:
    """Where the verdicts of some of so many reviewers bring an item: the columns to set."""
    if Verdict.RETURN in verdicts:
        return {"state": ItemState.RETURNED, "open_slots": 0}
    if len(verdicts) < reviewers:
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
        others=tuple(PeerDecision(other.verdict, other.reason, other.note) for other in others),
    )


def skip(ws: Workspace, reviewer: str, number: int, reason: str = "") -> None:
    """Give an item back undecided, as the protocol says: to others, or to one's own end.

    Raises StateError when the reviewer does not hold it, InputError when the protocol wants a
    reason and there is none.
    """
    if skip_at_once(ws, reviewer, number, reason):
        return
    with ws.writing() as session:
        skip_in(session, require(session, reviewer, Action.REVIEW, lock=True), number, reason, {})


def skip_at_once(ws: Workspace, reviewer: str, number: int, reason: str, token: str = "") -> bool:
    """As ``skip``, in one statement of a server that does that; False, with nothing written, for
    ``skip_in`` to do it. ``token`` is kept in the event."""
    if not ws.has_steps or not 0 < number < LARGEST:
        return False
    with ws.stepping() as session:
        return single_steps.skip(session, reviewer, number, reason, token)


def skip_in(
    session: Session, person: PersonRow, number: int, reason: str, told: Mapping[str, Any]
) -> None:
    """As ``skip``, within a session; ``told`` is what the ledger says of it beside the reason."""
    item = item_in(session, number, lock=True)
    assignment = assignments.assignment_of(session, number, item.revision, Stage.CHECK, person.id)
    refuse_done(session, item, person, assignment)
    if assignment is None or assignment.state != AssignmentState.LEASED:
        raise StateError.tr(
            "Item #{number} is not assigned to {name}.", number=number, name=person.name
        )
    policy = protocol_of(session, item).skip
    if policy == "with_reason" and not reason.strip():
        raise InputError.tr("Skipping needs a reason in this task.")
    state = AssignmentState.POSTPONED if policy == "to_end" else AssignmentState.SKIPPED
    assignments.end_assignment(session, assignment.id, state, reason)
    if not assignment.gold:
        assignments.free_place(session, number, item.revision)
    apply(session, EventKind.SKIPPED, person.name, [Move(item, {}, {"reason": reason, **told})])


def claim_item(ws: Workspace, reviewer: str, number: int) -> ReviewCard:
    """Claim a certain item: one that was skipped, postponed or left, and still waits.

    What the reviewer holds already is theirs. Raises the errors of ``decide`` where the item does
    not wait for them.
    """
    with writing_as(ws, reviewer, Action.REVIEW) as (session, person):
        item = item_in(session, number, lock=True)
        claim = assignments.assignment_of(session, number, item.revision, Stage.CHECK, person.id)
        if claim is None or claim.state != AssignmentState.LEASED:
            if claim is not None and claim.gold and claim.state != AssignmentState.DONE:
                lease = leases.lease_length(protocol_of(session, item))
                assignments.lease_item(session, number, person.id, Stage.CHECK, lease, gold=True)
            else:
                claim = _claim(session, item, person, claim, "")
        assert claim is not None
        item = item if claim.gold else _start_review(session, item_in(session, number), person)
        return _card(session, item, person, fresh=True, gold_item=claim.gold)
