"""The gate: asking a language model to score drafts, and taking its verdicts in."""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from core.errors import InputError, NotFoundError, StateError
from core.families.base import ItemContent
from core.i18n import trn
from core.jobs.earlier_run import name_of_earlier
from core.jobs.folder import RunFolder
from core.jobs.launchers import launcher_named
from core.llm.keys import variable_of
from core.screening.run import PrescreenParams, ScreeningRecord, summary
from core.workflow.check.generated_items import drafts_by_work_id
from core.workflow.people import benchmark_in
from core.workflow.protocols import ProtocolSettings, settings_of
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import bound_files, runs
from core.workflow.short_steps import ShortSteps
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger, screenings
from db import runs as run_rows
from db.engine import Session
from db.items import ItemRow
from db.vocabulary import EventKind, ItemState, ScreeningOutcome


@dataclass(frozen=True, slots=True)
class _Results:
    """What a run found, and the revisions it was about, by item. ``held_by`` is who started it,
    where its items are yet to become its own; None where they are."""

    records: Mapping[int, ScreeningRecord]
    revisions: Mapping[int, int]
    held_by: str | None = None


@dataclass(frozen=True, slots=True)
class ScreeningPlan:
    """What would be screened: ``failed`` of the ``drafts`` got no usable reply before, and
    ``in_queue`` of them are open to reviewers now and will not be until the run ends.

    ``thresholds`` are those of the tasks' protocols; the rest is what was asked last, if anything.
    """

    drafts: int
    failed: int
    thresholds: Mapping[str, float]
    base_url: str = ""
    model: str = ""
    key_env: str = ""
    in_queue: int = 0


def plan(ws: Workspace, benchmark: str, task: str = "") -> ScreeningPlan:
    """What ``start`` would send to the language model now."""
    coming = _screened_elsewhere(ws)
    with ws.reading() as session:
        benchmark_row = benchmark_in(session, benchmark)
        drafts = _to_screen(session, benchmark_row.id, task, coming)
        tasks = benchmarks.tasks(session, benchmark_row.id)
        before = [row for row in run_rows.all_runs(session) if row.kind == "prescreen"]
        failed = len(screenings.failed_among(session, [item.id for item in drafts]))
    task_ids = {item.task_id for item in drafts}
    thresholds = {
        row.name: settings_of(row.protocol).threshold for row in tasks if row.id in task_ids
    }
    last = _last_params(before[0].params) if before else None
    known = (last.base_url, last.model, variable_of(last.base_url)) if last else ("", "", "")
    in_queue = sum(item.open_slots > 0 for item in drafts)
    return ScreeningPlan(len(drafts), failed, thresholds, *known, in_queue=in_queue)


def _last_params(params: Mapping[str, Any]) -> PrescreenParams | None:
    """What was asked last, to be proposed again; nothing where another version stored it."""
    try:
        return PrescreenParams.model_validate(params)
    except ValidationError:
        return None


def start(
    ws: Workspace,
    benchmark: str,
    params: PrescreenParams,
    task: str = "",
    *,
    only_failed: bool = False,
    launcher: str = "local",
    shards: int = 1,
) -> RunFolder:
    """Send all drafts of a benchmark, or of one task, through the gate, as a run.

    With ``only_failed`` those alone that were asked about and gave no usable reply.

    When an earlier run with the same server, model and threshold still holds items of this
    benchmark, that run is taken up again, so that no finished item is asked twice; one with
    others is closed first. Raises StateError when there is nothing to screen.

    ``launcher`` is ``local`` or, say, ``slurm:PROFILE``; raises what ``Launcher.require`` raises.
    """
    refuse_early(ws, "", Action.MAKE_ITEMS)
    params.server()
    starter = launcher_named(launcher, ws.place.folder)
    starter.require()
    unfinished = _unfinished(ws, benchmark)
    if unfinished is not None:
        if unfinished.is_running():
            return unfinished
        if same_question(unfinished, params, task):
            shards = min(shards, unfinished.spec().total)
            starter.start(unfinished, shards)
            runs.launched(ws, unfinished.spec().id, starter, shards)
            return unfinished
        close(ws, unfinished.spec().id)
    coming = _screened_elsewhere(ws)
    with ws.reading() as session:
        benchmark_row = benchmark_in(session, benchmark)
        drafts = _to_screen(session, benchmark_row.id, task, coming)
        if only_failed:
            failed = screenings.failed_among(session, [item.id for item in drafts])
            drafts = [item for item in drafts if item.id in failed]
        contents = items.contents(session, [item.id for item in drafts])
    if not drafts:
        _refuse_coming(ws, benchmark_row.id, task)
        raise StateError.tr(
            "Nothing in “{benchmark}” is waiting for screening.", benchmark=benchmark
        )
    work = [_work(item, contents[item.id]) for item in drafts]
    folder = RunFolder.create(
        ws.runs, "prescreen", params, work, origin={"benchmark": benchmark, "task": task}
    )
    shards = min(shards, len(work))
    _hold(ws, folder, benchmark_row.id, {item.id: item.revision for item in drafts}, params)
    starter.start(folder, shards)
    runs.launched(ws, folder.spec().id, starter, shards)
    return folder


