"""Three real models on four splits as one job: every model loaded once, and each cell as if it had
been evaluated alone."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.evaluation.engines import engine
from core.evaluation.matrix.run import MatrixParams
from core.evaluation.run import EvaluateParams
from core.evaluation.types import EngineContext, Question
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.own_places import allow_place, model_place
from core.workflow.runs.kinds import run_kind
from tests.paths import ROOT
from tests.polling import until
from tests.questions import work_rows
from tests.splits import make_split
from tests.vllm.tiny_llama import make_model

SPLITS = ("s", "t", "u", "v")
ARGS = {
    "max_model_len": 1024, "enforce_eager": True, "dtype": "float32", "max_num_seqs": 16,
    "gpu_memory_utilization": 0.1,
}  # fmt: skip
EACH = 6


def params(model: Path, split: str) -> EvaluateParams:
    return EvaluateParams(
        split=split, engine="vllm", model=str(model), mode="completion", engine_args=ARGS
    )


def texts(folder: RunFolder) -> dict[str, str]:
    return {name: record["text"] for name, record in folder.records().items()}


@dataclass(frozen=True)
class Job:
    """A matrix with its cells by model and split, and each split's questions."""

    matrix: RunFolder
    models: list[Path]
    rows: dict[str, list[dict[str, Any]]]
    cells: dict[tuple[Path, str], RunFolder]

    @property
    def loads(self) -> int:
        """How often a model was loaded."""
        folders = [self.matrix, *self.cells.values()]
        return sum(folder.log_tail().count("loading ") for folder in folders)


def make_job(folder: Path) -> Job:
    """Three models on four splits, which nobody works on yet."""
    items = make_split(EACH * len(SPLITS))
    rows = {
        split: work_rows(items[EACH * place : EACH * (place + 1)])
        for place, split in enumerate(SPLITS)
    }
    models = [make_model(folder / f"llama-{seed}", seed=seed) for seed in range(3)]
    root = folder / "runs"
    cells: dict[tuple[Path, str], RunFolder] = {}
    for model in models:
        allow_place(model_place(str(model)))
        for split in SPLITS:
            given = params(model, split)
            cells[model, split] = RunFolder.create(root, "evaluate", given, rows[split])
    told = MatrixParams(engine="vllm", models=tuple(map(str, models)), splits=SPLITS)
    work = [
        {"id": f"model-{n}", "model": str(m), "cells": [cells[m, s].path.name for s in SPLITS]}
        for n, m in enumerate(models)
    ]
    return Job(RunFolder.create(root, "matrix", told, work), models, rows, cells)


def test_three_models_on_four_splits_are_one_job_with_each_model_loaded_once(tmp_path: Path):
    job = make_job(tmp_path)
    matrix, models, rows, cells = job.matrix, job.models, job.rows, job.cells
    run_worker(matrix.path, 0, 1, run_kind)

    assert matrix.result()["cells"] == 12
    assert job.loads == len(models)
    found = {place: texts(cell) for place, cell in cells.items()}
    assert all(len(answers) == EACH for answers in found.values())
    for cell in cells.values():
        assert "failed" not in cell.result()["outcomes"]
    for split in SPLITS:
        assert len({tuple(found[model, split].items()) for model in models}) == len(models)
    # the other engine, asked outside of any matrix, gives the texts of each cell
    last = models[-1]
    asked = [Question.from_json(row) for split in SPLITS for row in rows[split]]
    given = EvaluateParams(split="s", engine="transformers", model=str(last), mode="completion")
    alone = engine("transformers").answer(asked, EngineContext(given, tmp_path))
    together = {name: text for split in SPLITS for name, text in found[last, split].items()}
    # a run folder keeps no NUL, which a random model may write; of a last character that was cut
    # off, vLLM shows nothing
    assert {name: text.rstrip("\ufffd") for name, text in together.items()} == {
        answer.id: answer.text.replace("\0", "\ufffd").rstrip("\ufffd") for answer in alone
    }


def test_a_killed_job_goes_on_and_loads_again_only_what_is_left(tmp_path: Path):
    job = make_job(tmp_path)
    command = [sys.executable, "-m", "core.cli", "run", str(job.matrix.path)]
    second = job.cells[job.models[1], SPLITS[0]]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as worker:
        until(lambda: second.finished_ids() or worker.poll() is not None, 1700)
        os.killpg(worker.pid, signal.SIGKILL)  # vLLM's engine is another process of its group
    assert job.matrix.result() is None
    assert job.loads >= 2
    left = [m for m in job.models if any(job.cells[m, s].result() is None for s in SPLITS)]
    assert job.models[0] not in left
    assert job.models[2] in left
    loads = job.loads
    before = {place: texts(cell) for place, cell in job.cells.items()}
    assert all(len(before[job.models[0], split]) == EACH for split in SPLITS)

    subprocess.run(command, cwd=ROOT, check=True)
    assert job.matrix.result()["cells"] == 12
    assert job.loads == loads + len(left)  # what was in memory when it was killed, once more
    after = {place: texts(cell) for place, cell in job.cells.items()}
    assert all(len(answers) == EACH for answers in after.values())
    for place, answers in before.items():  # nothing is asked again
        assert answers.items() <= after[place].items()
        assert len(list(job.cells[place].shard_rows("shard-000.jsonl"))) == EACH
