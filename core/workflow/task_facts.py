"""What is known of the task of every item of a split: name, categories, metric, labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.evaluation.breakdown import TaskFact
from core.families.catalogue import cif_bench
from core.release.manifest import SplitItem
from core.workflow.workspace import Workspace
from db import benchmarks
from db import items as item_rows
from db.benchmarks import TaskRow

# CIF-Bench's types of metric (§3.3) that are not right or wrong, and what measures them here: chrF
# stands in for BLEURT, whose weights are not ours to ship, and the report says so.
LIKENESS = "similarity"
MEASURED_BY: Mapping[str, str] = {LIKENESS: "chrf", "f1": "multilabel_f1"}


def facts_of(ws: Workspace, members: Sequence[SplitItem]) -> dict[str, TaskFact]:
    """The facts by item uid: from the task's profile, else from CIF-Bench's catalogue.

    The labels are those of the items themselves; a task of rewrites is one per data set.
    """
    with ws.reading() as session:
        tasks = {task.id: task for task in benchmarks.tasks(session)}
        rows = item_rows.get_many(session, [int(member.uid) for member in members])
    facts = {number: _fact(tasks[number]) for number in {row.task_id for row in rows}}
    by_uid = {str(row.id): facts[row.task_id] for row in rows}
    return {member.uid: _with_labels(by_uid[member.uid], member) for member in members}


def metrics_of(ws: Workspace, benchmark: str) -> frozenset[str]:
    """The types of metric of a benchmark's tasks; reads no item."""
    return frozenset(fact.metric for fact in task_facts(ws, benchmark))


def task_facts(ws: Workspace, benchmark: str) -> tuple[TaskFact, ...]:
    """The facts of a benchmark's tasks, without labels; reads no item."""
    with ws.reading() as session:
        row = benchmarks.benchmark_named(session, benchmark)
        return tuple(_fact(task) for task in (benchmarks.tasks(session, row.id) if row else ()))


def _fact(task: TaskRow) -> TaskFact:
    profile: Mapping[str, Any] = task.profile
    known = cif_bench().match(task.name) if task.family == "instruction" else None
    said = profile.get("categories") or (known.categories if known else ())
    names = {category.id: category.name for category in cif_bench().categories}
    metric = profile.get("metric") or (known.metric if known else "")
    return TaskFact(task.name, tuple(names.get(str(one), str(one)) for one in said), str(metric))


def _with_labels(fact: TaskFact, member: SplitItem) -> TaskFact:
    labels = tuple(str(label) for label in member.content.payload.get("labels") or ())
    if not labels or labels == fact.labels:
        return fact
    return replace(fact, labels=labels)
