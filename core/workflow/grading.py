"""Scores by a task's own metric, where right or wrong is not what the task is measured by."""

from collections.abc import Mapping

from core.evaluation.metrics import MetricSetting, Prediction, metric
from core.evaluation.scoring import ItemScore, Report
from core.release.manifest import SplitItem
from core.workflow.task_facts import facts_of, metrics_of
from core.workflow.workspace import Workspace
from db import runs as run_rows

# CIF-Bench's types of metric (§3.3) that are not right or wrong, and what measures them here: chrF
# stands in for BLEURT, whose weights are not ours to ship, and the report says so.
MEASURED_BY: Mapping[str, str] = {"similarity": "chrf", "f1": "multilabel_f1"}


def metric_scores(
    ws: Workspace, members: Mapping[str, SplitItem], scored: Report, benchmark: str
) -> tuple[dict[str, float | None], dict[str, str]]:
    """(score in 0…1 by answer id, what measured them by type of metric).

    Only answers to items of tasks with such a metric, whose answer is free text. Those of a run
    that was taken in are read from the workspace: they were measured then.
    """
    if not any(kind in MEASURED_BY for kind in metrics_of(ws, benchmark)):
        return {}, {}
    facts = facts_of(ws, list(members.values()))
    groups: dict[str, list[ItemScore]] = {}
    for entry in scored.scores:
        uid = entry.id.partition("#")[0]
        kind = facts[uid].metric
        if entry.answered and kind in MEASURED_BY and not facts[uid].labels:
            groups.setdefault(kind, []).append(entry)
    known = _kept(ws, str(scored.origin.get("run", "")))
    scores: dict[str, float | None] = {}
    measured: dict[str, str] = {}
    for kind, entries in groups.items():
        name = MEASURED_BY[kind]
        measured[kind] = name
        left = [entry for entry in entries if entry.id not in known]
        scores |= {entry.id: known[entry.id] for entry in entries if entry.id in known}
        said = [_prediction(entry, members[entry.id.partition("#")[0]]) for entry in left]
        values = metric(name).measure(said, MetricSetting()).scores if said else ()
        scores |= {entry.id: value for entry, value in zip(left, values, strict=True)}
    return scores, measured


def _kept(ws: Workspace, run: str) -> dict[str, float]:
    """The scores of a run's answers that are in the workspace, by answer id."""
    with ws.reading() as session:
        rows = run_rows.answers_of(session, run)
    return {
        f"{row.item_id}#{row.variant}" if row.variant else str(row.item_id): row.score
        for row in rows
        if row.score is not None
    }


def _prediction(entry: ItemScore, item: SplitItem) -> Prediction:
    others = item.content.payload.get("alternatives") or ()
    return Prediction(entry.id, entry.predicted, (entry.expected, *map(str, others)))
