"""CIF-Bench's analysis: task means, categories, public against private, variance (§3–§5).

A score lies in 0…1 and belongs to one model, task, half, instruction and item. The score of a task
is the mean over items of the mean over instructions; the overall score is the mean over tasks.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev, variance
from typing import Any

from core.analysis.score_correlation import FEW_MODELS, correlate
from core.errors import InputError
from core.evaluation.clusters import spread_over_tasks
from core.evaluation.mean_interval import (
    FEW_CLUSTERS,
    MeanSpread,
    caution,
    mean_interval,
)
from core.families.catalogue import Catalogue, cif_bench
from core.i18n import listed, tr, trn
from core.proportion import student_quantile
from core.sources.tables import Table, read_table

PRIVATE, PUBLIC = "private", "public"


@dataclass(frozen=True, slots=True)
class TaskScore:
    """One score in 0…1. ``half`` is private or public; an ``item`` may be empty for a mean.
    ``source`` names what items share, also those of several tasks."""

    model: str
    task: int
    half: str
    score: float
    instruction: str = ""
    item: str = ""
    run: str = ""
    source: str = ""


@dataclass(frozen=True)
class CifScores:
    """Everything of one model; None where the scores for it are missing.

    ``overall`` and ``categories`` are of the half in hand (private where there is one).
    ``difference`` is private − public, both with one instruction and over the tasks of both
    (table 7); ``existing`` and ``new`` the same over the tasks with and without a published
    source (table 8, up to its levels). ``intervals`` has their 95% intervals by name, Student's
    over the tasks' own differences; none for fewer than two tasks. That of ``overall`` is over the
    items of these tasks; none where a task has fewer than two. ``cautions`` says which rest on
    little. ``variance_one`` and
    ``variance_all`` are sample variances of task scores with one instruction and with all of them
    (table 9).
    """

    model: str
    half: str
    tasks: Mapping[int, float]
    overall: float | None
    categories: Mapping[str, float | None]
    public: float | None
    private_one: float | None
    difference: float | None
    existing: float | None
    new: float | None
    variance_one: float | None
    variance_all: float | None
    instructions: int
    notes: tuple[str, ...]
    runs: tuple[str, ...]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    cautions: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """One object per model."""
        return {
            "model": self.model,
            "half": self.half,
            "overall": self.overall,
            "categories": dict(self.categories),
            "public": self.public,
            "private_one_instruction": self.private_one,
            "difference": self.difference,
            "existing_difference": self.existing,
            "new_difference": self.new,
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "cautions": dict(self.cautions),
            "variance_one": self.variance_one,
            "variance_all": self.variance_all,
            "variance_difference": _less(self.variance_all, self.variance_one),
            "instructions": self.instructions,
            "tasks": {str(task): value for task, value in self.tasks.items()},
            "notes": list(self.notes),
            "runs": list(self.runs),
        }


def cif_analysis(scores: Iterable[TaskScore]) -> list[CifScores]:
    """The analysis of every model, in order of appearance."""
    by_model: dict[str, list[TaskScore]] = {}
    for score in scores:
        by_model.setdefault(score.model, []).append(score)
    return [_of_model(m, rows, cif_bench()) for m, rows in by_model.items()]


def task_means(scores: Iterable[TaskScore]) -> dict[int, float]:
    """Mean over items of the mean over instructions, per task id."""
    by_task: dict[int, dict[str, list[float]]] = {}
    for place, score in enumerate(scores):
        item = score.item or f"#{place}"
        by_task.setdefault(score.task, {}).setdefault(item, []).append(score.score)
    return {
        task: fmean(fmean(values) for values in items.values())
        for task, items in sorted(by_task.items())
    }


def _of_model(model: str, rows: Sequence[TaskScore], catalogue: Catalogue) -> CifScores:
    private = [row for row in rows if row.half == PRIVATE]
    public = [row for row in rows if row.half == PUBLIC]
    main = private or public
    means = task_means(main)
    with_one = task_means(_with_one_instruction(private))
    public_one = task_means(_with_one_instruction(public))
    common = sorted(set(with_one) & set(public_one))
    notes = []
    if not private:
        notes.append(tr("There are no private scores; the scores shown are from the public part."))
    if common and (len(common) < len(with_one) or len(common) < len(public_one)):
        notes.append(
            trn(
                "Public and private scores are compared over the only task that both have.",
                "Public and private scores are compared over the {n} tasks that both have.",
                len(common),
            )
        )
    lacking = len(catalogue.tasks) - len(set(means) & {task.id for task in catalogue.tasks})
    if lacking:
        notes.append(
            trn("1 of the 150 tasks has no score.", "{n} of the 150 tasks have no score.", lacking)
        )
    sourced = {task.id for task in catalogue.tasks if task.source}

    shifts = {
        "difference": [with_one[t] - public_one[t] for t in common],
        "existing": [with_one[t] - public_one[t] for t in common if t in sourced],
        "new": [with_one[t] - public_one[t] for t in common if t not in sourced],
    }

    spread = _over_items(main)
    instructions = max(
        (len({r.instruction for r in main if r.task == t}) for t in means), default=0
    )
    return CifScores(
        model=model,
        half=PRIVATE if private else PUBLIC,
        tasks=means,
        overall=fmean(means.values()) if means else None,
        categories=category_means(means, catalogue),
        public=fmean(public_one.values()) if public_one else None,
        private_one=fmean(with_one.values()) if with_one else None,
        **{name: fmean(values) if values else None for name, values in shifts.items()},
        variance_one=variance(with_one.values()) if len(with_one) > 1 else None,
        variance_all=variance(means.values())
        if private and len(means) > 1 and instructions > 1
        else None,
        instructions=instructions,
        notes=tuple(notes),
        runs=tuple(dict.fromkeys(row.run for row in rows if row.run)),
        intervals={
            **{name: _over_tasks(v) for name, v in shifts.items() if len(set(v)) > 1},
            **_bounds(spread),
        },
        cautions={
            **{
                name: trn("few tasks: 1", "few tasks: {n}", len(v))
                for name, v in shifts.items()
                if len(set(v)) > 1 and len(v) < FEW_CLUSTERS
            },
            **({"overall": why} if spread and (why := caution(spread)) else {}),
        },
    )


def _over_items(scores: Iterable[TaskScore]) -> MeanSpread | None:
    """What the interval of the overall score needs; None where the scores are means of tasks."""
    tasks: dict[int, dict[str, list[float]]] = {}
    sources: dict[tuple[int, str], str] = {}
    for score in scores:
        if not score.item:
            return None
        tasks.setdefault(score.task, {}).setdefault(score.item, []).append(score.score)
        own = f"{score.task}:{score.item}"
        sources.setdefault((score.task, score.item), score.source or own)
    return spread_over_tasks([
        ([fmean(values) for values in items.values()], [sources[task, item] for item in items])
        for task, items in tasks.items()
    ])  # fmt: skip


def _bounds(spread: MeanSpread | None) -> dict[str, tuple[float, float]]:
    found = mean_interval(spread) if spread and spread.n > 1 else None
    if found is None or found.low is None or found.high is None:
        return {}
    return {"overall": (found.low, found.high)}


def _over_tasks(differences: Sequence[float]) -> tuple[float, float]:
    """Student's 95% interval of the mean of the tasks' differences."""
    count = len(differences)
    reach = student_quantile(count - 1.0) * stdev(differences) / math.sqrt(count)
    mean = fmean(differences)
    return mean - reach, mean + reach


def category_means(means: Mapping[int, float], catalogue: Catalogue) -> dict[str, float | None]:
    """Mean over the tasks of each category; a task counts in each of its categories."""
    by_category: dict[str, float | None] = {}
    for category in catalogue.categories:
        values = [means[t.id] for t in catalogue.in_category(category.id) if t.id in means]
        by_category[category.name] = fmean(values) if values else None
    return by_category


def _with_one_instruction(rows: Sequence[TaskScore]) -> list[TaskScore]:
    """The rows of each task's first instruction, by its name: the public one where named so."""
    first: dict[int, str] = {}
    for row in rows:
        known = first.get(row.task)
        if known is None or _order(row.instruction) < _order(known):
            first[row.task] = row.instruction
    return [row for row in rows if row.instruction == first[row.task]]


