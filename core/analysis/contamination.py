"""Contamination resistance: δ1, δ2, and how they vary over proportions (CoreEval §4, appendix B).

F1 is macro F1 as a fraction; δ is in points (percent), as the paper prints it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any, Literal, Self

from core.i18n import tr, trn
from core.proportion import student_quantile

Mode = Literal["zero", "test", "train", "train+test"]
FEW_SEEDS = 8
"""Of fewer trainings intervals are rough, rather too wide than too narrow."""
MODES: tuple[Mode, ...] = ("test", "train", "train+test")


@dataclass(frozen=True, slots=True)
class SimulationScore:
    """Macro F1 (0…1) of a model trained on one set and evaluated on one.

    ``proportion`` is in percent, 0 for the untrained model. ``evaluated`` is the set asked, the
    trained one except in checks on an untouched set. ``setting`` tells trainings of other
    parameters apart, ``data`` the examples of the trained and of the asked set; scores are
    compared only where these are the same. ``text_only``: the test texts were seen without label.
    ``seed`` is the training's; ``by_item`` are values of the asked items of which F1 is the mean.
    """

    model: str
    task: str
    dataset: str
    mode: Mode
    proportion: int
    f1: float | None
    evaluated: str = ""
    run: str = ""
    text_only: bool = False
    setting: str = ""
    data: tuple[str, str] = ("", "")
    seed: int = 0
    by_item: tuple[float, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Delta:
    """δ1 = F1(test) − F1(zero), δ2 = F1(train+test) − F1(train), in points; None with a reason.

    Each is the mean over ``seeds1``, or ``seeds2``, trainings of other seeds, with a 95% interval
    over the asked items and those seeds; of one seed over the items alone. ``run`` names the runs
    that the evaluations are from.
    """

    model: str
    task: str
    dataset: str
    proportion: int
    delta1: float | None
    delta2: float | None
    reason1: str | None = None
    reason2: str | None = None
    evaluated: str = ""
    text_only: bool = False
    run: str = ""
    low1: float | None = None
    high1: float | None = None
    low2: float | None = None
    high2: float | None = None
    seeds1: int = 0
    seeds2: int = 0

    @property
    def caution(self) -> str:
        """In words that an interval is of few trainings, so that it may hold more or less often
        than it says; empty of more."""
        fewest = min((n for n in (self.seeds1, self.seeds2) if n), default=FEW_SEEDS)
        return trn("few seeds: 1", "few seeds: {n}", fewest) if fewest < FEW_SEEDS else ""

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__} | {"caution": self.caution}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What ``as_json`` wrote, in this version or another: what it computes is left out."""
        return cls(**{name: row[name] for name in cls.__slots__ if name in row})


_Cells = dict[tuple[Mode, int], dict[int, SimulationScore]]
"""Scores by mode and proportion, each by the seed of its training."""
_Asking = tuple[str, str, bool, str, str, str]
"""Model, setting, text only, task, asked set and its data: what an untrained model answers."""


def deltas(scores: Iterable[SimulationScore]) -> list[Delta]:
    """δ1 and δ2 of every model, setting, task, set, evaluated set and proportion, in order.

    Of a cell that several runs of one seed have, the first counts.
    """
    groups: dict[tuple[_Asking, str, str], _Cells] = {}
    untrained: dict[_Asking, dict[int, SimulationScore]] = {}
    for score in scores:
        evaluated = score.evaluated or score.dataset
        asking = (score.model, score.setting, score.text_only, score.task, evaluated, score.data[1])
        if score.mode == "zero":
            untrained.setdefault(asking, {}).setdefault(score.seed, score)
        else:
            cells = groups.setdefault((asking, score.dataset, score.data[0]), {})
            cells.setdefault((score.mode, score.proportion), {}).setdefault(score.seed, score)
    rows = []
    for (asking, _, _), cells in groups.items():
        zero, evaluated = untrained.get(asking, {}), asking[4]
        rows += [_delta(cells, zero, evaluated, p) for p in sorted({p for _, p in cells})]
    return rows


