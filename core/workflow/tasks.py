"""Tasks: listing, adding, describing them, and editing protocols from their next version on."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, get_args

from core.errors import ConflictError, InputError, NotFoundError, StateError
from core.families import family
from core.families.catalogue import MetricType
from core.i18n import listed, tr_noop
from core.known_names import refuse_unknown
from core.workflow.labels import FAMILIES, SETTING_TITLES, TASK_PARTS, word
from core.workflow.lookup import task_in
from core.workflow.model_servers import first_protocol
from core.workflow.names import check_task_name
from core.workflow.people import benchmark_in, ensure_benchmark_in, ensure_task_in
from core.workflow.protocol_changes import ProtocolChange, protocol_change, write_protocol
from core.workflow.protocols import ProtocolSettings, changed, settings_of
from core.workflow.rights import Action, require, writing_as
from core.workflow.rubrics import Criterion, own_criteria, parse_rubric
from core.workflow.workspace import Workspace
from db import benchmarks, ledger
from db.benchmarks import TaskRow
from db.engine import Session
from db.ledger import LedgerEvent, NewEvent
from db.people import PersonRow
from db.queries import author_view as writing_rows
from db.queries import item_lists
from db.vocabulary import EventKind, ItemState

# What people write about a task, in its profile; ``change`` edits them and keeps every version.
DESCRIBED = ("guideline", "instruction", "labels", "reasons", "rubric", "judge", "metric")
TASK_METRICS: tuple[str, ...] = get_args(MetricType)
"""How answers of a task can be measured: CIF-Bench's types (§3.3)."""
IN_FREE_TEXT = ("instruction", "answer")
"""Families whose answers may be free text, so that a task chooses what measures them."""
MOST_REASONS = 8  # with ``other``, as many as there are digits from 1 to 9
_LONGEST = 100_000
_LONGEST_FOR_JUDGES = 8_000  # sent with every answer


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
class TaskVersion:
    """What a task asked for in one version: its guideline, own instruction, label space, the
    reasons for a rejection (none: the usual ones), its own rubric (none: a shipped one), what a
    judge has to look for in its answers, and its metric (empty: the catalogue's, else the items').

    ``changed`` names what this version changed; ``person`` is who did, ``at`` when (ISO time, UTC;
    empty for the first version).
    """

    version: int
    guideline: str
    instruction: str
    labels: tuple[str, ...]
    changed: tuple[str, ...] = ()
    person: str = ""
    at: str = ""
    reasons: tuple[str, ...] = ()
    rubric: tuple[Criterion, ...] = ()
    judge: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True)
class TaskChange:
    """What a change of a task did, or would do when it was only tried.

    ``changed`` has the new values. ``affected`` counts the items of the task by state that were
    written under the former version; they stay as they are. ``outside`` are the items that are
    still in the pipeline with a label that the task no longer has.
    """

    task: str
    version: int
    changed: Mapping[str, Any]
    before: Mapping[str, Any]
    affected: Mapping[str, int]
    outside: tuple[int, ...]
    protocol: ProtocolChange | None = None


def tasks(ws: Workspace, benchmark: str = "") -> tuple[TaskInfo, ...]:
    """All tasks, or those of one benchmark, by name."""
    with ws.reading() as session:
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        return tuple(info_of(session, row) for row in benchmarks.tasks(session, benchmark_id))


def uncounted(ws: Workspace, benchmark: str) -> tuple[TaskRow, ...]:
    """The tasks of a benchmark by name, for who does not ask how many items they have: to count
    those takes longer the more there are."""
    with ws.reading() as session:
        return tuple(benchmarks.tasks(session, benchmark_in(session, benchmark).id))


def show(ws: Workspace, task: str, benchmark: str = "") -> TaskInfo:
    """One task."""
    with ws.reading() as session:
        return info_of(session, task_in(session, task, benchmark))


