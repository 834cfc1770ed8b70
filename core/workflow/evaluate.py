"""Evaluating a model on a frozen split: starting the headless run, taking it in, reporting."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import InputError, OutsideError, StateError
from core.evaluation.base import Engine
from core.evaluation.engines import ENGINES, engine
from core.evaluation.run import EvaluateParams
from core.evaluation.scoring import Report, regraded, score
from core.jobs.folder import RunFolder
from core.jobs.gpus import visible_gpus
from core.jobs.launchers import launcher_named
from core.jobs.launchers.profiles import read_profiles, slurm_profile
from core.release.manifest import SplitItem
from core.screening.run import forget_failed as forget_failed_records
from core.text import tr
from core.workflow import freeze, grading, judging, runs
from core.workflow.variants import Ways, keys_by_id, work_of
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.runs import AnswerRow
from db.vocabulary import EventKind, SplitState


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine, whether it is usable on this machine, and what to install where it is not."""

    name: str
    title: str
    usable: bool
    reason: str
    answers_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Where evaluations can run from this workspace."""

    engines: tuple[EngineInfo, ...]
    launchers: tuple[str, ...]
    gpus: int


def places(ws: Workspace | None) -> Places:
    """The engines, the launchers (of a workspace, where one is given) and this machine's GPUs."""
    found: list[EngineInfo] = []
    for one in ENGINES:
        here = one.available()
        found.append(EngineInfo(one.name, tr(one.title), here.usable, here.reason, one.answers_by))
    profiles = read_profiles(ws.place.folder) if ws else {}
    launchers = ("local", *(f"slurm:{name}" for name in profiles))
    return Places(tuple(found), launchers, len(visible_gpus()))


def start(
    ws: Workspace,
    split: str,
    params: EvaluateParams,
    *,
    shards: int = 1,
    launcher: str = "local",
    gpus: int | None = None,
    variants: bool = False,
) -> RunFolder:
    """Make the run folder, which holds questions without keys, and start its workers.

    ``launcher`` is ``local`` or ``slurm:PROFILE``. ``gpus`` is what each worker on this machine
    takes, None for what the engine needs; a Slurm profile says its own. In which ways each item
    is asked, ``params`` say (``variants``, ``templates``, ``shots``); ``variants`` true stands for
    every instruction of each task. A judge in ``params`` judges the answers when they are there.
    """
    if variants and not params.variants:
        params = params.model_copy(update={"variants": "all"})
    chosen = engine(params.engine)
    params = _for_launcher(ws, launcher, params)
    needed = chosen.gpus(params) if gpus is None else gpus
    way = launcher_named(launcher, ws.place.folder, needed)
    _require_engine(chosen, params, launcher)
    way.require()
    info = freeze.info(ws, split)
    freeze.refuse_sealed(info)
    _refuse_changed(ws, split)
    if params.judge is not None:
        params.judge.server()
    ways = Ways.of(params.variants, params.templates, params.shots, params.shots_from)
    work = list(work_of(ws, split, ways, instruction=params.instruction, seed=params.seed))
    params = params.model_copy(update={"split": split, "split_digest": info.manifest_hash})
    origin = {"benchmark": info.benchmark, "split": split}
    sent = params.model_copy(update={"judge": None, "shots_from": ""})
    folder = RunFolder.create(ws.runs, "evaluate", sent, work, origin=origin)
    remember(ws, folder, params, info, way.name, shards)
    way.start(folder, shards)
    return folder


def _for_launcher(ws: Workspace, launcher: str, params: EvaluateParams) -> EvaluateParams:
    """On several machines a shard's model is spread by Ray, which vLLM has to be told."""
    kind, _, name = launcher.partition(":")
    if kind != "slurm" or not name or slurm_profile(ws.place.folder, name).nodes == 1:
        return params
    if not params.engine.startswith("vllm"):
        raise InputError(
            tr(
                "The profile “{profile}” gives each shard several machines; only vLLM's engines "
                "can use them.",
                profile=name,
            )
        )
    args = {"distributed_executor_backend": "ray", **params.engine_args}
    return params.model_copy(update={"engine_args": args})


def _require_engine(chosen: Engine, params: EvaluateParams, launcher: str) -> None:
    try:
        chosen.require(params)
    except OutsideError:
        # what is missing here may well be installed where a cluster's workers run
        if launcher == "local":
            raise


def _refuse_changed(ws: Workspace, split: str) -> None:
    differences = freeze.check(ws, split)
    if differences:
        raise StateError(
            tr(
                "The split “{name}” is not as it was frozen: {first}. It cannot be evaluated.",
                name=split,
                first=f"{differences[0].subject}: {differences[0].detail}",
            )
        )


def remember(
    ws: Workspace,
    folder: RunFolder,
    params: EvaluateParams,
    info: freeze.SplitInfo,
    launcher: str,
    shards: int,
) -> None:
    """Enter an evaluation's run in the workspace and the ledger."""
    run_id = folder.spec().id
    with ws.writing() as session:
        row = freeze.split_in(session, info.name)
        run_rows.add(
            session,
            run_id,
            "evaluate",
            benchmark_id=row.benchmark_id,
            split_id=row.id,
            title=tr("{split} · {model}", split=info.name, model=params.model or params.engine),
            params=params.model_dump(mode="json"),
            launcher=launcher,
            shards=shards,
        )
        ledger.append(
            session,
            ledger.NewEvent(
                EventKind.RUN, "", subject=run_id, data={"kind": "evaluate", "split": info.name}
            ),
        )


