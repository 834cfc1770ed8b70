"""Krippendorff's alpha (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability).

α = 1 − D_o / D_e over the items with two ratings or more, with
D_o = Σ_u Σ_ck n_uc n_uk δ²_ck / (m_u − 1) and D_e = Σ_ck n_c n_k δ²_ck / (n − 1).
"""

from abc import abstractmethod

import numpy as np
import numpy.typing as npt

from core.agreement.features import FeatureColumns, category_pairs, within_disagreement
from core.agreement.patterns import Patterns
from core.agreement.published import canonical_reliability_data
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Coefficient, Floats, PublishedExample, Statistic
from core.i18n import tr_noop


class KrippendorffAlpha(Coefficient):
    """Alpha with a fixed distance; the ordinal one overrides ``statistic``."""

    printed = 0.0

    @abstractmethod
    def observed(self, patterns: Patterns, table: RatingTable) -> Floats:
        """Σ_ck n_c n_k δ²_ck / (m − 1) of each pattern, (P,)."""

    @abstractmethod
    def expected(self, margins: Floats, table: RatingTable) -> Floats:
        """Σ_ck n_c n_k δ²_ck (B,) of pairable category totals (B, C)."""

    def statistic(self, table: RatingTable) -> Statistic:
        """Disagreement of the items and their category totals as features."""
        patterns = table.patterns.merged
        columns = FeatureColumns(patterns.size)
        observed = columns.add_column(self.observed(patterns, table))
        margins = _add_margins(columns, patterns, len(table.categories))

        def close(totals: Floats) -> Floats:
            expected = self.expected(totals[:, margins], table)
            return _alpha(totals[:, observed], expected, totals[:, margins].sum(axis=1))

        return Statistic(patterns, columns.build(), close)

    @property
    def example(self) -> PublishedExample:
        """On the canonical 12 × 4 table."""
        return PublishedExample(
            canonical_reliability_data(), self.printed, 3, "Krippendorff 2011, canonical data"
        )


class AlphaNominal(KrippendorffAlpha):
    """Any two different categories are equally far apart."""

    name = "krippendorff_alpha_nominal"
    called = tr_noop("Krippendorff's alpha, nominal")
    sinks_with_prevalence = True
    printed = 0.743

    def observed(self, patterns: Patterns, table: RatingTable) -> Floats:
        """(m² − Σ n_c²) / (m − 1)."""
        rows, _, counts = patterns.cells
        squares = np.bincount(rows, weights=counts * counts, minlength=patterns.size)
        m = patterns.totals
        return np.divide(m * m - squares, m - 1.0, out=np.zeros_like(m), where=m >= 2)

    def expected(self, margins: Floats, table: RatingTable) -> Floats:
        """n² − Σ n_c²."""
        return np.asarray(margins.sum(axis=1) ** 2 - (margins * margins).sum(axis=1))


class AlphaInterval(KrippendorffAlpha):
    """δ² is the squared difference of the numbers."""

    name = "krippendorff_alpha_interval"
    called = tr_noop("Krippendorff's alpha, interval")
    needs_order = True
    printed = 0.849

    def observed(self, patterns: Patterns, table: RatingTable) -> Floats:
        """2 (m Σ n v² − (Σ n v)²) / (m − 1): moments, so that any number of values will do."""
        rows, categories, counts = patterns.cells
        values = _centred(table)[categories]
        m = patterns.totals
        first = np.bincount(rows, weights=counts * values, minlength=patterns.size)
        second = np.bincount(rows, weights=counts * values * values, minlength=patterns.size)
        spread = np.maximum(2.0 * (m * second - first * first), 0.0)
        return np.divide(spread, m - 1.0, out=np.zeros_like(m), where=m >= 2)

    def expected(self, margins: Floats, table: RatingTable) -> Floats:
        """2 (n Σ n v² − (Σ n v)²)."""
        values = _centred(table)
        first, second = margins @ values, margins @ (values * values)
        spread = 2.0 * (margins.sum(axis=1) * second - first * first)
        return np.where(_varied(margins), spread, 0.0)


