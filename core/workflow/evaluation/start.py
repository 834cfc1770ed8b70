"""Evaluating a model on a frozen split: starting the headless run, and asking again what failed."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import BenchsealError, InputError, OutsideError, StateError
from core.evaluation.engines import ENGINES, engine
from core.evaluation.model_files import require_model_files
from core.evaluation.params import IMPORTED, EvaluateParams
from core.evaluation.types import Engine
from core.i18n import labelled, tr
from core.jobs.folder import RunFolder
from core.jobs.gpus import visible_gpus
from core.jobs.launchers import Launcher, launcher_named, launcher_names
from core.jobs.launchers.slurm_profiles import slurm_profile
from core.own_places import allow_place, model_place
from core.screening.run import forget_failed as forget_failed_records
from core.workflow.labels import run_kind_label
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import locked_runs, runs
from core.workflow.splits import (
    freeze,
    interruptions,
    openings,
    other_copies,
    readings,
    receipts,
    split_states,
)
from core.workflow.splits.prompt_variants import PromptVariants, work_of
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.vocabulary import EventKind


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine, whether it is usable on this machine, and what to install where it is not."""

    name: str
    title: str
    usable: bool
    reason: str
    answers_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunTargets:
    """Where evaluations can run from this workspace."""

    engines: tuple[EngineInfo, ...]
    launchers: tuple[str, ...]
    gpus: int


def run_targets(ws: Workspace | None) -> RunTargets:
    """The engines, the launchers (of a workspace, where one is given) and this machine's GPUs."""
    engines: list[EngineInfo] = []
    for candidate in ENGINES:
        availability = candidate.available()
        engines.append(
            EngineInfo(
                candidate.name,
                tr(candidate.title),
                availability.usable,
                availability.reason,
                candidate.answers_by,
            )
        )
    launchers = launcher_names(ws.place.folder if ws else None)
    return RunTargets(tuple(engines), launchers, len(visible_gpus()))


def start(
    ws: Workspace,
    split: str,
    params: EvaluateParams,
    *,
    shards: int = 1,
    launcher: str = "local",
    gpus: int | None = None,
    person: str = "",
) -> RunFolder:
    """Make the run folder, which holds questions without keys, and start its workers.

    ``launcher`` is ``local`` or, say, ``slurm:PROFILE``. ``gpus`` is what each worker on this
    machine takes, None for what the engine needs; a profile says its own. In which ways each item
    is asked, ``params`` say (``variants``, ``templates``, ``shots``). A judge in ``params`` judges
    the answers when they are there.
    The ledger says that ``person`` read the split by it. Raises RightsError for somebody who may
    not evaluate.
    """
    refuse_early(ws, person, Action.EVALUATE)
    params, starter = checked_engine(ws, params, launcher, gpus)
    info = checked_split(ws, split, starter.name)
    openings.refuse_early(ws, split, params.model or params.engine)
    folder = create(ws, params, info, starter.name, shards, person=person)
    starter.start(folder, min(shards, max(1, folder.spec().total)))
    return folder


def prepare(ws: Workspace, split: str, params: EvaluateParams, *, person: str = "") -> RunFolder:
    """Make the run folder as ``start`` does, for workers on machines elsewhere; none starts here.

    The engine and the model's files may be missing here. Raises as ``start``.
    """
    refuse_early(ws, person, Action.EVALUATE)
    engine(params.engine)
    if params.judge is not None:
        params.judge.server()
    info = checked_split(ws, split, "local")
    openings.refuse_early(ws, split, params.model or params.engine)
    return create(ws, params, info, "local", 1, person=person)


def checked_engine(
    ws: Workspace, params: EvaluateParams, launcher: str, gpus: int | None
) -> tuple[EvaluateParams, Launcher]:
    """The parameters as a launcher's workers are given them, and the launcher.

    Raises what ``Engine.require`` and ``Launcher.require`` raise.
    """
    runner = engine(params.engine)
    params = _for_launcher(ws, launcher, params)
    if runner.needs_model and not runner.needs_server:
        for named in (params.model, params.adapter):
            allow_place(model_place(named))
    needed = runner.gpus(params) if gpus is None else gpus
    starter = launcher_named(launcher, ws.place.folder, needed)
    _require_engine(runner, params, launcher)
    starter.require()
    if params.judge is not None:
        params.judge.server()
    return params, starter


def checked_split(ws: Workspace, split: str, launcher: str) -> freeze.SplitInfo:
    """A split that can be asked by a launcher; StateError for any other one."""
    info = freeze.info(ws, split)
    freeze.refuse_sealed(info)
    locked_runs.refuse_elsewhere(ws, split, launcher)
    refuse_changed(ws, split)
    return info


