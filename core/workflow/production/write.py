"""Stage 1 by hand: drafts that are saved while typing, handing in, and rewriting what came back.

A draft is not an item: it may be incomplete. Handing in makes an item of it, or the next revision
of a returned one. Nothing here knows a family; payloads are checked by their family's model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from core.errors import ConflictError, InputError, NotFoundError, RightsError, StateError
from core.families import family
from core.families.base import Defect, ItemContent, first_problem
from core.families.languages import with_language
from core.generation.text_defects import item_defects
from core.i18n import tr
from core.workflow.labels import state_label
from core.workflow.lookup import item_in, task_in
from core.workflow.people import benchmark_in
from core.workflow.production.new_items import created_events, new_item
from core.workflow.protocols import settings_of
from core.workflow.rights import Action, at_work, is_allowed, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import benchmarks, drafts, items, ledger, reviews
from db.benchmarks import TaskRow
from db.drafts import DraftRow
from db.engine import Session
from db.importing import pending_imports
from db.items import ItemRow
from db.people import PersonRow
from db.queries import item_lists
from db.vocabulary import DecisionKind, EventKind, ItemState, Verdict


@dataclass(frozen=True, slots=True)
class DraftInfo:
    """A draft; ``item`` is the returned item that it rewrites (0: a new one)."""

    id: int
    task: str
    benchmark: str
    item: int
    payload: dict[str, Any]
    saved: datetime


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """What somebody said who sent an item back: a reviewer, an adjudicator, or the audit."""

    kind: str
    revision: int
    verdict: str
    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class ReturnedItem:
    """An item that is with its author again: its content now and before, and why. ``with_lot``:
    its lot came back, be it on its own account or not; else its author took it back."""

    number: int
    task: str
    revision: int
    round: int
    content: ItemContent
    earlier: ItemContent | None
    words: tuple[ReviewComment, ...]
    draft: int
    with_lot: bool

    @property
    def why(self) -> str:
        """Why it is back although nobody said anything against it."""
        return why_returned(with_lot=self.with_lot)


@dataclass(frozen=True, slots=True)
class SubmittedItem:
    """An item or revision that was handed in, with what the checks found."""

    number: int
    revision: int
    state: str
    defects: tuple[Defect, ...]
    event: int


_TELLING = ("input", "text", "question", "output", "instruction")


def known_by(payload: Mapping[str, Any]) -> str:
    """The text by which an item or a draft is told from others of its task: its own, not the
    instruction that all of them have; empty where nothing is written yet."""
    rest = [name for name in payload if name not in _TELLING]
    texts = (payload.get(name) for name in (*_TELLING, *rest))
    words = (" ".join(text.split()) for text in texts if isinstance(text, str))
    return next((text for text in words if text), "")


def save_draft(
    ws: Workspace,
    person: str,
    task: str,
    payload: Mapping[str, Any],
    *,
    draft: int = 0,
    item: int = 0,
    benchmark: str = "",
) -> int:
    """Keep what is being written, complete or not; returns the draft's number.

    ``draft`` names the one to replace (0: a new one, or the one of the returned ``item``).
    """
    with writing_as(ws, person, Action.WRITE) as (session, actor):
        row = task_in(session, task, benchmark)
        if draft:
            drafts.save(session, _own_draft(session, actor, draft).id, payload)
            return draft
        if item:
            _refuse_rewriting(actor, item_in(session, item))
            earlier = drafts.of_item(session, actor.id, item)
            if earlier is not None:
                drafts.save(session, earlier.id, payload)
                return earlier.id
        return drafts.add(session, row.id, actor.id, payload, item or None)


def _own_draft(session: Session, actor: PersonRow, number: int) -> DraftRow:
    row = drafts.get(session, number)
    if row is None or row.person_id != actor.id:
        raise NotFoundError.tr("{name} has no draft {number}.", name=actor.name, number=number)
    return row


def my_drafts(ws: Workspace, person: str, task: str = "") -> tuple[DraftInfo, ...]:
    """A person's drafts, oldest first."""
    with ws.reading() as session:
        actor = at_work(session, person)
        rows = drafts.of_person(session, actor.id)
        names = {row.id: row for row in benchmarks.tasks(session)}
        homes = {row.id: row.name for row in benchmarks.benchmarks(session)}
    return tuple(
        DraftInfo(
            row.id, names[row.task_id].name, homes[names[row.task_id].benchmark_id],
            row.item_id or 0, row.payload, row.at,
        )
        for row in rows
        if not task or names[row.task_id].name == task
    )  # fmt: skip


def give_up_draft(ws: Workspace, person: str, draft: int) -> None:
    """Drop a draft. Only what was never handed in can be dropped."""
    with writing_as(ws, person, Action.WRITE) as (session, actor):
        drafts.remove(session, _own_draft(session, actor, draft).id)


