"""A report cut into parts and averaged as the papers do.

An item's score is the mean over the instructions and templates by which it was asked; a part's is
the mean over its items. By task and by category the mean is over tasks (CIF-Bench §3.3), so that a
task with many items counts no more than one with few. Standard errors are clustered where items
share an article, also one of several tasks (``clusters.spread_over_tasks``).
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any, TypeVar

from core.errors import InputError
from core.evaluation.clusters import ClusterSums, cluster_name, mean_spread, spread_over_tasks
from core.evaluation.mean_interval import ScoreInterval, caution, mean_interval
from core.evaluation.metrics import MacroF1, MetricSetting, Prediction
from core.evaluation.metrics.f1 import macro_f1_by_item, macro_f1_caution
from core.evaluation.scoring import ItemScore, Report, is_unparsed
from core.i18n import tr, tr_noop
from core.known_names import refuse_unknown
from core.release.question_ids import uid_of
from core.report_table import JsonFields

CUTS = ("category", "task", "domain", "instruction", "template", "format", "format_domain")
_OVER_TASKS = ("category", "task", "instruction", "template")
_VARIANT_CUTS = ("instruction", "template")

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """A task as reports cut by it. ``metric`` is ``accuracy``, ``f1``, ``judge`` or ``similarity``
    (CIF-Bench §3.3), empty where nobody said; ``categories`` are names, often several; ``labels``
    is the label space, for macro F1."""

    task: str
    categories: tuple[str, ...] = ()
    metric: str = ""
    labels: tuple[str, ...] = ()


NO_TASK = TaskSummary("")


@dataclass(frozen=True, slots=True)
class BreakdownRow(JsonFields):
    """One part. ``score``, ``stderr`` and the 95% interval from ``low`` to ``high`` are in 0…1,
    None where undefined; ``caution`` says where the interval rests on little, ``sources`` over how
    many sources it is. ``scored`` answers are in the mean, the counts beside it are over all that
    were ``asked``. ``macro_f1`` is the mean over instructions and templates, for a task of labels.
    """

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
    low: float | None = None
    high: float | None = None
    caution: str = ""
    macro_f1_low: float | None = None
    macro_f1_high: float | None = None
    macro_f1_caution: str = ""
    sources: int = 0


@dataclass(frozen=True)
class Breakdown(JsonFields):
    """The parts of one report and its whole. ``over`` says what the means are over.

    ``mean`` and ``variance`` (sample, n−1) are over the parts of a cut by instruction or template.
    ``task_variance_one`` and ``task_variance_all`` are sample variances of the scores of the tasks
    when each is asked by its first instruction, and by all (CIF-Bench, table 9).
    """

    by: str
    over: str
    lines: tuple[BreakdownRow, ...]
    total: BreakdownRow
    mean: float | None = None
    variance: float | None = None
    task_variance_one: float | None = None
    task_variance_all: float | None = None

    def as_json(self) -> dict[str, Any]:
        """One object; its lines are called ``parts``."""
        document = super().as_json()
        return document | {"parts": document.pop("lines")}


def breakdown(report: Report, by: str, facts: Mapping[str, TaskSummary] | None = None) -> Breakdown:
    """Cut a report. ``facts`` gives the task of each item by its uid, the same categories for every
    item of a task; without them all items are of one task. Raises InputError for an unknown cut,
    and for one that nothing in the report has."""
    refuse_unknown(
        by, CUTS, tr_noop("A report cannot be broken down by “{name}”. Available: {known}.")
    )
    known = facts or {}
    tasked = by in _OVER_TASKS
    all_answers = _Cell([uid_of(entry.id) for entry in report.scores], report.scores)
    parts, whole, first = (
        _by_variant(all_answers, by, known)
        if by in _VARIANT_CUTS
        else _parts(all_answers, by, known)
    )
    if not parts and report.scores:
        raise InputError(_nothing(by))
    lines = tuple(_line(name, parts[name], known) for name in sorted(parts))
    total = _line(tr("all"), whole, known)
    over = "tasks" if tasked and total.tasks > 1 else "items"
    if by not in _VARIANT_CUTS:
        return Breakdown(by, over, lines, total)
    values = [line.score for line in lines if line.score is not None]
    return Breakdown(
        by,
        over,
        lines,
        total,
        mean=_mean(values),
        variance=_variance(values),
        task_variance_one=_variance(_task_scores(first)),
        task_variance_all=_variance(_task_scores(whole)),
    )


def _nothing(by: str) -> str:
    if by == "category":
        return tr("No task of this run has a category.")
    return tr(
        "This run used only one prompt variant per item; it cannot be broken down by {by}.", by=by
    )


def _cutter(by: str) -> Callable[[ItemScore], str]:
    """From an item's score to the name of the part it belongs to."""
    cuts: Mapping[str, Callable[[ItemScore], str]] = {
        "format": lambda entry: entry.format,
        "domain": lambda entry: entry.domain,
        "format_domain": lambda entry: f"{entry.format}/{entry.domain}",
    }
    return cuts[by]


