"""Rating patterns: the distinct rows of a rating table, with how many items show each.

Every coefficient is a function of the pattern weights, so a million items of 3 raters and 5
categories are 216 weights: one ``bincount`` counts them, a bootstrap resample is one multinomial
draw over them, and leaving an item out is subtracting one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]

_COUNTED_DIRECTLY = 1 << 20
_FEW_KEYS = 4096
_KEYS_PER_ROW = 4
"""Possible patterns per item above which sorting the items is quicker than a place for each."""
_CELLS_PER_RATING = 16
"""Possible cells per rating above which sorting the ratings is quicker than a place for each."""
_LARGEST_KEY = 1 << 62
_BLOCK = 1 << 16
_MERGED_ABOVE = 256


@dataclass(frozen=True, eq=False)
class Patterns:
    """``weights`` (P,) items per pattern, with ``codes`` (P, raters) or ``counts`` (P, categories).

    ``source`` is the table they were taken from; rows without a single rating are one pattern too.
    ``merged_from`` is the set that these are merged from, with the place of each of its patterns
    among these.
    """

    weights: Floats
    n_categories: int
    source: Ints
    codes: Ints | None = None
    counts: Ints | None = None
    merged_from: "tuple[Patterns, npt.NDArray[np.int64]] | None" = None

    @classmethod
    def of_codes(cls, codes: Ints, n_categories: int) -> "Patterns":
        """Patterns of an items × raters matrix of codes with -1 for missing."""
        base, width = n_categories + 1, codes.shape[1]
        if base**width <= min(_COUNTED_DIRECTLY, max(_FEW_KEYS, _KEYS_PER_ROW * len(codes))):
            counts = _count_keys(codes, base)
            keys = np.flatnonzero(counts)
            rows = _rows_of_keys(keys, base, width).astype(codes.dtype)
            return cls(counts[keys].astype(np.float64), n_categories, codes, codes=rows)
        distinct = _distinct_rows(codes, base)
        return cls(distinct.counts, n_categories, codes, codes=distinct.rows)

    @classmethod
    def of_counts(cls, counts: Ints) -> "Patterns":
        """Patterns of an items × categories matrix of counts."""
        base = int(counts.max(initial=0)) + 2
        distinct = _distinct_rows(counts, base)
        return cls(distinct.counts, counts.shape[1], counts, counts=distinct.rows)

    @property
    def size(self) -> int:
        """Number of distinct patterns P."""
        return len(self.weights)

    @cached_property
    def item_pattern(self) -> npt.NDArray[np.int64]:
        """For every item the index of its pattern, shape (items,)."""
        if self.merged_from is not None:
            whole, place = self.merged_from
            return place[whole.item_pattern]
        largest = self.n_categories if self.codes is not None else int(self.source.max(initial=0))
        return _distinct_rows(self.source, largest + 2 - (self.codes is not None)).place()

    @cached_property
    def cells(self) -> tuple[Ints, Ints, Floats]:
        """(pattern, category, how many ratings), one entry per category used in a pattern."""
        if self.counts is not None:
            rows, categories = np.nonzero(self.counts)
            return rows, categories, self.counts[rows, categories].astype(np.float64)
        assert self.codes is not None
        rows, columns = np.nonzero(self.codes >= 0)
        width = max(1, self.n_categories)
        keys = rows * width + self.codes[rows, columns]
        if self.size * width <= _CELLS_PER_RATING * len(keys):
            key_counts = np.bincount(keys)
            distinct = np.flatnonzero(key_counts)
            counts = key_counts[distinct]
        else:
            distinct, counts = np.unique(keys, return_counts=True)
        return distinct // width, distinct % width, counts.astype(np.float64)

    @cached_property
    def totals(self) -> Floats:
        """Ratings per pattern m, shape (P,)."""
        rows, _, counts = self.cells
        return weighted_count(rows, counts, self.size)

    @cached_property
    def merged(self) -> "Patterns":
        """The same without who said what, where that leaves far fewer patterns.

        Coefficients that only need the counts (Fleiss, Gwet, Krippendorff) use it, so that ten
        raters do not make a million patterns.
        """
        if self.codes is None or self.size <= _MERGED_ABOVE:
            return self
        ordered = np.sort(self.codes, axis=1)
        distinct = _distinct_rows(ordered, self.n_categories + 1)
        rows, place = distinct.rows, distinct.place()
        weights = weighted_count(place, self.weights, len(rows))
        return Patterns(
            weights, self.n_categories, self.source, codes=rows, merged_from=(self, place)
        )

    @cached_property
    def item_merged(self) -> npt.NDArray[np.int64]:
        """For every item the index of its pattern in ``merged``."""
        return self.merged.item_pattern


def weighted_count(index: Ints, weights: Floats, size: int) -> Floats:
    """Sum of the weights of each index 0 … size − 1."""
    return np.asarray(np.bincount(index, weights=weights, minlength=size), np.float64)


def _count_keys(codes: Ints, base: int) -> npt.NDArray[np.int64]:
    size = base ** codes.shape[1]
    counts = np.zeros(size, dtype=np.int64)
    block = max(_BLOCK, size)
    for start in range(0, len(codes), block):
        counts += np.bincount(_keys(codes[start : start + block], base), minlength=size)
    return counts


def _keys(rows: Ints, base: int) -> npt.NDArray[np.int64]:
    keys = np.zeros(len(rows), dtype=np.int64)
    for column in range(rows.shape[1]):
        keys *= base
        keys += rows[:, column]
        keys += 1
    return keys


def _rows_of_keys(keys: npt.NDArray[np.int64], base: int, width: int) -> npt.NDArray[np.int64]:
    rows = np.empty((len(keys), width), dtype=np.int64)
    for column in range(width - 1, -1, -1):
        keys, digit = np.divmod(keys, base)
        rows[:, column] = digit - 1
    return rows


@dataclass(frozen=True)
class _DistinctRows:
    """The distinct rows of a matrix, how often each is there, and ``place``: of every row of the
    matrix its place among them, which takes longest and which few ask for."""

    rows: Ints
    counts: Floats
    place: Callable[[], npt.NDArray[np.int64]]


def _distinct_rows(matrix: Ints, base: int) -> _DistinctRows:
    """Distinct rows in key order.

    Where the rows fit into one integer the order is that of ``_count_keys``; wider rows are
    compared as bytes.
    """
    width = matrix.shape[1]
    if width == 0 or len(matrix) == 0:
        rows = matrix[: min(1, len(matrix))]
        counts = np.full(len(rows), len(matrix), np.float64)
        return _DistinctRows(rows, counts, lambda: np.zeros(len(matrix), np.int64))
    if base**width <= _LARGEST_KEY:
        keys = _keys(matrix, base)
        distinct, times = np.unique(keys, return_counts=True)
        rows = _rows_of_keys(distinct, base, width).astype(matrix.dtype)
        return _DistinctRows(
            rows, times.astype(np.float64), lambda: np.searchsorted(distinct, keys)
        )
    solid = np.ascontiguousarray(matrix)
    texts = solid.view(np.dtype((np.void, solid.dtype.itemsize * width))).ravel()
    _, first, place, times = np.unique(
        texts, return_index=True, return_inverse=True, return_counts=True
    )
    return _DistinctRows(matrix[first], times.astype(np.float64), lambda: place.astype(np.int64))
