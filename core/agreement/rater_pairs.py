"""Who agrees with whom: raters × raters matrices and confusion matrices with their items."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.agreement import coefficient as find_coefficient
from core.agreement.compute import unmet_need, value_of
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Floats, Ints, PairwiseCoefficient
from core.errors import InputError


@dataclass(frozen=True, eq=False)
class RaterMatrix:
    """A coefficient of every two raters.

    ``values`` (R, R), symmetric, NaN where undefined and on the diagonal; ``common`` (R, R) counts
    the items both rated, on the diagonal those each rated.
    """

    coefficient: str
    raters: tuple[str, ...]
    values: Floats
    common: Ints


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """How the ratings of two raters fall together, over all pairs of raters.

    ``counts`` (C, C) of ordered pairs of ratings, so it is symmetric. ``items`` names the items
    behind each cell that is not empty, by (row, column).
    """

    labels: tuple[str, ...]
    counts: Ints
    items: dict[tuple[int, int], tuple[str, ...]]


def rater_matrix(table: RatingTable, coefficient: str = "cohen_kappa") -> RaterMatrix:
    """The coefficient of every two raters; needs to know who gave which rating."""
    codes = _codes(table)
    rated = (codes >= 0).astype(np.float32)
    common = np.rint(rated.T @ rated).astype(np.int64)
    size = len(table.rater_ids)
    values = np.full((size, size), np.nan)
    for a, b, value in _values(table, coefficient, common):
        values[a, b] = values[b, a] = value
    return RaterMatrix(coefficient, table.rater_ids, values, common)


def _values(table: RatingTable, name: str, common: Ints) -> Iterator[tuple[int, int, float]]:
    """(rater, rater, value) of the pairs with common items; at once where pairs are what the
    coefficient is made of."""
    measure = find_coefficient(name)
    if isinstance(measure, PairwiseCoefficient):
        if unmet_need(measure, table) is None:
            for pair, value, items in measure.of_pairs(table):
                if items >= measure.least_items:
                    yield pair.a, pair.b, value
        return
    for a, b in zip(*(place.tolist() for place in np.nonzero(np.triu(common, 1))), strict=True):
        yield a, b, value_of(table.of_raters([a, b]), name)


def confusion_matrix(table: RatingTable) -> ConfusionMatrix:
    """From how often each category was given to each item."""
    codes, width = _codes(table), len(table.categories)
    given_counts = np.stack([np.count_nonzero(codes == n, axis=1) for n in range(width)], axis=1)
    counts = given_counts.T @ given_counts - np.diag(given_counts.sum(axis=0))
    items = {}
    for a, b in zip(*(place.tolist() for place in np.nonzero(counts)), strict=True):
        needed = 2 if a == b else 1
        rows = np.flatnonzero((given_counts[:, a] >= needed) & (given_counts[:, b] >= 1))
        items[a, b] = tuple(map(table.item_id, rows.tolist()))
    return ConfusionMatrix(table.categories, counts, items)


def _codes(table: RatingTable) -> Ints:
    if table.codes is None:
        raise InputError.tr(
            "These ratings are counts per category, without raters. Give one row per "
            "item and one column per rater."
        )
    return table.codes