@dataclass(frozen=True, slots=True)
class _Counts:
    """How the answers of a cell went."""

    asked: int
    missing: int
    unjudged: int
    unparsed: int
    outcomes: Mapping[str, int]

    @classmethod
    def of(cls, entries: Sequence[ItemScore]) -> "_Counts":
        return cls(
            asked=len(entries),
            missing=[entry.answered for entry in entries].count(False),
            unjudged=[entry.unjudged and entry.answered for entry in entries].count(True),
            unparsed=sum([is_unparsed(entry) for entry in entries if entry.predicted is None]),
            outcomes=Counter([entry.outcome for entry in entries]),
        )

    @classmethod
    def sum(cls, parts: "Sequence[_Counts]") -> "_Counts":
        outcomes: Counter[str] = Counter()
        for part in parts:
            outcomes.update(part.outcomes)
        return cls(
            sum(part.asked for part in parts),
            sum(part.missing for part in parts),
            sum(part.unjudged for part in parts),
            sum(part.unparsed for part in parts),
            outcomes,
        )


class _Cell:
    """The answers to the items of one task, or of all, in one part. What is known of it is found
    once: the line of a part and the line of all are made of the same cells."""

    def __init__(
        self, uids: Sequence[str], entries: Sequence[ItemScore], of: "Sequence[_Cell]" = ()
    ) -> None:
        self.uids, self.entries, self._of = uids, entries, of

    @classmethod
    def joined(cls, cells: "Sequence[_Cell]") -> "_Cell":
        """The answers of all of these."""
        if len(cells) == 1:
            return cells[0]
        uids = [uid for cell in cells for uid in cell.uids]
        return cls(uids, [entry for cell in cells for entry in cell.entries], cells)

    @cached_property
    def counts(self) -> _Counts:
        if self._of:
            return _Counts.sum([cell.counts for cell in self._of])
        return _Counts.of(self.entries)

    @cached_property
    def scores(self) -> Sequence[float | None]:
        if self._of:
            return [score for cell in self._of for score in cell.scores]
        return [entry.score for entry in self.entries]

    @cached_property
    def items(self) -> "_Items":
        return _items(self)

    def by(self, names: Iterable[Name]) -> "dict[Name, _Cell]":
        """The cells of those that are given the same name, in the order of their first."""
        groups: dict[Name, tuple[list[str], list[ItemScore]]] = {}
        for name, uid, entry in zip(names, self.uids, self.entries, strict=True):
            group = groups.get(name)
            if group is None:
                group = groups[name] = ([], [])
            group[0].append(uid)
            group[1].append(entry)
        return {name: _Cell(*group) for name, group in groups.items()}

    def only(self, selected: Sequence[bool]) -> "_Cell":
        """The answers that are wanted, this cell itself where all are."""
        if all(selected):
            return self
        return _Cell(list(compress(self.uids, selected)), list(compress(self.entries, selected)))


