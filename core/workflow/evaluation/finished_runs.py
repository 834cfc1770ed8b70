"""The finished evaluation that stands for a model on a split."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.evaluation.scoring import Report
from core.workflow.evaluation import score_run
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import runs as run_rows


def finished_runs(ws: Workspace) -> dict[str, dict[str, str]]:
    """The finished evaluation that stands for every model, by split and model; opens no answers.

    It is the newest that asked each item in its own words and order; only of a model without one,
    the newest by instruction variants, by templates or in several orders of the options.
    """
    with ws.reading() as session:
        known = {row.id: row.params for row in run_rows.all_runs(session)}
    standing: dict[str, dict[str, str]] = {}
    for info in runs.runs(ws):
        finished = info.kind == "evaluate" and info.state == "finished" and info.id in known
        if finished and Path(info.folder).is_dir():
            params = known[info.id]
            model = str(params.get("model") or params.get("engine") or "")
            of_split = standing.setdefault(str(params.get("split", "")), {})
            chosen = of_split.setdefault(model, info.id)
            if _in_own_words(params) and not _in_own_words(known[chosen]):
                of_split[model] = info.id
    return standing


def _in_own_words(params: Mapping[str, Any]) -> bool:
    words = (params.get("variants"), params.get("templates"))
    return all(word in (None, "", "one") for word in words) and params.get("orders") in (None, 1)


def finished_reports(ws: Workspace, split: str) -> dict[str, Report]:
    """The report of the evaluation that stands for every model on a split, by model."""
    freeze.info(ws, split)
    standing = finished_runs(ws).get(split, {})
    return {model: score_run.report(ws, run) for model, run in standing.items()}
