"""Randolph's free-marginal kappa (Randolph 2005), also Brennan and Prediger's coefficient and S."""

import numpy as np

from core.agreement.coefficients.chance import ChanceCorrected
from core.agreement.published import canonical_reliability_data
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Floats, PublishedExample
from core.i18n import tr_noop


class RandolphKappa(ChanceCorrected):
    """Chance agreement is 1 / q for q categories: those declared, else those used."""

    name = "randolph_kappa"
    called = tr_noop("Randolph's free-marginal kappa")
    defined_on_constant_ratings = True
    counts_unused = True
    takes_single_ratings = False

    def expected(self, shares: Floats, table: RatingTable) -> Floats:
        """1 / q whatever the shares."""
        return np.full(len(shares), 1.0 / max(1, len(table.categories)))

    def expected_gradient(self, shares: Floats, table: RatingTable) -> Floats:
        """1 / q, so that nothing is added to the variance of p_a."""
        return np.full(len(shares), 1.0 / max(1, len(table.categories)))

    @property
    def example(self) -> PublishedExample:
        """0.77273 in the documentation of irrCAC (bp.coeff.raw)."""
        return PublishedExample(canonical_reliability_data(), 0.77273, 5, "irrCAC, cac.raw4raters")
