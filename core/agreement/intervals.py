"""Confidence intervals: item bootstrap (percentile, BCa) and analytic.

Items are what is resampled. Drawing n items with replacement and counting their patterns is one
multinomial draw over the patterns, with the same distribution and without touching the items.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from core.agreement.features import batch_rows
from core.agreement.patterns import Patterns
from core.agreement.ratings import RatingTable
from core.agreement.shared_sources import (
    JACKKNIFE_GROUPS,
    MOST_CELLS,
    SharedSources,
    jackknife_error,
)
from core.agreement.statistic import Coefficient, Floats, Statistic
from core.errors import InputError
from core.i18n import listed, tr, trn
from core.proportion import student_quantile

IntervalKind = Literal["bootstrap", "bca", "analytic", "none"]
INTERVALS: tuple[IntervalKind, ...] = get_args(IntervalKind)
STUDENT = "student"
"""What is computed in the place of a bootstrap of few sources."""

_LEFT_OUT_SINGLY = 5000
_ITEMS_PER_PATTERN = 16
"""Items per pattern below which resamples are drawn item by item."""
_MANY_ITEMS = 5000
_MANY_PATTERNS = 256
_TABULATED = 150
"""Items of a pattern up to which its draws are looked up; none then exceeds a byte."""
_LEAST_DEFINED = 0.5


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds at the confidence asked for; ``kind`` is what was computed, ``note`` why not."""

    low: float | None
    high: float | None
    kind: str
    note: str | None = None


def interval_kind(name: str) -> IntervalKind:
    """The kind of that name (``percentile`` is ``bootstrap``); InputError for another one."""
    for kind in INTERVALS:
        if name == kind or (name == "percentile" and kind == "bootstrap"):
            return kind
    raise InputError.tr(
        "There is no interval method “{name}”. Available: {known}.",
        name=name,
        known=listed(INTERVALS),
    )


def resampled_weights(patterns: Patterns, resamples: int, seed: int) -> Iterator[Floats]:
    """Pattern weights of bootstrap resamples (b, P) in batches; the same for the same seed.

    Every resample has n items. Only where items and patterns are many is n itself drawn: each
    weight then is a Poisson number of its own, and given their sum these are the multinomial draw.
    Coefficients are ratios of sums, so that the size of a resample cancels (Chamandy et al. 2012,
    Estimating uncertainty for massive data streams).
    """
    generator = np.random.default_rng(seed)
    n = int(patterns.weights.sum())
    step = batch_rows(patterns.size)
    many = n >= _MANY_ITEMS and patterns.size > _MANY_PATTERNS
    draws = PoissonDraws(patterns.weights) if many else None
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        if draws is not None:
            yield draws.of(generator, size)
        elif patterns.size * _ITEMS_PER_PATTERN > n:
            yield _drawn_items(generator, patterns, size)
        else:
            drawn = generator.multinomial(n, patterns.weights / n, size=size)
            yield drawn.astype(np.float64)


def _drawn_items(generator: np.random.Generator, patterns: Patterns, size: int) -> Floats:
    """The same distribution item by item, which is faster where nearly every item is its own
    pattern, as with many raters of whom each sees a few items."""
    pattern_of = np.repeat(np.arange(patterns.size), patterns.weights.astype(np.int64))
    n = len(pattern_of)
    drawn = np.empty((size, patterns.size))
    for row in drawn:
        row[:] = np.bincount(pattern_of[generator.integers(n, size=n)], minlength=len(row))
    return drawn


class PoissonDraws:
    """Poisson numbers around the weights of the patterns, by tables of their 16-bit quantiles.

    A chance is off by at most 2⁻¹⁷ per number, which is far below what a resample resolves.
    """

    def __init__(self, weights: Floats) -> None:
        distinct, self._group = np.unique(weights, return_inverse=True)
        self._means = distinct.tolist()
        self._tables = [_quantiles(mean) if mean <= _TABULATED else None for mean in self._means]

    def of(self, generator: np.random.Generator, size: int) -> npt.NDArray[Any]:
        """Weights (size, P); those of one pattern lie side by side."""
        drawn = np.empty((len(self._group), size), np.float32)
        for group, (mean, table) in enumerate(zip(self._means, self._tables, strict=True)):
            rows = np.flatnonzero(self._group == group)
            shape = (len(rows), size)
            if table is None:
                drawn[rows] = generator.poisson(mean, shape)
            else:
                drawn[rows] = table[generator.integers(0, 1 << 16, shape, np.uint16)]
        return drawn.T