def report(
    ws: Workspace, name: str, *, partial: bool = False, metric: grading.ChosenMetric | None = None
) -> Report:
    """Score a run against the split's keys, and take its answers in once it is finished.

    A run that was to be judged is given to its judge when its answers are there. The judge's scores
    replace right and wrong once every answer is judged (``origin["judge"]`` tells how far that
    is); until then they do not count. With ``metric`` answers in free text are measured by it
    (``grading.measured_with``).
    """
    row = runs.find(ws, name)
    if row.kind != "evaluate":
        raise StateError(
            tr("The run “{run}” is no evaluation, it is: {kind}.", run=row.id, kind=row.kind)
        )
    folder = runs.folder_of(ws, row.id)
    params = EvaluateParams.model_validate(row.params)
    with _few_collections():
        scored = _scored(ws, row.id, folder, params, partial=partial)
        if folder.result() is not None:
            _take_in(ws, row.id, scored)
            _begin_judging(ws, row.id, params)
        judged = _with_judge(ws, scored, row.id)
        if metric is None:
            return judged
        members = {member.uid: member for member in freeze.members_of(ws, params.split)}
        return grading.measured_with(ws, members, judged, metric)


def _scored(
    ws: Workspace, run_id: str, folder: RunFolder, params: EvaluateParams, *, partial: bool
) -> Report:
    result = folder.result() or {}
    members = freeze.members_of(ws, params.split)
    scored = score(
        keys_by_id(members, folder.work_ids()),
        folder.records().values(),
        split=params.split,
        engine=params.engine,
        model=params.model or params.engine,
        partial=partial,
        origin={
            "run": run_id,
            "split_digest": params.split_digest,
            "versions": result.get("versions", {}),
            "resumed": result.get("resumed", 0),
        },
    )
    return _by_metric(ws, scored, members)


def _by_metric(ws: Workspace, scored: Report, members: Sequence[SplitItem]) -> Report:
    """The report with the scores of tasks that are not measured by right and wrong."""
    benchmark = freeze.info(ws, scored.split).benchmark
    by_uid = {member.uid: member for member in members}
    scores, measured = grading.metric_scores(ws, by_uid, scored, benchmark)
    if not scores:
        return scored
    return regraded(replace(scored, origin={**scored.origin, "measured_by": measured}), scores)


def _begin_judging(ws: Workspace, run_id: str, params: EvaluateParams) -> None:
    """Ask the judge that was named at the start, unless the split was sealed since."""
    if params.judge is None or judging.judged(ws, run_id) is not None:
        return
    if freeze.info(ws, params.split).state != SplitState.SEALED:
        judging.start(ws, run_id, params.judge)


def _with_judge(ws: Workspace, scored: Report, run_id: str) -> Report:
    found = judging.judged(ws, run_id)
    if found is None:
        return scored
    judging.take_in(ws, run_id, found)
    scored = replace(scored, origin={**scored.origin, "judge": dict(found.document)})
    return regraded(scored, found.scores)


def forget_failed(ws: Workspace, name: str) -> int:
    """Let the failed questions of a run be asked again when it is resumed; how many there are.

    Raises StateError for another kind of run, ConflictError while it is running, InputError for
    a run that was taken in from another harness.
    """
    row = runs.find(ws, name)
    if row.kind not in ("evaluate", "judge"):
        raise StateError(
            tr("Only evaluations and judgings ask failed questions again; “{run}” is of the kind "
               "{kind}.", run=row.id, kind=row.kind)
        )  # fmt: skip
    if str(row.params.get("engine", "")).startswith("import:"):
        raise InputError(
            tr("The run “{run}” was taken in from another program; it cannot be asked again here.",
               run=row.id)
        )  # fmt: skip
    forgotten = forget_failed_records(runs.folder_of(ws, row.id))
    if forgotten:
        with ws.writing() as session:
            run_rows.reopen(session, row.id)
            data = {"asked_again": forgotten}
            ledger.append(session, ledger.NewEvent(EventKind.RUN, "", subject=row.id, data=data))
    return forgotten


@contextmanager
def _few_collections() -> Iterator[None]:
    """A report makes a million small objects that all stay and hold no cycles: looking through
    them again and again would take a fifth of its time."""
    before = gc.get_threshold()
    gc.set_threshold(1_000_000, before[1], before[2])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _take_in(ws: Workspace, run_id: str, scored: Report) -> None:
    """Keep every answer with its item; a second time changes nothing."""
    with ws.writing() as session:
        row = run_rows.get(session, run_id, lock=True)
        if row is None or row.taken_in_at is not None:
            return
        rows = [
            AnswerRow(
                run_id,
                int(one.id.partition("#")[0]),
                one.variant,
                one.outcome,
                one.text,
                one.predicted,
                one.score,
            )
            for one in scored.scores
        ]
        known = {(one.item_id, one.variant): one for one in run_rows.answers_of(session, run_id)}
        run_rows.add_answers(session, [r for r in rows if (r.item_id, r.variant) not in known])
        changed = [r for r in rows if known.get((r.item_id, r.variant), r).outcome != r.outcome]
        run_rows.replace_answers(session, changed)
        run_rows.mark_taken_in(session, run_id, _summary(scored))
        ledger.append(
            session,
            ledger.NewEvent(EventKind.RUN, "", subject=run_id, data={"taken_in": len(rows)}),
        )


def _summary(scored: Report) -> dict[str, Any]:
    return {
        name: value
        for name, value in scored.as_json().items()
        if name in ("items", "answered", "missing", "unparsed", "accuracy", "stderr")
    }


def reports(ws: Workspace) -> tuple[Report, ...]:
    """The reports of all finished evaluations, newest first."""
    finished = [
        info
        for info in runs.runs(ws)
        if info.kind == "evaluate" and info.state == "finished" and Path(info.folder).is_dir()
    ]
    return tuple(report(ws, info.id) for info in finished)
