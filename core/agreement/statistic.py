"""What a coefficient is: the plug point, its result, and the statistic behind both."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from core.agreement.contingency import RaterPair
from core.agreement.features import Features, batch_rows
from core.agreement.patterns import Patterns
from core.agreement.ratings import RatingTable
from core.i18n import tr, trn
from core.report_table import JsonFields, ReportTable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]

_MOST_SLOPES = 3000
_SLOPE_STEP = 1e-4
_CLOSED_AT_ONCE = 100_000
"""Cells of contingency tables that are computed at once: what a processor keeps at hand."""
FEW_IN_COMMON = 25
"""Common items of the middle pair of raters below which a mean over pairs is off. Where Cohen's
kappa is 0.49, three raters of twenty for each of 200 items (three in common) come to 0.39 and the
interval holds 0.49 in 5 of 100 samples, of nine (17 in common) to 0.46 and in 92."""


@dataclass(frozen=True, slots=True)
class CheckedWith(JsonFields):
    """The package that computed a value a second time, and |ours − theirs|."""

    package: str
    version: str
    difference: float


@dataclass(frozen=True, slots=True)
class CoefficientResult(JsonFields):
    """One coefficient of one table, ready to print.

    ``value`` is None exactly when ``undefined`` says why. ``low`` and ``high`` bound the interval
    at ``confidence``; None where there is none, and ``notes`` then says why. ``items`` counts the
    items of the table, ``compared`` those that two people or more rated, ``pairable`` the rows of
    these: each revision of an item has its own. ``coverage`` is the share of the rows × raters
    cells that are filled. ``word`` is that of Landis and Koch for the value, or for both ends of
    its interval. ``rough_because`` says on what little the interval rests,
    which is among the notes too. ``sources`` is how many sources were resampled instead of items,
    0 for items; ``shared`` says in words what was. ``behind`` is the table the number comes from.
    In a written report ``checked_with`` is the package that computed the value as well, else
    ``not_checked`` says why there is none.
    """

    _not_in_json = ("rough_because",)

    name: str
    title: str
    value: float | None
    low: float | None = None
    high: float | None = None
    interval: str = "none"
    confidence: float = 0.95
    resamples: int = 0
    seed: int | None = None
    items: int = 0
    compared: int = 0
    pairable: int = 0
    raters: int = 0
    coverage: float = 0.0
    undefined: str | None = None
    word: str | None = None
    notes: tuple[str, ...] = ()
    rough_because: tuple[str, ...] = ()
    sources: int = 0
    shared: str = ""
    details: Mapping[str, float] = field(default_factory=dict)
    behind: ReportTable | None = None
    checked_with: CheckedWith | None = None
    not_checked: str | None = None

    @property
    def rough(self) -> bool:
        """Whether the interval rests on little."""
        return bool(self.rough_because)

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values; ``undefined`` is null or the reason."""
        behind = None
        if (table := self.behind) is not None:
            rows = [list(row) for row in table.rows]
            behind = {"title": table.title, "columns": list(table.columns), "rows": rows}
        return JsonFields.as_json(self) | {"rough": self.rough, "behind": behind}


@dataclass(frozen=True, slots=True)
class PublishedExample:
    """A table with the value printed for it, for the contract test."""

    table: RatingTable
    value: float
    digits: int
    source: str


