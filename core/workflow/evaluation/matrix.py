"""Several models on several splits as one job: its start, how far its cells are, its leaderboard.

Every cell is an ordinary evaluation, so Scores, Leaderboard and Compare know nothing of matrices.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from core.errors import InputError, StateError
from core.evaluation.matrix.run import MatrixParams
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import Report
from core.i18n import listed, sentences, tr, trn
from core.jobs.folder import RunFolder, new_run_id
from core.jobs.launchers import launcher_named
from core.report_table import ReportTable
from core.workflow.evaluation import score_run, start, take_in_answers
from core.workflow.labels import run_kind_label
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import locked_runs, own_results, runs
from core.workflow.splits import freeze, openings
from core.workflow.workspace import Workspace
from db.runs import RunRow

KIND = "matrix"
_DIGITS = 1  # of a percentage


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One model on one split. ``accuracy`` in 0…1 once it is finished, with its 95% interval;
    ``caution`` says where that is rough, empty where it is not."""

    run: str
    model: str
    split: str
    state: str
    done: int
    total: int
    accuracy: float | None = None
    stderr: float | None = None
    error: str = ""
    low: float | None = None
    high: float | None = None
    caution: str = ""


@dataclass(frozen=True, slots=True)
class MatrixBoard:
    """The cells of a job, those of a model together, and the state of the job itself."""

    run: str
    state: str
    error: str
    splits: tuple[str, ...]
    cells: tuple[MatrixCell, ...]

    @property
    def finished(self) -> int:
        """How many cells are finished."""
        return sum(cell.state == "finished" for cell in self.cells)

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
        return {
            **asdict(self),
            "finished": self.finished,
            "models": [{"model": model, "mean": mean} for model, mean in self.ranked()],
            "mean_of": list(self.common()),
        }

    def common(self) -> tuple[str, ...]:
        """The splits that every model has finished: only over these do means compare."""
        open_ = {cell.split for cell in self.cells if cell.accuracy is None}
        return tuple(split for split in self.splits if split not in open_)

    def note(self) -> str:
        """In words what the figures are, how many cells are finished, and over what means are."""
        note = trn(
            "Accuracy in percent. {done} of 1 cell finished.",
            "Accuracy in percent. {done} of {n} cells finished.",
            len(self.cells),
            done=self.finished,
        )
        common = self.common()
        if not 0 < len(common) < len(self.splits):
            return note
        over = tr("The mean is over what every model has finished: {splits}.",
                  splits=listed(common))  # fmt: skip
        return sentences((note, over))

    def ranked(self) -> list[tuple[str, float | None]]:
        """The models by their mean accuracy over ``common`` splits, the best first."""
        scores: dict[str, list[float]] = {}
        common = set(self.common())
        for cell in self.cells:
            known = scores.setdefault(cell.model, [])
            if cell.split in common and cell.accuracy is not None:
                known.append(cell.accuracy)
        means = {name: sum(known) / len(known) if known else None for name, known in scores.items()}
        return sorted(means.items(), key=lambda pair: -(pair[1] if pair[1] is not None else -1.0))


def start_matrix(
    ws: Workspace,
    splits: Sequence[str],
    models: Sequence[str],
    params: EvaluateParams,
    *,
    shards: int = 1,
    launcher: str = "local",
    gpus: int | None = None,
    person: str = "",
) -> RunFolder:
    """Enter an evaluation for every model on every split, and start one job that does them all.

    Splits are done in their order, and a worker has each of its models in memory once. ``shards``
    share the models out. All is checked before anything is written; raises what ``start.start``
    raises, InputError for a name that is given twice and for a cluster on another host, StateError
    for a split that was sealed.
    """
    splits, models = tuple(splits), tuple(models) or (params.model,)
    for names in (splits, models):
        if doubled := next((name for name in names if names.count(name) > 1), ""):
            raise InputError.tr("“{name}” is given twice.", name=doubled)
    refuse_early(ws, person, Action.EVALUATE)
    launcher_named(launcher, ws.place.folder).refuse_kind("matrix")
    told, starter = {}, None
    for model in models:
        given = params.model_copy(update={"model": model, "split": splits[0]})
        told[model], starter = start.checked_engine(ws, given, launcher, gpus)
    assert starter is not None
    infos = [_checked_split(ws, split, starter.name) for split in splits]
    for model in models:
        for split in splits:
            openings.refuse_early(ws, split, model or params.engine)
    run_id = new_run_id(KIND)
    rows: dict[str, list[str]] = {model: [] for model in models}
    for info in infos:
        like: RunFolder | None = None
        for model in models:
            cell = start.create(
                ws, told[model], info, starter.name, 1, person=person, like=like,
                details={KIND: run_id},
            )  # fmt: skip
            like = like or cell
            rows[model].append(cell.path.name)
    folder = _create(ws, run_id, told[models[0]], splits, rows)
    shards = min(shards, len(models))
    _enter(ws, folder, infos, starter.name, shards, person)
    starter.start(folder, shards)
    return folder


def _checked_split(ws: Workspace, split: str, launcher: str) -> freeze.SplitInfo:
    info = start.checked_split(ws, split, launcher)
    refuse_sealed(ws, split)
    return info


def refuse_sealed(ws: Workspace, split: str) -> None:
    """StateError for a split that is evaluated by itself alone, since it was sealed."""
    if locked_runs.is_locked(ws, split):
        raise StateError.tr(
            "Split “{name}” was sealed, so its runs are locked with keys of their own. "
            "Evaluate it alone.",
            name=split,
        )