def _order(instruction: str) -> tuple[bool, str]:
    return (PUBLIC not in instruction.lower(), instruction)


def _less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


@dataclass(frozen=True, slots=True)
class Verification:
    """How far the scores of a benchmark follow the ratings of people (§5, human annotation).

    ``faithful`` is the share of yes, ``preference`` the mean of 1…5, ``spearman`` the rank
    correlation of scores with mean faithfulness over ``n`` answers, with its interval over items;
    ``caution`` says where these are few.
    """

    n: int
    faithful: float | None
    preference: float | None
    spearman: float | None
    low: float | None
    high: float | None
    reason: str | None
    caution: str = ""


def human_verification(
    faithful: Mapping[str, Sequence[float]],
    preference: Mapping[str, Sequence[float]],
    scores: Mapping[str, float],
    *,
    seed: int = 0,
    items: Mapping[str, str] | None = None,
) -> Verification:
    """Ratings by answer (one number per person) against scores by answer. ``items`` names what
    answers share: those of several models, or instructions, to one item are drawn together."""
    means = {item: fmean(values) for item, values in faithful.items() if values}
    likert = [fmean(values) for values in preference.values() if values]
    spearman = correlate(means, scores, seed=seed, groups=items)[0]
    count = len({(items or {}).get(answer, answer) for answer in means if answer in scores})
    few = count < FEW_MODELS and spearman.low is not None
    return Verification(
        n=spearman.n,
        faithful=fmean(means.values()) if means else None,
        preference=fmean(likert) if likert else None,
        spearman=spearman.value,
        low=spearman.low,
        high=spearman.high,
        reason=spearman.reason,
        caution=trn("few items: 1", "few items: {n}", count) if few else "",
    )