def create(
    ws: Workspace,
    params: EvaluateParams,
    info: freeze.SplitInfo,
    launcher: str,
    shards: int,
    *,
    person: str = "",
    like: RunFolder | None = None,
    details: Mapping[str, Any] | None = None,
) -> RunFolder:
    """Create a run of one model on a split and enter it in the workspace; no worker starts.

    ``like`` is a run that asks the same split in the same way; both share one copy of the
    questions. ``details`` go into the event of the ledger.
    """
    split = info.name
    prompt_variants = PromptVariants.of(
        params.variants, params.templates, params.shots, params.shots_from, params.orders
    )
    work = like or work_of(
        ws,
        split,
        prompt_variants,
        instruction=params.instruction,
        seed=params.seed,
        answer_by=params.answer_by,
    )
    params = params.model_copy(update={"split": split, "split_digest": info.manifest_hash})
    origin = {"benchmark": info.benchmark, "split": split}
    sent = params.model_copy(update={"judge": None, "shots_from": ""})
    folder = locked_runs.create(
        ws, "evaluate", sent, work, split, model=params.model or params.engine, origin=origin
    )
    shards = min(shards, max(1, folder.spec().total))  # a worker more would have nothing to do
    remember(ws, folder, params, info, launcher, shards, person=person, details=details)
    return folder


def _for_launcher(ws: Workspace, launcher: str, params: EvaluateParams) -> EvaluateParams:
    """On several machines a shard's model is spread by Ray, which vLLM has to be told."""
    kind, _, name = launcher.partition(":")
    if kind != "slurm" or not name or slurm_profile(ws.place.folder, name).nodes == 1:
        return params
    if not params.engine.startswith("vllm"):
        raise InputError.tr(
            "Profile “{profile}” gives each shard several machines; only the vLLM "
            "engines can use them.",
            profile=name,
        )
    args = {"distributed_executor_backend": "ray", **params.engine_args}
    return params.model_copy(update={"engine_args": args})


def _require_engine(runner: Engine, params: EvaluateParams, launcher: str) -> None:
    try:
        runner.require(params)
    except OutsideError:
        # what is missing here may well be installed where a cluster's workers run
        if launcher == "local":
            raise
    if launcher == "local":
        require_model_files(runner, params)


def refuse_changed(ws: Workspace, split: str) -> None:
    """StateError for a split that differs from what was frozen."""
    differences = freeze.check(ws, split)
    if differences:
        raise StateError.tr(
            "Split “{name}” has changed since it was frozen and cannot be evaluated: {first}",
            name=split,
            first=labelled(differences[0].subject, differences[0].detail),
        )


def remember(
    ws: Workspace,
    folder: RunFolder,
    params: EvaluateParams,
    info: freeze.SplitInfo,
    launcher: str,
    shards: int,
    *,
    person: str = "",
    details: Mapping[str, Any] | None = None,
) -> None:
    """Enter an evaluation's run in the workspace and the ledger, where it counts as a reading.

    Raises StateError where the split was sealed meanwhile; then there is no run folder either.
    """
    with other_copies.one_at_a_time(ws, info.name), interruptions.receipt_due(ws, info.name):
        try:
            with writing_as(ws, person, Action.EVALUATE) as (session, actor):
                row = split_states.split_in(session, info.name, lock=True)
                freeze.refuse_sealed(freeze.info_in(ws, session, info.name))
                openings.refuse_unopened(ws, session, info.name, params.model or params.engine)
                promise = receipts.promise(session, info.name)
                event = runs.enter(
                    session,
                    folder,
                    tr("{split} · {model}", split=info.name, model=params.model or params.engine),
                    details={
                        **readings.reading_facts(session, row, folder.each_work_id()),
                        **promise,
                        **(details or {}),
                    },
                    params=params.model_dump(mode="json"),
                    benchmark_id=row.benchmark_id,
                    split_id=row.id,
                    launcher=launcher,
                    shards=shards,
                    actor=actor.name,
                )
        except BenchsealError:
            shutil.rmtree(folder.path, ignore_errors=True)
            raise
        if promise:
            receipts.issue(ws, info.name, event)


def forget_failed(ws: Workspace, name: str) -> int:
    """Let the failed questions of a run be asked again when it is resumed; how many there are.

    Raises StateError for another kind of run and for a sealed split, ConflictError while it is
    running, InputError for a run that was taken in from another harness.
    """
    row = runs.find(ws, name)
    if row.kind not in ("evaluate", "judge", "pairwise"):
        raise StateError.tr(
            "Only evaluation and judging runs can retry failed questions; “{run}” is of the "
            "kind {kind}.", run=row.id, kind=run_kind_label(row.kind)
        )  # fmt: skip
    if str(row.params.get("engine", "")).startswith(IMPORTED):
        raise InputError.tr(
            "Run “{run}” was imported from another program; its questions cannot be retried "
            "here.",
            run=row.id
        )  # fmt: skip
    runs.refuse_sealed(ws, row)
    refuse_early(ws, "", Action.EVALUATE)
    forgotten = forget_failed_records(runs.folder_of(ws, row.id))
    if forgotten:
        with writing_as(ws, "", Action.EVALUATE) as (session, actor):
            run_rows.reopen(session, row.id)
            event = ledger.NewEvent(
                EventKind.RUN, actor.name, subject=row.id, data={"asked_again": forgotten}
            )
            ledger.append(session, event)
    return forgotten
