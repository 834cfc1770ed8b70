"""Gwet's AC1 and AC2 (Gwet 2008, Br. J. Math. Stat. Psychol. 61; 2014, ch. 3 and 4)."""

import numpy as np

from core.agreement.coefficients.chance import ChanceCorrected
from core.agreement.published import canonical_reliability_data
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Floats, PublishedExample
from core.i18n import tr_noop


class GwetAC1(ChanceCorrected):
    """Chance agreement is Σ π (1 − π) / (q − 1): high prevalence does not sink it."""

    name = "gwet_ac1"
    called = tr_noop("Gwet's AC1")
    defined_on_constant_ratings = True
    counts_unused = True

    def expected(self, shares: Floats, table: RatingTable) -> Floats:
        """Σ π_c (1 − π_c) / (q − 1), scaled by the sum of the weights for AC2."""
        return np.asarray(self._scale(table) * (shares * (1.0 - shares)).sum(axis=1))

    def expected_gradient(self, shares: Floats, table: RatingTable) -> Floats:
        """(1 − π_c) / (q − 1), scaled likewise."""
        return np.asarray(self._scale(table) * (1.0 - shares))

    def _scale(self, table: RatingTable) -> float:
        kernel, q = self.kernel(table), len(table.categories)
        if q < 2:
            return float("nan")
        total = float(q) if kernel is None else float(kernel.sum())
        return total / (q * (q - 1))

    @property
    def example(self) -> PublishedExample:
        """0.77544 in the documentation of irrCAC (gwet.ac1.raw)."""
        return PublishedExample(canonical_reliability_data(), 0.77544, 5, "irrCAC, cac.raw4raters")


class GwetAC2(GwetAC1):
    """AC1 with quadratic weights on the numbers of the scale (positions for ordered words)."""

    name = "gwet_ac2"
    called = tr_noop("Gwet's AC2 (quadratic weights)")
    needs_order = True

    def kernel(self, table: RatingTable) -> Floats | None:
        """1 − (v_c − v_k)² / (v_max − v_min)²."""
        scale = table.scale
        width = float(np.ptp(scale)) if len(scale) else 0.0
        if width == 0:
            return None
        return np.asarray(1.0 - ((scale[:, None] - scale[None, :]) / width) ** 2)

    @property
    def example(self) -> PublishedExample:
        """0.914 in the documentation of irrCAC (quadratic weights)."""
        return PublishedExample(canonical_reliability_data(), 0.91400, 5, "irrCAC, weighting")