def _work(item: ItemRow, content: items.RevisionRow) -> dict[str, Any]:
    whole = ItemContent(item.family, item.format, content.payload, content.provenance, item.domain)
    return {"id": str(item.id), "revision": item.revision, "item": whole.as_json()}


def _to_screen(
    session: Session, benchmark_id: int, only: str, coming: Collection[str]
) -> list[ItemRow]:
    """Drafts of tasks with a gate; not those which can never be approved anyway, nor what the runs
    ``coming`` generated."""
    gated = {
        task.id
        for task in benchmarks.tasks(session, benchmark_id)
        if settings_of(task.protocol).gate != "off" and only in ("", task.name)
    }
    drafts = items.in_state(session, (ItemState.DRAFT,), benchmark_id=benchmark_id)
    return [item for item in drafts if item.task_id in gated and item.run_id not in coming]


def _refuse_coming(ws: Workspace, benchmark_id: int, only: str) -> None:
    """StateError where a screening that came after a generation is all that is waited for."""
    with ws.reading() as session:
        drafts = _to_screen(session, benchmark_id, only, ())
    made_by = {item.run_id for item in drafts}
    for folder, of in unfinished_after_generations(ws):
        if of in made_by:
            raise StateError.tr(
                "All that is waiting here is screened by run “{run}”. Resume it, or remove it: "
                "benchseal run remove {run} --reason REASON",
                run=folder.spec().id,
            )


def _screened_elsewhere(ws: Workspace) -> set[str]:
    """The generations whose items a screening of their own is about."""
    return {of for _, of in unfinished_after_generations(ws)}


def _unfinished(ws: Workspace, benchmark: str) -> RunFolder | None:
    for info in runs.runs(ws):
        if info.kind != "prescreen" or info.taken_in:
            continue
        folder = runs.folder_of(ws, info.id)
        try:
            if not folder.has_spec() or folder.spec().origin.get("benchmark") != benchmark:
                continue
            if folder.result() is not None:
                take_in(ws, info.id)
            elif not folder.spec().after:
                return folder
        except (InputError, NotFoundError):
            continue  # no reason to screen nothing else; doctor frees what it holds
    return None


def unfinished_after_generations(ws: Workspace) -> list[tuple[RunFolder, str]]:
    """The screenings that are not taken in and come after a generation, with its name."""
    with ws.reading() as session:
        rows = [row for row in run_rows.all_runs(session) if row.kind == "prescreen"]
    found = []
    for row in rows:
        folder = runs.folder_of(ws, row.id)
        if row.taken_in_at is None and (of := name_of_earlier(folder)):
            found.append((folder, of))
    return found


def same_question(folder: RunFolder, params: PrescreenParams, task: str) -> bool:
    """Whether a run asks the same model the same about the same tasks."""
    if folder.spec().origin.get("task", "") != task:
        return False
    before = PrescreenParams.model_validate(folder.spec().params)
    fields = ("base_url", "model", "threshold", "budget_tokens")
    return all(getattr(before, name) == getattr(params, name) for name in fields)


def close(ws: Workspace, name: str) -> None:
    """Give up an unfinished run: take in what it has, and let its other items be drafts again."""
    row = runs.find(ws, name)
    refuse_early(ws, "", Action.RUN)
    folder = runs.folder_of(ws, row.id)
    if folder.is_running():
        runs.launcher_of(ws, row).stop(folder)
    params = runs.params_of(row, PrescreenParams)
    results = _read_run(ws, folder, row.params)
    _take_in_parts(ws, row.id, params, results)
    with _ending(ws, row.id) as session:
        if session is not None:
            run_rows.mark_taken_in(session, row.id, _summary(folder))


@contextmanager
def _ending(ws: Workspace, run_id: str) -> Iterator[Session | None]:
    """A transaction with the run's row locked; None where the run was taken in before."""
    with ws.writing() as session:
        run = run_rows.get(session, run_id, lock=True)
        yield session if run is not None and run.taken_in_at is None else None