Cells = Mapping[str, _Cell]  # by task; all that has no tasks is under the empty name
Cut = tuple[Mapping[str, Cells], Cells, Cells]
"""The cells of every part, those of the whole, and those of what was asked first of each item."""


def _parts(all_answers: _Cell, by: str, facts: Mapping[str, TaskSummary]) -> Cut:
    if by in ("task", "category"):
        whole = all_answers.by([facts.get(uid, NO_TASK).task for uid in all_answers.uids])
        parts: dict[str, dict[str, _Cell]] = {}
        for task, cell in whole.items():
            fact = facts.get(cell.uids[0], NO_TASK)
            for name in (task,) if by == "task" else fact.categories:
                parts.setdefault(name, {})[task] = cell
        return parts, whole, {}
    cells = all_answers.by(map(_cutter(by), all_answers.entries))
    return {name: {"": group} for name, group in cells.items()}, {"": all_answers}, {}


def _by_variant(all_answers: _Cell, by: str, facts: Mapping[str, TaskSummary]) -> Cut:
    """By instruction or template; the whole of a task is made of the cells of its ways."""
    place = 0 if by == "instruction" else 2
    variants = [entry.variant for entry in all_answers.entries]
    named = {variant: variant.partition("@")[place] for variant in set(variants)}
    texts = [named[variant] for variant in variants]
    tasks = [facts.get(uid, NO_TASK).task for uid in all_answers.uids]
    # of two entries for one key a dictionary keeps the later one
    first_text = dict(zip(reversed(all_answers.uids), reversed(texts), strict=True))
    parts: dict[str, dict[str, _Cell]] = {}
    cells: dict[str, list[_Cell]] = {}
    firsts: dict[str, list[_Cell]] = {}
    for (task, text), cell in all_answers.by(zip(tasks, texts, strict=True)).items():
        cells.setdefault(task, []).append(cell)
        if text:  # else asked in its own words
            parts.setdefault(text, {})[task] = cell
        first = cell.only([first_text[uid] == text for uid in cell.uids])
        if first.uids:
            firsts.setdefault(task, []).append(first)
    whole = {task: _Cell.joined(members) for task, members in cells.items()}
    return parts, whole, {task: _Cell.joined(members) for task, members in firsts.items()}


def _line(name: str, cells: Cells, facts: Mapping[str, TaskSummary]) -> BreakdownRow:
    means = [cell.items for cell in cells.values()]
    scored = [mean for mean in means if mean.values]
    spread = spread_over_tasks([(mean.values, mean.clusters) for mean in scored])
    interval = mean_interval(spread) if spread else None
    macro_f1, f1_interval, f1_caution = _macro_f1(cells, facts) if len(cells) == 1 else _NO_F1
    counts = _Counts.sum([cell.counts for cell in cells.values()])
    return BreakdownRow(
        name=name,
        score=_mean([mean.mean for mean in scored]),
        stderr=(scored[0].error if len(scored) == 1 else spread and spread.clustered) or None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        caution=caution(spread) if spread else "",
        clustered=any(mean.clustered is not None for mean in scored)
        or (len(scored) > 1 and spread is not None and spread.clusters < spread.n),
        tasks=len(scored),
        items=sum(mean.count for mean in means),
        asked=counts.asked,
        scored=counts.asked - counts.missing - counts.unjudged,
        missing=counts.missing,
        refused=counts.outcomes.get("refused", 0),
        truncated=counts.outcomes.get("truncated", 0),
        thinking_truncated=counts.outcomes.get("thinking_truncated", 0),
        empty=counts.outcomes.get("empty", 0),
        unparsed=counts.unparsed,
        unjudged=counts.unjudged,
        macro_f1=macro_f1,
        macro_f1_low=f1_interval.low,
        macro_f1_high=f1_interval.high,
        macro_f1_caution=f1_caution,
        sources=spread.clusters if spread else 0,
    )


