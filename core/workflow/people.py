"""Use cases around people, benchmarks, tasks and protocols."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.errors import InputError, NotFoundError
from core.i18n import tr
from core.workflow import rights
from core.workflow.protocols import ProtocolSettings, default_protocol
from core.workflow.rights import Action
from core.workflow.workspace import Workspace
from db import benchmarks as benchmark_rows
from db import ledger
from db import people as person_rows
from db.benchmarks import BenchmarkRow, TaskRow
from db.engine import Session
from db.vocabulary import EventKind


@dataclass(frozen=True, slots=True)
class PersonInfo:
    """Somebody who works here."""

    id: int
    name: str
    role: str
    active: bool = True
    """False for who works here no longer."""


@dataclass(frozen=True, slots=True)
class BenchmarkInfo:
    """A benchmark, by name."""

    id: int
    name: str


def default_benchmark() -> str:
    """Name for items that were given none: ``arxiv-2026b`` in the second half of 2026."""
    today = datetime.now(UTC)
    return f"arxiv-{today.year}{'a' if today.month <= 6 else 'b'}"


def people(ws: Workspace) -> tuple[PersonInfo, ...]:
    """Everybody, by name."""
    with ws.reading() as session:
        return tuple(
            PersonInfo(row.id, row.name, row.role, row.active)
            for row in person_rows.everybody(session)
        )


def ensure_person(ws: Workspace, name: str, role: str | None = None, actor: str = "") -> PersonInfo:
    """The person of that name, added when new (as specialist unless a role is given).

    The actor, where named, must be a lead.
    """
    with rights.writing_as_optional(ws, actor, Action.CHANGE_PEOPLE, about=name) as (session, _):
        row = rights.ensure_person_in(session, name, role)
    return PersonInfo(row.id, row.name, row.role, row.active)


def set_role(ws: Workspace, name: str, role: str, actor: str = "") -> PersonInfo:
    """Give a person another role; the actor, where named, must be a lead."""
    rights.check_role(role)
    with rights.writing_as_optional(ws, actor, Action.CHANGE_PEOPLE, about=name) as (session, _):
        person = rights.known_person(session, name)
        if person.role != role:
            person_rows.set_role(session, person.id, role)
            data = {"role": role, "before": person.role}
            event = ledger.NewEvent(EventKind.PERSON, actor, subject=person.name, data=data)
            ledger.append(session, event)
    return PersonInfo(person.id, person.name, role)


def set_active(ws: Workspace, name: str, active: bool, actor: str = "") -> None:
    """Let somebody work here again, or no longer; what they hold is free when its lease ends.

    The actor, where named, must be a lead.
    """
    with rights.writing_as_optional(ws, actor, Action.CHANGE_PEOPLE, about=name) as (session, _):
        person = rights.known_person(session, name)
        person_rows.set_active(session, person.id, active)
        data = {"active": active}
        event = ledger.NewEvent(EventKind.PERSON, actor, subject=person.name, data=data)
        ledger.append(session, event)


def benchmarks(ws: Workspace) -> tuple[BenchmarkInfo, ...]:
    """All benchmarks, newest first."""
    with ws.reading() as session:
        rows = benchmark_rows.benchmarks(session)
    return tuple(BenchmarkInfo(row.id, row.name) for row in rows)


def benchmark_in(session: Session, name: str) -> BenchmarkRow:
    """The benchmark of that name; NotFoundError names those there are."""
    row = benchmark_rows.benchmark_named(session, name)
    if row is None:
        known = ", ".join(row.name for row in benchmark_rows.benchmarks(session)) or "–"
        raise NotFoundError(
            tr("There is no benchmark “{name}”. Available: {known}.", name=name, known=known)
        )
    return row


def ensure_benchmark_in(session: Session, name: str, actor: str = "") -> BenchmarkRow:
    """Find or add a benchmark within a transaction."""
    name = name.strip()
    if not name or len(name) > 120 or any(ord(letter) < 32 for letter in name):
        raise InputError(
            tr("A benchmark's name must have 1 to 120 characters and no control characters.")
        )
    row = benchmark_rows.benchmark_named(session, name)
    if row is None:
        row = benchmark_rows.add_benchmark(session, name)
        ledger.append(session, ledger.NewEvent(EventKind.BENCHMARK, actor, subject=name))
    return row


def check_task_name(name: str) -> str:
    """The name without spaces around it; InputError for one that cannot be a task's."""
    name = name.strip()
    if not name or len(name) > 120 or any(ord(letter) < 32 for letter in name):
        raise InputError(
            tr("A task's name must have 1 to 120 characters and no control characters.")
        )
    return name


def ensure_task_in(
    session: Session,
    benchmark: BenchmarkRow,
    name: str,
    family: str,
    *,
    format: str = "",
    domain: str = "",
    actor: str = "",
    protocol: ProtocolSettings | None = None,
    profile: Mapping[str, Any] | None = None,
) -> TaskRow:
    """Find or add a task with its family's default protocol, within a transaction."""
    row = benchmark_rows.task_named(session, benchmark.id, name)
    if row is not None:
        return row
    known = dict(profile or {})
    row = benchmark_rows.add_task(
        session, benchmark.id, name, family, format=format, domain=domain, profile=known
    )
    settings = (protocol or default_protocol(family)).model_dump()
    benchmark_rows.add_protocol(session, row.id, settings)
    ledger.append(
        session,
        ledger.NewEvent(
            EventKind.TASK,
            actor,
            subject=name,
            data={
                "benchmark": benchmark.name,
                "family": family,
                "protocol": settings,
                "profile": known,
            },
        ),
    )
    return benchmark_rows.task(session, row.id)
