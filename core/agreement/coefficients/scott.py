"""Scott's pi (Scott 1955, Public Opinion Quarterly 19)."""

import numpy as np

from core.agreement.coefficients.chance import NEARLY_ONE
from core.agreement.contingency import RaterPair
from core.agreement.published import two_abstractors
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Floats, PairwiseCoefficient, PublishedExample
from core.i18n import tr_noop


class ScottPi(PairwiseCoefficient):
    """Two raters on their common items, chance from the pooled margins; else mean over pairs."""

    name = "scott_pi"
    called = tr_noop("Scott's pi")
    sinks_with_prevalence = True

    def of_pair(self, cells: Floats, pair: RaterPair, table: RatingTable) -> Floats:
        """(p_o − p_e) / (1 − p_e) with p_e = Σ ((p_c. + p_.c) / 2)²."""
        n = cells.sum(axis=1)
        first, second = pair.margins(cells)
        expected = (((first + second) / (2.0 * n[:, None])) ** 2).sum(axis=1)
        observed = cells[:, pair.first == pair.second].sum(axis=1) / n
        value = (observed - expected) / (1.0 - expected)
        return np.asarray(np.where(expected < NEARLY_ONE, value, np.nan))

    @property
    def example(self) -> PublishedExample:
        """0.7962397 in the documentation of irrCAC (scott2.table)."""
        return PublishedExample(two_abstractors(), 0.7962397, 7, "irrCAC, cont3x3abstractors")
