"""Three real models on four splits as one job: every model loaded once, and each cell as if it had
been evaluated alone."""

from pathlib import Path

from core.evaluation.engines import engine
from core.evaluation.matrix.run import MatrixParams
from core.evaluation.run import EvaluateParams
from core.evaluation.types import EngineContext, Question
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.own_places import allow_place, model_place
from core.workflow.runs.kinds import run_kind
from tests.questions import work_rows
from tests.splits import make_split
from tests.vllm.tiny_llama import make_model

SPLITS = ("s", "t", "u", "v")
EACH = 6


def params(model: Path, split: str) -> EvaluateParams:
    return EvaluateParams(split=split, engine="transformers", model=str(model), mode="completion")


def texts(folder: RunFolder) -> dict[str, str]:
    return {name: record["text"] for name, record in folder.records().items()}


def test_three_models_on_four_splits_are_one_job_with_each_model_loaded_once(tmp_path: Path):
    items = make_split(EACH * len(SPLITS))
    rows = {
        split: work_rows(items[EACH * place : EACH * (place + 1)])
        for place, split in enumerate(SPLITS)
    }
    models = [make_model(tmp_path / f"llama-{seed}", seed=seed) for seed in range(3)]
    root = tmp_path / "runs"
    cells: dict[tuple[Path, str], RunFolder] = {}
    for model in models:
        allow_place(model_place(str(model)))
        for split in SPLITS:
            given = params(model, split)
            cells[model, split] = RunFolder.create(root, "evaluate", given, rows[split])
    told = MatrixParams(engine="transformers", models=tuple(map(str, models)), splits=SPLITS)
    work = [
        {"id": f"model-{n}", "model": str(m), "cells": [cells[m, s].path.name for s in SPLITS]}
        for n, m in enumerate(models)
    ]
    matrix = RunFolder.create(root, "matrix", told, work)
    run_worker(matrix.path, 0, 1, run_kind)

    assert matrix.result()["cells"] == 12
    loads = [cell.log_tail().count("loading ") for cell in cells.values()]
    assert sum(loads) + matrix.log_tail().count("loading ") == len(models)
    found = {place: texts(cell) for place, cell in cells.items()}
    assert all(len(answers) == EACH for answers in found.values())
    for cell in cells.values():
        assert "failed" not in cell.result()["outcomes"]
    for split in SPLITS:
        assert len({tuple(found[model, split].items()) for model in models}) == len(models)
    last = models[-1]
    asked = [Question.from_json(row) for split in SPLITS for row in rows[split]]
    alone = engine("transformers").answer(asked, EngineContext(params(last, "s"), tmp_path))
    together = {name: text for split in SPLITS for name, text in found[last, split].items()}
    # a run folder keeps no NUL, which a random model may write
    assert {answer.id: answer.text.replace("\0", "\ufffd") for answer in alone} == together