def info_of(session: Session, row: TaskRow, states: Mapping[str, int] | None = None) -> TaskInfo:
    """A task with its items by state, as they were just counted or are counted now."""
    if states is None:
        states = item_lists.states_of_task(session, row.id)
    return TaskInfo(
        name=row.name,
        benchmark=benchmarks.benchmark(session, row.benchmark_id).name,
        family=row.family,
        format=row.format,
        domain=row.domain,
        round=row.round,
        protocol_version=row.protocol_version,
        protocol=settings_of(row.protocol),
        states={state.value: states.get(state, 0) for state in ItemState},
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
    language: str = "",
) -> TaskInfo:
    """Add a task with the protocol of ``first_protocol``, or one that differs in some settings.

    ``language`` is the code of the language that its items are written in, empty where that is
    not known.

    Raises StateError when the benchmark has a task of that name, NotFoundError for an unknown
    family, InputError for an unknown format or a wrong setting.
    """
    name = check_task_name(name)
    family(family_name).payload_model(format or (family(family_name).formats or ("",))[0])
    known = dict(profile or {})
    if language.strip():
        known["languages"] = [language.strip()]
    with writing_as(ws, person, Action.ADD_TASK) as (session, actor):
        settings = changed(first_protocol(session, family_name), dict(protocol or {}))
        home = ensure_benchmark_in(session, benchmark, actor.name)
        if benchmarks.task_named(session, home.id, name) is not None:
            raise StateError.tr(
                "“{benchmark}” already has a task “{task}”.", benchmark=benchmark, task=name
            )
        row = ensure_task_in(
            session, home, name, family_name,
            format=format, domain=domain, actor=actor.name, protocol=settings, profile=known,
        )  # fmt: skip
        return info_of(session, row)


def versions(ws: Workspace, task: str, benchmark: str = "") -> tuple[ProtocolVersion, ...]:
    """All versions of a task's protocol, oldest first."""
    with ws.reading() as session:
        row = task_in(session, task, benchmark)
        return tuple(
            ProtocolVersion(entry.version, settings_of(entry.settings), entry.person, entry.at)
            for entry in benchmarks.protocol_history(session, row.id)
        )


def set_protocol(
    ws: Workspace,
    task: str,
    values: Mapping[str, str],
    *,
    person: str = "",
    benchmark: str = "",
    dry_run: bool = False,
) -> ProtocolChange:
    """Write the next version of a task's protocol; it applies from now on.

    Items that wait and that nobody has taken follow it at once (each with its own event); those
    under review keep the number of reviewers they began with, open lots their plan. Leads only.
    Setting what is set already makes no new version. A dry run only reads.
    """
    done = set_protocols(ws, [task], values, person=person, benchmark=benchmark, dry_run=dry_run)
    return done[task]


def set_protocols(
    ws: Workspace,
    tasks: Sequence[str],
    values: Mapping[str, str],
    *,
    person: str = "",
    benchmark: str = "",
    seen: Sequence[TaskInfo] = (),
    dry_run: bool = False,
) -> dict[str, ProtocolChange]:
    """As ``set_protocol`` for several tasks in one transaction: all of them, or none. ``seen`` are
    the tasks that the change was made from, as for ``change``."""
    before = {info.name: info for info in seen}
    done: dict[str, ProtocolChange] = {}
    with _editing(ws, person, Action.EDIT_PROTOCOL, dry_run) as (session, actor):
        for task in dict.fromkeys(tasks):
            row = task_in(session, task, benchmark)
            if task in before and not dry_run:
                _refuse_unseen(row, before[task], values)
            done[task], moves = protocol_change(session, row, values, lock=not dry_run)
            if not dry_run:
                write_protocol(session, row, done[task], moves, actor)
    return done


@contextmanager
def _editing(
    ws: Workspace, person: str, action: Action, dry_run: bool
) -> Iterator[tuple[Session, PersonRow]]:
    """The one transaction of an edit; a read, which waits for nobody, when it is only tried."""
    if dry_run:
        with ws.reading() as session:
            yield session, require(session, person, action)
    else:
        with writing_as(ws, person, action) as (session, actor):
            yield session, actor


