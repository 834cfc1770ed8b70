"""Benchmarks, their tasks and the versions of their protocols."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import RowMapping, bindparam, insert, select, update

from db.evidence.bindings import touch
from db.session import Session
from db.tables import BENCHMARK, PERSON, PROTOCOL, TASK, now


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """A named set of tasks."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One kind of question, with the current version of its protocol."""

    id: int
    benchmark_id: int
    name: str
    family: str
    format: str
    domain: str
    round: int
    profile: dict[str, Any] = field(default_factory=dict)
    protocol_version: int = 0
    protocol: dict[str, Any] = field(default_factory=dict)


_BENCHMARK_NAMED = select(BENCHMARK).where(BENCHMARK.c.name == bindparam("name"))


def benchmark_named(session: Session, name: str) -> BenchmarkRow | None:
    """The benchmark of that name."""
    row = session.connection().execute(_BENCHMARK_NAMED, {"name": name}).first()
    return BenchmarkRow(row.id, row.name) if row else None


def benchmark(session: Session, benchmark_id: int) -> BenchmarkRow:
    """The benchmark with that id."""
    row = session.execute(select(BENCHMARK).where(BENCHMARK.c.id == benchmark_id)).one()
    return BenchmarkRow(row.id, row.name)


def add_benchmark(session: Session, name: str) -> BenchmarkRow:
    """Add a benchmark."""
    query = insert(BENCHMARK).values(name=name, at=now()).returning(BENCHMARK.c.id)
    number = session.execute(query).scalar_one()
    touch(session, "benchmark", [number])
    return BenchmarkRow(number, name)


def benchmarks(session: Session) -> tuple[BenchmarkRow, ...]:
    """All benchmarks, the newest first."""
    rows = session.execute(select(BENCHMARK).order_by(BENCHMARK.c.id.desc()))
    return tuple(BenchmarkRow(row.id, row.name) for row in rows)


def add_task(
    session: Session,
    benchmark_id: int,
    name: str,
    family: str,
    *,
    format: str = "",
    domain: str = "",
    profile: dict[str, Any] | None = None,
) -> TaskRow:
    """Add a task; it has no protocol yet."""
    values: dict[str, Any] = {
        "benchmark_id": benchmark_id,
        "name": name,
        "family": family,
        "format": format,
        "domain": domain,
        "round": 1,
        "profile": profile or {},
        "at": now(),
    }
    number = session.execute(insert(TASK).values(values).returning(TASK.c.id)).scalar_one()
    touch(session, "task", [number])
    del values["at"]
    return TaskRow(id=number, **values)


def add_protocol(
    session: Session, task_id: int, settings: dict[str, Any], person_id: int | None = None
) -> int:
    """Write the next version of a task's protocol; returns its number."""
    newest = (
        select(PROTOCOL.c.version)
        .where(PROTOCOL.c.task_id == task_id)
        .order_by(PROTOCOL.c.version.desc())
        .limit(1)
    )
    version = (session.execute(newest).scalar() or 0) + 1
    query = insert(PROTOCOL).values(
        task_id=task_id, version=version, settings=settings, person_id=person_id, at=now()
    )
    number = session.execute(query.returning(PROTOCOL.c.id)).scalar_one()
    touch(session, "protocol", [number])
    session.info.pop(_READ, None)
    return int(version)


def _task(row: RowMapping) -> TaskRow:
    return TaskRow(
        row["id"],
        row["benchmark_id"],
        row["name"],
        row["family"],
        row["format"],
        row["domain"],
        row["round"],
        row["profile"],
        row["version"] or 0,
        row["settings"] or {},
    )


_READ = "tasks"  # where a session keeps the tasks that it read


@cache
def _tasks_query() -> Any:
    newer = PROTOCOL.alias("newer")
    is_newest = ~(
        select(newer.c.id)
        .where(newer.c.task_id == PROTOCOL.c.task_id, newer.c.version > PROTOCOL.c.version)
        .exists()
    )
    joined = TASK.outerjoin(PROTOCOL, (PROTOCOL.c.task_id == TASK.c.id) & is_newest)
    return select(TASK, PROTOCOL.c.version, PROTOCOL.c.settings).select_from(joined)


@cache
def _task_query() -> Any:
    return _tasks_query().where(TASK.c.id == bindparam("task"))


def task(session: Session, task_id: int) -> TaskRow:
    """The task with that id, with its protocol; a session reads it once."""
    known: dict[int, TaskRow] = session.info.setdefault(_READ, {})
    if task_id not in known:
        found = session.connection().execute(_task_query(), {"task": task_id}).mappings().one()
        known[task_id] = _task(found)
    return known[task_id]


_TASK_NAME = select(TASK.c.name).where(TASK.c.id == bindparam("task"))


def task_name(session: Session, task_id: int) -> str:
    """The name of a task."""
    return str(session.connection().execute(_TASK_NAME, {"task": task_id}).scalar_one())


def task_named(session: Session, benchmark_id: int, name: str) -> TaskRow | None:
    """The task of that name in a benchmark."""
    query = _tasks_query().where(TASK.c.benchmark_id == benchmark_id, TASK.c.name == name)
    row = session.execute(query).mappings().first()
    return _task(row) if row else None


def tasks(session: Session, benchmark_id: int | None = None) -> tuple[TaskRow, ...]:
    """All tasks, or those of one benchmark, by name."""
    query = _tasks_query().order_by(TASK.c.name, TASK.c.id)
    if benchmark_id is not None:
        query = query.where(TASK.c.benchmark_id == benchmark_id)
    return tuple(_task(row) for row in session.execute(query).mappings())


@dataclass(frozen=True, slots=True)
class ProtocolRow:
    """One version of a protocol; ``person`` is who made it, empty for the program."""

    version: int
    settings: dict[str, Any]
    person: str
    at: str


def protocol_history(session: Session, task_id: int) -> list[ProtocolRow]:
    """All versions of a task's protocol with who made them when, oldest first."""
    query = (
        select(PROTOCOL.c.version, PROTOCOL.c.settings, PERSON.c.name, PROTOCOL.c.at)
        .select_from(PROTOCOL.outerjoin(PERSON, PERSON.c.id == PROTOCOL.c.person_id))
        .where(PROTOCOL.c.task_id == task_id)
        .order_by(PROTOCOL.c.version)
    )
    return [
        ProtocolRow(row[0], row[1], row[2] or "", row[3].isoformat(timespec="seconds"))
        for row in session.execute(query)
    ]


def set_round(session: Session, task_id: int, round_number: int) -> None:
    """Begin another round of a task."""
    session.execute(update(TASK).where(TASK.c.id == task_id).values(round=round_number))
    touch(session, "task", [task_id])
    session.info.pop(_READ, None)


def set_profile(session: Session, task_id: int, profile: dict[str, Any]) -> None:
    """Replace what a task's family keeps about it."""
    session.execute(update(TASK).where(TASK.c.id == task_id).values(profile=profile))
    touch(session, "task", [task_id])
    session.info.pop(_READ, None)
