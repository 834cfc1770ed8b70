"""A report cut into parts and averaged as the papers do.

An item's score is the mean over the instructions and templates by which it was asked; a part's is
the mean over its items. By task and by category the mean is over tasks (CIF-Bench §3.3), so that a
task with many items counts no more than one with few. Standard errors are clustered where items
share an article, and a mean over T tasks has the error √(Σ se²)/T: tasks are fixed, items drawn.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.errors import InputError
from core.evaluation.metrics import MacroF1, MetricSetting, Prediction
from core.evaluation.scoring import ItemScore, Report, is_unparsed
from core.text import tr

CUTS = ("category", "task", "domain", "instruction", "template", "format", "format_domain")
_OVER_TASKS = ("category", "task", "instruction", "template")
_WAYS = ("instruction", "template")


@dataclass(frozen=True, slots=True)
class TaskFact:
    """A task as reports cut by it. ``metric`` is ``accuracy``, ``f1``, ``judge`` or ``similarity``
    (CIF-Bench §3.3), empty where nobody said; ``categories`` are names, often several; ``labels``
    is the label space, for macro F1."""

    task: str
    categories: tuple[str, ...] = ()
    metric: str = ""
    labels: tuple[str, ...] = ()


NO_TASK = TaskFact("")


@dataclass(frozen=True, slots=True)
class Line:
    """One part. ``score`` and ``stderr`` are in 0…1, None where undefined; ``scored`` answers are
    in the mean, the counts beside it are over all that were ``asked``. ``macro_f1`` is the mean
    over instructions and templates, for a task of labels."""

    name: str
    score: float | None
    stderr: float | None
    clustered: bool
    tasks: int
    items: int
    asked: int
    scored: int
    missing: int
    refused: int
    truncated: int
    thinking_truncated: int
    empty: int
    unparsed: int
    unjudged: int
    macro_f1: float | None = None

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in Line.__dataclass_fields__}


@dataclass(frozen=True)
class Breakdown:
    """The parts of one report and its whole. ``over`` says what the means are over.

    ``mean`` and ``variance`` (sample, n−1) are over the parts of a cut by instruction or template.
    ``task_variance_one`` and ``task_variance_all`` are sample variances of the scores of the tasks
    when each is asked by its first instruction, and by all (CIF-Bench, table 9).
    """

    by: str
    over: str
    lines: tuple[Line, ...]
    total: Line
    mean: float | None = None
    variance: float | None = None
    task_variance_one: float | None = None
    task_variance_all: float | None = None

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {
            "by": self.by,
            "over": self.over,
            "parts": [line.as_json() for line in self.lines],
            "total": self.total.as_json(),
            "mean": self.mean,
            "variance": self.variance,
            "task_variance_one": self.task_variance_one,
            "task_variance_all": self.task_variance_all,
        }


def breakdown(report: Report, by: str, facts: Mapping[str, TaskFact] | None = None) -> Breakdown:
    """Cut a report. ``facts`` gives the task of each item by its uid, the same categories for every
    item of a task; without them all items are of one task. Raises InputError for an unknown cut,
    and for one that nothing in the report has."""
    if by not in CUTS:
        raise InputError(
            tr("A report cannot be cut by “{by}”. Known: {known}.", by=by, known=", ".join(CUTS))
        )
    known = facts or {}
    tasked = by in _OVER_TASKS
    every = _Cell([uid_of(entry.id) for entry in report.scores], report.scores)
    parts, whole = _parts(every, by, known)
    if not parts and report.scores:
        raise InputError(_nothing(by))
    lines = tuple(_line(name, parts[name], known) for name in sorted(parts))
    total = _line(tr("all"), whole, known)
    over = "tasks" if tasked and total.tasks > 1 else "items"
    if by not in _WAYS:
        return Breakdown(by, over, lines, total)
    values = [line.score for line in lines if line.score is not None]
    return Breakdown(
        by,
        over,
        lines,
        total,
        mean=_mean(values),
        variance=_variance(values),
        task_variance_one=_variance(_task_scores(_by_task(_first_way(every, by), known))),
        task_variance_all=_variance(_task_scores(whole)),
    )


def _nothing(by: str) -> str:
    if by == "category":
        return tr("No task of this run has a category.")
    return tr("This run asked every item in one way only; there is nothing to cut by {by}.", by=by)


def uid_of(id_: str) -> str:
    """The item's uid in the id of a question."""
    return id_.partition("#")[0]


def _cutter(by: str) -> Callable[[ItemScore], str]:
    """From an item's score to the name of the part it belongs to; empty for none."""
    cuts: Mapping[str, Callable[[ItemScore], str]] = {
        "format": lambda entry: entry.format,
        "domain": lambda entry: entry.domain,
        "format_domain": lambda entry: f"{entry.format}/{entry.domain}",
        "instruction": lambda entry: entry.variant.partition("@")[0],
        "template": lambda entry: entry.variant.partition("@")[2],
    }
    return cuts[by]


class _Cell:
    """The answers to the items of one task, or of all, in one part. What is known of it is found
    once: a category's line and the line of all are made of the same cells."""

    def __init__(self, uids: Sequence[str], entries: Sequence[ItemScore]) -> None:
        self.uids, self.entries = uids, entries

    @cached_property
    def outcomes(self) -> Counter[str]:
        return Counter([entry.outcome for entry in self.entries])

    @cached_property
    def missing(self) -> int:
        return sum([not entry.answered for entry in self.entries])

    @cached_property
    def unjudged(self) -> int:
        return sum([entry.unjudged for entry in self.entries if entry.answered])

    @cached_property
    def unparsed(self) -> int:
        return sum([is_unparsed(entry) for entry in self.entries if entry.predicted is None])

    @cached_property
    def items(self) -> "_Items":
        return _items(self.uids, self.entries)

    def by(self, names: Iterable[str]) -> dict[str, "_Cell"]:
        """The cells of those that are given the same name, in the order of their first."""
        found: dict[str, tuple[list[str], list[ItemScore]]] = {}
        for name, uid, entry in zip(names, self.uids, self.entries, strict=True):
            own = found.get(name)
            if own is None:
                own = found[name] = ([], [])
            own[0].append(uid)
            own[1].append(entry)
        return {name: _Cell(*own) for name, own in found.items()}