def read_task_scores(path: Path, sheet: str = "") -> list[TaskScore]:
    """Scores from a table with the columns model, task, set, score, and maybe instruction, item.

    ``task`` is an id or a name of the catalogue. Raises InputError, naming the line.
    """
    table = read_table(path, sheet=sheet)
    if table.missing("model", "task", "set", "score"):
        raise InputError.tr("“{path}” needs the columns model, task, set and score.", path=path)
    scores = [_task_score(table, line, fields) for line, fields in table.text_rows()]
    if not scores:
        raise InputError.tr("“{path}” contains no task scores.", path=path)
    return scores


def _task_score(table: Table, line: int, fields: Mapping[str, str]) -> TaskScore:
    task = cif_bench().match(fields.get("task", ""))
    half = fields.get("set", "").lower()
    score = table.number(fields.get("score", ""))
    model = fields.get("model", "")
    if len(same := cif_bench().called(fields.get("task", ""))) > 1:
        raise InputError.tr(
            "“{path}”, line {line}: several tasks are called “{name}”; give its number "
            "({numbers}).",
            path=table.path,
            line=line,
            name=same[0].name,
            numbers=listed(str(candidate.id) for candidate in same),
        )
    if not model or task is None or half not in (PRIVATE, PUBLIC):
        score = None
    if task is None or score is None or not 0 <= score <= 1:
        raise InputError.tr(
            "“{path}”, line {line} is not a valid score. It needs a CIF-Bench task, the "
            "set private or public, and a score from 0 to 1.",
            path=table.path,
            line=line,
        )
    return TaskScore(
        model,
        task.id,
        half,
        score,
        fields.get("instruction", ""),
        fields.get("item", ""),
        table.path.name,
    )
