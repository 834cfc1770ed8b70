"""The run kind ``matrix``: the evaluations of several models on several splits, as one job.

Every cell is an evaluation with a run folder of its own beside this one. A work item is one model
with its cells; whoever works on it has the model in memory for all of them. What is finished of a
cell is in the cell's folder, so that a job that was killed goes on in the middle of one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.errors import BenchsealError, ConflictError, InputError, OutsideError
from core.evaluation.run import EVALUATE
from core.jobs.folder import RunFolder
from core.jobs.model_in_memory import ModelInMemory
from core.jobs.run_kind import RunContext, RunKind
from core.jobs.worker import run_worker


class MatrixParams(BaseModel):
    """What the job is of. ``base_url`` is the server's address, for launchers that hand a worker
    the key of its server; ``models`` and ``splits`` are in the order of their turn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: str
    base_url: str = ""
    adapter: str = ""
    models: tuple[str, ...]
    splits: tuple[str, ...]


class Matrix:
    """Works through the cells of every pending model; one model, one line."""

    name = "matrix"
    params_model = MatrixParams

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """A record for each model all of whose cells are finished.

        A cell that fails does not stop the others; OutsideError in the end where any did, and what
        is left stays pending.
        """
        failures: list[str] = []
        cells = Counter(finished=0, cells=sum(len(row["cells"]) for row in pending))
        with closing(ModelInMemory()) as loaded:
            inner = replace(context, loaded=loaded)
            for row in pending:
                for name in row["cells"]:
                    if context.stopping():
                        return
                    cell = RunFolder(cell_folder(context.folder, name))
                    failure = _finish(cell, inner)
                    cells["finished"] += not failure and cell.result() is not None
                    context.note(cells=dict(cells))
                    if failure:
                        context.log(f"{name}: {failure}")
                        failures.append(f"{name}: {failure}")
                        if isinstance(failure, OutsideError):
                            break  # the model or its server: the other cells would fail alike
                if all(RunFolder(cell_folder(context.folder, n)).result() for n in row["cells"]):
                    yield {"id": row["id"], "model": row["model"], "cells": len(row["cells"])}
        if failures and not context.stopping():
            raise OutsideError.trn(
                "1 cell of the matrix failed. {first} Resume the run to try again.",
                "{n} cells of the matrix failed, the first one: {first} Resume the run to try "
                "them again.",
                len(failures),
                first=failures[0],
            )

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """How many models and cells there were; the scores are those of the cells."""
        del run
        return {"models": len(records), "cells": sum(record["cells"] for record in records)}


MATRIX = Matrix()


def cell_folder(folder: Path, name: str) -> Path:
    """The folder of a cell: that of the run of this name, in the same place."""
    return folder.resolve().parent / Path(name).name


def _finish(cell: RunFolder, context: RunContext) -> BenchsealError | None:
    """Work on a cell until it is finished or stopped; why it failed, if it did."""
    try:
        if cell.result() is not None:
            return None
        if cell.is_running():
            return ConflictError.tr("Run “{run}” is already in progress.", run=cell.path.name)
        cell.clear_outcome()
        cell.forget_progress()
        run_worker(cell.path, 0, 1, _cell_kind, context)
    except BenchsealError as error:
        return error
    return None


def _cell_kind(name: str) -> RunKind:
    """A cell is an evaluation, whatever its folder says."""
    if name != EVALUATE.name:
        raise InputError.tr("The parameters of run “{run}” do not match its kind.", run=name)
    return EVALUATE