Cells = Mapping[str, _Cell]  # by task; all that has no tasks is under the empty name


def _parts(every: _Cell, by: str, facts: Mapping[str, TaskFact]) -> tuple[dict[str, Cells], Cells]:
    """The cells of every part, and those of the whole."""
    if by in ("task", "category"):
        whole = _by_task(every, facts)
        parts: dict[str, dict[str, _Cell]] = {}
        for task, cell in whole.items():
            fact = facts.get(cell.uids[0], NO_TASK)
            for name in (task,) if by == "task" else fact.categories:
                parts.setdefault(name, {})[task] = cell
        return dict(parts), whole
    found = every.by(map(_cutter(by), every.entries))
    if by in _WAYS:
        found.pop("", None)  # asked in its own words
        return {name: _by_task(own, facts) for name, own in found.items()}, _by_task(every, facts)
    return {name: {"": own} for name, own in found.items()}, {"": every}


def _line(name: str, cells: Cells, facts: Mapping[str, TaskFact]) -> Line:
    means = [cell.items for cell in cells.values()]
    scored = [one for one in means if one.values]
    errors = [one.error for one in scored]
    defined = [error for error in errors if error is not None]
    sound = bool(scored) and len(defined) == len(scored)
    outcomes: Counter[str] = Counter()
    for cell in cells.values():
        outcomes.update(cell.outcomes)
    asked = sum(len(cell.entries) for cell in cells.values())
    missing = sum(cell.missing for cell in cells.values())
    unjudged = sum(cell.unjudged for cell in cells.values())
    return Line(
        name=name,
        score=_mean([one.mean for one in scored]),
        stderr=math.sqrt(sum(error**2 for error in defined)) / len(scored) if sound else None,
        clustered=any(one.is_clustered for one in scored),
        tasks=len(scored),
        items=sum(one.count for one in means),
        asked=asked,
        scored=asked - missing - unjudged,
        missing=missing,
        refused=outcomes["refused"],
        truncated=outcomes["truncated"],
        thinking_truncated=outcomes["thinking_truncated"],
        empty=outcomes["empty"],
        unparsed=sum(cell.unparsed for cell in cells.values()),
        unjudged=unjudged,
        macro_f1=_macro_f1(cells, facts) if len(cells) == 1 else None,
    )


@dataclass(frozen=True)
class _Items:
    """The scores of the items of one task, each the mean over the ways it was asked."""

    count: int
    values: Sequence[float]
    clusters: Sequence[Hashable]

    @cached_property
    def mean(self) -> float:
        return math.fsum(self.values) / len(self.values)

    @cached_property
    def is_clustered(self) -> bool:
        return 2 <= len(set(self.clusters)) < len(self.clusters)

    @cached_property
    def error(self) -> float | None:
        from core.evaluation.intervals import clustered_error, standard_error  # numpy takes long

        if self.is_clustered:
            return clustered_error(self.values, self.clusters)
        return standard_error(self.values)


def _items(uids: Sequence[str], entries: Sequence[ItemScore]) -> _Items:
    said: dict[str, list[float]] = {}
    clusters: list[str] = []
    for uid, entry in zip(uids, entries, strict=True):
        value = entry.score
        if value is None:
            continue
        known = said.get(uid)
        if known is None:
            said[uid] = [value]
            clusters.append(entry.cluster or uid)
        else:
            known.append(value)
    values = [sum(found) / len(found) for found in said.values()]
    return _Items(len(set(uids)), values, clusters)


def _by_task(cell: _Cell, facts: Mapping[str, TaskFact]) -> dict[str, _Cell]:
    return cell.by([facts.get(uid, NO_TASK).task for uid in cell.uids])


def _macro_f1(cells: Cells, facts: Mapping[str, TaskFact]) -> float | None:
    """Mean over the ways of asking of the macro F1 of each; None for a task without labels."""
    (cell,) = cells.values()
    labels = facts.get(cell.uids[0], NO_TASK).labels if cell.uids else ()
    ways: dict[str, list[Prediction]] = {}
    for entry in cell.entries if labels else ():
        if entry.answered:
            said = Prediction(entry.id, entry.predicted, (entry.expected,))
            ways.setdefault(entry.variant, []).append(said)
    setting = MetricSetting(labels=labels)
    values = [MacroF1().measure(said, setting).value for said in ways.values()]
    return _mean([value for value in values if value is not None])


def _first_way(every: _Cell, by: str) -> _Cell:
    """The entries of the first instruction (or template) of every item."""
    first: dict[str, str] = {}
    place = 0 if by == "instruction" else 2
    ways = [entry.variant.partition("@")[place] for entry in every.entries]
    pairs = zip(every.uids, ways, strict=True)
    kept = every.by("first" if first.setdefault(uid, way) == way else "" for uid, way in pairs)
    return kept.get("first", _Cell((), ()))


def _task_scores(cells: Cells) -> list[float]:
    return [cell.items.mean for cell in cells.values() if cell.items.values]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _variance(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
