"""Tasks and their protocols: listing, adding, and editing a protocol from its next version on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import InputError, StateError
from core.families import family
from core.text import tr
from core.workflow.acting import task_in
from core.workflow.administer import acting, ensure_benchmark_in, ensure_task_in
from core.workflow.protocols import ProtocolSettings, changed, default_protocol, settings_of
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import benchmarks, items
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import ItemRow
from db.ledger import NewEvent
from db.queries import look
from db.vocabulary import EventKind, ItemState, Role


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task with its protocol as it counts now, and its items by state."""

    name: str
    benchmark: str
    family: str
    format: str
    domain: str
    round: int
    protocol_version: int
    protocol: ProtocolSettings
    states: dict[str, int]
    profile: dict[str, Any]

    @property
    def items(self) -> int:
        """All items of the task."""
        return sum(self.states.values())

    @property
    def kept(self) -> int:
        """Items that count towards the target: accepted, approved or frozen."""
        good = (ItemState.ACCEPTED, ItemState.APPROVED, ItemState.FROZEN)
        return sum(self.states.get(state, 0) for state in good)


@dataclass(frozen=True, slots=True)
class ProtocolVersion:
    """One version of a task's protocol, and who made it when (ISO time, UTC)."""

    version: int
    settings: ProtocolSettings
    person: str
    at: str


@dataclass(frozen=True, slots=True)
class ProtocolChange:
    """What an edit did. ``applied`` items wait and follow the new protocol from now on;
    ``kept`` are under review already and end under the one they began with."""

    version: int
    settings: ProtocolSettings
    changed: dict[str, Any]
    applied: int
    kept: int


def tasks(ws: Workspace, benchmark: str = "") -> tuple[TaskInfo, ...]:
    """All tasks, or those of one benchmark, by name."""
    from core.workflow.administer import benchmark_in

    with ws.reading() as session:
        number = benchmark_in(session, benchmark).id if benchmark else None
        return tuple(_info(session, row) for row in benchmarks.tasks(session, number))


def show(ws: Workspace, task: str, benchmark: str = "") -> TaskInfo:
    """One task."""
    with ws.reading() as session:
        return _info(session, task_in(session, task, benchmark))


def _info(session: Session, row: TaskRow) -> TaskInfo:
    found = look.states_of_task(session, row.id)
    return TaskInfo(
        name=row.name,
        benchmark=benchmarks.benchmark(session, row.benchmark_id).name,
        family=row.family,
        format=row.format,
        domain=row.domain,
        round=row.round,
        protocol_version=row.protocol_version,
        protocol=settings_of(row.protocol),
        states={state.value: found.get(state, 0) for state in ItemState},
        profile=row.profile,
    )


def add(
    ws: Workspace,
    name: str,
    family_name: str,
    *,
    benchmark: str,
    format: str = "",
    domain: str = "",
    protocol: Mapping[str, str] | None = None,
    profile: Mapping[str, Any] | None = None,
    person: str = "",
) -> TaskInfo:
    """Add a task with its family's protocol, or one that differs in some settings.

    Raises StateError when the benchmark has a task of that name, NotFoundError for an unknown
    family, InputError for an unknown format or a wrong setting.
    """
    name = name.strip()
    if not name or len(name) > 120 or any(ord(letter) < 32 for letter in name):
        raise InputError(tr("A task's name has 1 to 120 letters and no control characters."))
    family(family_name).payload_model(format or (family(family_name).formats or ("",))[0])
    settings = changed(default_protocol(family_name), dict(protocol or {}))
    if person:
        acting(ws, person, (Role.LEAD,), tr("adding tasks"))
    with ws.writing() as session:
        home = ensure_benchmark_in(session, benchmark, person)
        if benchmarks.task_named(session, home.id, name) is not None:
            raise StateError(
                tr("“{benchmark}” has a task “{task}” already.", benchmark=benchmark, task=name)
            )
        row = ensure_task_in(
            session, home, name, family_name,
            format=format, domain=domain, actor=person, protocol=settings,
        )  # fmt: skip
        if profile:
            benchmarks.set_profile(session, row.id, dict(profile))
            row = benchmarks.task(session, row.id)
        return _info(session, row)


def versions(ws: Workspace, task: str, benchmark: str = "") -> tuple[ProtocolVersion, ...]:
    """All versions of a task's protocol, oldest first."""
    with ws.reading() as session:
        row = task_in(session, task, benchmark)
        return tuple(
            ProtocolVersion(entry.version, settings_of(entry.settings), entry.person, entry.at)
            for entry in benchmarks.protocol_history(session, row.id)
        )


def set_protocol(
    ws: Workspace, task: str, values: Mapping[str, str], *, person: str = "", benchmark: str = ""
) -> ProtocolChange:
    """Write the next version of a task's protocol; it applies from now on.

    Items that wait and that nobody has taken follow it at once (each with its own event); those
    under review keep the number of reviewers they began with, open lots their plan. ``person``,
    where named, must be a lead. Setting what is set already makes no new version.
    """
    actor = acting(ws, person, (Role.LEAD,), tr("editing protocols")) if person else None
    name = actor.name if actor else ""
    with ws.writing() as session:
        row = task_in(session, task, benchmark)
        before = settings_of(row.protocol)
        after = changed(before, dict(values))
        old, new = before.model_dump(), after.model_dump()
        differs = {key: new[key] for key in new if new[key] != old[key]}
        waiting = _in_work(session, row)
        if not differs:
            return ProtocolChange(row.protocol_version, after, {}, 0, len(waiting))
        version = benchmarks.add_protocol(session, row.id, new, actor.id if actor else None)
        moves = [
            Move(item, {"open_slots": places}, {"protocol": version})
            for item in waiting
            if (places := _places(item, before, after)) != item.open_slots
        ]
        kept = [item for item in waiting if item.taken or item.state == ItemState.IN_REVIEW]
        data = {
            "version": version, "changed": differs, "round": row.round,
            "applied": len(moves), "kept": len(kept),
        }  # fmt: skip
        head = NewEvent(EventKind.PROTOCOL, name, subject=row.name, data=data)
        apply(session, EventKind.PROTOCOL, name, moves, head=head)
    return ProtocolChange(version, after, differs, len(moves), len(kept))


def _in_work(session: Session, row: TaskRow) -> list[ItemRow]:
    """The task's items that a reviewer may still take, locked."""
    states = (ItemState.DRAFT, ItemState.IN_REVIEW)
    found = items.in_state(session, states, task_id=row.id)
    return items.get_many(session, [item.id for item in found], lock=True)


def _places(item: ItemRow, before: ProtocolSettings, after: ProtocolSettings) -> int:
    """How many reviewers a waiting item gets under the new protocol."""
    if item.taken or item.disputed:
        return item.open_slots
    if item.state == ItemState.DRAFT:
        return 0 if after.gate == "required" else after.overlap
    return after.overlap if item.open_slots == before.overlap else item.open_slots
