"""Finished runs and judgings of them, made without a worker or a server."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.evaluation.judge_run import JUDGE
from core.evaluation.params import JudgeParams
from core.files import write_json, write_jsonl
from core.finetuning.params import FinetuneParams
from core.jobs.folder import RunFolder
from core.workflow.evaluation import import_results, judging
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from db import runs as run_rows

Cell = tuple[str, int, float]
"""Mode, proportion in percent, and F1 in 0…1 of a cell of a simulation."""


def finished_run(
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


def finished_simulation(
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
    return finished_run(ws, "finetune", params, rows, sets)


def take_in_answers(
    ws: Workspace, folder: Path, replies: Mapping[str, str], split: str = "s", model: str = "m"
) -> str:
    """A finished run with these replies by item, as results of another harness."""
    rows = [{"doc": {"id": uid}, "resps": [[text]], "arguments": []}
            for uid, text in replies.items()]  # fmt: skip
    file = folder / f"samples_{split}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_results.take_in(ws, file, split, model=model).run


def judge_by_hand(ws: Workspace, of: str, shift: int = 0, model: str = "j") -> None:
    """A finished judging as a worker leaves it: creativity goes round from 1 to 5."""
    params = JudgeParams(model=model, base_url="http://127.0.0.1:9/v1", kind="creative", of=of)
    with ws.reading() as session:
        row = run_rows.get(session, of)
    assert row is not None
    answers = [(one["id"], one["text"]) for one in runs.folder_of(ws, of).ordered_records()]
    work = [{"id": id_, "kind": "creative", "instruction": "写", "input": "题", "reference": "春",
             "answer": text} for id_, text in answers]  # fmt: skip
    made = RunFolder.create(ws.runs, "judge", params, work)
    records = [_verdict(id_, text, n + shift) for n, (id_, text) in enumerate(answers)]
    write_jsonl(made.path / "shard-000.jsonl", records)
    write_json(made.path / "result.json", JUDGE.summarise(made, records))
    judging._remember(ws, made, row, params, "")


def _verdict(id_: str, text: str, n: int) -> dict[str, Any]:
    values = dict.fromkeys(("creativity", "fluency", "instruction_following", "confidence"), 3.0)
    outcome = "ok" if text.strip() else "empty"
    return {"id": id_, "kind": "creative", "outcome": outcome, "reasons": "", "error": "",
            "values": {**values, "creativity": float(1 + n % 5)} if text.strip() else {},
            "cached": False, "tokens": 1}  # fmt: skip
