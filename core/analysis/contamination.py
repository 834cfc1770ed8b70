"""Contamination resistance: δ1, δ2, and how they vary over proportions (CoreEval §4, appendix B).

F1 is macro F1 as a fraction; δ is in points (percent), as the paper prints it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, Literal

from core.text import tr

Mode = Literal["zero", "test", "train", "train+test"]
MODES: tuple[Mode, ...] = ("test", "train", "train+test")
SETS = ("orig", "semt", "ours")


@dataclass(frozen=True, slots=True)
class SimulationScore:
    """Macro F1 (0…1) of a model trained on one set and evaluated on one.

    ``proportion`` is in percent, 0 for the untrained model. ``evaluated`` is the set asked, the
    trained one except in checks on an untouched set.
    """

    model: str
    task: str
    dataset: str
    mode: Mode
    proportion: int
    f1: float | None
    evaluated: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """δ1 = F1(test) − F1(zero), δ2 = F1(train+test) − F1(train), in points; None with a reason."""

    model: str
    task: str
    dataset: str
    proportion: int
    delta1: float | None
    delta2: float | None
    reason1: str | None = None
    reason2: str | None = None
    evaluated: str = ""

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}


def deltas(scores: Iterable[SimulationScore]) -> list[Delta]:
    """δ1 and δ2 of every model, task, set, evaluated set and proportion, in order."""
    found: dict[tuple[str, str, str, str], dict[tuple[Mode, int], float | None]] = {}
    untrained: dict[tuple[str, str, str], float | None] = {}
    for one in scores:
        asked = one.evaluated or one.dataset
        if one.mode == "zero":
            untrained[one.model, one.task, asked] = one.f1
        else:
            cells = found.setdefault((one.model, one.task, one.dataset, asked), {})
            cells[one.mode, one.proportion] = one.f1
    rows = []
    for (model, task, dataset, asked), cells in found.items():
        zero = untrained.get((model, task, asked))
        for proportion in sorted({p for _, p in cells}):
            first, reason1 = _difference(cells.get(("test", proportion)), zero)
            second, reason2 = _difference(
                cells.get(("train+test", proportion)), cells.get(("train", proportion))
            )
            rows.append(
                Delta(model, task, dataset, proportion, first, second, reason1, reason2, asked)
            )
    return rows


def _difference(after: float | None, before: float | None) -> tuple[float | None, str | None]:
    if after is None or before is None:
        return None, tr("One of the two evaluations is missing.")
    return 100 * (after - before), None


@dataclass(frozen=True, slots=True)
class DeltaSpread:
    """Mean and sample deviation (n−1) of δ over proportions, in points; None where undefined."""

    task: str
    dataset: str
    mean1: float | None
    deviation1: float | None
    mean2: float | None
    deviation2: float | None
    proportions: int
    evaluated: str = ""

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}


AVERAGE = "AVG"


def spreads(rows: Sequence[Delta]) -> list[DeltaSpread]:
    """Per task and set, after averaging over models; then AVG per set (tables 11 and 12).

    The AVG of the deviations is the mean of the tasks' deviations, as in table 12.
    """
    averaged = mean_over_models(rows)
    groups: dict[tuple[str, str, str], list[Delta]] = {}
    for row in averaged:
        groups.setdefault((row.dataset, row.task, row.evaluated), []).append(row)
    found = []
    for (dataset, task, asked), members in groups.items():
        first = [row.delta1 for row in members if row.delta1 is not None]
        second = [row.delta2 for row in members if row.delta2 is not None]
        found.append(
            DeltaSpread(
                task, dataset, _mean(first), _stdev(first), _mean(second), _stdev(second),
                len(members), asked,
            )
        )  # fmt: skip
    sets = dict.fromkeys((row.dataset, row.evaluated) for row in found)
    for dataset, asked in sets:
        here = [row for row in found if (row.dataset, row.evaluated) == (dataset, asked)]
        if len(here) > 1:
            columns = [
                _mean([v for row in here if (v := getattr(row, name)) is not None])
                for name in ("mean1", "deviation1", "mean2", "deviation2")
            ]
            most = max(row.proportions for row in here)
            found.append(
                DeltaSpread(
                    AVERAGE, dataset, columns[0], columns[1], columns[2], columns[3], most, asked
                )
            )
    return found


def mean_over_models(rows: Iterable[Delta]) -> list[Delta]:
    """δ averaged over models, per task, set and proportion."""
    groups: dict[tuple[str, str, int, str], list[Delta]] = {}
    for row in rows:
        groups.setdefault((row.dataset, row.task, row.proportion, row.evaluated), []).append(row)
    return [
        Delta(
            model="",
            task=task,
            dataset=dataset,
            proportion=proportion,
            delta1=_mean([row.delta1 for row in members if row.delta1 is not None]),
            delta2=_mean([row.delta2 for row in members if row.delta2 is not None]),
            evaluated=asked,
        )
        for (dataset, task, proportion, asked), members in groups.items()
    ]


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
    made = [Prediction(str(i), said, (true,)) for i, (true, said) in enumerate(pairs)]
    result = MacroF1().measure(made, MetricSetting(labels=tuple(labels)))
    return None if result.value is None or math.isnan(result.value) else result.value