def _create(
    ws: Workspace,
    run_id: str,
    params: EvaluateParams,
    splits: Sequence[str],
    cells: Mapping[str, Sequence[str]],
) -> RunFolder:
    matrix = MatrixParams(
        engine=params.engine,
        base_url=params.base_url,
        adapter=params.adapter,
        models=tuple(cells),
        splits=tuple(splits),
    )
    work = (
        {"id": f"model-{number:03d}", "model": model, "cells": list(runs_)}
        for number, (model, runs_) in enumerate(cells.items(), 1)
    )
    return RunFolder.create(ws.runs, KIND, matrix, work, run_id=run_id)


def _enter(
    ws: Workspace,
    folder: RunFolder,
    infos: Sequence[freeze.SplitInfo],
    launcher: str,
    shards: int,
    person: str,
) -> None:
    spec = folder.spec()
    title = trn("1 model × {splits}", "{n} models × {splits}", spec.total,
                splits=trn("1 split", "{n} splits", len(infos)))  # fmt: skip
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        runs.enter(session, folder, title, launcher=launcher, shards=shards, actor=actor.name)


def find_matrix(ws: Workspace, name: str = "") -> RunRow:
    """A matrix by its id or the beginning of it, the newest one without a name.

    Raises NotFoundError or InputError where it is not one, StateError for another kind of run or
    where there is none.
    """
    if not name:
        newest = next((info.id for info in runs.runs(ws) if info.kind == KIND), "")
        if not newest:
            raise StateError.tr(
                "This workspace has no matrix yet. Evaluate on two or more splits at once: "
                "benchseal evaluate SPLIT SPLIT --engine ENGINE"
            )  # fmt: skip
        return runs.find(ws, newest)
    row = runs.find(ws, name)
    if row.kind != KIND:
        raise StateError.tr(
            "Run “{run}” is not a matrix; its kind is {kind}.",
            run=row.id,
            kind=run_kind_label(row.kind),
        )
    return row


def board(
    ws: Workspace, name: str = "", read: Callable[[str], Report] | None = None
) -> MatrixBoard:
    """How far a matrix is, with the scores of what is finished; reading it writes nothing.

    ``read`` gives the report of a finished cell's run, where that is kept.
    """
    row = find_matrix(ws, name)
    info = runs.info(ws, row.id)
    params = runs.params_of(row, MatrixParams)
    reader = read or partial(score_run.report, ws, keys=score_run.KeyBook(ws, most=1))
    known = {cell.run: cell for cell in _cells_by_split(ws, row, params, reader)}
    order = [known[name] for _, names in _cells_of(ws, row) for name in names]
    return MatrixBoard(row.id, info.state, info.error or "", params.splits, tuple(order))


def _cells_of(ws: Workspace, row: RunRow) -> list[tuple[str, list[str]]]:
    """The models of a matrix with the runs of their cells, in the order of its splits."""
    with runs.reading_results(row.id):
        work = runs.sound_folder_of(ws, row.id).work()
        return [(str(one["model"]), [str(name) for name in one["cells"]]) for one in work]


def _cells_by_split(
    ws: Workspace, row: RunRow, params: MatrixParams, read: Callable[[str], Report]
) -> Iterator[MatrixCell]:
    """The cells, those of a split together, so that its keys are read once."""
    models = _cells_of(ws, row)
    for place, split in enumerate(params.splits):
        for model, names in models:
            yield _cell(ws, names[place], model or params.engine, split, read)


def _cell(
    ws: Workspace, run: str, model: str, split: str, read: Callable[[str], Report]
) -> MatrixCell:
    info = runs.info(ws, run)
    cell = MatrixCell(run, model, split, info.state, info.done, info.total, error=info.error or "")
    if info.state != "finished":
        return cell
    total = read(run).total
    bounds = total.interval
    return replace(cell, accuracy=total.accuracy, stderr=total.stderr, low=bounds.low,
                   high=bounds.high, caution=total.caution)  # fmt: skip


def board_table(found: MatrixBoard) -> ReportTable:
    """Models by splits: accuracy in percent, or how far a cell is; the best model first."""
    cells = {(cell.model, cell.split): cell for cell in found.cells}
    rows = tuple(
        (
            model,
            *(_shown(cells[model, split]) for split in found.splits),
            None if mean is None else 100 * mean,
        )
        for model, mean in found.ranked()
    )
    heads = (tr("model"), *found.splits, tr("mean"))
    return ReportTable(tr("Matrix {run}", run=found.run), heads, rows, (found.note(),), _DIGITS)


def _shown(cell: MatrixCell) -> str | float | None:
    if cell.accuracy is not None:
        return 100 * cell.accuracy
    if cell.state == "failed":
        return tr("failed")
    return f"{cell.done}/{cell.total}"


def take_in_cells(ws: Workspace, name: str) -> int:
    """Take in every finished cell that was not yet; their number."""
    row = find_matrix(ws, name)
    count = 0
    for _, names in _cells_of(ws, row):
        for run in names:
            info = runs.info(ws, run)
            if info.state == "finished" and not info.taken_in:
                take_in_answers.take_in(ws, run)
                count += 1
    return count


def take_in(ws: Workspace, name: str) -> dict[str, Any]:
    """Take in the cells of a finished matrix, and bind its own files; a second time changes
    nothing. StateError for one that is not finished."""
    row = find_matrix(ws, name)
    if runs.sound_folder_of(ws, row.id).result() is not None:
        take_in_cells(ws, row.id)
    return own_results.take_in(ws, row.id, "models")