def _quantiles(mean: float) -> npt.NDArray[np.uint8]:
    """The Poisson number at each of 2¹⁶ equal steps of chance."""
    numbers = np.arange(256)
    logs = numbers * math.log(mean) - np.cumsum(np.log(np.maximum(1, numbers))) - mean
    until = np.rint(np.minimum(1.0, np.cumsum(np.exp(logs))) * (1 << 16)).astype(np.int64)
    until[-1] = 1 << 16
    return np.repeat(numbers.astype(np.uint8), np.diff(until, prepend=0))


class Bootstrap:
    """Resamples of the items of one table, drawn once and shared by all its coefficients; of their
    sources where items share these."""

    def __init__(self, resamples: int, seed: int, sources: SharedSources | None = None) -> None:
        self.resamples = resamples
        self.seed = seed
        self.sources = sources
        self._drawn: dict[int, tuple[Patterns, list[Floats]]] = {}
        self._sources_drawn: list[Floats] = []

    def values(self, statistic: Statistic) -> Floats:
        """The statistic on every resample, shape (resamples,), NaN where undefined."""
        step = batch_rows(statistic.features.shape[1])
        parts: list[Floats] = []
        each = self.sources.totals(statistic) if self.sources is not None else None
        if each is not None:
            for drawn in self._of_sources():
                for start in range(0, len(drawn), step):
                    parts.append(statistic.closed(drawn[start : start + step] @ each))
            return np.concatenate(parts)
        held: list[Floats] = []
        for weights in self._weights(statistic.patterns):
            for start in range(0, len(weights), step):
                held.append(statistic.features.totals(weights[start : start + step]))
                if sum(map(len, held)) >= step:
                    parts.append(statistic.closed(np.concatenate(held)))
                    held.clear()
        if held:
            parts.append(statistic.closed(np.concatenate(held)))
        return np.concatenate(parts)

    def _weights(self, patterns: Patterns) -> Iterator[Floats]:
        if patterns.size > batch_rows(self.resamples):
            yield from self._resampled(patterns)
            return
        if id(patterns) not in self._drawn:
            drawn = list(self._resampled(patterns))
            self._drawn[id(patterns)] = (patterns, drawn)
        yield from self._drawn[id(patterns)][1]

    def _of_sources(self) -> Iterator[Floats]:
        """How often each resample has each source, in batches."""
        assert self.sources is not None
        if self.sources.count * self.resamples > MOST_CELLS:
            yield from self.sources.drawn(self.resamples, self.seed, 1)
            return
        if not self._sources_drawn:
            self._sources_drawn = list(self.sources.drawn(self.resamples, self.seed, 1))
        yield from self._sources_drawn

    def _resampled(self, patterns: Patterns) -> Iterator[Floats]:
        if self.sources is None:
            return resampled_weights(patterns, self.resamples, self.seed)
        return self.sources.draws(patterns, patterns.item_pattern, self.resamples, self.seed)

    def quantile(self, level: float) -> float:
        """Of the normal distribution; of few sources further out, by Hesterberg's expanded
        percentiles (2015, The American Statistician 69, 371-386)."""
        if self.sources is None:
            return NormalDist().inv_cdf(level)
        freedom = self.sources.freedom
        return _quantile(level, freedom) * math.sqrt(1 + 1 / freedom)