@dataclass(frozen=True, eq=False)
class Statistic:
    """A coefficient as a function of pattern weights.

    ``close`` maps feature totals (B, K) to values (B,), NaN where undefined.
    """

    patterns: Patterns
    features: Features
    close: Callable[[Floats], Floats]

    def at(self, weights: Floats) -> Floats:
        """Values (B,) for a batch of weights (B, P)."""
        return self.closed(self.features.totals(weights))

    def closed(self, totals: Floats) -> Floats:
        """Values (B,) for a batch of feature totals (B, K)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.close(totals)

    @cached_property
    def value(self) -> float:
        """The value on the table itself; NaN where undefined."""
        return float(self.at(self.patterns.weights[None, :])[0])

    @cached_property
    def left_out(self) -> Floats:
        """The value without one item of each pattern, shape (P,)."""
        values = np.full(self.patterns.size, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            for start, totals in self.features.without_one(self.patterns.weights):
                values[start : start + len(totals)] = self.close(totals)
        return values

    @cached_property
    def slopes(self) -> Floats | None:
        """How the value changes with the weight of each pattern, (P,): the slope of ``close`` in
        each feature, by central differences, times the features. None where there are too many
        features for that."""
        totals = self.features.totals(self.patterns.weights[None, :])[0]
        if len(totals) > _MOST_SLOPES:
            return None
        slopes = np.empty(len(totals))
        steps = _SLOPE_STEP * np.maximum(1.0, totals)
        batch = batch_rows(len(totals))
        for start in range(0, len(totals), batch):
            part = np.arange(start, min(start + batch, len(totals)))
            moved = np.zeros((len(part), len(totals)))
            moved[np.arange(len(part)), part] = steps[part]
            change = self.closed(totals + moved) - self.closed(totals - moved)
            slopes[part] = change / (2.0 * steps[part])
        return self.features.along(slopes)


class Coefficient(ABC):
    """A measure of agreement. Stateless; one instance per name in ``COEFFICIENTS``."""

    name: str
    called: str
    """Its name for people, as ``tr_noop`` marks it."""
    maximum = 1.0
    minimum = -1.0
    needs_raters = False
    """It asks who gave which rating, so counts are not enough."""
    needs_order = False
    """The order of the categories enters, so words without an order will not do."""
    needs_ratio_scale = False
    """Numbers with a true zero are needed."""
    least_items = 2
    """Items with two ratings or more below which the coefficient says nothing."""
    chance_corrected = True
    """Landis and Koch's words apply."""
    sinks_with_prevalence = False
    """Its chance agreement grows as one category prevails: the kappa paradox applies."""
    counts_unused = False
    """Its chance agreement depends on all declared categories, also on those never used."""
    defined_on_constant_ratings = False
    """A number, not a reason, where every rating is the same."""

    @property
    def title(self) -> str:
        """Its name for people, translated."""
        return tr(self.called)

    @abstractmethod
    def statistic(self, table: RatingTable) -> Statistic:
        """The statistic of a table that fulfils the needs above."""

    def behind(self, table: RatingTable, statistic: Statistic) -> ReportTable:
        """The table the value comes from: the categories with their shares, by default."""
        return category_table(table)

    def standard_error(
        self, table: RatingTable, statistic: Statistic
    ) -> tuple[float, float] | None:
        """(standard error, degrees of freedom), None where the table is too large for it.

        Where no formula of its own is published: the delta method over the pairable items, which
        are the sample (Gwet 2014, ch. 5, for alpha and pi; Brown and Benedetti 1977, J. Am. Stat.
        Assoc. 72, for rank correlations of tied ratings). Infinite degrees of freedom mean the
        normal distribution.
        """
        slopes = statistic.slopes
        if slopes is None:
            return None
        times = np.where(statistic.patterns.totals >= 2, statistic.patterns.weights, 0.0)
        n = float(times.sum())
        spread = float(times @ (slopes - float(times @ slopes) / n) ** 2)
        return float(np.sqrt(spread * n / (n - 1))), n - 1

    def notes(self, table: RatingTable, statistic: Statistic) -> tuple[str, ...]:
        """What a reader must know about this value."""
        return ()

    def details(self, table: RatingTable, statistic: Statistic) -> Mapping[str, float]:
        """Further numbers with the value, such as a test statistic."""
        return {}

    @property
    @abstractmethod
    def example(self) -> PublishedExample:
        """A published value that the implementation reproduces."""


