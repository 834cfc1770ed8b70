"""Use cases around people, benchmarks, tasks and protocols."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.accounts import login
from core.errors import NotFoundError, StateError
from core.i18n import listed, printed_day, tr
from core.workflow import rights
from core.workflow.names import (
    check_benchmark_name,
    check_person_name,
    check_task_name,
    refuse_alike,
)
from core.workflow.rights import Action
from core.workflow.workspace import Workspace, add_first_lead
from db import assignments, ledger
from db import benchmarks as benchmark_rows
from db import people as person_rows
from db.benchmarks import BenchmarkRow, TaskRow
from db.engine import Session
from db.people import PersonRow
from db.queries import facts
from db.vocabulary import EventKind, Stage

if TYPE_CHECKING:
    from core.workflow.protocols import ProtocolSettings


@dataclass(frozen=True, slots=True)
class PersonInfo:
    """Somebody who works here."""

    id: int
    name: str
    role: str
    active: bool = True
    """False for who works here no longer."""
    account: str = ""
    """The account of the operating system that is theirs; empty for none."""


@dataclass(frozen=True, slots=True)
class BenchmarkInfo:
    """A benchmark, by name."""

    id: int
    name: str


def default_benchmark() -> str:
    """Name for items of articles that were given none: ``arxiv-2026b`` in the second half of
    2026."""
    return f"arxiv-{_half_year()}"


def own_benchmark() -> str:
    """The same for items that people write or import: ``benchmark-2026b``."""
    return f"benchmark-{_half_year()}"


def _half_year() -> str:
    today = datetime.now(UTC)
    return f"{today.year}{'a' if today.month <= 6 else 'b'}"


def people(ws: Workspace) -> tuple[PersonInfo, ...]:
    """Everybody, by name."""
    with ws.reading() as session:
        return tuple(_info(row) for row in person_rows.everybody(session))


def who_can_work(ws: Workspace, person: str = "") -> tuple[PersonInfo, ...]:
    """Everybody, by name; in a shared workspace the person of this account alone.

    RightsError there for an account that is nobody's, and where ``person`` is another.
    """
    with ws.reading() as session:
        if not ws.has_logins and not rights.is_shared(session):
            return tuple(_info(row) for row in person_rows.everybody(session))
        return (_info(rights.at_work(session, person)),)


def _info(row: PersonRow) -> PersonInfo:
    return PersonInfo(row.id, row.name, row.role, row.active, row.account or "")


def ensure_person(
    ws: Workspace, name: str, role: str | None = None, actor: str = "", account: str = ""
) -> PersonInfo:
    """The person of that name, added when new (as specialist unless a role is given); leads only.

    ``account`` is that of somebody new.

    Raises RightsError for anybody else, InputError for a name that looks like another's.
    """
    with rights.writing_as(ws, actor, Action.CHANGE_PEOPLE, about=name) as (session, lead):
        return _info(
            rights.ensure_person_in(session, name, role, actor=lead.name, account=account.strip())
        )


def set_role(ws: Workspace, name: str, role: str, actor: str = "") -> PersonInfo:
    """Give a person another role; leads only. StateError where nobody would be lead any more."""
    rights.check_role(role)
    with rights.writing_as(ws, actor, Action.CHANGE_PEOPLE, about=name) as (session, lead):
        person = rights.known_person(session, name)
        if person.role != role:
            rights.refuse_last_lead(session, person)
            person_rows.set_role(session, person.id, role)
            data = {"role": role, "before": person.role}
            _record(session, lead, person, data)
    return replace(_info(person), role=role)


def set_active(ws: Workspace, name: str, active: bool, actor: str = "") -> None:
    """Let somebody work here again, or no longer; what they hold, also in a work package, is free
    for others then.

    Leads only. StateError where nobody would be lead any more.
    """
    with rights.writing_as(ws, actor, Action.CHANGE_PEOPLE, about=name) as (session, lead):
        person = rights.known_person(session, name)
        if not active:
            rights.refuse_last_lead(session, person)
            held = (assignments.leased_to(session, person.id, stage) for stage in Stage)
            assignments.give_back(session, [lease for leases in held for lease in leases])
        person_rows.set_active(session, person.id, active)
        _record(session, lead, person, {"active": active})


def set_account(ws: Workspace, name: str, account: str, actor: str = "") -> PersonInfo:
    """Say which account of the operating system is a person's, empty for none; leads only.

    StateError for an account that is somebody else's, and in a shared workspace where the lead
    would lose the own one.
    """
    account = account.strip()
    with rights.writing_as(ws, actor, Action.CHANGE_PEOPLE, about=name) as (session, lead):
        person = rights.known_person(session, name)
        other = person_rows.of_account(session, account) if account else None
        if other is not None and other.id != person.id:
            raise StateError.tr(
                "The account “{account}” belongs to {name}.", account=account, name=other.name
            )
        own = ws.login if ws.has_logins else login()
        decides = ws.has_logins or rights.is_shared(session)
        if decides and person.id == lead.id and account != own:
            raise StateError.tr(
                "You would lock yourself out: your own account is “{account}”.", account=own
            )
        if ws.has_logins and account:
            rights.check_login(account)
        if (person.account or "") != account:
            person_rows.set_account(session, person.id, account or None)
            _record(session, lead, person, {"account": account, "before": person.account or ""})
    return replace(_info(person), account=account)


def _record(session: Session, lead: PersonRow, person: PersonRow, data: Mapping[str, Any]) -> None:
    event = ledger.NewEvent(EventKind.PERSON, lead.name, subject=person.name, data=data)
    ledger.append(session, event)


def is_shared(ws: Workspace) -> bool:
    """Whether accounts of the operating system decide who acts in a workspace."""
    with ws.reading() as session:
        return rights.is_shared(session)


def sharing_sentence(shared: bool, ws: Workspace | None = None) -> str:
    """Who decides in such a workspace under whose name somebody acts; ``ws`` where it may be on a
    server."""
    if ws is not None and ws.has_logins:
        return tr("The login on the server decides who acts, and what the database lets them do.")
    if ws is not None and ws.is_server:
        return tr(
            "Names are not authenticated: whoever may log in to the server can act under any name. "
            "Its administrator changes that: benchseal init --lead NAME"
        )
    if shared:
        return tr("This workspace is shared: the account of the operating system decides who acts.")
    return tr("This workspace is personal: names are not authenticated.")


def names_sentence(ws: Workspace) -> str:
    """How far the names in what is reported of a workspace are known, as reports say it."""
    with ws.reading() as session:
        shared = rights.is_shared(session)
        newest = next(iter(ledger.newest(session, (EventKind.WORKSPACE,))), None)
    if ws.has_logins and newest is not None:
        return tr(
            "Since {day} the login on the server has decided who acts. Before that, names were not "
            "authenticated.",
            day=printed_day(newest.at),
        )
    if ws.is_server or not shared or newest is None:
        return sharing_sentence(shared, ws)
    return tr(
        "Since {day} the account of the operating system has decided who acts. "
        "Before that, names were not authenticated.",
        day=printed_day(newest.at),
    )


def set_shared(ws: Workspace, shared: bool, actor: str = "") -> None:
    """Let accounts decide who acts, or let everybody name themselves again; leads only.

    The group of the workspace's folder may then read and write its files. The lead keeps this
    account. StateError for a workspace on a server, where the account of
    another machine says nothing, and for an account that belongs to somebody else.
    """
    if ws.is_server:
        raise StateError.tr(
            "A workspace on a PostgreSQL server cannot be shared by accounts of the operating "
            "system: any computer can claim any of them."
        )
    with rights.writing_as(ws, actor, Action.CHANGE_PEOPLE) as (session, lead):
        if shared == rights.is_shared(session):
            return
        ws.set_group_access(shared)
        if shared:
            _keep_account(session, lead)
        facts.set_shared(session, shared)
        event = ledger.NewEvent(EventKind.WORKSPACE, lead.name, data={"shared": shared})
        ledger.append(session, event)


def _keep_account(session: Session, lead: PersonRow) -> None:
    account = login()
    other = person_rows.of_account(session, account)
    if other is not None and other.id != lead.id:
        raise StateError.tr(
            "Your account “{account}” belongs to {name}, who would act from now on, and not "
            "{lead}. Change that first: benchseal people {lead} --account {account}",
            account=account,
            name=other.name,
            lead=lead.name,
        )
    if other is None:
        person_rows.set_account(session, lead.id, account)
        _record(session, lead, lead, {"account": account, "before": lead.account or ""})


def make_first_lead(ws: Workspace, name: str) -> None:
    """Give a workspace that has no lead its first one, with this account.

    StateError where there is one, who alone can name others.
    """
    name = check_person_name(name)
    with ws.writing() as session:
        if known := rights.leads(session):
            raise StateError.tr(
                "This workspace has a lead already ({leads}), who can name others: "
                "benchseal people {name} --role lead",
                leads=listed(known),
                name=name,
            )
        if person_rows.named(session, name) is None:
            refuse_alike(name, (row.name for row in person_rows.everybody(session)))
        add_first_lead(session, name)


def benchmarks(ws: Workspace) -> tuple[BenchmarkInfo, ...]:
    """All benchmarks, newest first."""
    with ws.reading() as session:
        rows = benchmark_rows.benchmarks(session)
    return tuple(BenchmarkInfo(row.id, row.name) for row in rows)


def benchmark_for(ws: Workspace, task: str) -> str:
    """Name of the benchmark of imported items where none is given: the only one there is, else the
    one that has the task, else ``own_benchmark``. NotFoundError where several have the task."""
    with ws.reading() as session:
        known = {row.id: row.name for row in benchmark_rows.benchmarks(session)}
        homes = [
            known[row.benchmark_id] for row in benchmark_rows.tasks(session) if row.name == task
        ]
    if len(homes) > 1:
        names = listed(sorted(homes))
        raise NotFoundError.tr(
            "Choose a benchmark with --benchmark. Available: {known}.", known=names
        )
    return (homes or (list(known.values()) if len(known) == 1 else [own_benchmark()]))[0]


def benchmark_in(session: Session, name: str) -> BenchmarkRow:
    """The benchmark of that name; NotFoundError names those there are."""
    row = benchmark_rows.benchmark_named(session, name)
    if row is None:
        known = listed(row.name for row in benchmark_rows.benchmarks(session))
        raise NotFoundError(
            tr("There is no benchmark “{name}”. Available: {known}.", name=name, known=known)
            if known
            else tr("There is no benchmark “{name}”; this workspace has none yet. Begin with a "
                    "task or with items: benchseal task add NAME, benchseal import FILE", name=name)
        )  # fmt: skip
    return row


def ensure_benchmark_in(session: Session, name: str, actor: str = "") -> BenchmarkRow:
    """Find or add a benchmark within a transaction."""
    row = benchmark_rows.benchmark_named(session, name.strip())
    if row is None:
        name = check_benchmark_name(name)
        refuse_alike(name, (known.name for known in benchmark_rows.benchmarks(session)))
        row = benchmark_rows.add_benchmark(session, name)
        ledger.append(session, ledger.NewEvent(EventKind.BENCHMARK, actor, subject=name))
    return row


def ensure_task_in(
    session: Session,
    benchmark: BenchmarkRow,
    name: str,
    family: str,
    *,
    format: str = "",
    domain: str = "",
    actor: str = "",
    protocol: "ProtocolSettings | None" = None,
    profile: Mapping[str, Any] | None = None,
) -> TaskRow:
    """Find or add a task within a transaction; its protocol is by default ``first_protocol``."""
    from core.workflow.model_servers import first_protocol

    row = benchmark_rows.task_named(session, benchmark.id, name)
    if row is not None:
        return row
    name = check_task_name(name)
    refuse_alike(name, (task.name for task in benchmark_rows.tasks(session, benchmark.id)))
    known = dict(profile or {})
    row = benchmark_rows.add_task(
        session, benchmark.id, name, family, format=format, domain=domain, profile=known
    )
    settings = (protocol or first_protocol(session, family)).model_dump()
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
