"""Contamination simulation: from a split or files to a grid of runs, started or resumed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import InputError, NotFoundError, StateError
from core.families.base import ItemContent
from core.finetuning.grid import PlannedGrid, check_model, checked, prepare
from core.finetuning.params import FinetuneParams
from core.finetuning.run import DatasetInput
from core.finetuning.train import require_packages
from core.i18n import listed, tr
from core.jobs.launchers import launcher_named
from core.own_places import allow_place, model_place
from core.sources.labelled.dataset_files import read_labelled
from core.sources.labelled.datasets import (
    TASKS,
    LabelledExample,
    LabelledTask,
    labelled_task,
    own_task,
)
from core.workflow.analysis.coreeval_scores import SET_NAMES
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import bound_files, runs
from core.workflow.splits import freeze, openings, readings
from core.workflow.workspace import Workspace
from db import ledger, splits
from db import runs as run_rows
from db.engine import Session


@dataclass(frozen=True)
class SimulationData:
    """Where the sets come from: a split's rewrites, or files by set name.

    A key of ``train`` is a set's name, or empty for all sets.
    """

    split: str = ""
    test: Mapping[str, Path] | None = None
    train: Mapping[str, Path] | None = None


def task_named(name: str, labels: Sequence[str] = ()) -> LabelledTask:
    """A built-in task, or one's own where its labels are given."""
    if labels and name.strip().lower() not in {task.name for task in TASKS}:
        return own_task(name, tuple(labels))
    return labelled_task(name)


def read_sets(
    ws: Workspace, task: LabelledTask, names: Sequence[str], data: SimulationData
) -> dict[str, DatasetInput]:
    """The examples of every named set; InputError for one without any."""
    paths = dict(data.test or {})
    split = data.split
    if not split and any(name not in paths for name in names):
        split = _newest_split(ws, lambda content: _is_of(content, task))
    rewritten = _from_split(ws, split, task) if split else {}
    sets: dict[str, DatasetInput] = {}
    for name in names:
        if name in paths:
            test = read_labelled(paths[name], task, split="test").examples
        else:
            test = rewritten.get(name, ())
        if not test:
            raise InputError.tr(
                "The split has no set “{name}” for task “{task}”. Available: {known}.",
                name=name,
                task=task.name,
                known=listed(rewritten) or tr("none"),
            )
        sets[name] = DatasetInput(tuple(test), _training(task, name, data.train or {}))
    return sets


def _newest_split(ws: Workspace, accept: Callable[[ItemContent], bool]) -> str:
    """The newest split with an item that fits; NotFoundError where there is none."""
    for info in freeze.all_splits(ws):
        if any(accept(member.content) for member in freeze.members_of(ws, info.name)):
            return info.name
    raise NotFoundError.tr(
        "No frozen split contains items for this. Name a split or provide files."
    )


def _is_of(content: ItemContent, task: LabelledTask) -> bool:
    return content.family == "rewrite" and content.payload.get("task") == task.name


def _from_split(
    ws: Workspace, split: str, task: LabelledTask
) -> dict[str, tuple[LabelledExample, ...]]:
    """Examples by set, each set in the order of their originals, so that the sets are linked."""
    freeze.refuse_sealed(freeze.info(ws, split))
    openings.refuse_early_use(ws, split)
    examples: dict[str, list[LabelledExample]] = {}
    for member in freeze.members_of(ws, split):
        if not _is_of(member.content, task):
            continue
        fields = member.content.payload
        name = SET_NAMES.get(member.content.format, member.content.format)
        examples.setdefault(name, []).append(
            LabelledExample(
                id=str(fields.get("base") or member.uid),
                text=str(fields["text"]),
                second=str(fields.get("second") or ""),
                label=str(fields["label"]),
                target=str(fields.get("target") or ""),
                source=split,
            )
        )
    return {
        name: tuple(sorted(rows, key=lambda example: example.id)) for name, rows in examples.items()
    }


def _training(
    task: LabelledTask, name: str, train: Mapping[str, Path]
) -> tuple[LabelledExample, ...]:
    path = train.get(name) or train.get("")
    return () if path is None else read_labelled(path, task, split="train").examples


def start(
    ws: Workspace,
    params: FinetuneParams,
    sets: Mapping[str, DatasetInput],
    modes: Sequence[str],
    proportions: Sequence[int],
    *,
    shards: int = 1,
    launcher: str = "local",
    gpus: int | None = None,
    person: str = "",
) -> PlannedGrid:
    """Plan the grid below the workspace's runs and start what is not done yet.

    The ledger says that ``person`` read the split by it, where the sets come from one.

    A grid that is finished already is returned as it is; one that runs stays running. The request
    is checked before the installed packages.
    """
    refuse_early(ws, person, Action.EVALUATE)
    checked(params, sets, modes, proportions)
    check_model(Path(params.base_model))
    allow_place(model_place(params.base_model))
    needed = int(is_gpu_wanted()) if gpus is None else gpus
    starter = launcher_named(launcher, ws.place.folder, needed)
    if launcher == "local":
        require_packages()
    starter.require()
    planned = prepare(
        ws.runs, params, sets, modes, proportions, usable=partial(bound_files.is_sound, ws)
    )
    run_id = planned.folder.spec().id
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        if run_rows.get(session, run_id) is None:
            model = Path(params.base_model).name
            title = tr("{task} · {model}", task=params.task.name, model=model)
            runs.enter(
                session,
                planned.folder,
                title,
                details=_read_split(session, sets),
                launcher=launcher,
                shards=shards,
                actor=actor.name,
            )
    if planned.folder.result() is None and not planned.folder.is_running():
        starter.start(planned.folder, shards)
    return planned


def take_in(ws: Workspace, name: str) -> dict[str, Any]:
    """Bind the results of a finished simulation; a second time changes nothing.

    They stay in the run folder, and from then on no figure is computed from one that was changed.
    Returns how many cells there are. StateError for a run that is not finished.
    """
    row = runs.find(ws, name)
    folder = runs.folder_of(ws, row.id)
    if folder.result() is None:
        raise StateError.tr("Run “{run}” is not finished; resume it first.", run=row.id)
    if row.taken_in_at is None:
        files = bound_files.taken_in(folder.path)
        summary = {"cells": files["results"]}
        with ws.writing() as session:
            locked = run_rows.get(session, row.id, lock=True)
            if locked is not None and locked.taken_in_at is None:
                run_rows.mark_taken_in(session, row.id, summary)
                ledger.append(session, bound_files.event(row.id, files["results"], files))
    return dict(runs.find(ws, row.id).summary)


def split_read(ws: Workspace, sets: Mapping[str, DatasetInput]) -> str:
    """The split that the sets come from; empty where they are files."""
    with ws.reading() as session:
        return str(_read_split(session, sets).get("split", ""))


def _read_split(session: Session, sets: Mapping[str, DatasetInput]) -> dict[str, Any]:
    """What the ledger says of the split that the sets come from; nothing where they are files."""
    sources = {example.source for data in sets.values() for example in data.test}
    split = next((row for row in splits.all_splits(session) if row.name in sources), None)
    return {} if split is None else readings.reading_facts(session, split)


def is_gpu_wanted() -> bool:
    """Whether this machine has a GPU that torch could use."""
    from core.jobs.gpus import visible_gpus

    return bool(visible_gpus())
