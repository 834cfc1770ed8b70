"""Handing items out in a file, for somebody who works without a connection."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.errors import InputError, OutsideError, StateError
from core.sealing.archive import recipient_of
from core.sealing.encrypted_file import write_encrypted
from core.workflow import team
from core.workflow.check import qualification
from core.workflow.check.visibility import open_provenance
from core.workflow.lookup import item_in, protocol_of, task_in
from core.workflow.packages.package_file import (
    PackageItem,
    PackageTask,
    ReturnedPackage,
    WorkPackage,
    own_key,
)
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, known_person, refuse, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace, without_login
from db import assignments, benchmarks, items
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow, RemainingShares
from db.queries import shares
from db.vocabulary import PACKAGED, AssignmentState, EventKind, ItemState, Stage

MOST_ITEMS, MOST_DAYS = 5_000, 92
_ENDED = (AssignmentState.EXPIRED, AssignmentState.RELEASED)


@dataclass(frozen=True, slots=True)
class PackageOrder:
    """For whom, how many items at most, to which age recipient, and for how many days."""

    person: str
    count: int
    recipient: str
    task: str = ""
    benchmark: str = ""
    days: int = 30


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A package that was written: its name, how many items, and the day to which they are held."""

    package: str
    person: str
    items: tuple[int, ...]
    until: str


def hand_out(ws: Workspace, order: PackageOrder, path: Path, lead: str = "") -> HandedOut:
    """Claim the next items for a person and write them into a new file that only they can read.

    They are taken as the person would be given them in Review: not their own, not seen before, of
    their tasks, up to their quota; gold items are left out. Until the day they count as theirs.
    Leads only. Raises NotFoundError for an unknown person, StateError where nothing waits for them,
    InputError for a wrong order or a file that is there, OutsideError where it cannot be written.
    """
    if not (1 <= order.count <= MOST_ITEMS and 1 <= order.days <= MOST_DAYS):
        raise InputError.tr(
            "Give a number of items from 1 to {items}, and of days from 1 to {days}.",
            items=MOST_ITEMS, days=MOST_DAYS
        )  # fmt: skip
    package = secrets.token_hex(8)
    until = datetime.now().astimezone() + timedelta(days=order.days)
    with writing_as(ws, lead, Action.ASSIGN) as (session, actor):
        member = known_person(session, order.person)
        refuse(member, Action.REVIEW)
        team.refuse_paused(session, member)
        assignments.expire_leases(session)
        rows = _claimed(session, member, order)
        if not rows:
            raise StateError.tr("No item waits for {name}.", name=member.name)
        told = {"package": package, "person": member.name, "until": until.date().isoformat()}
        begun = {"state": ItemState.IN_REVIEW}
        moves = [Move(row, begun if row.state == ItemState.DRAFT else {}, told) for row in rows]
        apply(session, EventKind.CLAIMED, actor.name, moves)
        place = without_login(ws.address) if ws.is_server else ws.title
        document = _document(session, rows, WorkPackage(
            package=package, workspace=place, person=member.name, lead=actor.name,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"), until=told["until"],
            return_to=own_key(), tasks=[], items=[],
        ))  # fmt: skip
        write_new(path, document, (order.recipient,))
    return HandedOut(package, member.name, tuple(row.id for row in rows), told["until"])


def check_recipient(text: str) -> None:
    """InputError for something else than the key of somebody."""
    recipient_of(text)


def write_new(
    path: Path, document: WorkPackage | ReturnedPackage, recipients: tuple[str, ...]
) -> None:
    """Write a document into a new file; InputError for one that is there."""
    try:
        write_encrypted(path, document.model_dump(), recipients)
    except FileExistsError as error:
        raise InputError.tr("“{path}” is there already.", path=path) from error
    except OSError as error:
        raise OutsideError.tr(
            "Could not write “{path}”: {reason}.", path=path, reason=error.strerror or error
        ) from error


def _claimed(session: Session, member: PersonRow, order: PackageOrder) -> list[ItemRow]:
    """The next items for a person, now theirs."""
    home = benchmark_in(session, order.benchmark).id if order.benchmark else None
    remaining = shares.remaining_of(session, member.id)
    closed = {*remaining.others, *qualification.unqualified(session, member, home)}
    if order.task:
        wanted = task_in(session, order.task, order.benchmark).id
        closed |= {row.id for row in benchmarks.tasks(session)} - {wanted}
    left = dict(remaining.left)
    remaining = RemainingShares(tuple(closed), remaining.full, remaining.left)
    numbers, _ = assignments.open_to(
        session, member.id, Stage.CHECK, 2 * order.count, benchmark_id=home, remaining=remaining
    )
    found: list[ItemRow] = []
    for number in numbers:
        item = item_in(session, number, lock=True)
        earlier = assignments.assignment_of(session, number, item.revision, Stage.CHECK, member.id)
        gone = earlier is not None and earlier.state not in _ENDED
        if gone or item.taken >= item.open_slots or left.get(item.task_id) == 0:
            continue
        days = timedelta(days=order.days)
        assignments.lease_item(session, number, member.id, Stage.CHECK, days, reason=PACKAGED)
        left = {**left, **({item.task_id: left[item.task_id] - 1} if item.task_id in left else {})}
        found.append(item)
        if len(found) == order.count:
            break
    return found


def _document(session: Session, rows: list[ItemRow], empty: WorkPackage) -> WorkPackage:
    places: dict[int, int] = {}
    tasks: list[PackageTask] = []
    contents = items.contents(session, [row.id for row in rows])
    written: list[PackageItem] = []
    for row in rows:
        if row.task_id not in places:
            places[row.task_id] = len(tasks)
            tasks.append(_task(session, benchmarks.task(session, row.task_id), row))
        content = contents[row.id]
        written.append(
            PackageItem(
                number=row.id, revision=row.revision, task=places[row.task_id],
                content_hash=row.content_hash, format=row.format, domain=row.domain,
                payload=dict(content.payload), barred=row.barred,
                provenance=dict(open_provenance(content.provenance, shown=False)),
                defects=[{k: str(v) for k, v in found.items()} for found in content.defects],
            )
        )  # fmt: skip
    return empty.model_copy(update={"tasks": tasks, "items": written})


def _task(session: Session, task: TaskRow, item: ItemRow) -> PackageTask:
    return PackageTask(
        benchmark=benchmarks.benchmark(session, task.benchmark_id).name, name=task.name,
        family=task.family, format=task.format, domain=task.domain, profile=dict(task.profile),
        skip=protocol_of(session, item).skip,
    )  # fmt: skip
