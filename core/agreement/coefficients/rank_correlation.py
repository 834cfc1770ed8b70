"""Rank correlations between raters, and between people and a judge."""

import numpy as np

from core.agreement.contingency import RaterPair
from core.agreement.published import two_rankings
from core.agreement.ratings import RatingTable
from core.agreement.statistic import Floats, PairwiseCoefficient, PublishedExample
from core.i18n import tr_noop

_LARGEST_SIGN_MATRIX = 3000


class RankCorrelation(PairwiseCoefficient):
    """Of two raters on their common items; with more, the mean over pairs."""

    needs_order = True
    least_items = 3
    chance_corrected = False


class Spearman(RankCorrelation):
    """Spearman's rho with mid-ranks for ties."""

    name = "spearman"
    called = tr_noop("Spearman's rank correlation")

    def of_pair(self, cells: Floats, pair: RaterPair, table: RatingTable) -> Floats:
        """Pearson's correlation of the mid-ranks, from the cells of the contingency table."""
        return spearman_of(cells, pair)

    @property
    def example(self) -> PublishedExample:
        """0.8207826817 in SciPy's documentation of spearmanr."""
        table = two_rankings([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])
        return PublishedExample(table, 0.8207826817, 10, "SciPy documentation, spearmanr")


class Kendall(RankCorrelation):
    """Kendall's tau-b, which allows for ties."""

    name = "kendall"
    called = tr_noop("Kendall's tau-b")

    def of_pair(self, cells: Floats, pair: RaterPair, table: RatingTable) -> Floats:
        """(concordant − discordant) / √((pairs − ties of a) (pairs − ties of b))."""
        return kendall_of(cells, pair)

    @property
    def example(self) -> PublishedExample:
        """−0.47140452 in SciPy's documentation of kendalltau."""
        table = two_rankings([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
        return PublishedExample(table, -0.47140452, 8, "SciPy documentation, kendalltau")


def spearman_of(cells: Floats, pair: RaterPair) -> Floats:
    """Spearman's rho (B,) of the cells (B, K) of a pair; NaN where one side is all ties."""
    n = cells.sum(axis=1)
    first, second = pair.margins(cells)
    a, b = _mid_ranks(first, n), _mid_ranks(second, n)
    covariance = (cells * a[:, pair.first] * b[:, pair.second]).sum(axis=1)
    spread = (first * a * a).sum(axis=1) * (second * b * b).sum(axis=1)
    value = np.clip(covariance / np.sqrt(spread), -1.0, 1.0)
    return np.asarray(np.where(spread > 1e-9, value, np.nan))


def kendall_of(cells: Floats, pair: RaterPair) -> Floats:
    """Kendall's tau-b (B,) of the cells (B, K) of a pair; NaN where one side is all ties."""
    if cells.shape[1] > _LARGEST_SIGN_MATRIX:
        return np.array([_tau_of_counts(row, pair) for row in cells])
    signs = np.sign(pair.first[:, None] - pair.first[None, :])
    signs *= np.sign(pair.second[:, None] - pair.second[None, :])
    balance = ((cells @ signs.astype(np.float64)) * cells).sum(axis=1)
    n = cells.sum(axis=1)
    first, second = pair.margins(cells)
    untied = (n * n - (first**2).sum(axis=1)) * (n * n - (second**2).sum(axis=1))
    return np.asarray(np.where(untied > 0, balance / np.sqrt(untied), np.nan))


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
