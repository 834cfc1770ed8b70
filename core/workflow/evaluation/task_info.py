"""What is known of the task of every item of a split: name, categories, metric, labels."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.evaluation.breakdown import TaskSummary
from core.families.catalogue import cif_bench
from core.families.shared_source import source_of
from core.release.by_uid import ValuesByUid
from core.release.formats.harness_tasks import LIKENESS, MEASURED_BY
from core.workflow.lookup import metric_of
from core.workflow.splits import freeze, split_states
from core.workflow.workspace import Workspace
from db import benchmarks, splits
from db.benchmarks import TaskRow

__all__ = [
    "LIKENESS",
    "MEASURED_BY",
    "clusters_of",
    "facts_of",
    "judge_texts",
    "metrics_of",
    "task_facts",
]


def facts_of(ws: Workspace, split: str) -> Mapping[str, TaskSummary]:
    """The facts of a split by item uid: from the task's profile, else from CIF-Bench's catalogue.

    The labels are those of the items themselves; a task of rewrites is one per data set.
    """
    with ws.reading() as session:
        facts = {task.id: _fact(task) for task in benchmarks.tasks(session)}
        rows = splits.tasks_and_labels(session, split_states.split_in(session, split).id)
        return ValuesByUid(_summaries(rows, facts))


def _summaries(
    rows: Iterable[tuple[int, int, list[Any] | None]], facts: Mapping[int, TaskSummary]
) -> Iterator[tuple[int, TaskSummary]]:
    known: dict[tuple[int, str], TaskSummary] = {}  # thousands of items share one
    for number, task, labels in rows:
        fact = known.get((task, repr(labels)))
        if fact is None:
            named = tuple(str(label) for label in labels or ())
            fact = known[task, repr(labels)] = replace(facts[task], labels=named)
        yield number, fact


def clusters_of(ws: Workspace, split: str) -> Mapping[str, str]:
    """What each item of a split shares with others, by uid (``source_of``)."""
    members = freeze.each_member(ws, split)
    return ValuesByUid((int(one.uid), source_of(one.content)) for one in members)


def judge_texts(ws: Workspace, split: str) -> Mapping[str, str]:
    """What judges are told about the task of each item of a split, by uid, where it says so."""
    with ws.reading() as session:
        texts = {
            task.id: str(task.profile.get("judge") or "") for task in benchmarks.tasks(session)
        }
        if not any(texts.values()):
            return {}
        members = splits.task_numbers(session, split_states.split_in(session, split).id)
        return ValuesByUid((number, texts[task]) for number, task in members if texts[task])


def metrics_of(ws: Workspace, benchmark: str) -> frozenset[str]:
    """The types of metric of a benchmark's tasks; reads no item."""
    return frozenset(fact.metric for fact in task_facts(ws, benchmark))


def task_facts(ws: Workspace, benchmark: str) -> tuple[TaskSummary, ...]:
    """The facts of a benchmark's tasks, without labels; reads no item."""
    with ws.reading() as session:
        row = benchmarks.benchmark_named(session, benchmark)
        return tuple(_fact(task) for task in (benchmarks.tasks(session, row.id) if row else ()))


def _fact(task: TaskRow) -> TaskSummary:
    profile: Mapping[str, Any] = task.profile
    known = cif_bench().match(task.name) if task.family == "instruction" else None
    categories = profile.get("categories") or (known.categories if known else ())
    names = {category.id: category.name for category in cif_bench().categories}
    return TaskSummary(
        task.name,
        tuple(names.get(str(name_or_id), str(name_or_id)) for name_or_id in categories),
        metric_of(task),
    )
