"""Item analysis: how hard an item is, whether it tells models apart, which options nobody picks."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.analysis.response_model import (
    FEWEST_ITEMS,
    FEWEST_MODELS,
    ResponseModel,
    few_models,
    two_parameter_model,
)
from core.evaluation.option_orders import as_own
from core.evaluation.scoring import ItemScore, Report
from core.i18n import tr, trn
from core.release.question_ids import uid_of
from core.report_table import JsonFields

RELIABLE = 0.7
"""From this reliability on, slopes are usually taken to tell items apart."""
FEWEST_TO_DISCRIMINATE = 10
"""Of fewer models a discrimination has a standard error above a third of its range."""
_MODELLED = ("slope", "slope_error", "slope_low", "slope_high", "location", "location_error")


@dataclass(frozen=True)
class ItemStatistics(JsonFields):
    """One item over several models.

    ``difficulty`` is the share of models that got it right (0…1), a model that was asked in several
    ways counting by the share of its right answers; ``discrimination`` the share
    among the better half of the models less that among the weaker half (−1…1; None where all are
    equally good); ``item_total`` the correlation with the score on all other items; both are None
    for fewer than ``FEWEST_TO_DISCRIMINATE`` models. ``slope`` and
    ``location`` are a and b of the two-parameter model with their standard errors, ``slope_low``
    and ``slope_high`` the 95% bounds of a. None where undefined; ``picked`` counts answers by what
    they are called in the item's own order, ``unpicked`` are options no model chose.
    """

    id: str
    format: str
    domain: str
    models: int
    difficulty: float | None
    discrimination: float | None
    item_total: float | None
    slope: float | None
    slope_error: float | None
    slope_low: float | None
    slope_high: float | None
    location: float | None
    location_error: float | None
    picked: Mapping[str, int]
    unpicked: tuple[str, ...]


@dataclass(frozen=True)
class ItemAnalysis(JsonFields):
    """All items, the models' abilities with their errors, and why a part is missing.

    ``reliability`` (0…1) is that of the slopes; None without a two-parameter model. ``caution``
    says why its bounds and errors are rough, if they are.
    """

    items: tuple[ItemStatistics, ...]
    abilities: Mapping[str, float]
    ability_errors: Mapping[str, float]
    reliability: float | None
    runs: tuple[str, ...]
    notes: tuple[str, ...]
    caution: str = ""

    def as_json(self) -> dict[str, Any]:
        """One object."""
        document = super().as_json()
        return document | {"slope_reliability": document.pop("reliability")}


def analyse_items(
    reports: Mapping[str, Report], choices: Mapping[str, Sequence[str]] | None = None
) -> ItemAnalysis:
    """Statistics of every item that any of the reports has, in the order of the first report.

    ``reports`` are by name of the model or run; ``choices`` gives the options by the item's uid. An
    item is one item, in however many ways it was asked, or of however many people.
    """
    answers = [_by_item(report) for report in reports.values()]
    ids = list(dict.fromkeys(uid for by_item in answers for uid in by_item))
    matrix = np.full((len(ids), len(reports)), math.nan)
    for column, by_item in enumerate(answers):
        for row, name in enumerate(ids):
            right = [entry.correct for entry in by_item.get(name, ()) if entry.answered]
            if right:
                matrix[row, column] = sum(right) / len(right)
    notes: list[str] = []
    # a model without any answer has no ability, and tells nothing of an item
    with_answers = ~np.isnan(matrix).all(axis=0)
    model = _response_model(matrix[:, with_answers], notes)
    models = int(np.count_nonzero(with_answers))
    if models < FEWEST_TO_DISCRIMINATE:
        totals = apart = np.full(len(ids), math.nan)
        notes.append(
            trn(
                "Discrimination and item–total correlation need {needed} or more models; there "
                "is 1.",
                "Discrimination and item–total correlation need {needed} or more models; there "
                "are {n}.",
                models,
                needed=FEWEST_TO_DISCRIMINATE,
            )
        )
    else:
        totals, apart = _item_total(matrix), _discrimination(matrix[:, with_answers])
    statistics = tuple(
        _statistics(
            [entry for by_item in answers for entry in by_item.get(name, ())],
            tuple((choices or {}).get(name, ())),
            matrix[row],
            (apart[row], totals[row]),
            _modelled(model, row),
        )
        for row, name in enumerate(ids)
    )
    runs = tuple(str(report.origin.get("run", "")) for report in reports.values())
    if model is None:
        return ItemAnalysis(statistics, {}, {}, None, runs, tuple(notes))
    rough = few_models(len(model.ability))
    if rough:
        notes.append(tr("Bounds of slopes, locations and abilities are rough ({why}).", why=rough))
    names = [name for name, answered in zip(reports, with_answers, strict=True) if answered]
    return ItemAnalysis(
        statistics,
        dict(zip(names, model.ability.tolist(), strict=True)),
        dict(zip(names, model.ability_error.tolist(), strict=True)),
        model.reliability,
        runs,
        tuple(notes),
        rough,
    )


def _by_item(report: Report) -> dict[str, list[ItemScore]]:
    """The answers of a report by the uid of their item."""
    found: dict[str, list[ItemScore]] = {}
    for entry in report.scores:
        found.setdefault(uid_of(entry.id), []).append(entry)
    return found


def _statistics(
    entries: Sequence[ItemScore],
    offered: tuple[str, ...],
    answers: npt.NDArray[np.float64],
    classical: tuple[float, float],
    modelled: Mapping[str, float | None],
) -> ItemStatistics:
    """One item from its scores, its row of answers, and (discrimination, item-total r)."""
    predictions = Counter(
        as_own(entry.predicted or "", entry.variant) for entry in entries if entry.answered
    )
    answered = int((~np.isnan(answers)).sum())
    return ItemStatistics(
        id=uid_of(entries[0].id),
        format=entries[0].format,
        domain=entries[0].domain,
        models=answered,
        difficulty=float(np.nanmean(answers)) if answered else None,
        discrimination=_defined(classical[0]),
        item_total=_defined(classical[1]),
        **(modelled if answered else dict.fromkeys(_MODELLED)),
        picked=dict(predictions),
        unpicked=tuple(option for option in offered if answered and option not in predictions),
    )


def _modelled(model: ResponseModel | None, row: int) -> dict[str, float | None]:
    """What the two-parameter model says of one item."""
    if model is None:
        return dict.fromkeys(_MODELLED)
    parts = (
        model.discrimination,
        model.discrimination_error,
        model.discrimination_low,
        model.discrimination_high,
        model.difficulty,
        model.difficulty_error,
    )
    return {name: float(part[row]) for name, part in zip(_MODELLED, parts, strict=True)}


def _response_model(matrix: npt.NDArray[np.float64], notes: list[str]) -> ResponseModel | None:
    if matrix.shape[0] < FEWEST_ITEMS:
        notes.append(tr("The two-parameter model needs two or more items; there is one."))
        return None
    if matrix.shape[1] < FEWEST_MODELS:
        notes.append(
            trn(
                "The two-parameter model needs {needed} or more models; there is 1.",
                "The two-parameter model needs {needed} or more models; there are {n}.",
                matrix.shape[1],
                needed=FEWEST_MODELS,
            )
        )
        return None
    model = two_parameter_model(matrix)
    if model.reliability < RELIABLE:
        notes.append(_unreliable(model.reliability, matrix.shape[1]))
    return model


def _unreliable(reliability: float, models: int) -> str:
    """What low reliability means for a reader, and how many models would do (Spearman–Brown)."""
    if reliability < 0.1:
        return tr(
            "The answers of {n} models do not distinguish the slopes of the items "
            "(reliability {reliability}): the slopes are noise. Use only accuracies and "
            "locations.",
            n=models,
            reliability=f"{max(0.0, reliability):.2f}",
        )
    factor = RELIABLE * (1 - reliability) / (reliability * (1 - RELIABLE))
    return tr(
        "{n} models are too few to distinguish the slopes of the items: their reliability "
        "is {reliability}, where 0 is noise and {enough} is the usual minimum. Do not rely "
        "on single slopes; about {more} models would be enough.",
        n=models,
        reliability=f"{reliability:.2f}",
        enough=RELIABLE,
        more=10 * math.ceil(models * factor / 10),
    )


def _item_total(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Correlation of each item with the mean of the other items, over models; NaN if undefined."""
    totals = np.full(matrix.shape[0], math.nan)
    answered = ~np.isnan(matrix)
    filled = np.where(answered, matrix, 0.0)
    right, count = filled.sum(0), answered.sum(0)
    for row in range(matrix.shape[0]):
        others = count - answered[row]
        use = answered[row] & (others > 0)
        if use.sum() < 3:
            continue
        rest = (right[use] - filled[row, use]) / others[use]
        scores = matrix[row, use]
        if np.ptp(scores) > 0 and np.ptp(rest) > 0:
            totals[row] = np.corrcoef(scores, rest)[0, 1]
    return totals


def _discrimination(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Share right in the better half of the models less that in the weaker half.

    Models that are level at a half's edge are in it in part, so that their order says nothing;
    where all are level there is no better half, and it is NaN.
    """
    indices = np.full(matrix.shape[0], math.nan)
    answered = ~np.isnan(matrix)
    filled = np.where(answered, matrix, 0.0)
    totals = filled.sum(0) / np.maximum(answered.sum(0), 1)
    half = matrix.shape[1] // 2
    if half == 0 or np.ptp(totals) == 0:
        return indices
    shares = []
    for better in (totals, -totals):
        weights = _half(better, half)
        count = (answered * weights).sum(1)
        with np.errstate(invalid="ignore"):
            shares.append((filled * weights).sum(1) / np.where(count > 0, count, math.nan))
    return np.asarray(shares[0] - shares[1], dtype=float)


def _half(totals: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
    """How far each model belongs to the ``count`` best: 1, 0, or its share of the last places."""
    edge = np.sort(totals)[-count]
    above, level = totals > edge, totals == edge
    return np.where(above, 1.0, np.where(level, (count - above.sum()) / level.sum(), 0.0))


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
