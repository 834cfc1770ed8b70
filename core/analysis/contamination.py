"""Contamination resistance: δ1, δ2, and how they vary over proportions (CoreEval §4, appendix B).

F1 is macro F1 as a fraction; δ is in points (percent), as the paper prints it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, Literal

from core.i18n import tr

Mode = Literal["zero", "test", "train", "train+test"]
MODES: tuple[Mode, ...] = ("test", "train", "train+test")


@dataclass(frozen=True, slots=True)
class SimulationScore:
    """Macro F1 (0…1) of a model trained on one set and evaluated on one.

    ``proportion`` is in percent, 0 for the untrained model. ``evaluated`` is the set asked, the
    trained one except in checks on an untouched set. ``setting`` tells trainings of other
    parameters apart, ``data`` the examples of the trained and of the asked set; scores are
    compared only where these are the same. ``text_only``: the test texts were seen without label.
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


@dataclass(frozen=True, slots=True)
class Delta:
    """δ1 = F1(test) − F1(zero), δ2 = F1(train+test) − F1(train), in points; None with a reason.

    ``run`` names the runs that the evaluations are from.
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

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}


_Cells = dict[tuple[Mode, int], SimulationScore]
_Asking = tuple[str, str, bool, str, str, str]
"""Model, setting, text only, task, asked set and its data: what an untrained model answers."""


def deltas(scores: Iterable[SimulationScore]) -> list[Delta]:
    """δ1 and δ2 of every model, setting, task, set, evaluated set and proportion, in order.

    Of a cell that several runs have, the first counts.
    """
    groups: dict[tuple[_Asking, str, str], _Cells] = {}
    untrained: dict[_Asking, SimulationScore] = {}
    for score in scores:
        evaluated = score.evaluated or score.dataset
        asking = (score.model, score.setting, score.text_only, score.task, evaluated, score.data[1])
        if score.mode == "zero":
            untrained.setdefault(asking, score)
        else:
            cells = groups.setdefault((asking, score.dataset, score.data[0]), {})
            cells.setdefault((score.mode, score.proportion), score)
    rows = []
    for (asking, _, _), cells in groups.items():
        zero, evaluated = untrained.get(asking), asking[4]
        rows += [_delta(cells, zero, evaluated, p) for p in sorted({p for _, p in cells})]
    return rows


def _delta(cells: _Cells, zero: SimulationScore | None, evaluated: str, proportion: int) -> Delta:
    test, train, both = (cells.get((mode, proportion)) for mode in MODES)
    present = next(cell for cell in (test, train, both) if cell is not None)
    first, reason1 = _difference(test, zero)
    second, reason2 = _difference(both, train)
    used = (test, zero if test else None, train, both)
    runs = dict.fromkeys(cell.run for cell in used if cell is not None and cell.run)
    return Delta(
        present.model, present.task, present.dataset, proportion, first, second, reason1, reason2,
        evaluated, present.text_only, ", ".join(runs),
    )  # fmt: skip


def _difference(
    after: SimulationScore | None, before: SimulationScore | None
) -> tuple[float | None, str | None]:
    if after is None or before is None or after.f1 is None or before.f1 is None:
        return None, tr("One of the two evaluations is missing.")
    return 100 * (after.f1 - before.f1), None


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
