"""CoreEval's scores: macro F1 of evaluation runs over rewrites, and simulated contamination."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.analysis.contamination import AVERAGE, SimulationScore, macro_f1, mean_over_tasks
from core.errors import InputError, StateError
from core.evaluation.clusters import cluster_name, mean_spread, spread_over_tasks
from core.evaluation.mean_interval import caution as spread_caution
from core.evaluation.mean_interval import mean_interval
from core.evaluation.metrics.f1 import macro_f1_by_item, macro_f1_caution
from core.evaluation.scoring import ItemScore, Report
from core.finetuning.params import FinetuneParams
from core.finetuning.run import scores_of
from core.i18n import tr
from core.release.question_ids import uid_of
from core.workflow.evaluation import score_run
from core.workflow.labels import run_kind_label
from core.workflow.runs import bound_files, runs
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace

SET_NAMES: Mapping[str, str] = {"original": "orig", "semantic": "semt", "updated": "ours"}


@dataclass(frozen=True)
class ZeroShot:
    """Macro F1 (0…1) of one run by task, on each of the three sets, with 95% intervals; AVG is over
    tasks, its interval over the items of all of them, which may share sources."""

    model: str
    run: str
    f1: Mapping[str, Mapping[str, float | None]]
    items: int
    missing: int
    intervals: Mapping[str, Mapping[str, tuple[float | None, float | None]]]
    caution: str = ""

    def average(self, dataset: str) -> float | None:
        """The AVG column of a set."""
        return mean_over_tasks(self.f1.get(dataset, {}))

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {
            "model": self.model,
            "run": self.run,
            "items": self.items,
            "missing": self.missing,
            "f1": {name: {**tasks, "AVG": self.average(name)} for name, tasks in self.f1.items()},
            "caution": self.caution,
            "f1_intervals": {
                name: {task: list(bounds) for task, bounds in tasks.items()}
                for name, tasks in self.intervals.items()
            },
        }


@dataclass(frozen=True)
class CoreEvalRuns:
    """What CoreEval's analysis found in the runs: zero-shot F1, and simulated contamination."""

    zero_shot: tuple[ZeroShot, ...]
    simulated: tuple[SimulationScore, ...]


def coreeval(ws: Workspace, names: Sequence[str]) -> CoreEvalRuns:
    """Evaluation runs over rewrites give macro F1, simulations give scores by mode."""
    zero: list[ZeroShot] = []
    simulated: list[SimulationScore] = []
    for name in names:
        row = runs.find(ws, name)
        if row.kind == "finetune":
            bound_files.refuse_changed(ws, row.id)
            folder = runs.folder_of(ws, row.id)
            params = runs.params_of(row, FinetuneParams)
            simulated += scores_of(folder.ordered_records(), params, row.id)
        elif row.kind == "evaluate":
            zero.append(zero_shot(ws, score_run.report(ws, row.id)))
        else:
            raise StateError.tr(
                "Run “{run}” is not an evaluation; its kind is {kind}.",
                run=row.id,
                kind=run_kind_label(row.kind),
            )
    return CoreEvalRuns(tuple(zero), tuple(simulated))


def zero_shot(ws: Workspace, report: Report) -> ZeroShot:
    """Macro F1 of a report by set and task; InputError where it holds no rewrites."""
    payloads = {
        m.uid: m.content for m in freeze.members_of(ws, report.split)
        if m.content.family == "rewrite"
    }  # fmt: skip
    groups: dict[tuple[str, str], list[ItemScore]] = {}
    labels: dict[str, tuple[str, ...]] = {}
    for entry in report.scores:
        content = payloads.get(uid_of(entry.id))
        if content is None or not entry.answered:
            continue
        task = str(content.payload.get("task") or tr("unnamed"))
        labels.setdefault(task, tuple(content.payload["labels"]))
        name = SET_NAMES.get(content.format, content.format)
        groups.setdefault((name, task), []).append(entry)
    if not groups:
        raise InputError.tr("Run “{run}” contains no items of the family rewrite.",
                            run=report.origin.get("run", ""))  # fmt: skip
    f1: dict[str, dict[str, float | None]] = {}
    intervals: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    why = ""
    by_item: dict[str, list[tuple[list[float], list[str]]]] = {}
    for (name, task), entries in groups.items():
        expected, predicted = [e.expected for e in entries], [e.predicted for e in entries]
        f1.setdefault(name, {})[task] = macro_f1(expected, predicted, labels[task])
        values = macro_f1_by_item(expected, predicted, labels[task])
        sources = [cluster_name(entry.cluster, entry.id) for entry in entries]
        spread = mean_spread(values, sources)
        why = why or spread_caution(spread) or macro_f1_caution(expected, labels[task])
        bounds = mean_interval(spread)
        intervals.setdefault(name, {})[task] = bounds.low, bounds.high
        by_item.setdefault(name, []).append((list(values), sources))
    for name, tasks in by_item.items():
        if over := spread_over_tasks(tasks):
            bounds = mean_interval(over)
            intervals[name][AVERAGE] = bounds.low, bounds.high
    run = str(report.origin.get("run", ""))
    model = report.model or report.engine
    return ZeroShot(model, run, f1, report.items, report.missing, intervals, why)
