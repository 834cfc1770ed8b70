"""Cohen's kappa: plain (1960), weighted (1968), and with Ben-David's costs (2008).

Weights count steps on the scale: on a declared scale all its steps, else the steps between the
categories that the two raters used on their common items, as scikit-learn and statsmodels do.
"""

from collections.abc import Callable

import numpy as np

from core.agreement.contingency import RaterPair
from core.agreement.published import two_abstractors
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Floats, PairwiseCoefficient, PublishedExample, Statistic
from core.i18n import tr_noop

Costs = Callable[[Floats], Floats]


class CohenKappa(PairwiseCoefficient):
    """1 − Σ w o / Σ w e with a cost w of 1 for every disagreement; else mean over pairs."""

    name = "cohen_kappa"
    called = tr_noop("Cohen's kappa")
    sinks_with_prevalence = True

    def costs(self, pair: RaterPair, table: RatingTable) -> Floats:
        """What each disagreement costs, (C, C) with zeros on the diagonal."""
        return np.asarray(1.0 - np.eye(len(pair.scale)))

    def of_pair(self, cells: Floats, pair: RaterPair, table: RatingTable) -> Floats:
        """1 − observed cost / cost expected from the two margins."""
        n = cells.sum(axis=1)
        costs = self.costs(pair, table)
        first, second = pair.margins(cells)
        observed = cells @ costs[pair.first, pair.second]
        expected = ((costs.T @ first.T) * second.T).sum(axis=0) / n
        return np.asarray(np.where(expected > 1e-12 * n, 1.0 - observed / expected, np.nan))

    def standard_error(
        self, table: RatingTable, statistic: Statistic
    ) -> tuple[float, float] | None:
        """Of two raters the large-sample error of Fleiss, Cohen and Everitt (1969)."""
        pairs, features = table.contingency
        if len(pairs) != 1 or table.n_raters != 2:
            return super().standard_error(table, statistic)
        from statsmodels.stats.inter_rater import cohens_kappa

        pair = pairs[0]
        counts = pair.contingency(features.totals(table.patterns.weights[None, :]))[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            results = cohens_kappa(counts, weights=self.costs(pair, table), return_results=True)
        error = float(results.std_kappa)
        return (error, np.inf) if np.isfinite(error) else None

    @property
    def example(self) -> PublishedExample:
        """0.7964094 in the documentation of irrCAC (kappa2.table)."""
        return PublishedExample(two_abstractors(), 0.7964094, 7, "irrCAC, cont3x3abstractors")


class CohenKappaLinear(CohenKappa):
    """A disagreement costs the steps between the two categories."""

    name = "cohen_kappa_linear"
    called = tr_noop("Cohen's kappa, linear weights")
    sinks_with_prevalence = False
    needs_order = True

    def costs(self, pair: RaterPair, table: RatingTable) -> Floats:
        """|i − j| over the positions on the pair's scale."""
        steps = np.arange(len(pair.scale), dtype=np.float64)
        return np.asarray(np.abs(steps[:, None] - steps[None, :]))

    @property
    def example(self) -> PublishedExample:
        """By hand: observed cost 11, expected 70.02."""
        return PublishedExample(two_abstractors(), 0.842902, 6, "1 − 11 / 70.02")


class CohenKappaQuadratic(CohenKappaLinear):
    """A disagreement costs the squared steps between the two categories."""

    name = "cohen_kappa_quadratic"
    called = tr_noop("Cohen's kappa, quadratic weights")

    def costs(self, pair: RaterPair, table: RatingTable) -> Floats:
        """(i − j)² over the positions on the pair's scale."""
        return np.asarray(super().costs(pair, table) ** 2)

    @property
    def example(self) -> PublishedExample:
        """0.8921569 in the documentation of irrCAC (quadratic weights)."""
        return PublishedExample(two_abstractors(), 0.8921569, 7, "irrCAC, weighting")


class CohenKappaCost(CohenKappa):
    """Ben-David (2008, Expert Systems with Applications 34): each disagreement at its own cost.

    Without a cost function the cost is the difference of the two numbers of the scale (their
    positions for ordered words), so that unequal steps count as unequal.
    """

    name = "cohen_kappa_cost"
    called = tr_noop("Cohen's kappa, cost-weighted (Ben-David)")
    sinks_with_prevalence = False
    needs_order = True

    def __init__(self, costs_of_scale: Costs | None = None) -> None:
        self._costs_of_scale = costs_of_scale

    def costs(self, pair: RaterPair, table: RatingTable) -> Floats:
        """The given function of the scale's numbers (C,), or their absolute differences."""
        scale = table.scale[pair.scale]
        if self._costs_of_scale is not None:
            return self._costs_of_scale(scale)
        return np.asarray(np.abs(scale[:, None] - scale[None, :]))

    @property
    def example(self) -> PublishedExample:
        """By hand with the numbers 1, 2 and 5: observed cost 33, expected 164.82."""
        return PublishedExample(two_abstractors((1, 2, 5)), 0.799782, 6, "1 − 33 / 164.82")
