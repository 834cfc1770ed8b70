"""Correlation of scores with an outside ranking and among formats (ArxivRoll §3.2, table 1)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.agreement.coefficients.rank_correlation import kendall_of, spearman_of
from core.agreement.contingency import RaterPair
from core.analysis.public_scores import spelling
from core.analysis.rugged_notes import some_of
from core.errors import InputError
from core.i18n import tr, trn
from core.sources.tables import read_table

Floats = npt.NDArray[np.float64]

FEW_MODELS = 30
"""Of fewer models the interval covers less, or more, than it says."""
MEASURES = ("spearman", "pearson", "kendall")


@dataclass(frozen=True, slots=True)
class Correlation:
    """One coefficient in −1…1 over ``n`` models with its bootstrap interval over models.

    Kendall is tau-b. ``reason`` says why there is no value; the interval is None for fewer than
    four models, where resampling says nothing; ``caution`` says where it rests on few.
    """

    measure: str
    a: str
    b: str
    n: int
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    caution: str = ""

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}


def correlate(
    a: Mapping[str, float],
    b: Mapping[str, float],
    names: tuple[str, str] = ("", ""),
    *,
    seed: int = 0,
    resamples: int = 2000,
    groups: Mapping[str, str] | None = None,
) -> list[Correlation]:
    """Spearman, Pearson and Kendall over the models that both have; what is of one of the
    ``groups`` is drawn together."""
    common = [
        model for model in a if model in b and math.isfinite(a[model]) and math.isfinite(b[model])
    ]
    x = np.array([a[model] for model in common], dtype=float)
    y = np.array([b[model] for model in common], dtype=float)
    reason = None
    if len(common) < 3:
        reason = trn(
            "Only 1 model is in both; a correlation needs three.",
            "Only {n} models are in both; a correlation needs three.",
            len(common),
        )
    elif np.ptp(x) == 0 or np.ptp(y) == 0:
        reason = tr("All models have the same score on one side, so there is no ranking.")
    if reason:
        return [Correlation(m, *names, len(common), None, reason=reason) for m in MEASURES]
    once = np.ones((1, len(x)))
    drawn = None
    if len(x) > 3 and resamples > 0:
        drawn = _drawn([(groups or {}).get(model, model) for model in common], resamples, seed)
    correlations = []
    for measure in MEASURES:
        low = high = None
        if drawn is not None:
            values = _coefficients(measure, x, y, drawn)
            defined = values[np.isfinite(values)]
            if len(defined):
                low, high = (float(q) for q in np.quantile(defined, [0.025, 0.975]))
        value = float(_coefficients(measure, x, y, once)[0])
        few = trn("few models: 1", "few models: {n}", len(x)) if len(x) < FEW_MODELS else ""
        correlations.append(Correlation(measure, *names, len(x), value, low, high, caution=few))
    return correlations


def _drawn(groups: Sequence[str], resamples: int, seed: int) -> Floats:
    """How often each model is drawn (resamples, models), whole groups together."""
    names, codes = np.unique(np.array(groups, dtype=object).astype(str), return_inverse=True)
    rng = np.random.default_rng(seed)
    count = len(names)
    times = rng.multinomial(count, np.full(count, 1 / count), resamples).astype(float)
    if count == len(groups):
        return times  # as they come
    return np.asarray(times[:, codes])


def _coefficients(measure: str, x: Floats, y: Floats, counts: Floats) -> Floats:
    """The coefficient (B,) of models that count so often each (B, models); NaN where one side is
    all ties."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure == "pearson":
            return _pearson(x, y, counts)
        first, second = (np.unique(side, return_inverse=True)[1] for side in (x, y))
        pair = RaterPair(0, 1, first, second, slice(0, len(x)), np.arange(len(x)))
        return kendall_of(counts, pair) if measure == "kendall" else spearman_of(counts, pair)