def _take_in_parts(
    ws: Workspace,
    run_id: str,
    params: PrescreenParams,
    results: _Results,
) -> None:
    """Bring the verdicts to their items, and let the other items go, in transactions for which
    nobody waits. What an earlier one has done, before it was killed, stays as it is."""
    records = results.records
    steps = ShortSteps()
    for part in steps.parts(sorted(results.revisions)):
        with _ending(ws, run_id) as session:
            if session is None:
                return
            steps.begin()
            done = screenings.screened_by(session, run_id, part)
            own = {number: records[number] for number in part
                   if number in records and number not in done}  # fmt: skip
            if results.held_by is not None:
                present = {number: results.revisions[number] for number in own}
                _move_to_screening(session, run_id, present, results.held_by)
            _take_in(session, run_id, params, own, results.revisions)
            _let_go(session, run_id, [number for number in part if number not in records])
        steps.end()


def abandon(ws: Workspace, name: str, ids: Sequence[int]) -> None:
    """Give up a run whose folder cannot be read, and let these items be drafts again.

    Without a name only the items are let go.
    """
    steps = ShortSteps()
    for part in steps.parts(ids):
        with ws.writing() as session:
            steps.begin()
            _let_go(session, name, part)
        steps.end()
    if name:
        with ws.writing() as session:
            run_rows.mark_taken_in(session, name, summary([], len(ids)))


def _read_run(ws: Workspace, folder: RunFolder, params: Mapping[str, Any]) -> _Results:
    """What a run found, which was started with these parameters.

    A record that makes no sense counts as failed, so that its item is free again. InputError where
    the folder is damaged.
    """
    earlier = name_of_earlier(folder)
    with ws.reading() as session:
        start = runs.start_of(session, folder.path.name)
    if start is not None and start.data.get("after", "") != earlier:
        raise folder.files.damaged("spec.json")
    if earlier:
        return _read_after(ws, folder, params)
    try:
        revisions = {int(work["id"]): int(work["revision"]) for work in folder.work()}
    except (KeyError, TypeError, ValueError) as error:
        raise folder.files.damaged("work.jsonl") from error
    records: dict[int, ScreeningRecord] = {}
    for id_, record in folder.records().items():
        if id_.isdecimal() and int(id_) in revisions:
            records[int(id_)] = ScreeningRecord.of(record)
    return _Results(records, revisions)


def _read_after(ws: Workspace, folder: RunFolder, params: Mapping[str, Any]) -> _Results:
    """As ``_read_run``, of a run that came after a generation: its items become its own now."""
    spec = folder.spec()
    if spec.params != params:
        raise folder.files.damaged("spec.json")  # its digest was not known when it was started
    found = drafts_by_work_id(ws, folder)
    records: dict[int, ScreeningRecord] = {}
    revisions: dict[int, int] = {}
    for id_, record in folder.records().items():
        if (item := found.get(id_)) is not None:
            records[item.id] = ScreeningRecord.of(record)
            revisions[item.id] = item.revision
    with ws.reading() as session:
        return _Results(records, revisions, held_by=runs.starter_in(session, spec.id))


def _summary(folder: RunFolder) -> dict[str, Any]:
    known = set(folder.each_work_id())
    records = [
        ScreeningRecord.of(record).model_dump()
        for id_, record in folder.records().items()
        if id_ in known
    ]
    return summary(records, len(known))


def _let_go(session: Session, run_id: str, ids: Sequence[int]) -> None:
    moves = []
    for item in items.get_many(session, ids, lock=True):
        if item.state == ItemState.SCREENING:
            protocol = settings_of(benchmarks.task(session, item.task_id).protocol)
            values = _values(ScreeningOutcome.FAILED, protocol, audited=False)
            moves.append(Move(item, values, {"run": run_id, "outcome": "not_asked"}))
    apply(session, EventKind.SCREENED, "", moves)


def _hold(
    ws: Workspace,
    folder: RunFolder,
    benchmark_id: int,
    revisions: Mapping[int, int],
    params: PrescreenParams,
) -> None:
    """Remember the run and move the drafts to ``screening``, in short transactions."""
    run_id = folder.spec().id
    with writing_as(ws, "", Action.MAKE_ITEMS) as (session, actor):
        title = trn("1 item · {model}", "{n} items · {model}", len(revisions), model=params.model)
        runs.enter(session, folder, title, benchmark_id=benchmark_id, actor=actor.name)
    steps = ShortSteps()
    for part in steps.parts(list(revisions)):
        with writing_as(ws, "", Action.MAKE_ITEMS) as (session, actor):
            steps.begin()
            present = {number: revisions[number] for number in part}
            _move_to_screening(session, run_id, present, actor.name)
        steps.end()


