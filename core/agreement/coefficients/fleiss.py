"""Fleiss' kappa (Fleiss 1971, Psychological Bulletin 76) with Gwet's treatment of missing data."""

from collections.abc import Mapping

import numpy as np

from core.agreement.coefficients.chance import ChanceCorrected, category_shares
from core.agreement.published import fleiss_worked_example
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Floats, PublishedExample, Statistic
from core.i18n import tr_noop


class FleissKappa(ChanceCorrected):
    """Chance agreement is Σ π². Any number of ratings per item, raters need not be the same."""

    name = "fleiss_kappa"
    called = tr_noop("Fleiss' kappa")
    sinks_with_prevalence = True

    def expected(self, shares: Floats, table: RatingTable) -> Floats:
        """Σ π_c²."""
        return np.asarray((shares * shares).sum(axis=1))

    def expected_gradient(self, shares: Floats, table: RatingTable) -> Floats:
        """π_c."""
        return shares

    def details(self, table: RatingTable, statistic: Statistic) -> Mapping[str, float]:
        """``z`` against no agreement (Fleiss, Nee and Landis 1979, eq. 12), complete data only."""
        patterns = statistic.patterns
        totals = np.unique(patterns.totals)
        if len(totals) != 1:
            return {}
        n, m = float(patterns.weights.sum()), float(totals[0])
        p = category_shares(patterns, len(table.categories))
        q = 1.0 - p
        mean = float((p * q).sum())
        variance = mean**2 - float((p * q * (q - p)).sum())
        if mean <= 0 or variance <= 0:
            return {}
        error = float(np.sqrt(2.0 * variance / (n * m * (m - 1)))) / mean
        return {"z": statistic.value / error, "null_standard_error": error}

    @property
    def example(self) -> PublishedExample:
        """0.210 in the worked example with 14 raters and 10 items."""
        return PublishedExample(fleiss_worked_example(), 0.210, 3, "worked example, 10 × 14")