@dataclass(frozen=True)
class _Items:
    """The scores of the items of one task, each the mean over the ways it was asked."""

    count: int
    values: Sequence[float]
    clusters: Sequence[str]

    @cached_property
    def mean(self) -> float:
        return math.fsum(self.values) / len(self.values)

    @cached_property
    def clustered(self) -> float | None:
        """The error that allows for items of one source; None where all are of their own."""
        return self._sums.error()

    @cached_property
    def error(self) -> float | None:
        """The larger of the clustered and the plain error; None for fewer than two items."""
        spread = _variance(self.values)
        if spread is None:
            return None
        return max(self._sums.error() or 0.0, math.sqrt(spread / len(self.values)))

    @cached_property
    def _sums(self) -> ClusterSums:
        sums = ClusterSums()
        sums.extend(self.clusters, self.values)
        return sums


def _items(cell: _Cell) -> _Items:
    """Each item's mean over what was asked of it; most cells ask every item once."""
    count = len(set(cell.uids))
    scored = (
        cell if None not in cell.scores else cell.only([score is not None for score in cell.scores])
    )
    values = [score for score in cell.scores if score is not None]
    sources = zip(scored.uids, scored.entries, strict=True)
    clusters = [cluster_name(entry.cluster, uid) for uid, entry in sources]
    if count == len(cell.uids):
        return _Items(count, values, clusters)
    scores: dict[str, list[float]] = {}
    for uid, value in zip(scored.uids, values, strict=True):
        known = scores.get(uid)
        if known is None:
            scores[uid] = [value]
        else:
            known.append(value)
    # of two entries for one key a dictionary keeps the place of the first
    shared = dict(zip(reversed(scored.uids), reversed(clusters), strict=True))
    means = [sum(of_item) / len(of_item) for of_item in scores.values()]
    return _Items(count, means, [shared[uid] for uid in scores])


_NO_F1 = (None, ScoreInterval(None, None), "")


def _macro_f1(
    cells: Cells, facts: Mapping[str, TaskSummary]
) -> tuple[float | None, ScoreInterval, str]:
    """Mean over the ways of asking of the macro F1 of each, its 95% interval, and whether that is
    rough; None for a task without labels."""
    (cell,) = cells.values()
    labels = facts.get(cell.uids[0], NO_TASK).labels if cell.uids else ()
    answered: dict[str, list[tuple[str, ItemScore]]] = {}
    for uid, entry in zip(cell.uids, cell.entries, strict=True) if labels else ():
        if entry.answered:
            answered.setdefault(entry.variant, []).append((uid, entry))
    setting = MetricSetting(labels=labels)
    values: list[float] = []
    by_item: dict[str, list[float]] = {}
    sources: dict[str, str] = {}
    for members in answered.values():
        predictions = [Prediction(e.id, e.predicted, (e.expected,)) for _, e in members]
        result = MacroF1().measure(predictions, setting).value
        if result is None:
            continue
        values.append(result)
        parts = macro_f1_by_item(
            [entry.expected for _, entry in members], [e.predicted for _, e in members], labels
        )
        for (uid, entry), part in zip(members, parts, strict=True):
            by_item.setdefault(uid, []).append(part)
            sources.setdefault(uid, cluster_name(entry.cluster, uid))
    if not values:
        return _NO_F1
    means = [sum(parts) / len(parts) for parts in by_item.values()]
    spread = replace(mean_spread(means, list(sources.values())), mean=sum(values) / len(values))
    expected = {uid: entry.expected for part in answered.values() for uid, entry in part}
    why = caution(spread) or macro_f1_caution(list(expected.values()), labels)
    return spread.mean, mean_interval(spread), why


def _task_scores(cells: Cells) -> list[float]:
    return [cell.items.mean for cell in cells.values() if cell.items.values]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _variance(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
