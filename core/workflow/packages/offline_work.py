"""Working on a package: a workspace of one's own with its items, and what goes back of it.

It is a workspace like every other one, so the window and the commands work in it as they are.
``package.json`` beside its database says which of its items is which at home.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.bounded_json import parse_json
from core.errors import InputError
from core.families.base import Defect, ItemContent
from core.files import read_regular, write_json
from core.workflow import tasks
from core.workflow.lookup import task_in
from core.workflow.packages.hand_out import write_new
from core.workflow.packages.package_file import (
    PackageDecision,
    ReturnedPackage,
    WorkPackage,
    own_key,
    read_package,
)
from core.workflow.production.new_items import created_events, new_items
from core.workflow.rights import at_work
from core.workflow.workspace import Workspace
from db import assignments, items, ledger, reviews
from db.engine import Session
from db.people import PersonRow
from db.vocabulary import AssignmentState, DecisionKind, EventKind, Stage

_NOTES = "package.json"


def open_package(path: Path, folder: Path) -> WorkPackage:
    """Make a workspace in ``folder`` with the items of a package; its person works there.

    InputError for a file that is not a package for this account; WorkspaceError where there is a
    workspace already.
    """
    package = read_package(path)
    ws = Workspace.create(folder, lead=package.person)
    try:
        for task in package.tasks:
            protocol = {"gate": "off", "overlap": "1", "audit_sample": "0", "skip": task.skip}
            tasks.add(
                ws, task.name, task.family, benchmark=task.benchmark, format=task.format,
                domain=task.domain, protocol=protocol, profile=task.profile, person=package.person,
            )  # fmt: skip
        with ws.writing() as session:
            numbers = _added(session, package)
        places = [[here, item.number] for here, item in zip(numbers, package.items, strict=True)]
        notes = {"package": package.model_dump(exclude={"items", "tasks"}), "items": places,
                 "hashes": [item.content_hash for item in package.items],
                 "revisions": [item.revision for item in package.items]}  # fmt: skip
        write_json(ws.place.folder / _NOTES, notes, durable=True)
    finally:
        ws.close()
    return package


def _added(session: Session, package: WorkPackage) -> list[int]:
    homes = [task_in(session, task.name, task.benchmark) for task in package.tasks]
    families = [task.family for task in package.tasks]
    contents = [
        ItemContent(families[item.task], item.format, item.payload, item.provenance, item.domain)
        for item in package.items
    ]
    found = [[Defect(d["name"], d.get("detail", "")) for d in item.defects]
             for item in package.items]  # fmt: skip
    pairs = [(content, homes[item.task]) for content, item in zip(contents, package.items,
                                                                  strict=True)]  # fmt: skip
    rows = [
        row._replace(barred=item.barred)
        for row, item in zip(new_items(pairs, None, found=found), package.items, strict=True)
    ]
    numbers = items.add(session, rows)
    data = {"package": package.package}
    events = created_events(zip(numbers, rows, strict=True), package.person, data)
    ledger.append(session, *events)
    return numbers


def give_back(ws: Workspace, path: Path, person: str = "") -> ReturnedPackage:
    """Write what was decided in the workspace of a package into a new file, for who handed it out.

    StateError where the workspace is not one of a package, InputError for a file that is there.
    """
    notes = _notes(ws)
    known = notes["package"]
    with ws.reading() as session:
        actor = at_work(session, person)
        decisions = [
            decision
            for (here, number), revision, content_hash in zip(
                notes["items"], notes["revisions"], notes["hashes"], strict=True
            )
            if (decision := _decided(session, actor, here, number, revision, content_hash))
        ]
    returned = ReturnedPackage(
        package=known["package"], person=known["person"], decisions=decisions
    )
    write_new(path, returned, (known["return_to"], own_key()))
    return returned


def _notes(ws: Workspace) -> dict[str, Any]:
    try:
        found = parse_json(read_regular(ws.place.folder / _NOTES))
    except (OSError, ValueError) as error:
        raise InputError.tr(
            "Workspace “{place}” was not made from a work package.", place=ws.title
        ) from error
    assert isinstance(found, dict)
    return found


def _decided(
    session: Session, actor: PersonRow, here: int, number: int, revision: int, content_hash: str
) -> PackageDecision | None:
    """What this person last said of an item as it was handed out; None where they said nothing."""
    kept = {"number": number, "revision": revision, "content_hash": content_hash}
    standing = [
        row
        for row in reviews.decisions_on(session, here, 1, DecisionKind.REVIEW)
        if row.person_id == actor.id
    ]
    events = ledger.of_items(session, (here,), (EventKind.DECIDED, EventKind.SKIPPED))
    if standing:
        row = standing[-1]
        event = next(e for e in events if e.data.get("decision") == row.id)
        return PackageDecision(
            kind="decide", verdict=row.verdict, reason=row.reason, note=row.note,
            seconds=row.seconds, made=event.at, event=event.id, **kept,
        )  # fmt: skip
    claim = assignments.assignment_of(session, here, 1, Stage.CHECK, actor.id)
    skips = [event for event in events if event.kind == EventKind.SKIPPED]
    if claim is None or claim.state != AssignmentState.SKIPPED or not skips:
        return None
    return PackageDecision(
        kind="skip", verdict="", reason=claim.reason, note="", seconds=0.0, made=skips[-1].at,
        event=skips[-1].id, **kept,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PackageHome:
    """Of which package a workspace was made: for whom, by which lead, how many items, and the day
    (ISO) to which they are theirs."""

    person: str
    lead: str
    items: int
    until: str


def home_of(ws: Workspace) -> PackageHome | None:
    """Of which package a workspace was made; None for every other workspace."""
    if ws.is_server or not (ws.place.folder / _NOTES).exists():
        return None
    notes = _notes(ws)
    package = WorkPackage.model_validate({**notes["package"], "tasks": [], "items": []})
    return PackageHome(package.person, package.lead, len(notes["items"]), package.until)