def bootstrap_interval(
    statistic: Statistic, bootstrap: Bootstrap, confidence: float, accelerated: bool
) -> Interval:
    """Percentile or BCa interval (Efron 1987, J. Am. Stat. Assoc. 82)."""
    kind = "bootstrap-bca" if accelerated else "bootstrap-percentile"
    values = bootstrap.values(statistic)
    defined = values[~np.isnan(values)]
    if len(defined) < max(2, _LEAST_DEFINED * len(values)):
        return Interval(
            None,
            None,
            kind,
            tr(
                "No interval: the coefficient is undefined in {share:.0%} of the resamples.",
                share=1 - len(defined) / max(1, len(values)),
            ),
        )
    note = None
    if len(defined) < len(values):
        note = trn(
            "1 of {resamples} resamples was undefined and is excluded from the interval.",
            "{n} of {resamples} resamples were undefined and are excluded from the interval.",
            len(values) - len(defined),
            resamples=len(values),
        )
    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    if not tails[0] < _share_below(statistic.value, defined) < tails[1]:
        return Interval(
            None,
            None,
            kind,
            tr("No interval: resampled items give other values than these items."),
        )
    reaches = tuple(bootstrap.quantile(tail) for tail in tails)
    if accelerated:
        moved = partial(_acceleration, statistic, bootstrap)
        reaches = _bca_reaches(statistic.value, defined, reaches, moved)
    low, high = np.quantile(defined, [NormalDist().cdf(reach) for reach in reaches])
    return Interval(float(low), float(high), kind, note)


def sources_interval(
    coefficient: Coefficient, statistic: Statistic, sources: SharedSources, confidence: float
) -> Interval:
    """Value ± Student's quantile × jackknife error over sources, within the coefficient's range.

    For fewer than ``FEWEST_DRAWN`` sources, of which resamples tell too little: those of two have
    three values, and hold the truth between them in half of the samples.
    """
    left_out, within = sources.without_each(statistic), (coefficient.minimum, coefficient.maximum)
    return _student_interval(statistic.value, left_out, sources, confidence, within)


def _student_interval(
    value: float,
    left_out: Floats,
    sources: SharedSources,
    confidence: float,
    within: tuple[float, float],
) -> Interval:
    error = jackknife_error(left_out)
    if math.isnan(error):
        return Interval(None, None, STUDENT, tr("No interval: it is undefined without a source."))
    half = error * _quantile((1 + confidence) / 2, sources.freedom)
    return Interval(max(within[0], value - half), min(within[1], value + half), STUDENT)


def mean_interval(
    statistics: Sequence[Statistic],
    sources: Sequence[SharedSources],
    resamples: int,
    seed: int,
    confidence: float = 0.95,
) -> Interval:
    """BCa interval of the mean of a coefficient over tables whose items share sources; of few
    sources Student's with the jackknife error of the mean, as ``sources_interval``.

    ``sources`` numbers those of all tables alike, one entry a table, so that each resample draws
    the same sources for every table; a table in which the coefficient is undefined is left out.
    """
    together = SharedSources(np.concatenate([one.codes for one in sources]), sources[0].count)

    def left_out() -> Floats:
        pairs = zip(statistics, sources, strict=True)
        return _means([shared.without_each(one, seed) for one, shared in pairs])

    if together.few:
        mean = float(np.mean([one.value for one in statistics]))
        return _student_interval(mean, left_out(), together, confidence, (-1.0, 1.0))
    kind = "bootstrap-bca"
    drawn = [
        Bootstrap(resamples, seed, shared).values(one)
        for one, shared in zip(statistics, sources, strict=True)
    ]
    values = _means(drawn)
    if len(values) < max(2, _LEAST_DEFINED * resamples):
        return Interval(None, None, kind)
    mean = float(np.mean([one.value for one in statistics]))
    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    if not tails[0] < _share_below(mean, values) < tails[1]:
        return Interval(None, None, kind)
    bootstrap = Bootstrap(resamples, seed, together)
    reaches = tuple(bootstrap.quantile(tail) for tail in tails)

    def acceleration() -> float:
        means = left_out()
        return _skewness(means, np.ones(len(means)))

    reaches = _bca_reaches(mean, values, reaches, acceleration)
    low, high = np.quantile(values, [NormalDist().cdf(reach) for reach in reaches])
    return Interval(float(low), float(high), kind)


