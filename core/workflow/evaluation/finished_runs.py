"""The newest finished evaluation of every model on every split."""

from pathlib import Path

from core.evaluation.scoring import Report
from core.workflow.evaluation import score_run
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import runs as run_rows


def finished_runs(ws: Workspace) -> dict[str, dict[str, str]]:
    """The newest finished evaluation of every model, by split and model; opens no answers."""
    with ws.reading() as session:
        known = {row.id: row.params for row in run_rows.all_runs(session)}
    newest: dict[str, dict[str, str]] = {}
    for info in runs.runs(ws):
        finished = info.kind == "evaluate" and info.state == "finished" and info.id in known
        if finished and Path(info.folder).is_dir():
            params = known[info.id]
            model = str(params.get("model") or params.get("engine") or "")
            newest.setdefault(str(params.get("split", "")), {}).setdefault(model, info.id)
    return newest


def finished_reports(ws: Workspace, split: str) -> dict[str, Report]:
    """The report of the newest finished evaluation of every model on a split, by model."""
    freeze.info(ws, split)
    newest = finished_runs(ws).get(split, {})
    return {model: score_run.report(ws, run) for model, run in newest.items()}