def change(
    ws: Workspace,
    task: str,
    person: str,
    *,
    guideline: str | None = None,
    reasons: Sequence[str] | None = None,
    rubric: str | None = None,
    labels: Sequence[str] | None = None,
    instruction: str | None = None,
    judge: str | None = None,
    metric: str | None = None,
    settings: Mapping[str, str] | None = None,
    restore: int | None = None,
    seen: TaskInfo | None = None,
    benchmark: str = "",
    dry_run: bool = False,
) -> TaskChange:
    """Change what a task asks for; None leaves a thing as it is. Only leads may.

    ``rubric`` is a text as ``parse_rubric`` reads it; an empty one stands for a shipped rubric.
    ``judge`` is what a model that judges the task's answers is told beside its own prompt,
    ``metric`` one of ``TASK_METRICS`` for answers in free text, or empty for the one that the
    catalogue or each item names; scores are read by it from now on, also those of earlier runs.

    Every change is a version in the ledger; ``restore`` brings back the texts and labels of an
    earlier one, as a new version: that is how a change is taken back. ``settings`` are the
    protocol's and make a version of that, in the same transaction. Items that were written stay as
    they are; those whose label the task no longer has are named. A dry run only reads.

    ``seen`` is the task that the change was made from: ConflictError, and nothing is written, where
    somebody else has given what is changed here another value since then.

    Raises RightsError for anybody but a lead, InputError for a wrong label, metric, setting or
    rubric or a text that is too long, NotFoundError for a version that there is not.
    """
    fields = _fields(guideline, labels, instruction, reasons, judge)
    with _editing(ws, person, Action.EDIT_TASK, dry_run) as (session, actor):
        row = task_in(session, task, benchmark)
        if metric is not None:
            fields["metric"] = _metric(metric, row)
        if rubric is not None:
            fields["rubric"] = _stored(parse_rubric(rubric, own_criteria(row.profile)))
        if restore is not None:
            fields = {**_version(_history(session, row), task, restore), **fields}
        if seen is not None and not dry_run:
            _refuse_unseen(row, seen, {**(settings or {}), **fields})
        result = _task_change(session, row, fields)
        if settings is not None:
            protocol, moves = protocol_change(session, row, settings, lock=not dry_run)
            result = replace(result, protocol=protocol)
            if not dry_run:
                write_protocol(session, row, protocol, moves, actor)
        if result.changed and not dry_run:
            _write_task(session, row, actor.name, result)
    return result


def _refuse_unseen(row: TaskRow, seen: TaskInfo, changes: Mapping[str, Any]) -> None:
    """ConflictError where a part or a setting is not any more what the editor had seen."""
    now = described(row.profile) | settings_of(row.protocol).model_dump()
    before = described(seen.profile) | seen.protocol.model_dump()
    others = [
        name for name, value in changes.items()
        if name in now and now[name] != before[name] and str(now[name]) != str(value)
    ]  # fmt: skip
    if others:
        parts = listed(word({**SETTING_TITLES, **TASK_PARTS}, name) for name in others)
        raise ConflictError.tr(
            "Not saved: somebody else has changed this meanwhile: {parts}. Look at it, then "
            "save again to replace it.", parts=parts
        )  # fmt: skip


def _task_change(session: Session, row: TaskRow, fields: Mapping[str, Any]) -> TaskChange:
    """What new fields make of a task."""
    before = described(row.profile)
    differences = {name: value for name, value in fields.items() if before[name] != value}
    states = item_lists.states_of_task(session, row.id)
    return TaskChange(
        row.name,
        int(row.profile.get("version", 1)) + bool(differences),
        differences,
        {name: before[name] for name in differences},
        {state.value: states[state] for state in ItemState if states.get(state)},
        _outside(session, row, fields.get("labels", before["labels"])),
    )


def described(profile: Mapping[str, Any]) -> dict[str, Any]:
    """What people wrote about a task (``DESCRIBED``), as its profile has it."""
    return {
        "guideline": str(profile.get("guideline") or ""),
        "instruction": str(profile.get("instruction") or ""),
        "labels": [str(label) for label in profile.get("labels") or ()],
        "reasons": [str(reason) for reason in profile.get("reasons") or ()],
        "rubric": _stored(own_criteria(profile)),
        "judge": str(profile.get("judge") or ""),
        "metric": str(profile.get("metric") or ""),
    }


def _stored(criteria: Sequence[Criterion]) -> list[dict[str, Any]]:
    """Criteria as they stand in a task's profile."""
    return [criterion.model_dump(mode="json") for criterion in criteria]


def _fields(
    guideline: str | None,
    labels: Sequence[str] | None,
    instruction: str | None,
    reasons: Sequence[str] | None,
    judge: str | None,
) -> dict[str, Any]:
    """The given fields, checked and trimmed."""
    fields: dict[str, Any] = {}
    texts = {"guideline": guideline, "instruction": instruction, "judge": judge}
    for name, text in texts.items():
        if text is None:
            continue
        if name == "judge" and len(text) > _LONGEST_FOR_JUDGES:
            raise InputError.tr(
                "A judge is told at most {count} characters.", count=_LONGEST_FOR_JUDGES
            )
        if len(text) > _LONGEST or "\x00" in text:
            raise InputError.tr(
                "A guideline or instruction can have at most {count} characters.",
                count=_LONGEST,
            )
        fields[name] = text.strip()
    if labels is not None:
        trimmed = [label.strip() for label in labels]
        if any(not label or any(ord(letter) < 32 for letter in label) for label in trimmed):
            raise InputError.tr(
                "A label must have at least one character and no control characters."
            )
        fields["labels"] = list(dict.fromkeys(trimmed))
    if reasons is not None:
        fields["reasons"] = _reasons(reasons)
    return fields