def _move_to_screening(
    session: Session, run_id: str, revisions: Mapping[int, int], actor: str
) -> None:
    """Hold the drafts among some items that still have these revisions."""
    values = {"state": ItemState.SCREENING, "open_slots": 0}
    moves = [
        Move(item, values, {"run": run_id})
        for item in items.get_many(session, list(revisions), lock=True)
        if item.state == ItemState.DRAFT and item.revision == revisions[item.id]
    ]
    apply(session, EventKind.SCREENING_STARTED, actor, moves)


def take_in(ws: Workspace, name: str) -> dict[str, Any]:
    """Bring a finished run's verdicts to its items; a second time changes nothing.

    Returns the run's summary. Passed items go to review, screened-out ones leave (but for the
    random share that people see anyway, blind); items without a usable reply become drafts again.
    """
    row = runs.find(ws, name)
    folder = runs.folder_of(ws, row.id)
    result = folder.result()
    if result is None:
        raise StateError.tr("Run “{run}” is not finished; resume it first.", run=row.id)
    files = bound_files.taken_in(folder.path) if row.taken_in_at is None else {}
    params = runs.params_of(row, PrescreenParams)
    results = _read_run(ws, folder, row.params)
    _take_in_parts(ws, row.id, params, results)
    with _ending(ws, row.id) as session:
        if session is not None:
            run_rows.mark_taken_in(session, row.id, result)
            ledger.append(session, bound_files.event(row.id, len(results.records), files))
    return result


def _take_in(
    session: Session,
    run_id: str,
    params: PrescreenParams,
    records: Mapping[int, ScreeningRecord],
    revisions: Mapping[int, int],
) -> None:
    protocols: dict[int, ProtocolSettings] = {}
    moves, rows = [], []
    for item in items.get_many(session, list(records), lock=True):
        record = records[item.id]
        revision = revisions[item.id]
        if item.task_id not in protocols:
            protocols[item.task_id] = settings_of(benchmarks.task(session, item.task_id).protocol)
        protocol = protocols[item.task_id]
        audited = _is_audited(run_id, item.id, record.outcome, protocol.gate_audit_share)
        rows.append(_row(run_id, item.id, revision, record, params, audited))
        if item.state == ItemState.SCREENING and item.revision == revision:
            values = _values(record.outcome, protocol, audited)
            data = {
                "run": run_id,
                "outcome": record.outcome,
                "score": record.score,
                "threshold": params.threshold,
            }
            moves.append(Move(item, values, data))
    screenings.add(session, rows)
    apply(session, EventKind.SCREENED, "", moves)


def _is_audited(run_id: str, item_id: int, outcome: str, share: float) -> bool:
    """Whether people see a screened-out item anyway: drawn by the run's and the item's names."""
    if outcome != ScreeningOutcome.SCREENED_OUT:
        return False
    return random.Random(f"{run_id}/{item_id}").random() < share


def _row(
    run_id: str,
    item_id: int,
    revision: int,
    record: ScreeningRecord,
    params: PrescreenParams,
    audited: bool,
) -> dict[str, Any]:
    return {
        "item_id": item_id,
        "revision": revision,
        "run_id": run_id,
        "outcome": record.outcome,
        "score": record.score,
        "threshold": params.threshold,
        "rationale": record.reasons,
        "model": record.model or params.model,
        "prompt_version": record.prompt_version,
        "audited": audited,
        "tokens": record.tokens,
    }


def _values(outcome: str, protocol: ProtocolSettings, audited: bool) -> dict[str, Any]:
    if outcome == ScreeningOutcome.PASSED or audited:
        return {"state": ItemState.IN_REVIEW, "open_slots": protocol.overlap}
    if outcome == ScreeningOutcome.SCREENED_OUT:
        return {"state": ItemState.SCREENED_OUT}
    open_slots = protocol.overlap if protocol.gate == "optional" else 0
    return {"state": ItemState.DRAFT, "open_slots": open_slots}


def counts(ws: Workspace, name: str) -> dict[str, Any]:
    """The summary of a screening run so far, finished or not."""
    folder = runs.folder_of(ws, runs.find(ws, name).id)
    return folder.result() or _summary(folder)
