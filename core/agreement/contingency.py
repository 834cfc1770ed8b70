"""Contingency tables of every two raters, as features of the rating patterns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.agreement.features import FeatureColumns, Features, rater_pairs
from core.agreement.patterns import Patterns

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]

_SMALL = 1 << 16


@dataclass(frozen=True, eq=False)
class RaterPair:
    """Two raters and the cells of their contingency table that occur.

    ``first`` and ``second`` (K,) are positions on ``scale``; ``columns`` are the features that
    hold how many items fall into each cell. ``scale`` are the codes of the table that this pair
    works with: all where the scale is declared, else those that the pair used.
    """

    a: int
    b: int
    first: Ints
    second: Ints
    columns: slice
    scale: Ints

    def margins(self, cells: Floats) -> tuple[Floats, Floats]:
        """Totals of each rater's categories, twice (B, C), from the pair's cells (B, K)."""
        width = len(self.scale)
        return sums_by(cells, self.first, width), sums_by(cells, self.second, width)

    @property
    def shape(self) -> tuple[bytes, bytes, bytes]:
        """Equal for pairs whose cells are the same ones of the same scale."""
        return self.first.tobytes(), self.second.tobytes(), self.scale.tobytes()

    def contingency(self, totals: Floats) -> Floats:
        """Dense tables (B, C, C), rater a in rows, C the length of ``scale``."""
        width = len(self.scale)
        tables = np.zeros((len(totals), width, width))
        tables[:, self.first, self.second] = totals[:, self.columns]
        return tables


@dataclass(frozen=True, eq=False)
class AlikePairs:
    """Pairs of one shape, so that a coefficient computes them all at once.

    ``places`` (Q,) are their positions among all pairs, ``columns`` (K, Q) their features.
    """

    pair: RaterPair
    places: Ints
    columns: Ints

    def cells(self, totals: Floats) -> Floats:
        """The cells (Q · B, K), pair after pair, of totals (features, B)."""
        counts = totals[self.columns]
        return np.asarray(counts.reshape(len(counts), -1).T)


def alike_pairs(pairs: Sequence[RaterPair]) -> list[AlikePairs]:
    """All pairs, those of the same shape together."""
    shapes: dict[tuple[bytes, bytes, bytes], list[int]] = {}
    for place, pair in enumerate(pairs):
        shapes.setdefault(pair.shape, []).append(place)
    groups = []
    for places in shapes.values():
        pair = pairs[places[0]]
        starts = np.array([pairs[place].columns.start for place in places])
        cells = np.arange(len(pair.first))
        groups.append(AlikePairs(pair, np.array(places), cells[:, None] + starts))
    return groups


def contingency_features(patterns: Patterns, declared: bool) -> tuple[list[RaterPair], Features]:
    """The contingency cells of all pairs of raters with common items, as features."""
    assert patterns.codes is not None
    rows, a, b, first, second = rater_pairs(patterns.codes)
    width = max(1, patterns.n_categories)
    raters = patterns.codes.shape[1]
    keys = ((a.astype(np.int64) * raters + b) * width + first) * width + second
    cells, column = np.unique(keys, return_inverse=True)
    columns = FeatureColumns(patterns.size)
    columns.add_block(rows, column.astype(np.int64), np.ones(len(rows)), len(cells))
    return _pairs_of_cells(cells, raters, width, declared), columns.build()


def _pairs_of_cells(cells: Ints, raters: int, width: int, declared: bool) -> list[RaterPair]:
    if not len(cells):
        return []
    rest, second = np.divmod(cells, width)
    pair_keys, first = np.divmod(rest, width)
    starts = np.flatnonzero(np.r_[True, pair_keys[1:] != pair_keys[:-1]])
    pairs = []
    stops = [*starts[1:].tolist(), len(cells)]
    for key, start, stop in zip(pair_keys[starts].tolist(), starts.tolist(), stops, strict=True):
        part = slice(start, stop)
        rows, columns, scale = first[part], second[part], np.arange(width)
        if not declared:
            scale = np.union1d(rows, columns)
            rows, columns = np.searchsorted(scale, rows), np.searchsorted(scale, columns)
        a, b = divmod(key, raters)
        pairs.append(RaterPair(a, b, rows, columns, part, scale))
    return pairs


def sums_by(cells: Floats, group: Ints, width: int) -> Floats:
    """Columns of ``cells`` added up by group, (B, width)."""
    if not len(group):
        return np.zeros((len(cells), width))
    if len(group) * width <= _SMALL:
        member = np.zeros((width, len(group)))
        member[group, np.arange(len(group))] = 1.0
        return np.asarray((member @ cells.T).T)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0])
    sums = np.zeros((len(cells), width))
    sums[:, group[order][starts]] = np.add.reduceat(cells[:, order], starts, axis=1)
    return sums