def _reasons(reasons: Sequence[str]) -> list[str]:
    """Reasons for a rejection, checked and trimmed; none means the usual ones."""
    trimmed = list(dict.fromkeys(reason.strip() for reason in reasons if reason.strip()))
    if len(trimmed) > MOST_REASONS or any(
        len(reason) > 80 or not reason.isprintable() for reason in trimmed
    ):
        raise InputError.tr(
            "A task has at most {count} reasons of up to 80 characters.", count=MOST_REASONS
        )
    return trimmed


def _metric(metric: str, row: TaskRow) -> str:
    """A metric of free text, of a task whose answers may be that."""
    chosen = metric.strip()
    if chosen:
        refuse_unknown(
            chosen, TASK_METRICS, tr_noop("There is no metric “{name}”. Available: {known}.")
        )
    if chosen and row.family not in IN_FREE_TEXT:
        raise InputError.tr(
            "Answers to items of the family {family} are right or wrong; a metric is chosen "
            "where they are free text.", family=word(FAMILIES, row.family)
        )  # fmt: skip
    return chosen


def _outside(session: Session, row: TaskRow, labels: Sequence[str]) -> tuple[int, ...]:
    """Items in the pipeline whose label a label space lacks; an empty space lacks none."""
    return tuple(writing_rows.labelled_otherwise(session, row.id, labels)) if labels else ()


def _write_task(session: Session, row: TaskRow, person: str, change: TaskChange) -> None:
    profile = {**row.profile, **change.changed, "version": change.version}
    benchmarks.set_profile(session, row.id, profile)
    benchmark = benchmarks.benchmark(session, row.benchmark_id).name
    data = {
        "benchmark": benchmark, "version": change.version, "changed": dict(change.changed),
        "before": dict(change.before), "outside": len(change.outside),
    }  # fmt: skip
    ledger.append(session, NewEvent(EventKind.TASK, person, subject=row.name, data=data))


def descriptions(ws: Workspace, task: str, benchmark: str = "") -> tuple[TaskVersion, ...]:
    """Every version of what a task asked for, oldest first."""
    with ws.reading() as session:
        return _history(session, task_in(session, task, benchmark))


def described_at(ws: Workspace, task: str, moment: datetime, benchmark: str = "") -> TaskVersion:
    """What a task asked for at a past moment (aware); its first version before any change."""
    versions = descriptions(ws, task, benchmark)
    earlier = [v for v in versions if not v.at or datetime.fromisoformat(v.at) <= moment]
    return earlier[-1]


def _history(session: Session, row: TaskRow) -> tuple[TaskVersion, ...]:
    """From what counts now back to the beginning: each event says what was before it."""
    benchmark = benchmarks.benchmark(session, row.benchmark_id).name
    events = [
        event
        for event in ledger.of_subject(session, EventKind.TASK, row.name)
        if event.data.get("benchmark") == benchmark and "changed" in event.data
    ]
    texts = described(row.profile)
    versions: list[TaskVersion] = []
    for event in reversed(events):
        versions.append(_as_version(texts, event))
        texts = {**texts, **event.data["before"]}
    return (_as_version(texts, None), *reversed(versions))


def _as_version(texts: Mapping[str, Any], event: LedgerEvent | None) -> TaskVersion:
    labels = tuple(texts["labels"])
    rubric = own_criteria(texts)
    if event is None:
        return TaskVersion(
            1, texts["guideline"], texts["instruction"], labels, reasons=tuple(texts["reasons"]),
            rubric=rubric, judge=texts["judge"], metric=texts["metric"],
        )  # fmt: skip
    return TaskVersion(
        int(event.data["version"]),
        texts["guideline"],
        texts["instruction"],
        labels,
        tuple(event.data["changed"]),
        event.actor,
        event.at,
        tuple(texts["reasons"]),
        rubric,
        texts["judge"],
        texts["metric"],
    )


def _version(versions: Sequence[TaskVersion], task: str, number: int) -> dict[str, Any]:
    for entry in versions:
        if entry.version == number:
            return {
                "guideline": entry.guideline,
                "instruction": entry.instruction,
                "labels": list(entry.labels),
                "reasons": list(entry.reasons),
                "rubric": _stored(entry.rubric),
                "judge": entry.judge,
                "metric": entry.metric,
            }
    raise NotFoundError.tr(
        "“{task}” has no version {number}; the latest is {newest}.",
        task=task,
        number=number,
        newest=versions[-1].version,
    )
