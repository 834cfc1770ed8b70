"""The team at work: who is given which tasks, how many items and until when, who pauses, and the
words that invite somebody.

A task that is assigned to nobody is everybody's. Once it is assigned, only those who have a share
of it are given its items to review and to rate; what somebody holds already, they may finish. A
deadline is said, and closes nothing.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from core.errors import ConflictError, InputError, NotFoundError, RightsError
from core.i18n import listed, tr, trn
from core.workflow.labels import role_label
from core.workflow.lookup import task_in
from core.workflow.people import (
    PersonInfo,
    benchmark_in,
    ensure_person,
    set_account,
    set_active,
    set_role,
)
from core.workflow.rights import Action, at_work, known_person, require, writing_as
from core.workflow.workspace import Workspace, server_address, shown_address, without_login
from db import benchmarks, gold, ledger, people
from db.benchmarks import TaskRow
from db.engine import Session
from db.people import PersonRow, RemainingShares, ShareRow
from db.queries import item_lists, shares
from db.vocabulary import EventKind, ItemState

_LARGEST = 10**9
_LONGEST_REASON = 500
GOLD_ANSWERS = 5
"""Nobody is paused on fewer gold answers than this: two slips are no judgement."""


@dataclass(frozen=True, slots=True)
class TaskShare:
    """One person's part in a task, and how far they are. ``most`` is None without a limit, ``due``
    None without a day; ``done`` counts the items that they reviewed or hold to review."""

    benchmark: str
    task: str
    person: str
    most: int | None
    due: date | None
    done: int
    waiting: int
    """Items of the task that are not decided yet, whoever reviews them."""
    items: int
    """All items of the task."""

    @property
    def left(self) -> int | None:
        """Items that the share still allows; None without a limit."""
        return None if self.most is None else max(0, self.most - self.done)

    @property
    def is_met(self) -> bool:
        """Whether the share is done: the quota is reached, or no item of the task still waits."""
        return self.left == 0 or (self.items > 0 and not self.waiting)

    def is_late(self, today: date | None = None) -> bool:
        """Whether its day has passed (by this machine's calendar, or ``today``) undone."""
        now = today or datetime.now().astimezone().date()
        return self.due is not None and self.due < now and self.waiting > 0 and not self.is_met


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody of the team, and their load in a benchmark (or everywhere).

    ``pause`` is why they are given nothing, None for who is not paused; ``gold`` says that it is
    the gold items' doing. ``holds`` are the items in their hands, ``done`` those they reviewed.
    """

    name: str
    role: str
    account: str
    active: bool
    pause: str | None
    gold: bool
    holds: int
    done: int
    shares: tuple[TaskShare, ...]

    @property
    def next_due(self) -> date | None:
        """The first day of a share that is not done."""
        return min((s.due for s in self.shares if s.due is not None and not s.is_met), default=None)


@dataclass(frozen=True, slots=True)
class Team:
    """Everybody, by name, and the tasks that can be assigned, as BENCHMARK/TASK without one.

    ``reviewers`` is how many people review each item of a task.
    """

    members: tuple[Member, ...]
    tasks: tuple[str, ...]
    reviewers: Mapping[str, int] = field(default_factory=dict)

    @property
    def shares(self) -> tuple[TaskShare, ...]:
        """Every share, by task and person."""
        found = [share for member in self.members for share in member.shares]
        return tuple(sorted(found, key=lambda share: (share.benchmark, share.task, share.person)))

    @property
    def stranded(self) -> tuple[str, ...]:
        """Tasks with items that wait and are given to nobody: all who have a share of them are
        away, or have reached their quota."""
        away = {m.name for m in self.members if not m.active or m.pause is not None}
        waiting = {(s.benchmark, s.task) for s in self.shares if s.waiting}
        given = {(s.benchmark, s.task) for s in self.shares if s.person not in away and s.left != 0}
        return tuple(task for _, task in sorted(waiting - given))

    def given_to(self, task: str) -> frozenset[str]:
        """Who has a share of one of ``tasks``; nobody where it is everybody's."""
        return frozenset(
            share.person
            for share in self.shares
            if task in (share.task, f"{share.benchmark}/{share.task}")
        )


def team(ws: Workspace, person: str = "", benchmark: str = "") -> Team:
    """Everybody with their load; for those who look at people's figures."""
    from core.workflow.protocols import settings_of  # pydantic: who lists people needs none

    with ws.reading() as session:
        require(session, person, Action.SEE_PEOPLE)
        home = benchmark_in(session, benchmark).id if benchmark else None
        everybody = people.everybody(session)
        found = _shares(session, home)
        pauses = shares.pauses(session)
        held = shares.held(session, [row.id for row in everybody])
        done: dict[int, int] = {}
        tasks = benchmarks.tasks(session, home)
        here = {task.id for task in tasks}
        for (person_id, task_id), count in shares.reviewed(session).items():
            if task_id in here:
                done[person_id] = done.get(person_id, 0) + count
        stopped = _stopped_by_gold(session, tasks, everybody)
        members = tuple(
            Member(
                row.name, row.role, row.account or "", row.active,
                pauses.get(row.id, stopped.get(row.name)), row.name in stopped,
                held.get(row.id, 0), done.get(row.id, 0),
                tuple(share for share in found if share.person == row.name),
            )
            for row in everybody
        )  # fmt: skip
        homes = {row.id: row.name for row in benchmarks.benchmarks(session)}
        reviewers = {
            task.name if home is not None else f"{homes[task.benchmark_id]}/{task.name}":
            settings_of(task.protocol).overlap
            for task in tasks
        }  # fmt: skip
    return Team(members, tuple(sorted(reviewers)), reviewers)


def too_few_reviewers(
    known: Team, tasks: Iterable[str], more: Iterable[str] = ()
) -> tuple[str, ...]:
    """A sentence for each of the tasks that is given to fewer people at work than review one of its
    items, when ``more`` people are given it as well."""
    working = {member.name for member in known.members if member.active and member.pause is None}
    found = []
    for task in tasks:
        given = known.given_to(task) | set(more)
        count, needed = len(given & working), known.reviewers.get(task, 1)
        if given and count < needed > 1:
            found.append(
                trn(
                    "Each item of “{task}” needs {needed} reviewers, but only 1 person at work "
                    "is given the task: they will wait for more.",
                    "Each item of “{task}” needs {needed} reviewers, but only {n} people at work "
                    "are given the task: they will wait for more.",
                    count, task=task, needed=needed,
                )
            )  # fmt: skip
    return tuple(found)


def shares_of(ws: Workspace, person: str, benchmark: str = "") -> tuple[TaskShare, ...]:
    """One's own shares in a benchmark (empty: everywhere), those with the nearest day first."""
    with ws.reading() as session:
        name = at_work(session, person).name
        home = benchmark_in(session, benchmark).id if benchmark else None
        own = [share for share in _shares(session, home) if share.person == name]
    return tuple(sorted(own, key=lambda share: (share.due or date.max, share.task)))


def paused(ws: Workspace) -> dict[str, str]:
    """Why a lead gives nothing to those who are paused, by name."""
    with ws.reading() as session:
        names = {row.id: row.name for row in people.everybody(session)}
        return {names[number]: reason for number, reason in shares.pauses(session).items()}


def _shares(session: Session, home: int | None) -> list[TaskShare]:
    names = {row.id: row.name for row in people.everybody(session)}
    homes = {row.id: row.name for row in benchmarks.benchmarks(session)}
    rows = shares.all_shares(session, home)
    had = shares.reviewed(session) if rows else {}
    tasks = {number: benchmarks.task(session, number) for number in {row.task_id for row in rows}}
    waiting = {number: _waiting(session, number) for number in tasks}
    return [
        TaskShare(
            homes[tasks[row.task_id].benchmark_id], tasks[row.task_id].name, names[row.person_id],
            row.most, date.fromisoformat(row.due) if row.due else None,
            had.get((row.person_id, row.task_id), 0), *waiting[row.task_id],
        )
        for row in rows
    ]  # fmt: skip


def _waiting(session: Session, task_id: int) -> tuple[int, int]:
    """(items of a task that are not decided, all of them)."""
    states = item_lists.states_of_task(session, task_id)
    undecided = (ItemState.DRAFT, ItemState.SCREENING, ItemState.IN_REVIEW)
    return sum(states.get(state, 0) for state in undecided), sum(states.values())


# -- assigning ------------------------------------------------------------------------------------


def assign(
    ws: Workspace,
    tasks: Sequence[str],
    names: Sequence[str],
    person: str = "",
    *,
    most: int | None = None,
    due: date | None = None,
    benchmark: str = "",
) -> tuple[TaskShare, ...]:
    """Give people a part in each of some tasks, in place of the one they have; returns the shares
    of these tasks.

    ``most`` limits how many items each of them reviews in each task. Leads only. Raises
    NotFoundError for an unknown task or person, InputError for a wrong limit.
    """
    if most is not None and not 1 <= most <= _LARGEST:
        raise InputError.tr("A quota is a whole number from 1.")
    return _set(ws, tasks, names, person, benchmark, (most, due))


def unassign(
    ws: Workspace,
    tasks: Sequence[str],
    names: Sequence[str],
    person: str = "",
    *,
    benchmark: str = "",
) -> tuple[TaskShare, ...]:
    """Take people's part in some tasks away; a task without any is everybody's again."""
    return _set(ws, tasks, names, person, benchmark, None)


def _set(
    ws: Workspace,
    tasks: Sequence[str],
    names: Sequence[str],
    person: str,
    benchmark: str,
    terms: tuple[int | None, date | None] | None,
) -> tuple[TaskShare, ...]:
    if not tasks or not names:
        raise InputError.tr("Choose at least one task and one person.")
    with writing_as(ws, person, Action.ASSIGN) as (session, lead):
        rows = [task_in(session, name, benchmark) for name in dict.fromkeys(tasks)]
        members = [known_person(session, name) for name in dict.fromkeys(names)]
        before = {(row.task_id, row.person_id): row for row in shares.all_shares(session)}
        for task in rows:
            changed = [
                member for member in members
                if _put(session, task, member, terms, before.get((task.id, member.id)))
            ]  # fmt: skip
            if changed:
                _tell(session, lead, task, changed, terms)
        wanted = {task.name for task in rows}
        return tuple(share for share in _shares(session, None) if share.task in wanted)


def _put(
    session: Session,
    task: TaskRow,
    member: PersonRow,
    terms: tuple[int | None, date | None] | None,
    before: ShareRow | None,
) -> bool:
    """Write one share; whether that changed anything."""
    if terms is None:
        if before is None:
            raise NotFoundError.tr(
                "“{task}” is not assigned to {name}.", task=task.name, name=member.name
            )
        return people.drop_share(session, task.id, member.id)
    most, due = terms
    after = ShareRow(task.id, member.id, most, due.isoformat() if due is not None else "")
    if after != before:
        people.put_share(session, after)
    return after != before


def _tell(
    session: Session,
    lead: PersonRow,
    task: TaskRow,
    members: Sequence[PersonRow],
    terms: tuple[int | None, date | None] | None,
) -> None:
    data: dict[str, Any] = {
        "benchmark": benchmarks.benchmark(session, task.benchmark_id).name,
        "people": [member.name for member in members],
        "assigned": terms is not None,
    }
    if terms is not None:
        data |= {"most": terms[0], "due": terms[1].isoformat() if terms[1] is not None else ""}
    event = ledger.NewEvent(EventKind.TASK, lead.name, subject=task.name, data=data)
    ledger.append(session, event)


# -- pausing --------------------------------------------------------------------------------------


def pause(ws: Workspace, name: str, reason: str = "", person: str = "") -> None:
    """Give somebody no new items to review or rate until ``resume``; what they hold they may
    finish. Leads only."""
    reason = reason.strip()
    if len(reason) > _LONGEST_REASON or (reason and not reason.isprintable()):
        raise InputError.tr(
            "A reason has at most {count} characters, on one line.", count=_LONGEST_REASON
        )
    with writing_as(ws, person, Action.ASSIGN, about=name) as (session, lead):
        member = known_person(session, name)
        if shares.pause_of(session, member.id) == reason:
            return
        people.set_pause(session, member.id, reason)
        data = {"paused": True, "reason": reason}
        event = ledger.NewEvent(EventKind.PERSON, lead.name, subject=member.name, data=data)
        ledger.append(session, event)


def resume(ws: Workspace, name: str, person: str = "") -> None:
    """Give somebody items again, whether a lead or the gold items paused them: their gold answers
    so far no longer count for a pause. Leads only."""
    with writing_as(ws, person, Action.ASSIGN, about=name) as (session, lead):
        member = known_person(session, name)
        data: dict[str, Any] = {}
        if shares.pause_of(session, member.id) is not None:
            people.set_pause(session, member.id, None)
            data["paused"] = False
        newest = max((e[1] for e in gold.answers(session) if e[0] == member.name), default=0)
        if member.name in _stopped_by_gold(session, benchmarks.tasks(session), (member,)):
            people.set_gold_from(session, member.id, newest)
            data["gold_from"] = newest
        if data:
            event = ledger.NewEvent(EventKind.PERSON, lead.name, subject=member.name, data=data)
            ledger.append(session, event)


def _stopped_by_gold(
    session: Session, tasks: Sequence[TaskRow], members: Sequence[PersonRow]
) -> dict[str, str]:
    """Who missed too many gold items of some task, with the words for it, by name."""
    from core.workflow.protocols import settings_of

    found: dict[str, str] = {}
    for task in tasks:
        limit = settings_of(task.protocol).gold_limit
        if limit <= 0:
            continue
        for member in members:
            answers, right = gold_answers(session, task.id, member)
            if answers >= GOLD_ANSWERS and right / answers < limit:
                found[member.name] = trn(
                    "{right} of 1 gold item correct", "{right} of {n} gold items correct",
                    answers, right=right,
                )  # fmt: skip
    return found


def gold_answers(session: Session, task_id: int, person: PersonRow) -> tuple[int, int]:
    """(how many, how many right) of somebody's gold answers in a task that count for a pause."""
    counted = [
        entry
        for entry in gold.answers(session, task_id)
        if entry[0] == person.name and entry[1] > person.gold_from
    ]
    return len(counted), sum(entry[3] == entry[4] for entry in counted)


def refuse_paused(session: Session, person: PersonRow) -> None:
    """RightsError for somebody whom a lead gives nothing for a while."""
    _refuse_pause(person, shares.pause_of(session, person.id))


def remaining_shares(session: Session, person: PersonRow) -> RemainingShares:
    """What shares leave open to a person; RightsError as ``refuse_paused``."""
    remaining, reason = shares.remaining_and_pause(session, person.id)
    _refuse_pause(person, reason)
    return remaining


def _refuse_pause(person: PersonRow, reason: str | None) -> None:
    if reason is None:
        return
    if reason:
        sentence = tr("{name} is paused: {reason}. Contact a lead.", name=person.name,
                      reason=reason.rstrip(".。"))  # fmt: skip
    else:
        sentence = tr("{name} is paused. Contact a lead.", name=person.name)
    raise RightsError(sentence)


def refuse_new(session: Session, person: PersonRow, task_id: int) -> None:
    """RightsError when this person is to be given nothing new of a task."""
    remaining = remaining_shares(session, person)
    if task_id in remaining.closed:
        name = benchmarks.task_name(session, task_id)
        if task_id in remaining.full:
            raise RightsError.tr("{name} has had their share of “{task}”. A lead can change it.",
                                 name=person.name, task=name)  # fmt: skip
        raise RightsError.tr(
            "“{task}” is assigned to others, not to {name}. A lead can change that.",
            name=person.name, task=name
        )  # fmt: skip


# -- changing somebody ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MemberChange:
    """What becomes of somebody; None leaves a thing as it is. ``pause`` is the reason."""

    role: str | None = None
    account: str | None = None
    active: bool | None = None
    pause: str | None = None
    resume: bool = False
    seen: Member | None = None
    """As whom the editor saw them."""


def change_member(ws: Workspace, name: str, change: MemberChange, person: str = "") -> PersonInfo:
    """Change somebody, who is added when new; whoever adds them stays who they are. Leads only.

    ConflictError, and nothing is written, where somebody else has given what is changed here
    another value since it was ``seen``. Raises what ``people.ensure_person``, ``set_role``,
    ``set_active`` and ``set_account`` raise.
    """
    if change.seen is not None:
        _refuse_unseen(ws, change, change.seen)
    known = ensure_person(ws, name, change.role, person, change.account or "")
    if change.role is not None and known.role != change.role:
        known = set_role(ws, name, change.role, person)
    account = change.account
    if account is not None and ws.has_logins:
        account = account.strip() or known.account or name  # nobody works there without a login
    if account is not None and known.account != account.strip():
        known = set_account(ws, name, account, person)
    if change.active is not None and known.active != change.active:
        set_active(ws, name, change.active, person)
    if change.pause is not None:
        pause(ws, name, change.pause, person)
    elif change.resume:
        resume(ws, name, person)
    return replace(known, active=known.active if change.active is None else change.active)


def _refuse_unseen(ws: Workspace, change: MemberChange, seen: Member) -> None:
    with ws.reading() as session:
        now = known_person(session, seen.name)
        paused_now = shares.pauses(session).get(now.id)
    moved = (
        (tr("role"), change.role, seen.role, now.role),
        (tr("account"), change.account, seen.account, now.account or ""),
        (tr("works here"), change.active, seen.active, now.active),
        (tr("pause"), change.pause, None if seen.gold else seen.pause, paused_now),
    )
    others = [
        name for name, wanted, before, value in moved
        if wanted is not None and value not in (before, wanted)
    ]  # fmt: skip
    if others:
        raise ConflictError.tr(
            "Not saved: somebody else has changed this meanwhile: {parts}. Look at it, then "
            "save again to replace it.", parts=listed(others)
        )  # fmt: skip


# -- inviting -------------------------------------------------------------------------------------


def invitation(ws: Workspace, name: str, person: str = "") -> str:
    """What a lead sends to somebody new: where the workspace is, how to begin, and their tasks.

    It holds no password. Leads only.
    """
    place = ws.address if ws.is_server else str(ws.place.folder.absolute())
    with ws.reading() as session:
        require(session, person, Action.CHANGE_PEOPLE)
        member = known_person(session, name)
        own = [share for share in _shares(session, None) if share.person == member.name]
    lines = [
        tr("{name}, you are invited to work in Benchseal. Your role: {role}.", name=member.name,
           role=role_label(member.role)),
        "",
        tr("1. Install Benchseal: with the package that you were given, or as its README says."),
    ]  # fmt: skip
    if ws.has_logins:
        place = server_address(shown_address(without_login(place)), member.account or "", "")
        lines.append(
            tr("2. Your login is “{login}”. Ask a lead for its password; it is not in this text.",
               login=member.account or "–")
        )  # fmt: skip
    elif ws.is_server:
        lines.append(tr("2. Ask for the password of the database; it is not in this text."))
    elif member.account:
        lines.append(
            tr("2. Log in to this computer as “{account}”; the folder must be readable for you.",
               account=member.account)
        )  # fmt: skip
    else:
        lines.append(tr("2. Make sure that you can open the folder below on this computer."))
    command = shlex.join(["benchseal", "gui", "--workspace", place, "--user", member.name])
    lines += [tr("3. Start it with:"), f"   {command}"]
    lines.append(
        tr("   or choose “{way}” on the start page and enter: {place}",
           way=tr("Join a team") if ws.is_server else tr("Open a workspace"), place=place)
    )  # fmt: skip
    if own:
        lines += ["", tr("Your tasks:")]
        lines += [f"- {share_sentence(share)}" for share in own]
    return "\n".join(lines) + "\n"


def closed_to_others(ws: Workspace) -> str:
    """What who invites has to do first, where no other account of this computer can open the
    folder; else empty."""
    if ws.is_server or ws.place.folder.stat().st_mode & 0o070:
        return ""
    return tr("So far only your own account can open this folder. Where people have accounts of "
              "their own, let them in first: see “One shared folder” in the help for "
              "administrators.")  # fmt: skip


def share_sentence(share: TaskShare) -> str:
    """A share in words: the task, how many items are done, and until when."""
    if share.most is None:
        text = trn("{task}: 1 item reviewed", "{task}: {n} items reviewed", share.done,
                   task=share.task)  # fmt: skip
    else:
        text = trn("{task}: {done} of 1 item reviewed", "{task}: {done} of {n} items reviewed",
                   share.most, task=share.task, done=share.done)  # fmt: skip
    if share.due is None:
        return text
    return tr("{share}, due {day}", share=text, day=share.due.isoformat())