def _delta(
    cells: _Cells, zero: Mapping[int, SimulationScore], evaluated: str, proportion: int
) -> Delta:
    test, train, both = (cells.get((mode, proportion), {}) for mode in MODES)
    present = next(iter((test or train or both).values()))
    # an untrained model answers alike whatever the seed of a training
    untrained = {seed: zero.get(seed) or next(iter(zero.values()), None) for seed in test}
    first, second = _difference(test, untrained), _difference(both, train)
    used = (test, zero if test else {}, train, both)
    runs = dict.fromkeys(cell.run for part in used for cell in part.values() if cell.run)
    return Delta(
        present.model, present.task, present.dataset, proportion, first.points, second.points,
        first.reason, second.reason, evaluated, present.text_only, ", ".join(runs),
        first.low, first.high, second.low, second.high, first.seeds, second.seeds,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Difference:
    """A difference of F1 in points with its 95% interval, or why there is none."""

    points: float | None
    low: float | None = None
    high: float | None = None
    seeds: int = 0
    reason: str | None = None


def _difference(
    after: Mapping[int, SimulationScore], before: Mapping[int, SimulationScore | None]
) -> _Difference:
    """Paired by seed, and item by item within each."""
    pairs = [(score, before.get(seed)) for seed, score in after.items()]
    both = [
        (score, earlier, 100 * (score.f1 - earlier.f1))
        for score, earlier in pairs
        if earlier is not None and score.f1 is not None and earlier.f1 is not None
    ]
    if not both:
        return _Difference(None, reason=tr("One of the two evaluations is missing."))
    by_seed = [points for _, _, points in both]
    points = fmean(by_seed)
    apart = _by_item([(score.by_item, earlier.by_item) for score, earlier, _ in both])
    by_item = [fmean(values) for values in apart]
    total = each = 0.0
    if len(by_item) > 1:
        total = (100 * stdev(by_item)) ** 2 / len(by_item)
        each = total**2 / (len(by_item) - 1)
        if len(both) > 1:
            seeds = stdev(by_seed) ** 2 / len(both)
            own = max(0.0, seeds - _luck(apart))  # beyond the luck that items hold already
            total += own
            each += seeds**2 / (len(both) - 1)
    if not total:
        return _Difference(points, seeds=len(both))
    # no fewer degrees than the seeds alone would leave, however little of the error is theirs
    freedom = max(total**2 / each, len(both) - 1)
    reach = student_quantile(freedom) * math.sqrt(total)
    return _Difference(points, points - reach, points + reach, len(both))


def _by_item(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> list[list[float]]:
    """Each item's difference by seed; empty where not all have the same items."""
    if len({len(values) for pair in pairs for values in pair}) > 1:
        return []
    differences = [[a - b for a, b in zip(*pair, strict=True)] for pair in pairs]
    return [list(values) for values in zip(*differences, strict=True)]


def _luck(apart: Sequence[Sequence[float]]) -> float:
    """What the spread over items and the spread over seeds both hold, in squared points: the mean
    square of what neither explains, over items × seeds (Searle, Casella and McCulloch 1992,
    Variance Components, chapter 4.6: the mean of a two-way layout without repetition)."""
    items, seeds = len(apart), len(apart[0])
    of_item = [fmean(values) for values in apart]
    of_seed = [fmean(values) for values in zip(*apart, strict=True)]
    grand = fmean(of_item)
    rest = math.fsum(
        (value - row - column + grand) ** 2
        for values, row in zip(apart, of_item, strict=True)
        for value, column in zip(values, of_seed, strict=True)
    )
    return 100**2 * rest / ((items - 1) * (seeds - 1)) / (items * seeds)


@dataclass(frozen=True, slots=True)
class DeltaSpread:
    """Mean and sample deviation (n−1) of δ over proportions, in points; None with a reason."""

    task: str
    dataset: str
    mean1: float | None
    deviation1: float | None
    mean2: float | None
    deviation2: float | None
    proportions: int
    evaluated: str = ""
    text_only: bool = False
    reason1: str | None = None
    reason2: str | None = None

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What ``as_json`` wrote, in this version or another."""
        return cls(**{name: row[name] for name in cls.__slots__ if name in row})


AVERAGE = "AVG"


def spreads(rows: Sequence[Delta]) -> list[DeltaSpread]:
    """Per task and set, after averaging over models; then AVG per set (tables 11 and 12).

    The AVG of the deviations is the mean of the tasks' deviations, as in table 12.
    """
    groups: dict[tuple[str, str, str, bool], list[Delta]] = {}
    for row in mean_over_models(rows):
        key = (row.dataset, row.task, row.evaluated, row.text_only)
        groups.setdefault(key, []).append(row)
    all_spreads = [_spread(members) for members in groups.values()]
    sets: dict[tuple[str, str, bool], list[DeltaSpread]] = {}
    for spread in all_spreads:
        sets.setdefault((spread.dataset, spread.evaluated, spread.text_only), []).append(spread)
    return all_spreads + [
        _average(spreads_of_set) for spreads_of_set in sets.values() if len(spreads_of_set) > 1
    ]


def _spread(members: Sequence[Delta]) -> DeltaSpread:
    first = [row.delta1 for row in members if row.delta1 is not None]
    second = [row.delta2 for row in members if row.delta2 is not None]
    example = members[0]
    return DeltaSpread(
        example.task, example.dataset, _mean(first), _stdev(first), _mean(second), _stdev(second),
        len(members), example.evaluated, example.text_only, _why(len(first)), _why(len(second)),
    )  # fmt: skip


def _why(values: int) -> str | None:
    """Why so many values have no deviation."""
    if values == 0:
        return tr("One of the two evaluations is missing.")
    return tr("A standard deviation needs two or more proportions.") if values == 1 else None


def _average(members: Sequence[DeltaSpread]) -> DeltaSpread:
    def over(name: str) -> float | None:
        return _mean([v for row in members if (v := getattr(row, name)) is not None])

    first = members[0]
    reasons = [
        None if over(f"deviation{n}") is not None else getattr(first, f"reason{n}") for n in (1, 2)
    ]
    return DeltaSpread(
        AVERAGE, first.dataset, over("mean1"), over("deviation1"), over("mean2"),
        over("deviation2"), max(row.proportions for row in members), first.evaluated,
        first.text_only, *reasons,
    )  # fmt: skip


def mean_over_models(rows: Iterable[Delta]) -> list[Delta]:
    """δ averaged over models, per task, set and proportion.

    Several simulations of a model count as their mean, so that every model counts alike.
    """
    groups: dict[tuple[str, str, int, str, bool], dict[str, list[Delta]]] = {}
    for row in rows:
        key = (row.dataset, row.task, row.proportion, row.evaluated, row.text_only)
        groups.setdefault(key, {}).setdefault(row.model, []).append(row)
    return [
        Delta(
            model="",
            task=task,
            dataset=dataset,
            proportion=proportion,
            delta1=_mean_of_means(
                [[row.delta1 for row in rows_of_model] for rows_of_model in by_model.values()]
            ),
            delta2=_mean_of_means(
                [[row.delta2 for row in rows_of_model] for rows_of_model in by_model.values()]
            ),
            evaluated=evaluated,
            text_only=text_only,
        )
        for (dataset, task, proportion, evaluated, text_only), by_model in groups.items()
    ]


def _mean_of_means(groups: Sequence[Sequence[float | None]]) -> float | None:
    means = [_mean([value for value in group if value is not None]) for group in groups]
    return _mean([value for value in means if value is not None])


def mean_over_tasks(values: Mapping[str, float | None]) -> float | None:
    """The AVG column: the plain mean over the tasks that have a value."""
    return _mean([value for value in values.values() if value is not None])


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _stdev(values: Sequence[float]) -> float | None:
    return stdev(values) if len(values) > 1 else None


def macro_f1(
    expected: Sequence[str], predicted: Sequence[str | None], labels: Sequence[str]
) -> float | None:
    """Macro F1 over the label space as a fraction; None without items."""
    from core.evaluation.metrics.base import MetricSetting, Prediction
    from core.evaluation.metrics.f1 import MacroF1

    pairs = zip(expected, predicted, strict=True)
    predictions = [Prediction(str(i), guess, (true,)) for i, (true, guess) in enumerate(pairs)]
    result = MacroF1().measure(predictions, MetricSetting(labels=tuple(labels)))
    return None if result.value is None or math.isnan(result.value) else result.value
