"""Rank correlations between raters, and between people and a judge."""

from abc import abstractmethod

import numpy as np

from core.agreement.base import Floats, PairwiseCoefficient, PublishedExample, Statistic
from core.agreement.contingency import RaterPair
from core.agreement.published import two_rankings
from core.agreement.ratings import RatingTable
from core.text import tr

_LARGEST_SIGN_MATRIX = 3000


class RankCorrelation(PairwiseCoefficient):
    """Of two raters on their common items; with more, the mean over pairs."""

    needs_order = True
    least_items = 3
    chance_corrected = False

    @abstractmethod
    def error_of_fisher_z(self, value: float, n: int) -> float:
        """Standard error of artanh(value) from n common items."""

    def standard_error(
        self, table: RatingTable, statistic: Statistic
    ) -> tuple[float, float] | None:
        """On the coefficient's own scale, by the delta method; two raters only."""
        pairs, features = table.contingency
        if len(pairs) != 1 or table.n_raters != 2:
            return None
        n = int(features.totals(table.patterns.weights[None, :]).sum())
        error = self.error_of_fisher_z(statistic.value, n)
        if not np.isfinite(error):
            return None
        return error * (1.0 - statistic.value**2), np.inf


class Spearman(RankCorrelation):
    """Spearman's rho with mid-ranks for ties."""

    name = "spearman"

    @property
    def title(self) -> str:
        """Its name for people, translated."""
        return tr("Spearman's rank correlation")

    def of_pair(self, cells: Floats, pair: RaterPair, table: RatingTable) -> Floats:
        """Pearson's correlation of the mid-ranks, from the cells of the contingency table."""
        n = cells.sum(axis=1)
        first, second = pair.margins(cells)
        a, b = _mid_ranks(first, n), _mid_ranks(second, n)
        covariance = (cells * a[:, pair.first] * b[:, pair.second]).sum(axis=1)
        spread = (first * a * a).sum(axis=1) * (second * b * b).sum(axis=1)
        value = np.clip(covariance / np.sqrt(spread), -1.0, 1.0)
        return np.asarray(np.where(spread > 1e-9, value, np.nan))

    def error_of_fisher_z(self, value: float, n: int) -> float:
        """√((1 + r²/2) / (n − 3)) (Bonett and Wright 2000, Psychometrika 65)."""
        return float(np.sqrt((1.0 + value * value / 2.0) / (n - 3))) if n > 3 else float("nan")

    @property
    def example(self) -> PublishedExample:
        """0.8207826817 in SciPy's documentation of spearmanr."""
        table = two_rankings([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])
        return PublishedExample(table, 0.8207826817, 10, "SciPy documentation, spearmanr")


class Kendall(RankCorrelation):
    """Kendall's tau-b, which allows for ties."""

    name = "kendall"

    @property
    def title(self) -> str:
        """Its name for people, translated."""
        return tr("Kendall's tau-b")

    def of_pair(self, cells: Floats, pair: RaterPair, table: RatingTable) -> Floats:
        """(concordant − discordant) / √((pairs − ties of a) (pairs − ties of b))."""
        if cells.shape[1] > _LARGEST_SIGN_MATRIX:
            return np.array([_tau_of_counts(row, pair) for row in cells])
        signs = np.sign(pair.first[:, None] - pair.first[None, :])
        signs *= np.sign(pair.second[:, None] - pair.second[None, :])
        balance = ((cells @ signs.astype(np.float64)) * cells).sum(axis=1)
        n = cells.sum(axis=1)
        first, second = pair.margins(cells)
        untied = (n * n - (first**2).sum(axis=1)) * (n * n - (second**2).sum(axis=1))
        return np.asarray(np.where(untied > 0, balance / np.sqrt(untied), np.nan))

    def error_of_fisher_z(self, value: float, n: int) -> float:
        """√(0.437 / (n − 4)) (Fieller, Hartley and Pearson 1957, Biometrika 44)."""
        return float(np.sqrt(0.437 / (n - 4))) if n > 4 else float("nan")

    @property
    def example(self) -> PublishedExample:
        """−0.47140452 in SciPy's documentation of kendalltau."""
        table = two_rankings([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
        return PublishedExample(table, -0.47140452, 8, "SciPy documentation, kendalltau")


def _mid_ranks(margins: Floats, n: Floats) -> Floats:
    """Mid-ranks of the categories less their mean, (B, C)."""
    return np.asarray(np.cumsum(margins, axis=1) - margins / 2.0 - n[:, None] / 2.0)


def _tau_of_counts(counts: Floats, pair: RaterPair) -> float:
    from scipy.stats import kendalltau

    times = counts.astype(np.int64)
    a, b = np.repeat(pair.first, times), np.repeat(pair.second, times)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(kendalltau(a, b).statistic)