def _means(by_table: Sequence[Floats]) -> Floats:
    """The mean over the tables of each resample, of those where it is defined in one at least."""
    values = np.stack(by_table)
    defined = ~np.isnan(values)
    counts = defined.sum(axis=0)
    return np.asarray(np.where(defined, values, 0.0).sum(axis=0)[counts > 0] / counts[counts > 0])


def _share_below(value: float, values: Floats) -> float:
    """The share of resampled values below the value itself, equal ones by half. Where it is nearly
    none or all, as of pairs of raters who share two or three items, resamples are of no use."""
    spread = max(1e-12, 1e-9 * float(np.ptp(values)))
    below = float(np.mean(values < value - spread))
    return below + float(np.mean(np.abs(values - value) <= spread)) / 2


def _bca_reaches(
    value: float,
    values: Floats,
    reaches: tuple[float, ...],
    accelerate: Callable[[], float],
) -> tuple[float, ...]:
    """The normal quantiles moved by bias z0 and acceleration a (Efron 1987, eq. 3.7)."""
    bias = NormalDist().inv_cdf(_share_below(value, values))
    acceleration = accelerate()
    moved = []
    for reach in reaches:
        z = bias + reach
        moved.append(bias + z / (1 - acceleration * z))
    return tuple(moved)


def _acceleration(statistic: Statistic, bootstrap: Bootstrap) -> float:
    """Σ d³ / (6 (Σ d²)^1.5) over the jackknife; over random groups where patterns are many."""
    patterns, seed = statistic.patterns, bootstrap.seed
    if bootstrap.sources is not None:
        values = bootstrap.sources.without_each(statistic, seed)
        times = np.ones(len(values))
    elif patterns.size <= _LEFT_OUT_SINGLY:
        values, times = statistic.left_out, patterns.weights
    else:
        values = statistic.at(_without_groups(patterns, seed))
        times = np.ones(len(values))
    return _skewness(values, times)


def _skewness(values: Floats, times: Floats) -> float:
    """Σ d³ / (6 (Σ d²)^1.5) of values, each so many times, beyond their mean."""
    defined = ~np.isnan(values)
    values, times = values[defined], times[defined]
    if not len(values):
        return 0.0
    differences = float(times @ values) / float(times.sum()) - values
    squares = float(times @ differences**2)
    return float(times @ differences**3) / (6 * squares**1.5) if squares > 0 else 0.0


def _without_groups(patterns: Patterns, seed: int) -> Floats:
    generator = np.random.default_rng(seed)
    items = np.repeat(np.arange(patterns.size), patterns.weights.astype(np.int64))
    generator.shuffle(items)
    groups = np.array_split(items, JACKKNIFE_GROUPS)
    return np.stack(
        [patterns.weights - np.bincount(group, minlength=patterns.size) for group in groups]
    )


def analytic_interval(
    coefficient: Coefficient, table: RatingTable, statistic: Statistic, confidence: float
) -> Interval:
    """Value ± quantile × standard error within the coefficient's range, where a formula exists."""
    error_and_freedom = coefficient.standard_error(table, statistic)
    if error_and_freedom is None or not math.isfinite(error_and_freedom[0]):
        return Interval(
            None,
            None,
            "analytic",
            tr("There is no analytic interval for this table; use the bootstrap."),
        )
    error, freedom = error_and_freedom
    half = error * _quantile((1 + confidence) / 2, freedom)
    value = statistic.value
    # of items that different numbers rated, Fleiss' kappa may be below its usual minimum
    least = coefficient.minimum if value >= coefficient.minimum else -math.inf
    return Interval(max(least, value - half), min(coefficient.maximum, value + half), "analytic")


def _quantile(level: float, freedom: float) -> float:
    if math.isinf(freedom):
        return NormalDist().inv_cdf(level)
    return math.copysign(student_quantile(freedom, abs(2 * level - 1)), level - 0.5)
