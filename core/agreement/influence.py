"""The disagreement work list: items ranked by how much they hurt agreement."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.agreement import coefficient
from core.agreement.compute import value_of
from core.agreement.features import item_agreement
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Floats


@dataclass(frozen=True, slots=True)
class ItemInfluence:
    """One item that raters disagree on.

    ``influence`` is what the coefficient would gain without the item (positive: the item hurts);
    None where the coefficient is undefined. ``disagreement`` is the share of its pairs of ratings
    that differ, 0 to 1. ``ratings`` maps rater (or category, for counts) to what was given.
    """

    item: str
    row: int
    influence: float | None
    disagreement: float
    ratings: Mapping[str, str]


def influences(table: RatingTable, name: str = "krippendorff_alpha_nominal") -> Floats:
    """What the coefficient gains without each item, (items,); NaN where it is undefined."""
    if math.isnan(value_of(table, name)):
        return np.full(table.n_items, np.nan)
    statistic = coefficient(name).statistic(table)
    gains = statistic.left_out - statistic.value
    gains[np.abs(gains) < 1e-15] = 0.0
    patterns = table.patterns
    merged = statistic.patterns is not patterns
    return np.asarray(gains[patterns.item_merged if merged else patterns.item_pattern])


def ranked_disagreement(
    table: RatingTable, name: str = "krippendorff_alpha_nominal", limit: int | None = None
) -> list[ItemInfluence]:
    """Items on which raters differ, the most harmful first; ties keep the order of the table.

    Where the coefficient is undefined, by share of differing pairs.
    """
    patterns = table.patterns
    differing = np.where(patterns.totals >= 2, 1.0 - item_agreement(patterns), 0.0)
    disagreement = differing[patterns.item_pattern]
    gains = influences(table, name)
    undefined = bool(np.isnan(gains).all()) if len(gains) else True
    score = disagreement if undefined else np.nan_to_num(gains, nan=0.0)
    rows = np.flatnonzero(disagreement > 1e-12)
    rows = rows[np.lexsort((rows, -disagreement[rows], -score[rows]))]
    return [
        ItemInfluence(
            item=table.item_id(int(row)),
            row=int(row),
            influence=None if undefined or math.isnan(gains[row]) else float(gains[row]),
            disagreement=float(disagreement[row]),
            ratings=_ratings_of(table, int(row)),
        )
        for row in rows[:limit]
    ]


def _ratings_of(table: RatingTable, row: int) -> dict[str, str]:
    if table.codes is None:
        counts = table.data[row]
        return {
            label: str(int(count))
            for label, count in zip(table.categories, counts, strict=True)
            if count
        }
    return {
        rater: table.categories[int(code)]
        for rater, code in zip(table.rater_ids, table.codes[row], strict=True)
        if code >= 0
    }
