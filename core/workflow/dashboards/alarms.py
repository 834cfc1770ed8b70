"""Alarms: a lead says below which agreement a task needs attention; the ledger keeps when it did.

An alarm rings for a task when its coefficient lies below a limit over enough items. Dashboards and
lists compute what rings and write nothing; ``check`` writes each beginning and each end of ringing
to the ledger once.
"""

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.errors import InputError, NotFoundError
from core.i18n import trn
from core.workflow.dashboards.agreement_query import (
    DECISION,
    AgreementOptions,
    Scope,
    agreement_by,
    check_criterion,
)
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.rights import Action, at_work, is_allowed, writing_as
from core.workflow.workspace import Workspace
from db import benchmarks, ledger
from db.engine import Session
from db.queries import facts
from db.vocabulary import EventKind

_BETWEEN = "\n"  # no name has one


@dataclass(frozen=True, slots=True)
class Alarm:
    """Rings for a task whose ``coefficient`` is below ``below`` over at least ``items`` items that
    two or more people judged. ``task`` and ``benchmark`` empty: every one. ``number`` names it."""

    coefficient: str
    below: float
    items: int = 50
    task: str = ""
    benchmark: str = ""
    criterion: str = DECISION
    number: int = 0


@dataclass(frozen=True, slots=True)
class Ringing:
    """An alarm that rings for a task, with the value and the items it rings on."""

    alarm: Alarm
    benchmark: str
    task: str
    value: float
    items: int

    @property
    def key(self) -> str:
        """What is ringing: the alarm, and where."""
        return _BETWEEN.join((str(self.alarm.number), self.benchmark, self.task))

    @property
    def sentence(self) -> str:
        """What a lead reads."""
        from core.agreement import coefficient

        return trn(
            "{title} of “{task}” is {value} over 1 item, below {limit}.",
            "{title} of “{task}” is {value} over {n} items, below {limit}.",
            self.items,
            title=coefficient(self.alarm.coefficient).title,
            task=self.task,
            value=_shown_below(self.value, self.alarm.below),
            limit=f"{self.alarm.below:g}",
        )


def _shown_below(value: float, limit: float) -> str:
    """Two digits, or as many as show that the value is below the limit."""
    digits = next((n for n in range(2, 12) if round(value, n) < limit), 12)
    return f"{value:z.{digits}f}"


@dataclass(frozen=True, slots=True)
class _AlarmState:
    alarms: tuple[Alarm, ...]
    ringing: tuple[str, ...]
    last: int


def _read(session: Session) -> _AlarmState:
    text = facts.read(session, facts.ALARMS)
    if not text:
        return _AlarmState((), (), 0)
    state = json.loads(text)
    # earlier versions put a stroke between
    ringing = (
        key if _BETWEEN in key else key.replace("/", _BETWEEN, 2) for key in state["ringing"]
    )
    return _AlarmState(
        tuple(Alarm(**alarm) for alarm in state["alarms"]), tuple(ringing), state["last"]
    )


def _write(session: Session, state: _AlarmState) -> None:
    values: dict[str, Any] = {
        "alarms": [asdict(alarm) for alarm in state.alarms],
        "ringing": list(state.ringing),
        "last": state.last,
    }
    facts.write(session, facts.ALARMS, json.dumps(values, ensure_ascii=False, sort_keys=True))


def alarms(ws: Workspace) -> tuple[Alarm, ...]:
    """All alarms, in the order in which they were set."""
    with ws.reading() as session:
        return _read(session).alarms


def set_alarm(ws: Workspace, person: str, alarm: Alarm) -> Alarm:
    """Set an alarm; returns it with its number. Only a lead may.

    Raises NotFoundError for an unknown coefficient, criterion, benchmark or task, InputError for
    a limit outside −1 to 1.
    """
    from core.agreement import coefficient
    from core.workflow.lookup import task_in
    from core.workflow.people import benchmark_in

    coefficient(alarm.coefficient)
    if not -1 <= alarm.below <= 1 or alarm.items < 2:
        raise InputError.tr("An alarm's limit must be between −1 and 1, with at least 2 items.")
    with writing_as(ws, person, Action.SET_ALARM) as (session, actor):
        if alarm.benchmark:
            benchmark_in(session, alarm.benchmark)
        if alarm.task:
            task_in(session, alarm.task, alarm.benchmark)
        check_criterion(alarm.criterion, [row.profile for row in benchmarks.tasks(session)])
        _lock(session)
        state = _read(session)
        numbered = replace(alarm, number=state.last + 1)
        _write(session, _AlarmState((*state.alarms, numbered), state.ringing, numbered.number))
        data = {"set": asdict(numbered)}
        ledger.append(session, ledger.NewEvent(EventKind.ALARM, actor.name, data=data))
    return numbered