class PairwiseCoefficient(Coefficient):
    """A coefficient of two raters; with more, the mean over all pairs with common items."""

    needs_raters = True

    @abstractmethod
    def of_pair(self, cells: Floats, pair: RaterPair, table: RatingTable) -> Floats:
        """Values (B,) from the pair's cell counts (B, K); NaN where undefined."""

    def statistic(self, table: RatingTable) -> Statistic:
        """Contingency cells of every pair as features; the mean over defined pairs closes."""
        pairs, features = table.contingency

        def close(totals: Floats) -> Floats:
            values = np.empty((len(pairs), len(totals)))
            step = max(1, _CLOSED_AT_ONCE // max(1, totals.shape[1]))
            for start in range(0, len(totals), step):
                part = np.ascontiguousarray(totals[start : start + step].T, np.float64)
                for alike in table.alike_pairs:
                    pair_values = self.of_pair(alike.cells(part), alike.pair, table)
                    values[alike.places, start : start + step] = pair_values.reshape(
                        len(alike.places), -1
                    )
            return _mean_of_defined(values)

        return Statistic(table.patterns, features, close)

    def of_pairs(self, table: RatingTable) -> list[tuple[RaterPair, float, int]]:
        """Every pair with its value (NaN where undefined) and its number of common items."""
        pairs, features = table.contingency
        totals = np.ascontiguousarray(features.totals(table.patterns.weights[None, :]).T)
        values, items = np.empty(len(pairs)), np.empty(len(pairs))
        with np.errstate(divide="ignore", invalid="ignore"):
            for alike in table.alike_pairs:
                cells = alike.cells(totals)
                values[alike.places] = self.of_pair(cells, alike.pair, table)
                items[alike.places] = cells.sum(axis=1)
        return list(zip(pairs, values.tolist(), items.astype(int).tolist(), strict=True))

    def behind(self, table: RatingTable, statistic: Statistic) -> ReportTable:
        """The contingency table of two raters, or the pairs with their values."""
        pairs = self.of_pairs(table)
        if len(pairs) == 1:
            return contingency_table(table, pairs[0][0])
        return ReportTable(
            title=tr("Pairs of raters"),
            columns=(tr("First rater"), tr("Second rater"), tr("Common items"), tr("Value")),
            rows=tuple(
                (
                    table.rater_ids[pair.a],
                    table.rater_ids[pair.b],
                    items,
                    None if np.isnan(value) else value,
                )
                for pair, value, items in pairs
            ),
        )

    def notes(self, table: RatingTable, statistic: Statistic) -> tuple[str, ...]:
        """Says that the value is a mean over pairs, how many pairs had none, and where they share
        few items."""
        if table.n_raters <= 2:
            return ()
        pairs = self.of_pairs(table)
        defined = sum(not np.isnan(value) for _, value, _ in pairs)
        possible = table.n_raters * (table.n_raters - 1) // 2
        few = few_in_common(table)
        said = (
            tr(
                "Mean over {defined} of {possible} pairs of raters; the others are undefined.",
                defined=defined,
                possible=possible,
            )
            if defined < possible
            else tr("Mean over all {possible} pairs of raters.", possible=possible)
        )
        if not few:
            return (said,)
        return (
            said,
            trn(
                "Half of these pairs share only 1 item, too few for a mean over pairs: use "
                "Krippendorff's alpha or Gwet's AC1.",
                "Half of these pairs share {n} items or fewer, too few for a mean over pairs: use "
                "Krippendorff's alpha or Gwet's AC1.",
                few,
            ),
        )


def few_in_common(table: RatingTable) -> int:
    """How many items the middle pair of three or more raters has in common, of the pairs that have
    any; 0 where that is enough for a mean over pairs."""
    if table.n_raters <= 2:
        return 0
    _, features = table.contingency
    totals = np.ascontiguousarray(features.totals(table.patterns.weights[None, :]).T)
    items = np.concatenate([one.cells(totals).sum(axis=1).ravel() for one in table.alike_pairs])
    middle = int(np.median(items)) if len(items) else 0
    return middle if middle < FEW_IN_COMMON else 0


def _mean_of_defined(values: Floats) -> Floats:
    """Of values (pairs, B) the mean over pairs, (B,); NaN where none is defined."""
    defined = ~np.isnan(values)
    sums = np.where(defined, values, 0.0).sum(axis=0)
    return np.asarray(np.where(defined.any(axis=0), sums / defined.sum(axis=0), np.nan))


def category_table(table: RatingTable) -> ReportTable:
    """How often each category was given, with its share."""
    totals = table.category_totals
    total = totals.sum()
    return ReportTable(
        title=tr("Categories"),
        columns=(tr("Category"), tr("Ratings"), tr("Share")),
        rows=tuple(
            (label, int(count), float(count / total) if total else None)
            for label, count in zip(table.categories, totals, strict=True)
        ),
    )


def contingency_table(table: RatingTable, pair: RaterPair) -> ReportTable:
    """How the ratings of two raters fall together on their common items."""
    labels = [table.categories[int(code)] for code in pair.scale]
    counts = np.zeros((len(labels), len(labels)), np.int64)
    codes = table.data
    both = (codes[:, pair.a] >= 0) & (codes[:, pair.b] >= 0)
    first = np.searchsorted(pair.scale, codes[both, pair.a])
    second = np.searchsorted(pair.scale, codes[both, pair.b])
    np.add.at(counts, (first, second), 1)
    return ReportTable(
        title=tr(
            "{first} (rows) against {second} (columns)",
            first=table.rater_ids[pair.a],
            second=table.rater_ids[pair.b],
        ),
        columns=("", *labels),
        rows=tuple(
            (label, *(int(count) for count in row))
            for label, row in zip(labels, counts, strict=True)
        ),
    )
