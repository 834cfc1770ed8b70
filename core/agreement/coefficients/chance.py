"""Coefficients of the form (p_a − p_e) / (1 − p_e) over counts per item.

Missing ratings follow Gwet (2014, Handbook of Inter-Rater Reliability, 4th ed., ch. 2, 3 and 5):
observed agreement p_a is the mean over items with two ratings or more, the share π_c of a
category the mean over items with one rating or more of n_c / m. With the same number of ratings
on every item this is Fleiss (1971).
"""

from abc import abstractmethod

import numpy as np

from core.agreement.features import FeatureColumns, item_agreement
from core.agreement.patterns import Patterns, weighted_count
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Coefficient, Floats, Statistic
from core.i18n import trn

NEARLY_ONE = 1.0 - 1e-12


class ChanceCorrected(Coefficient):
    """p_a from the counts of each item, p_e from the shares π of the categories."""

    takes_single_ratings = True
    """p_e depends on the shares, and so on items that one person alone rated."""

    def kernel(self, table: RatingTable) -> Floats | None:
        """Similarity of the categories (C, C), ones on the diagonal; None for nominal."""
        return None

    @abstractmethod
    def expected(self, shares: Floats, table: RatingTable) -> Floats:
        """p_e (B,) of category shares (B, C)."""

    @abstractmethod
    def expected_gradient(self, shares: Floats, table: RatingTable) -> Floats:
        """Half the derivative of p_e by each share, (C,): Gwet's p_{e|i} is its mean over an item.

        For constant p_e it is p_e itself, so that the correction of the variance vanishes.
        """

    def statistic(self, table: RatingTable) -> Statistic:
        """Agreement, pairable items, rated items and category shares as features."""
        patterns = table.patterns.merged
        columns = FeatureColumns(patterns.size)
        agreed = columns.add_column(item_agreement(patterns, self.kernel(table)))
        pairable = columns.add_column((patterns.totals >= 2).astype(np.float64))
        rated = columns.add_column((patterns.totals >= 1).astype(np.float64))
        rows, categories, counts = patterns.cells
        shares = columns.add_block(
            rows, categories, counts / patterns.totals[rows], len(table.categories)
        )

        def close(totals: Floats) -> Floats:
            observed = totals[:, agreed] / totals[:, pairable]
            expected = self.expected(totals[:, shares] / totals[:, [rated]], table)
            value = (observed - expected) / (1.0 - expected)
            return np.asarray(np.where(expected < NEARLY_ONE, value, np.nan))

        return Statistic(patterns, columns.build(), close)

    def standard_error(
        self, table: RatingTable, statistic: Statistic
    ) -> tuple[float, float] | None:
        """Gwet (2008, Br. J. Math. Stat. Psychol. 61; 2014, ch. 5), n − 1 degrees of freedom."""
        patterns = statistic.patterns
        rated = patterns.totals > 0
        n = float(patterns.weights[rated].sum())
        pairable = float(patterns.weights[patterns.totals >= 2].sum())
        shares = category_shares(patterns, len(table.categories))
        expected = float(self.expected(shares[None, :], table)[0])
        by_item = _mean_over_ratings(patterns, self.expected_gradient(shares, table))
        agreed = item_agreement(patterns, self.kernel(table))
        corrected = np.where(patterns.totals >= 2, agreed - expected, 0.0) * (n / pairable)
        parts = corrected / (1.0 - expected) - 2.0 * (1.0 - statistic.value) * (
            by_item - expected
        ) / (1.0 - expected)
        spread = float((patterns.weights * rated) @ (parts - statistic.value) ** 2)
        return float(np.sqrt(spread / (n * (n - 1)))), n - 1

    def notes(self, table: RatingTable, statistic: Statistic) -> tuple[str, ...]:
        """Says that items of one rating count, which are not among those compared."""
        return single_ratings(statistic.patterns) if self.takes_single_ratings else ()


def single_ratings(patterns: Patterns) -> tuple[str, ...]:
    """That ratings of items which one person alone rated count as well; nothing where none do."""
    single = round(float(patterns.weights[patterns.totals == 1].sum()))
    said = trn(
        "Chance agreement also counts 1 rating of an item that nobody else rated.",
        "Chance agreement also counts {n} ratings of items that nobody else rated.",
        single,
    )
    return (said,) if single else ()


def category_shares(patterns: Patterns, n_categories: int) -> Floats:
    """π_c, the mean over rated items of the share of the item's ratings, shape (C,)."""
    rows, categories, counts = patterns.cells
    weights = patterns.weights[rows] * counts / patterns.totals[rows]
    sums = np.bincount(categories, weights=weights, minlength=n_categories)
    return np.asarray(sums / patterns.weights[patterns.totals > 0].sum())


def _mean_over_ratings(patterns: Patterns, by_category: Floats) -> Floats:
    rows, categories, counts = patterns.cells
    weights = counts / patterns.totals[rows] * by_category[categories]
    return weighted_count(rows, weights, patterns.size)
