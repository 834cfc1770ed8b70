"""Standard errors and intervals of a mean over items, also where items share a source.

Shapes: ``values`` is one number per item; ``clusters`` names each item's source (its article, its
instruction). Items of one cluster are not independent: their common error does not average out.
"""

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import InputError
from core.evaluation.mean_interval import ScoreInterval
from core.i18n import trn
from core.proportion import cluster_freedom, student_quantile

Floats = npt.NDArray[np.float64]

_CHUNK = 4_000_000  # drawn indices held at once
_ANY_TAIL = 100  # of so many units there are draws of any chance that matters
_FEW_KINDS = 20  # as many items or clusters there must be for each kind that differs


def standard_error(values: Sequence[float]) -> float | None:
    """s/√n with the sample standard deviation (n−1); None for fewer than two values.

    For zeros and ones this is √(p(1−p)/(n−1)), the error lm-evaluation-harness prints.
    """
    if len(values) < 2:
        return None
    return float(np.std(np.asarray(values, dtype=float), ddof=1) / math.sqrt(len(values)))


def clustered_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """Cluster-robust standard error of the mean; None for fewer than two clusters.

    √(Σ_g (Σ_{i∈g} (x_i − x̄))² / (1 − n_g/n)) / n: the sandwich CR2 of Bell and McCaffrey (2002),
    Survey Methodology 28, 169-181. For clusters of one size it is Liang and Zeger's with the usual
    factor G/(G−1), statsmodels' ``cov_type="cluster"``; of unequal ones that one is too small.
    """
    _same_length(values, clusters)
    data, codes = np.asarray(values, dtype=float), _codes(clusters)
    groups = int(codes.max()) + 1 if len(codes) else 0
    if groups < 2:
        return None
    sums = np.bincount(codes, weights=data - data.mean())
    shares = np.bincount(codes) / len(data)
    return float(math.sqrt(float(np.sum(sums**2 / (1 - shares)))) / len(data))


def degrees_of_freedom(units: int, clusters: Sequence[Hashable] | None = None) -> float:
    """Those of the error of a mean over ``units`` values, or over values in clusters."""
    if clusters is None:
        return float(max(1, units - 1))
    return cluster_freedom(np.bincount(_codes(clusters)).tolist())


def student_interval(
    mean: float, error: float | None, freedom: float, confidence: float = 0.95
) -> ScoreInterval:
    """mean ± t·error of a difference of scores, which lie in 0…1, and no further than there are
    differences; undefined where the error is."""
    if error is None:
        return ScoreInterval(None, None, confidence)
    reach = student_quantile(freedom, confidence) * error
    return ScoreInterval(max(-1.0, mean - reach), min(1.0, mean + reach), confidence)


def bootstrap_means(
    values: Sequence[float],
    *,
    seed: int,
    resamples: int = 2000,
    clusters: Sequence[Hashable] | None = None,
) -> Floats:
    """Means of ``resamples`` draws with replacement: of items, or of whole clusters.

    A draw of clusters takes as many clusters as there are; its mean is over the drawn items.
    """
    rng = np.random.default_rng(seed)
    data = np.asarray(values, dtype=float)
    if clusters is None:
        sums, counts = data, np.ones(len(data))
    else:
        _same_length(values, clusters)
        codes = _codes(clusters)
        sums, counts = np.bincount(codes, weights=data), np.bincount(codes).astype(float)
    size = len(sums)
    kinds, often = np.unique(np.column_stack((sums, counts)), axis=0, return_counts=True)
    if _FEW_KINDS * len(kinds) <= size:
        # how often each kind is drawn says it all, and is drawn a hundred times as quickly
        times = rng.multinomial(size, often / size, resamples)
        return np.asarray((times @ kinds[:, 0]) / (times @ kinds[:, 1]))
    means = np.empty(resamples)
    step = max(1, _CHUNK // max(1, size))
    for start in range(0, resamples, step):
        drawn = rng.integers(0, size, (min(step, resamples - start), size))
        means[start : start + len(drawn)] = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return means


def percentile_interval(
    means: Floats, confidence: float = 0.95, freedom: float = math.inf, units: int | None = None
) -> ScoreInterval:
    """Between the percentiles of resampled means, further out where there is little freedom.

    ``units`` says of how many items or clusters a draw is: undefined where so few have no draw as
    rare as the percentile, as two to four of them at 95%. Between the ends of what two can show
    lies the truth in half of the samples.
    A bootstrap of few units draws too narrow means; Hesterberg's expanded percentiles (2015, The
    American Statistician 69, 371-386) make good for that: Φ(−t·√((G+1)/G)) at G degrees.
    """
    reach = student_quantile(freedom, confidence) * math.sqrt(1 + 1 / freedom)
    tail = NormalDist().cdf(-reach)
    if units is not None and units < _ANY_TAIL and tail < float(units) ** -units:
        return ScoreInterval(None, None, confidence)
    low, high = np.quantile(means, [tail, 1 - tail])
    return ScoreInterval(float(low), float(high), confidence)


def bootstrap_p(means: Floats, freedom: float = math.inf) -> float:
    """Two-sided p that the mean is zero: one less the confidence at which ``percentile_interval``
    begins to hold zero."""
    return _p_of(min(int(np.sum(means <= 0)), int(np.sum(means >= 0))), len(means), freedom)


def least_bootstrap_p(resamples: int, freedom: float = math.inf) -> float:
    """The smallest ``bootstrap_p`` that so many draws can show: that of none beyond zero."""
    return _p_of(0, resamples, freedom)


def _p_of(beyond: int, draws: int, freedom: float) -> float:
    share = min(0.5, (beyond + 1) / (draws + 1))
    if math.isinf(freedom):
        return 2 * share
    from scipy.special import stdtr

    reach = NormalDist().inv_cdf(share) / math.sqrt(1 + 1 / freedom)
    return float(2 * stdtr(freedom, reach))


def _codes(clusters: Sequence[Hashable]) -> npt.NDArray[np.intp]:
    numbers: dict[Hashable, int] = {}
    return np.asarray([numbers.setdefault(c, len(numbers)) for c in clusters], dtype=np.intp)


def _same_length(values: Sequence[Any], clusters: Sequence[Any]) -> None:
    if len(values) != len(clusters):
        raise InputError.tr(
            "{values} do not match {clusters}.",
            values=trn("1 value", "{n} values", len(values)),
            clusters=trn("1 cluster", "{n} clusters", len(clusters)),
        )
