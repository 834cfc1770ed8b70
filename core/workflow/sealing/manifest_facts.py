"""What the manifest of a sealed split says in the clear: how it was drawn, judged and made."""

from datetime import datetime
from typing import Any

from core.release.canary import canary_of
from core.workflow.dashboards import agreement_query
from core.workflow.protocols import settings_of
from core.workflow.splits import split_states
from core.workflow.workspace import Workspace
from db import benchmarks, runs
from db.engine import Session
from db.queries import sealing as rows
from db.splits import SplitRow

_DRAWN = ("sizes", "size_seed", "seed", "half", "other_half")
_KEPT = ("model", "critic_model", "seed", "prompt_version", "prompt_versions", "template")


def facts_of(ws: Workspace, name: str) -> dict[str, Any]:
    """A split's manifest apart from its items.

    The agreement is that of reviewers over the decisions on the split's benchmark until it was
    frozen, so that a second archive says the same.
    """
    with ws.reading() as session:
        row = split_states.split_in(session, name)
        benchmark = benchmarks.benchmark(session, row.benchmark_id).name
        facts = {
            "split": row.name,
            "benchmark": benchmark,
            "frozen_at": row.manifest.get("created", ""),
            "split_digest": row.manifest_hash,
            "canary": canary_of(row.manifest_hash),
            "counts": row.manifest.get("counts", {}),
            "unaudited": row.manifest.get("unaudited", 0),
            "draw": {key: row.manifest[key] for key in _DRAWN if key in row.manifest},
            "tasks": _tasks(session, row),
            "generators": _generators(session, row),
            "screening": [
                {"model": model, "prompt_version": version}
                for model, version in rows.screened_by(session, row.id)
            ],
        }
    facts["agreement"] = _agreement(ws, benchmark, row.at)
    return facts


def _tasks(session: Session, row: SplitRow) -> dict[str, Any]:
    tasks = [benchmarks.task(session, number) for number in rows.task_ids(session, row.id)]
    return {
        task.name: {
            "family": task.family,
            "protocol_version": task.protocol_version,
            "protocol": settings_of(task.protocol).model_dump(mode="json"),
        }
        for task in tasks
    }


def _generators(session: Session, row: SplitRow) -> list[dict[str, Any]]:
    """The runs that made items, with model, seed and prompts, without addresses or paths."""
    made = [runs.get(session, run) for run in rows.run_ids(session, row.id)]
    return [
        {
            "run": run.id,
            "kind": run.kind,
            "at": run.at.isoformat(timespec="seconds"),
            "params": {key: run.params[key] for key in _KEPT if run.params.get(key)},
            "prompt_versions": run.summary.get("prompt_versions", {}),
        }
        for run in made
        if run is not None
    ]


def _agreement(ws: Workspace, benchmark: str, until: datetime) -> list[dict[str, Any]]:
    scope = agreement_query.Scope(benchmark=benchmark, as_of=until)
    options = agreement_query.AgreementOptions(items=False)
    return [
        {
            "name": result.name, "value": result.value, "low": result.low, "high": result.high,
            "interval": result.interval, "confidence": result.confidence,
            "resamples": result.resamples, "seed": result.seed, "items": result.items,
            "raters": result.raters, "defined": result.undefined is None,
        }
        for result in agreement_query.agreement(ws, scope, options).coefficients
    ]  # fmt: skip
