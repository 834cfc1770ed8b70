"""Conger's kappa (Conger 1980, Psychological Bulletin 88): Cohen's for two raters or more."""

import numpy as np

from core.agreement.coefficients.chance import NEARLY_ONE, single_ratings
from core.agreement.contingency import sums_by
from core.agreement.features import FeatureColumns, item_agreement
from core.agreement.published import canonical_data_of_irrcac
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Coefficient, Floats, PublishedExample, Statistic
from core.i18n import tr_noop


class CongerKappa(Coefficient):
    """Chance agreement is that of every two raters, each with shares of their own.

    Missing ratings as in Gwet (2014, ch. 2): observed agreement over the items with two ratings or
    more, a rater's shares over the items that this rater rated.
    """

    name = "conger_kappa"
    called = tr_noop("Conger's kappa")
    needs_raters = True
    sinks_with_prevalence = True

    def statistic(self, table: RatingTable) -> Statistic:
        """Agreement, pairable items and how often each rater gave each category as features."""
        patterns, width = table.patterns, max(1, len(table.categories))
        assert patterns.codes is not None
        columns = FeatureColumns(patterns.size)
        agreed = columns.add_column(item_agreement(patterns))
        pairable = columns.add_column((patterns.totals >= 2).astype(np.float64))
        rows, raters = np.nonzero(patterns.codes >= 0)
        keys = raters * width + patterns.codes[rows, raters]
        used, place = np.unique(keys, return_inverse=True)
        counts_block = columns.add_block(
            rows, place.astype(np.int64), np.ones(len(rows)), len(used)
        )
        rater, category = used // width, used % width
        team = patterns.codes.shape[1]

        def close(totals: Floats) -> Floats:
            counts = totals[:, counts_block]
            by_rater = sums_by(counts, rater, team)
            shares = np.where(counts > 0, counts / by_rater[:, rater], 0.0)
            present = (by_rater > 0).sum(axis=1)
            pooled = (sums_by(shares, category, width) ** 2).sum(axis=1)
            expected = (pooled - (shares**2).sum(axis=1)) / (present * (present - 1.0))
            value = (totals[:, agreed] / totals[:, pairable] - expected) / (1.0 - expected)
            return np.asarray(np.where(expected < NEARLY_ONE, value, np.nan))

        return Statistic(patterns, columns.build(), close)

    def notes(self, table: RatingTable, statistic: Statistic) -> tuple[str, ...]:
        """Says that items of one rating count, which are not among those compared."""
        return single_ratings(statistic.patterns)

    @property
    def example(self) -> PublishedExample:
        """0.76282 in the documentation of irrCAC (conger.kappa.raw)."""
        return PublishedExample(canonical_data_of_irrcac(), 0.76282, 5, "irrCAC, cac.raw4raters")