def remove_alarm(ws: Workspace, person: str, number: int) -> None:
    """Take an alarm away; NotFoundError when there is none of that number."""
    with writing_as(ws, person, Action.SET_ALARM) as (session, actor):
        _lock(session)
        state = _read(session)
        if number not in [alarm.number for alarm in state.alarms]:
            raise NotFoundError.tr("There is no alarm {number}.", number=number)
        left = tuple(alarm for alarm in state.alarms if alarm.number != number)
        ringing = tuple(key for key in state.ringing if _where(key)[0] != str(number))
        _write(session, _AlarmState(left, ringing, state.last))
        data = {"removed": number}
        ledger.append(session, ledger.NewEvent(EventKind.ALARM, actor.name, data=data))


def ringing_now(ws: Workspace, book: JudgementBook, benchmark: str) -> tuple[Ringing, ...]:
    """The alarms that ring in a benchmark now; writes nothing."""
    alarms_here = [alarm for alarm in alarms(ws) if alarm.benchmark in ("", benchmark)]
    return tuple(entry for alarm in alarms_here for entry in _ringing(ws, book, benchmark, alarm))


def check(ws: Workspace, book: JudgementBook, benchmark: str) -> tuple[Ringing, ...]:
    """The alarms that ring in a benchmark now; what began or ended ringing goes to the ledger,
    on a server with logins when a lead looks."""
    ringing = ringing_now(ws, book, benchmark)
    with ws.reading() as session:
        if ws.has_logins and not is_allowed(at_work(session).role, Action.SET_ALARM):
            return ringing
        state = _read(session)
    if {entry.key for entry in ringing} != _here(state.ringing, benchmark):
        _record(ws, benchmark, ringing)
    return ringing


def _here(keys: tuple[str, ...], benchmark: str) -> set[str]:
    return {key for key in keys if _where(key)[1] == benchmark}


def _where(key: str) -> list[str]:
    """Alarm, benchmark and task of a key."""
    return key.split(_BETWEEN, 2)


def _ringing(ws: Workspace, book: JudgementBook, benchmark: str, alarm: Alarm) -> list[Ringing]:
    scope = Scope(benchmark=benchmark, criterion=alarm.criterion)
    estimate = AgreementOptions(names=(alarm.coefficient,), interval="none", items=False)
    ringing = []
    for part in agreement_by(ws, scope, "task", estimate, book):
        result = part.coefficients[0]
        if alarm.task in ("", part.group) and _below(alarm, result.value, result.compared):
            assert result.value is not None
            ringing.append(Ringing(alarm, benchmark, part.group, result.value, result.compared))
    return ringing


def _below(alarm: Alarm, value: float | None, items: int) -> bool:
    return value is not None and value < alarm.below and items >= alarm.items


def _record(ws: Workspace, benchmark: str, ringing: tuple[Ringing, ...]) -> None:
    """Write what began and what ended, unless somebody else has done so meanwhile."""
    now = {entry.key: entry for entry in ringing}
    with ws.writing() as session:
        _lock(session)
        state = _read(session)
        known = {entry.number for entry in state.alarms}
        before = _here(state.ringing, benchmark)
        begun = [
            entry for key, entry in now.items() if key not in before and entry.alarm.number in known
        ]
        ended = sorted(before - set(now))
        if not begun and not ended:
            return
        events = [_event(entry) for entry in begun]
        events += [
            ledger.NewEvent(
                EventKind.ALARM, "", subject=_where(key)[2],
                data={"alarm": int(_where(key)[0]), "rings": False},
            )
            for key in ended
        ]  # fmt: skip
        left = tuple(key for key in state.ringing if key not in ended)
        _write(
            session, _AlarmState(state.alarms, (*left, *(entry.key for entry in begun)), state.last)
        )
        ledger.append(session, *events)


def _lock(session: Session) -> None:
    """Wait for other writers of the ledger, so that two of them never write one ringing twice."""
    ledger.next_number(session)


def _event(ringing: Ringing) -> ledger.NewEvent:
    data = {
        "alarm": ringing.alarm.number,
        "rings": True,
        "coefficient": ringing.alarm.coefficient,
        "criterion": ringing.alarm.criterion,
        "value": ringing.value,
        "items": ringing.items,
        "below": ringing.alarm.below,
    }
    return ledger.NewEvent(EventKind.ALARM, "", subject=ringing.task, data=data)
