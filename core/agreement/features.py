"""Sums over items that the coefficients are functions of.

A statistic is linear features per rating pattern (P × K) and a closing function of their totals.
For a batch of pattern weights (B × P) the totals are one matrix product, which is what makes
bootstrap, jackknife and leave-one-out cheap.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.agreement.patterns import Patterns, weighted_count

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]

_DENSE_CELLS = 4_000_000
_ALWAYS_DENSE_CELLS = 200_000
_EMPTY_PER_FILLED = 32
_SUMMED_ENTRIES = 10_000
_SUMMED_AT_ONCE = 64
_BATCH_CELLS = 2_000_000
LARGEST_KERNEL = 4000


class Features:
    """A P × K matrix of features: dense when small, sparse when large or nearly empty."""

    def __init__(self, rows: Ints, columns: Ints, values: Ints, shape: tuple[int, int]) -> None:
        self.shape = shape
        self._entries = rows, columns, values
        self._dense: Floats | None = None
        self._sums: ColumnSums | None = None
        cells = shape[0] * shape[1]
        crowded = cells <= max(_ALWAYS_DENSE_CELLS, _EMPTY_PER_FILLED * len(values))
        if cells <= _DENSE_CELLS and crowded:
            flat = np.bincount(
                np.asarray(rows, np.int64) * shape[1] + columns,
                weights=values,
                minlength=cells,
            )
            self._dense = np.ascontiguousarray(flat.reshape(shape))
        elif len(values) <= _SUMMED_ENTRIES:
            self._sums = ColumnSums(rows, columns, values, shape)
        else:
            from scipy.sparse import csr_array

            narrow = np.asarray(values, np.float32)
            if (narrow == values).all():  # sums of counts stay exact, and half as much is moved
                values = narrow
            self._sparse: Any = csr_array((values, (rows, columns)), shape=shape).T.tocsr()

    def totals(self, weights: Floats) -> Floats:
        """Feature totals (B, K) of pattern weights (B, P); each feature's lie side by side where
        there are many."""
        if self._dense is not None:
            return weights @ self._dense
        if self._sums is not None:
            return self._sums.totals(weights.T).T
        return np.asarray((self._sparse @ weights.T).T)

    def along(self, slopes: Floats) -> Floats:
        """The features of each pattern times their slopes (K,), added up: (P,)."""
        if self._dense is not None:
            return np.asarray(self._dense @ slopes)
        if self._sums is not None:
            return self._sums.along(slopes)
        return np.asarray(slopes @ self._sparse)

    def by_group(self, groups: Ints, patterns: Ints, count: int) -> Floats:
        """Feature totals (count, K) of groups of items: item i, of the pattern ``patterns[i]``, is
        in the group ``groups[i]``."""
        keys, times = _counted_keys(groups * self.shape[0] + patterns, count * self.shape[0])
        groups, patterns = np.divmod(keys, self.shape[0])
        rows, columns, values = self._entries
        order = np.argsort(rows, kind="stable")
        starts = np.searchsorted(rows[order], np.arange(self.shape[0] + 1))
        lengths = np.diff(starts)[patterns]
        ends = np.cumsum(lengths)
        sums = np.zeros(count * self.shape[1])
        first = 0
        while first < len(keys):  # so many entries at once as a batch has cells
            done = ends[first] - lengths[first]
            last = max(first + 1, int(np.searchsorted(ends, done + _BATCH_CELLS)))
            part = slice(first, last)
            shift = np.repeat(starts[patterns[part]] - (ends[part] - lengths[part]), lengths[part])
            entries = order[shift + np.arange(done, ends[last - 1])]
            places = np.repeat(groups[part] * self.shape[1], lengths[part]) + columns[entries]
            weights = np.repeat(times[part], lengths[part]) * values[entries]
            sums += np.bincount(places, weights=weights, minlength=len(sums))
            first = last
        return sums.reshape(count, self.shape[1])

    def without_one(self, weights: Floats) -> Iterator[tuple[int, Floats]]:
        """Totals with one item of a pattern left out: (first pattern, totals (b, K)) in batches."""
        total = self.totals(weights[None, :])
        step = batch_rows(self.shape[1])
        sparse = self._dense is None and self._sums is None
        rows = self._sparse.T.tocsr() if sparse else None
        for start in range(0, self.shape[0], step):
            if self._dense is not None:
                part = self._dense[start : start + step]
            elif self._sums is not None:
                part = self._sums.rows(start, min(start + step, self.shape[0]))
            else:
                assert rows is not None
                part = rows[start : start + step].toarray()
            yield start, total - part


class ColumnSums:
    """A nearly empty matrix with few entries, by column: adding them up in numpy is soon done, and
    importing SciPy's sparse matrices costs a dashboard a sixth of its first second."""

    def __init__(self, rows: Ints, columns: Ints, values: Ints, shape: tuple[int, int]) -> None:
        order = np.argsort(columns, kind="stable")
        self._shape = shape
        self._rows, self._columns = rows[order], columns[order]
        self._values = np.asarray(values, np.float64)[order]
        self._ones = bool((self._values == 1.0).all())
        self._used, self._starts = np.unique(self._columns, return_index=True)

    def totals(self, weights: Ints) -> Floats:
        """Totals (K, B) of weights (P, B)."""
        result = np.zeros((self._shape[1], weights.shape[1]))
        for start in range(0, weights.shape[1], _SUMMED_AT_ONCE):
            part = slice(start, start + _SUMMED_AT_ONCE)
            taken = weights[self._rows, part]
            if not self._ones:
                taken = taken * self._values[:, None]
            result[self._used, part] = np.add.reduceat(taken, self._starts, axis=0)
        return result

    def along(self, slopes: Floats) -> Floats:
        """The rows times the slopes of the columns (K,), added up: (P,)."""
        values = self._values * slopes[self._columns]
        return weighted_count(self._rows, values, self._shape[0])

    def rows(self, first: int, last: int) -> Floats:
        """Some rows of the matrix, dense."""
        here = (self._rows >= first) & (self._rows < last)
        dense = np.zeros((last - first, self._shape[1]))
        np.add.at(dense, (self._rows[here] - first, self._columns[here]), self._values[here])
        return dense