def _pearson(x: Floats, y: Floats, counts: Floats) -> Floats:
    n = counts.sum(axis=1, keepdims=True)
    a, b = x - counts @ x[:, None] / n, y - counts @ y[:, None] / n
    spread = (counts * a * a).sum(axis=1) * (counts * b * b).sum(axis=1)
    value = np.clip((counts * a * b).sum(axis=1) / np.sqrt(spread), -1.0, 1.0)
    tied = (np.count_nonzero(counts, axis=1) < 2) | (spread <= 0)
    return np.asarray(np.where(tied, np.nan, value))


def correlation_table(
    scores: Mapping[str, Mapping[str, float]],
    reference: Mapping[str, float] | None = None,
    title: str = "",
    *,
    seed: int = 0,
    resamples: int = 2000,
) -> list[Correlation]:
    """Every set of scores with the reference, then every pair of sets (the rows of table 1)."""
    names = list(scores)
    correlations: list[Correlation] = []
    if reference is not None:
        for name in names:
            pair = (name, title or tr("external ranking"))
            correlations += correlate(scores[name], reference, pair, seed=seed, resamples=resamples)
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            correlations += correlate(
                scores[first], scores[second], (first, second), seed=seed, resamples=resamples
            )
    return correlations


_SCORE_COLUMNS = ("score", "arena_score", "rating", "elo", "value", "accuracy")
_RANK_COLUMNS = ("rank",)


def read_ranking(path: Path, sheet: str = "") -> dict[str, float]:
    """Scores by model from a table with ``model`` and a score, or else ``rank``, then negated.

    A higher value is better in what is returned. Rows without a number are left out; of two rows
    for a model the first counts. Raises InputError for a file that is not a ranking.
    """
    table = read_table(path, sheet=sheet)
    named = [name for name in (*_SCORE_COLUMNS, *_RANK_COLUMNS) if not table.missing(name)]
    if table.missing("model") or not named:
        raise InputError.tr(
            "“{path}” is not a ranking: it must be a table with the columns model and "
            "score (or rank).",
            path=path,
        )
    sign = -1.0 if named[0] in _RANK_COLUMNS else 1.0
    ranking: dict[str, float] = {}
    for _, cells in table.text_rows():
        value = table.number(cells.get(named[0], ""))
        name = cells.get("model", "")
        if name and value is not None:
            ranking.setdefault(name, sign * value)
    if not ranking:
        raise InputError.tr("“{path}” contains no model with a score.", path=path)
    return ranking


def match_models(models: Sequence[str], ranking: Mapping[str, float]) -> dict[str, float]:
    """The ranking's scores under our names: by equal name, else by equal spelling.

    The spelling leaves out the organisation before a slash, case and punctuation.
    """
    by_spelling: dict[str, list[str]] = {}
    for name in ranking:
        by_spelling.setdefault(spelling(name), []).append(name)
    matched: dict[str, float] = {}
    for model in models:
        same = by_spelling.get(spelling(model), [])
        if model in ranking:
            matched[model] = ranking[model]
        elif len(same) == 1:
            matched[model] = ranking[same[0]]
    return matched


def matched_or_refused(
    models: Sequence[str], ranking: Mapping[str, float], path: Path
) -> dict[str, float]:
    """``match_models``, but InputError where the ranking has none of our models."""
    matched = match_models(models, ranking)
    if not matched:
        raise InputError.tr(
            "None of the models {models} is in “{path}”, which contains {names}. Use "
            "the same names in both.",
            models=some_of(models),
            path=path,
            names=some_of(ranking),
        )
    return matched


def read_scores(path: Path, sheet: str = "") -> dict[str, dict[str, float]]:
    """Scores by column and model from a table with ``model`` and columns of numbers.

    A column without any number is left out; of two rows for a model the first counts. Raises
    InputError for a file that has no numbers.
    """
    table = read_table(path, sheet=sheet)
    scores: dict[str, dict[str, float]] = {}
    for _, cells in table.text_rows():
        for head in table.columns:
            value = table.number(cells.get(head.lower(), ""))
            if head.lower() != "model" and cells.get("model") and value is not None:
                scores.setdefault(head, {}).setdefault(cells["model"], value)
    if not scores:
        raise InputError.tr(
            "“{path}” contains no scores. It needs the column model and a column of numbers.",
            path=path,
        )
    return scores
