"""Percent agreement: the share of agreeing pairs of ratings, averaged over items."""

import numpy as np

from core.agreement.features import FeatureColumns, item_agreement
from core.agreement.published import canonical_reliability_data
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Coefficient, Floats, PublishedExample, Statistic
from core.i18n import tr_noop


class PercentAgreement(Coefficient):
    """Mean over items with two ratings or more of the share of agreeing pairs, 0 to 1."""

    name = "percent"
    called = tr_noop("Percent agreement")
    minimum = 0.0
    chance_corrected = False
    defined_on_constant_ratings = True

    def statistic(self, table: RatingTable) -> Statistic:
        """Agreement and number of the pairable items as the two features."""
        patterns = table.patterns.merged
        columns = FeatureColumns(patterns.size)
        agreed = columns.add_column(item_agreement(patterns))
        pairable = columns.add_column((patterns.totals >= 2).astype(np.float64))

        def close(totals: Floats) -> Floats:
            return np.asarray(totals[:, agreed] / totals[:, pairable])

        return Statistic(patterns, columns.build(), close)

    def standard_error(
        self, table: RatingTable, statistic: Statistic
    ) -> tuple[float, float] | None:
        """Of the mean over items (Gwet 2014, ch. 5), with n − 1 degrees of freedom."""
        patterns = statistic.patterns
        n = float(patterns.weights[patterns.totals > 0].sum())
        pairable = float(patterns.weights[patterns.totals >= 2].sum())
        parts = item_agreement(patterns) * (n / pairable)
        rated = patterns.weights * (patterns.totals > 0)
        spread = float(rated @ (parts - statistic.value) ** 2)
        return float(np.sqrt(spread / (n * (n - 1)))), n - 1

    @property
    def example(self) -> PublishedExample:
        """0.81818 in the documentation of irrCAC (Gwet 2019)."""
        return PublishedExample(canonical_reliability_data(), 0.81818, 5, "irrCAC, cac.raw4raters")