def _counted_keys(keys: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct keys 0 … size − 1, ascending, and how often each is there."""
    if size > _DENSE_CELLS:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=size)
    distinct = np.flatnonzero(counts)
    return distinct, counts[distinct]


def batch_rows(width: int) -> int:
    """How many rows of a batch fit into about 16 MB for this width."""
    return max(1, _BATCH_CELLS // max(1, width))


class FeatureColumns:
    """Collects features as triplets and hands out their column numbers."""

    def __init__(self, n_patterns: int) -> None:
        self._n_patterns = n_patterns
        self._rows: list[Ints] = []
        self._columns: list[Ints] = []
        self._values: list[Floats] = []
        self._width = 0

    def add_column(self, values: Floats) -> int:
        """One feature with a value for every pattern."""
        rows = np.flatnonzero(values)
        self._append(rows, np.full(len(rows), self._width), values[rows])
        self._width += 1
        return self._width - 1

    def add_block(self, rows: Ints, columns: Ints, values: Floats, width: int) -> slice:
        """Several features at once as (pattern, column within the block, value) triplets."""
        self._append(rows, columns + self._width, values)
        self._width += width
        return slice(self._width - width, self._width)

    def build(self) -> Features:
        """The finished matrix."""
        return Features(
            np.concatenate(self._rows),
            np.concatenate(self._columns),
            np.concatenate(self._values),
            (self._n_patterns, self._width),
        )

    def _append(self, rows: Ints, columns: Ints, values: Floats) -> None:
        self._rows.append(rows)
        self._columns.append(columns)
        self._values.append(np.asarray(values, np.float64))


def item_agreement(patterns: Patterns, kernel: Floats | None = None) -> Floats:
    """Agreement within each pattern, shape (P,), 0 where fewer than two ratings.

    Σ_c n_c (n*_c − 1) / (m (m − 1)) with n* = W n (Gwet 2014, Handbook of Inter-Rater
    Reliability, ch. 3); ``kernel`` W holds similarities with ones on the diagonal, None means
    identity (nominal agreement).
    """
    rows, _, counts = patterns.cells
    similar = counts if kernel is None else _kernel_counts(patterns, kernel)
    sums = np.bincount(rows, weights=counts * (similar - 1.0), minlength=patterns.size)
    m = patterns.totals
    return np.divide(sums, m * (m - 1.0), out=np.zeros_like(sums), where=m >= 2)


def within_disagreement(patterns: Patterns, distance: Floats) -> Floats:
    """Σ_ck n_c n_k δ_ck / (m − 1) of each pattern, shape (P,), 0 below two ratings."""
    rows, _, counts = patterns.cells
    sums = np.bincount(
        rows, weights=counts * _kernel_counts(patterns, distance), minlength=patterns.size
    )
    m = patterns.totals
    return np.divide(sums, m - 1.0, out=np.zeros_like(sums), where=m >= 2)


def _kernel_counts(patterns: Patterns, kernel: Floats) -> Floats:
    """(W n)_c of each cell of the patterns, in batches so that it never needs P × C at once."""
    rows, categories, counts = patterns.cells
    result = np.empty(len(rows))
    step = batch_rows(kernel.shape[0])
    for start in range(0, patterns.size, step):
        low, high = np.searchsorted(rows, [start, start + step])
        dense = np.zeros((min(step, patterns.size - start), kernel.shape[0]))
        dense[rows[low:high] - start, categories[low:high]] = counts[low:high]
        product = dense @ kernel.T
        result[low:high] = product[rows[low:high] - start, categories[low:high]]
    return result


def category_pairs(patterns: Patterns) -> tuple[Ints, Ints, Ints, Floats]:
    """(pattern, category c, category k, n_c n_k) for c < k used together in a pattern."""
    rows, categories, counts = patterns.cells
    kinds = np.bincount(rows, minlength=patterns.size)
    starts = np.concatenate([[0], np.cumsum(kinds)[:-1]])
    parts: list[tuple[Ints, Ints, Ints, Floats]] = []
    for kind in np.unique(kinds[kinds >= 2]):
        of_kind = np.flatnonzero(kinds == kind)
        places = starts[of_kind][:, None] + np.arange(kind)
        first, second = np.triu_indices(int(kind), 1)
        left, right = places[:, first].ravel(), places[:, second].ravel()
        patterns_of = np.repeat(of_kind, len(first))
        parts.append(
            (patterns_of, categories[left], categories[right], counts[left] * counts[right])
        )
    return _joined(parts)


def rater_pairs(codes: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """(pattern, rater a, rater b, code of a, code of b) for every two raters a < b of a pattern."""
    rows, columns = np.nonzero(codes >= 0)
    kinds = np.bincount(rows, minlength=len(codes))
    starts = np.concatenate([[0], np.cumsum(kinds)[:-1]])
    ratings = codes[rows, columns].astype(np.int64)
    parts = []
    for kind in np.unique(kinds[kinds >= 2]):
        of_kind = np.flatnonzero(kinds == kind)
        places = starts[of_kind][:, None] + np.arange(kind)
        first, second = np.triu_indices(int(kind), 1)
        left, right = places[:, first].ravel(), places[:, second].ravel()
        patterns_of = np.repeat(of_kind, len(first))
        parts.append((patterns_of, columns[left], columns[right], ratings[left], ratings[right]))
    if not parts:
        empty = np.zeros(0, np.int64)
        return empty, empty, empty, empty, empty
    joined = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return joined[0], joined[1], joined[2], joined[3], joined[4]


def _joined(
    parts: Sequence[tuple[Ints, Ints, Ints, Floats]],
) -> tuple[Ints, Ints, Ints, Floats]:
    if not parts:
        empty = np.zeros(0, np.int64)
        return empty, empty, empty, np.zeros(0)
    rows, first, second, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rows, first, second, values