def submit(
    ws: Workspace,
    person: str,
    task: str,
    payload: Mapping[str, Any],
    *,
    format: str = "",
    draft: int = 0,
    benchmark: str = "",
) -> SubmittedItem:
    """Hand in a new item; it waits for the gate or for reviewers as the protocol says.

    ``format`` is one of the family's formats (when empty the task's own, else the family's first).

    Raises InputError naming the field that is wrong, ConflictError when the task has this content.
    """
    with writing_as(ws, person, Action.WRITE) as (session, actor):
        row = task_in(session, task, benchmark)
        kind = format or row.format or (family(row.family).formats or ("",))[0]
        written = with_language(family(row.family).payload_model(kind), payload, row.profile)
        content = _content(row.family, kind, row.domain, written)
        items.one_writer(session, row.id)
        _refuse_same(session, row, content, None)
        new = new_item(content, row, None, author_id=actor.id)
        if draft:
            drafts.remove(session, _own_draft(session, actor, draft).id)
        number = items.add(session, [new])[0]
        (created,) = created_events([(number, new)], actor.name, {"protocol": row.protocol_version})
        event = ledger.append(
            session, ledger.NewEvent(EventKind.SUBMITTED, actor.name, number, data=created.data)
        )
    defects = tuple(Defect(d["name"], d["detail"]) for d in new.defects)
    return SubmittedItem(number, 1, new.state, defects, event)


def _content(family_name: str, format: str, domain: str, payload: Mapping[str, Any]) -> ItemContent:
    try:
        model = family(family_name).payload_model(format).model_validate(dict(payload))
    except ValidationError as error:
        raise InputError(first_problem(error)) from error
    return ItemContent(family_name, format, model.model_dump(mode="json"), {}, domain)


def _refuse_same(session: Session, task: TaskRow, content: ItemContent, item: int | None) -> None:
    twin = items.same_content(session, task.id, content.content_hash)
    if twin is not None and twin != item:
        _refuse_hidden(session, twin)
        raise ConflictError.tr("Item #{number} already has exactly this content.", number=twin)


def _refuse_hidden(session: Session, number: int) -> None:
    """What is said of an item that nobody sees names its import."""
    if file := pending_imports.hiding(session, number):
        raise ConflictError.tr(
            "An import of “{file}” that has not ended brought exactly this content; it is seen "
            "once the import has ended.", file=file
        )  # fmt: skip


def count_returned(ws: Workspace, person: str, benchmark: str) -> int:
    """How many items of a benchmark are back with a person."""
    with ws.reading() as session:
        home = benchmark_in(session, benchmark)
        actor = at_work(session, person)
        return sum(item_lists.returned_by_task(session, actor.id, home.id).values())


def returned_to(ws: Workspace, person: str, task: str = "") -> tuple[ReturnedItem, ...]:
    """The items that are back with this person: those they wrote, and those without an author."""
    with ws.reading() as session:
        actor = at_work(session, person)
        numbers = item_lists.returned_to(session, actor.id)
        rows = items.get_many(session, numbers)
        if task:
            names = {row.id: row.name for row in benchmarks.tasks(session)}
            rows = [row for row in rows if names[row.task_id] == task]
        return returned_in(session, rows, actor)


def returned(ws: Workspace, person: str, number: int) -> ReturnedItem:
    """One item that came back, with the reviewers' words and the revision before."""
    with ws.reading() as session:
        actor = at_work(session, person)
        item = item_in(session, number)
        _refuse_rewriting(actor, item)
        return returned_in(session, [item], actor)[0]


def returned_in(
    session: Session, rows: Sequence[ItemRow], actor: PersonRow
) -> tuple[ReturnedItem, ...]:
    """Items that came back; a few statements, however many there are."""
    numbers = [item.id for item in rows]
    tasks = {row.id: row.name for row in benchmarks.tasks(session)}
    present = items.contents(session, numbers)
    before = items.contents(session, numbers, back=1)
    comments = review_comments(session, numbers)
    with_lot = returned_with_lot(session, numbers)
    begun = {draft.item_id: draft.id for draft in drafts.of_person(session, actor.id)}

    def content(item: ItemRow, row: items.RevisionRow) -> ItemContent:
        return ItemContent(item.family, item.format, row.payload, row.provenance, item.domain)

    return tuple(
        ReturnedItem(
            item.id,
            tasks[item.task_id],
            item.revision,
            item.round,
            content(item, present[item.id]),
            content(item, before[item.id]) if item.id in before else None,
            tuple(comments[item.id]),
            begun.get(item.id, 0),
            item.id in with_lot,
        )
        for item in rows
    )


def review_comments(session: Session, numbers: Sequence[int]) -> dict[int, list[ReviewComment]]:
    """By item, what was said against it: by reviewers, adjudicators, the audit, and when it was
    returned together with many others."""
    comments: dict[int, list[ReviewComment]] = {number: [] for number in numbers}
    for d in reviews.decisions_on_items(session, numbers):
        if d.verdict != Verdict.ACCEPT and d.kind != DecisionKind.GOLD:
            comment = ReviewComment(d.kind, d.revision, d.verdict, d.reason, d.note)
            comments[d.item_id].append(comment)
    events = ledger.of_items(session, numbers, (EventKind.BULK, EventKind.UNDONE))
    undone = {(e.item_id, e.data.get("undone")) for e in events if e.kind == EventKind.UNDONE}
    for e in events:
        is_return = e.kind == EventKind.BULK and e.data.get("action") == Verdict.RETURN
        if is_return and (e.item_id, e.data.get("head")) not in undone:
            revision, note = int(e.data["revision"]), str(e.data.get("note", ""))
            comment = ReviewComment("bulk", revision, Verdict.RETURN, "", note)
            comments[e.item_id or 0].append(comment)
    return comments


