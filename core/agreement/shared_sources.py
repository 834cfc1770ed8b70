"""Items that share sources, such as questions of one article: whole sources are resampled.

Raters who differ on one question of an article tend to differ on the next; drawing items as if
they were independent gives intervals that hold the truth in as few as 65 of 100 samples.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from core.agreement.features import batch_rows
from core.agreement.patterns import Patterns
from core.agreement.statistic import Statistic
from core.families.shared_source import ALONE, recognised, shared_words
from core.proportion import cluster_freedom

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]
JACKKNIFE_GROUPS = 500
MOST_CELLS = 4_000_000
"""Cells of the features of sources, 32 MB, up to which resamples are sums of them: these take
numpy alone, and a tenth of the work where patterns are many."""
_DRAWN_TOGETHER, _MOST_KEPT = 1000, 1_000_000
"""Resamples are drawn by the thousand, and kept for the next table with as many sources where they
have at most so many cells, 8 MB."""
FEWEST_DRAWN = 10
"""Sources below which they are not resampled: intervals of resamples hold the truth in half of the
samples with two of them, and in 0.90 to 0.93 with eight."""


@dataclass(frozen=True, eq=False)
class SharedSources:
    """``codes`` (items,): the number of each item's source, 0 … ``count`` − 1. ``alone`` of them
    are one item without a source; ``identified`` says by what the others were recognised."""

    codes: Ints
    count: int
    alone: int = 0
    identified: str = ""

    @property
    def words(self) -> str:
        """How many sources, such as “6 sources (identified by the passage)”."""
        return shared_words(self.count, self.alone, self.identified)

    @classmethod
    def of(cls, names: Sequence[str]) -> "SharedSources | None":
        """By the name of each item's source, in the order of the table's rows; an item without a
        name stands for itself. None where no two items share one."""
        numbers: dict[str, int] = {}
        codes = [
            numbers.setdefault(name or f"{ALONE}{row}", len(numbers))
            for row, name in enumerate(names)
        ]
        if len(numbers) == len(names):
            return None
        alone = sum(name.startswith(ALONE) for name in numbers)
        return cls(np.asarray(codes, np.int64), len(numbers), alone, recognised(numbers))

    @classmethod
    def of_numbers(cls, numbers: Ints, names: Sequence[str]) -> "SharedSources | None":
        """By the number of each item's source (items,): a place among the names, or one below zero
        for an item without a source. None where no two items share one."""
        distinct, first, codes = np.unique(numbers, return_index=True, return_inverse=True)
        if len(distinct) == len(numbers):
            return None
        place = np.empty(len(distinct), np.int64)  # in the order in which they come, as by name
        place[np.argsort(first)] = np.arange(len(distinct))
        named = [names[number] for number in distinct[distinct >= 0].tolist()]
        return cls(place[codes], len(distinct), len(distinct) - len(named), recognised(named))

    @cached_property
    def freedom(self) -> float:
        """Bell and McCaffrey's degrees of freedom, at least 1."""
        sizes: list[int] = np.bincount(self.codes, minlength=self.count).tolist()
        return max(1.0, cluster_freedom(sizes)) if self.count > 1 else 1.0

    @property
    def few(self) -> bool:
        """Whether they are too few for resamples of them, or so unequal that they count as few."""
        return self.freedom < FEWEST_DRAWN - 1.01  # equal ones have one less

    def drawn(self, resamples: int, seed: int, width: int) -> Iterator[Floats]:
        """How often each resample has each source (b, ``count``), in batches that suit arrays of
        so many columns."""
        step = batch_rows(max(width, self.count))
        rounded = -(-resamples // _DRAWN_TOGETHER) * _DRAWN_TOGETHER
        if rounded * self.count <= _MOST_KEPT:
            kept = _kept_draws(self.count, rounded, seed)[:resamples]
            yield from (kept[start : start + step] for start in range(0, resamples, step))
            return
        generator = np.random.default_rng(seed)
        for start in range(0, resamples, step):
            yield _draws(generator, self.count, min(step, resamples - start))

    def draws(self, patterns: Patterns, places: Ints, resamples: int, seed: int) -> Iterator[Any]:
        """Weights (b, P) of resamples of whole sources, in batches; ``places`` are the items'
        patterns."""
        each = self._by_pattern(patterns, places)
        for drawn in self.drawn(resamples, seed, patterns.size):
            yield np.asarray((each.T @ drawn.T).T, np.float64)

    def totals(self, statistic: Statistic) -> Floats | None:
        """The feature totals of each source (``count``, K), of which those of a resample are sums;
        None where they are so many that weights of patterns are less."""
        if self.count * statistic.features.shape[1] > MOST_CELLS:
            return None
        return statistic.features.by_group(self.codes, statistic.patterns.item_pattern, self.count)

    def left_out(self, patterns: Patterns, places: Ints, groups: int, seed: int) -> Floats:
        """Weights (g, P) without one source each, or without one of ``groups`` of sources where
        there are more of them."""
        from scipy.sparse import csr_matrix

        each = self._by_pattern(patterns, places)
        if self.count > groups:
            into = self._grouped(groups, seed)
            shape = (groups, self.count)
            each = csr_matrix((np.ones(self.count), (into, np.arange(self.count))), shape) @ each
        return np.asarray(patterns.weights - each.toarray(), np.float64)

    def _grouped(self, groups: int, seed: int) -> Ints:
        """The random group of each source."""
        into = np.empty(self.count, np.int64)
        order = np.random.default_rng(seed).permutation(self.count)
        into[order] = np.arange(self.count) % groups
        return into

    def error(self, statistic: Statistic, seed: int = 0) -> float:
        """Jackknife error of a coefficient over sources, (G−1)/G Σ (θ₍ᵢ₎ − θ̄)² of G left-out values
        (Efron and Tibshirani 1993, An Introduction to the Bootstrap, eq. 11.5); NaN where fewer
        than two of them are defined."""
        values = self.without_each(statistic, seed)
        return jackknife_error(values[~np.isnan(values)])

    def without_each(self, statistic: Statistic, seed: int = 0) -> Floats:
        """The coefficient without one source each (or a group of them); NaN where undefined."""
        patterns, each = statistic.patterns, self.totals(statistic)
        if each is None:
            places = patterns.item_pattern
            return statistic.at(self.left_out(patterns, places, JACKKNIFE_GROUPS, seed))
        if self.count > JACKKNIFE_GROUPS:
            into = self._grouped(JACKKNIFE_GROUPS, seed)
            starts = np.searchsorted(np.sort(into), np.arange(JACKKNIFE_GROUPS))
            each = np.add.reduceat(each[np.argsort(into, kind="stable")], starts, axis=0)
        whole = statistic.features.totals(patterns.weights[None, :])
        return statistic.closed(whole - each)

    def _by_pattern(self, patterns: Patterns, places: Ints) -> Any:
        """How many items of each source show each pattern: a sparse matrix (sources, P)."""
        from scipy.sparse import coo_matrix

        shape = (self.count, patterns.size)
        return coo_matrix((np.ones(len(places)), (self.codes, places)), shape).tocsr()


def _draws(generator: np.random.Generator, count: int, resamples: int) -> Floats:
    """How often each of so many sources is drawn (``resamples``, ``count``)."""
    drawn = generator.multinomial(count, np.full(count, 1 / count), size=resamples)
    return drawn.astype(np.float64)


@lru_cache(maxsize=1)
def _kept_draws(count: int, resamples: int, seed: int) -> Floats:
    """The draws of so many sources; a dashboard asks for the same ones for every week."""
    return _draws(np.random.default_rng(seed), count, resamples)


def jackknife_error(left_out: Floats) -> float:
    """√((G−1)/G Σ (θ₍ᵢ₎ − θ̄)²) of G values, each without one source; NaN where one is undefined."""
    if len(left_out) < 2 or np.isnan(left_out).any():
        return math.nan
    spread = float(np.sum((left_out - left_out.mean()) ** 2))
    return math.sqrt((len(left_out) - 1) / len(left_out) * spread)
