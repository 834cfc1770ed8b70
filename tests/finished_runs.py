"""Finished runs of a workspace whose answers or numbers a test plants."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from core.finetuning.params import FinetuneParams
from core.jobs.folder import RunFolder
from core.workflow.workspace import Workspace
from db import runs as run_rows

Cell = tuple[str, int, float]
"""Mode, proportion in percent, and F1 in 0…1 of a cell of a simulation."""


def planted(
    ws: Workspace,
    kind: str,
    params: BaseModel,
    rows: Sequence[Mapping[str, Any]],
    sets: Any = None,
) -> str:
    """A finished run of the workspace with these lines in its shard; its id."""
    from core.finetuning.run import write_sets

    folder = RunFolder.create(ws.runs, kind, params, ({"id": row["id"]} for row in rows))
    if sets is not None:
        write_sets(folder.path, sets)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder.path / "shard-000.jsonl").write_text(text, encoding="utf-8")
    (folder.path / "result.json").write_text("{}", encoding="utf-8")
    name = folder.spec().id
    with ws.writing() as session:
        run_rows.add(session, name, kind, title=name, params=folder.spec().params)
    return name


def planted_simulation(
    ws: Workspace,
    params: FinetuneParams,
    cells: Mapping[str, Sequence[Cell]],
    sets: Any = None,
) -> str:
    """A finished simulation with these cells by set."""
    rows = [
        {
            "id": f"{name}/{mode}/{proportion}",
            "dataset": name,
            "mode": mode,
            "proportion": proportion,
            "seconds": 1.0,
            "scores": {name: {"f1": f1}},
        }
        for name, known in cells.items()
        for mode, proportion, f1 in known
    ]
    return planted(ws, "finetune", params, rows, sets)