def returned_with_lot(session: Session, numbers: Sequence[int]) -> set[int]:
    """Those of some items that came back with a lot."""
    events = ledger.of_items(session, numbers, (EventKind.RETURNED,))
    return {event.item_id for event in events if event.item_id is not None}


def why_returned(*, with_lot: bool) -> str:
    """Why an item is back although nobody said anything against it."""
    if with_lot:
        return tr("Returned with its lot; no problem was found with this item.")
    return tr("Its submission was undone.")


def _refuse_rewriting(actor: PersonRow, item: ItemRow) -> None:
    """Errors when this person may not rewrite this item."""
    if item.state != ItemState.RETURNED:
        raise StateError.tr(
            "Item #{number} is not with its author; its state is {state}.",
            number=item.id,
            state=state_label(item.state),
        )
    is_own = item.author_id in (None, actor.id)
    if not is_own and not is_allowed(actor.role, Action.WRITE_FOR_OTHERS):
        raise RightsError.tr("Only its author or a lead can revise item #{number}.", number=item.id)


def revise(
    ws: Workspace,
    person: str,
    number: int,
    payload: Mapping[str, Any] | None = None,
    *,
    note: str = "",
) -> SubmittedItem:
    """Hand a returned item in again as its next revision.

    Without a payload it is handed in unchanged, which only an item can be that came back with
    its lot although nothing was wrong with it: the audit's round is worked through so.
    """
    with writing_as(ws, person, Action.WRITE) as (session, actor):
        return _revise(session, actor, number, payload, note)


def _revise(
    session: Session,
    actor: PersonRow,
    number: int,
    payload: Mapping[str, Any] | None = None,
    note: str = "",
) -> SubmittedItem:
    item = item_in(session, number, lock=True)
    _refuse_rewriting(actor, item)
    task = benchmarks.task(session, item.task_id)
    present = items.revision(session, number, item.revision)
    content = _content(
        item.family, item.format, item.domain, present.payload if payload is None else payload
    )
    if content.content_hash == item.content_hash and _faulted(session, item):
        raise InputError.tr(
            "Item #{number} is unchanged. Fix the problems that were reported.", number=number
        )
    if content.content_hash != item.content_hash:
        items.one_writer(session, task.id)
    _refuse_same(session, task, content, number)
    return _next_revision(session, item, task, content, present.provenance, actor, note)


def _faulted(session: Session, item: ItemRow) -> bool:
    """Whether somebody found fault with the present revision itself, not only with its lot."""
    comments = review_comments(session, [item.id])[item.id]
    return any(comment.revision == item.revision for comment in comments)


def _next_revision(
    session: Session,
    item: ItemRow,
    task: TaskRow,
    content: ItemContent,
    provenance: Mapping[str, Any],
    actor: PersonRow,
    note: str,
) -> SubmittedItem:
    defects = item_defects(content)
    revision = items.newest_revision(session, item.id) + 1
    unchanged = content.content_hash == item.content_hash
    items.add_revision(
        session,
        item.id,
        revision,
        content_hash=content.content_hash,
        payload=content.payload,
        provenance=provenance,
        defects=[{"name": defect.name, "detail": defect.detail} for defect in defects],
        # Who hands in unchanged has written nothing, and may still review other items.
        author_id=item.author_id if unchanged else actor.id,
        note=note,
    )
    earlier = drafts.of_item(session, actor.id, item.id)
    if earlier is not None:
        drafts.remove(session, earlier.id)
    protocol = settings_of(task.protocol)
    values = {
        "state": ItemState.DRAFT,
        "revision": revision,
        "open_slots": 0 if protocol.gate == "required" else protocol.overlap,
        "taken": 0,
        "content_hash": content.content_hash,
        "label": str(content.payload.get("label") or ""),
    }
    data = {
        "content_hash": content.content_hash, "note": note, "protocol": task.protocol_version,
        "unchanged": unchanged,
    }  # fmt: skip
    event = apply(session, EventKind.REVISED, actor.name, [Move(item, values, data)])
    return SubmittedItem(item.id, revision, ItemState.DRAFT, tuple(defects), event)


def hand_in_unchanged(ws: Workspace, person: str, task: str) -> tuple[int, ...]:
    """Hand in again, unchanged, all items of a failed lot that nothing was wrong with; all or none.

    Returns their numbers; those with a finding stay with their authors.
    """
    sound = tuple(
        entry.number
        for entry in returned_to(ws, person, task)
        if not any(comment.revision == entry.revision for comment in entry.words)
    )
    with writing_as(ws, person, Action.WRITE) as (session, actor):
        for number in sound:
            _revise(session, actor, number)
    return sound
