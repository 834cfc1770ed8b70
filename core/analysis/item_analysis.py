"""Item analysis: how hard an item is, whether it tells models apart, which options nobody picks."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.analysis.response_model import ResponseModel, two_parameter_model
from core.evaluation.scoring import Report
from core.text import tr

FEWEST_MODELS = 5


@dataclass(frozen=True)
class ItemStatistics:
    """One item over several models.

    ``difficulty`` is the share of models that got it right (0…1); ``discrimination`` the share
    among the better half of the models less that among the weaker half (−1…1); ``item_total`` the
    correlation with the score on all other items. ``slope`` and ``location`` are a and b of the
    two-parameter model. None where undefined; ``unpicked`` are options no model chose.
    """

    id: str
    format: str
    domain: str
    models: int
    difficulty: float | None
    discrimination: float | None
    item_total: float | None
    slope: float | None
    location: float | None
    picked: Mapping[str, int]
    unpicked: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {
            "id": self.id,
            "format": self.format,
            "domain": self.domain,
            "models": self.models,
            "difficulty": self.difficulty,
            "discrimination": self.discrimination,
            "item_total": self.item_total,
            "slope": self.slope,
            "location": self.location,
            "picked": dict(self.picked),
            "unpicked": list(self.unpicked),
        }


@dataclass(frozen=True)
class ItemAnalysis:
    """All items, the models' abilities, and why a part is missing."""

    items: tuple[ItemStatistics, ...]
    abilities: Mapping[str, float]
    runs: tuple[str, ...]
    notes: tuple[str, ...]


def analyse_items(
    reports: Mapping[str, Report], choices: Mapping[str, Sequence[str]] | None = None
) -> ItemAnalysis:
    """Statistics of every item that any of the reports has, in the order of the first report.

    ``reports`` are by name of the model or run; ``choices`` gives the options by item id.
    """
    answers = {
        name: {entry.id: entry for entry in report.scores} for name, report in reports.items()
    }
    ids = list(dict.fromkeys(entry.id for r in reports.values() for entry in r.scores))
    matrix = np.full((len(ids), len(reports)), math.nan)
    for column, entries in enumerate(answers.values()):
        for row, name in enumerate(ids):
            entry = entries.get(name)
            if entry is not None and entry.answered:
                matrix[row, column] = float(entry.correct)
    notes: list[str] = []
    model = _response_model(matrix, notes)
    totals = _item_total(matrix)
    apart = _discrimination(matrix)
    found = []
    for row, name in enumerate(ids):
        first = next(entries[name] for entries in answers.values() if name in entries)
        said = Counter(
            entries[name].predicted or ""
            for entries in answers.values()
            if name in entries and entries[name].answered
        )
        offered = tuple((choices or {}).get(name, ()))
        answered = int((~np.isnan(matrix[row])).sum())
        found.append(
            ItemStatistics(
                id=name,
                format=first.format,
                domain=first.domain,
                models=answered,
                difficulty=float(np.nanmean(matrix[row])) if answered else None,
                discrimination=_defined(apart[row]),
                item_total=_defined(totals[row]),
                slope=None if model is None else float(model.discrimination[row]),
                location=None if model is None else float(model.difficulty[row]),
                picked=dict(said),
                unpicked=tuple(option for option in offered if answered and option not in said),
            )
        )
    abilities = {} if model is None else dict(zip(reports, model.ability.tolist(), strict=True))
    runs = tuple(str(report.origin.get("run", "")) for report in reports.values())
    return ItemAnalysis(tuple(found), abilities, runs, tuple(notes))


def _response_model(matrix: npt.NDArray[np.float64], notes: list[str]) -> ResponseModel | None:
    if matrix.shape[1] < FEWEST_MODELS or matrix.shape[0] < 2:
        notes.append(
            tr(
                "The two-parameter model needs {needed} models or more; there are {n}.",
                needed=FEWEST_MODELS,
                n=matrix.shape[1],
            )
        )
        return None
    return two_parameter_model(matrix)


def _item_total(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Correlation of each item with the mean of the other items, over models; NaN if undefined."""
    found = np.full(matrix.shape[0], math.nan)
    seen = ~np.isnan(matrix)
    filled = np.where(seen, matrix, 0.0)
    right, count = filled.sum(0), seen.sum(0)
    for row in range(matrix.shape[0]):
        others = count - seen[row]
        use = seen[row] & (others > 0)
        if use.sum() < 3:
            continue
        rest = (right[use] - filled[row, use]) / others[use]
        own = matrix[row, use]
        if np.ptp(own) > 0 and np.ptp(rest) > 0:
            found[row] = np.corrcoef(own, rest)[0, 1]
    return found


def _discrimination(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Share right in the better half of the models less that in the weaker half."""
    if matrix.shape[1] < 2:
        return np.full(matrix.shape[0], math.nan)
    seen = ~np.isnan(matrix)
    filled = np.where(seen, matrix, 0.0)
    order = np.argsort(filled.sum(0) / np.maximum(seen.sum(0), 1), kind="stable")
    half = matrix.shape[1] // 2
    shares = []
    for part in (order[-half:], order[:half]):
        count = seen[:, part].sum(1)
        with np.errstate(invalid="ignore"):
            shares.append(filled[:, part].sum(1) / np.where(count > 0, count, math.nan))
    return np.asarray(shares[0] - shares[1], dtype=float)


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