class AlphaRatio(KrippendorffAlpha):
    """δ is the difference over the sum; for numbers from zero upwards."""

    name = "krippendorff_alpha_ratio"
    called = tr_noop("Krippendorff's alpha, ratio")
    needs_order = True
    needs_ratio_scale = True
    printed = 0.797

    def observed(self, patterns: Patterns, table: RatingTable) -> Floats:
        """With δ² = ((v − w) / (v + w))²."""
        return within_disagreement(patterns, _ratio_distance(table))

    def expected(self, margins: Floats, table: RatingTable) -> Floats:
        """With the same δ²."""
        return np.asarray(((margins @ _ratio_distance(table)) * margins).sum(axis=1))


class AlphaOrdinal(Coefficient):
    """δ counts the ratings between two categories, so it changes with every resample.

    δ_ck = |r_c − r_k| with r the mid-ranks of the pairable ratings, which turns it into the
    interval distance on ranks.
    """

    name = "krippendorff_alpha_ordinal"
    called = tr_noop("Krippendorff's alpha, ordinal")
    needs_order = True

    def statistic(self, table: RatingTable) -> Statistic:
        """Coincidences of every two categories that occur together, and the category totals."""
        patterns = table.patterns.merged
        columns = FeatureColumns(patterns.size)
        rows, first, second, products = category_pairs(patterns)
        width = max(1, len(table.categories))
        cells, column = np.unique(first * width + second, return_inverse=True)
        values = 2.0 * products / (patterns.totals[rows] - 1.0)
        block = columns.add_block(rows, column.astype(np.int64), values, len(cells))
        margins = _add_margins(columns, patterns, len(table.categories))
        low, high = cells // width, cells % width

        def close(totals: Floats) -> Floats:
            counts = totals[:, margins]
            ranks = np.cumsum(counts, axis=1) - counts / 2.0
            distance = ranks[:, low] - ranks[:, high]
            observed = (totals[:, block] * distance * distance).sum(axis=1)
            n = counts.sum(axis=1)
            ranks = ranks - n[:, None] / 2.0
            means, squares = (counts * ranks).sum(axis=1), (counts * ranks * ranks).sum(axis=1)
            expected = np.where(_varied(counts), 2.0 * (n * squares - means * means), 0.0)
            return _alpha(observed, expected, n)

        return Statistic(patterns, columns.build(), close)

    @property
    def example(self) -> PublishedExample:
        """0.815 on the canonical 12 × 4 table."""
        return PublishedExample(
            canonical_reliability_data(), 0.815, 3, "Krippendorff 2011, canonical data"
        )


def _varied(margins: Floats) -> npt.NDArray[np.bool_]:
    """Which rows of (B, C) use two categories or more, rounding errors aside; (B,) of bool."""
    return np.asarray(np.count_nonzero(margins > 0, axis=1) > 1)


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    value = 1.0 - (n - 1.0) * observed / expected
    return np.asarray(np.where(expected > 0, value, np.nan))


def _add_margins(columns: FeatureColumns, patterns: Patterns, width: int) -> slice:
    rows, categories, counts = patterns.cells
    pairable = patterns.totals[rows] >= 2
    return columns.add_block(rows[pairable], categories[pairable], counts[pairable], width)


def _centred(table: RatingTable) -> Floats:
    scale = table.scale
    totals = table.category_totals
    centred = scale - float(totals @ scale) / max(1.0, float(totals.sum()))
    largest = float(np.abs(centred).max(initial=0.0))
    return np.asarray(centred / largest) if largest > 0 else centred


def _ratio_distance(table: RatingTable) -> Floats:
    scale = table.scale
    sums = scale[:, None] + scale[None, :]
    differences = scale[:, None] - scale[None, :]
    return np.divide(differences, sums, out=np.zeros_like(sums), where=sums != 0) ** 2
