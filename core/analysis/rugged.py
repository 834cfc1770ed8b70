"""Rugged scores: how far public scores run ahead of private ones (ArxivRoll §2.3).

Accuracies are fractions in 0…1. ``M`` of a domain is the mean of its rows, so that sequencing,
cloze and prediction count alike. Scores are vectorised over leading axes: the same functions give
the value and, on resampled accuracies, its bootstrap.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def overestimation(public: Floats, private: Floats) -> Floats:
    """2(pub − priv)/(pub + priv), in −2…2; NaN where both are zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * (public - private) / (public + private), dtype=float)


def rugged_one(
    public: Floats, private: Floats, public_alone: Floats, private_alone: Floats
) -> Floats:
    """RS_I over the last axis (equation 1), in −4…4; NaN where a part of it is undefined.

    ``public`` and ``private`` are paired by domain. The second part stands over the means of the
    unmatched sets and counts only where both sides have one; without any pair it stands alone.
    """
    shape = np.broadcast_shapes(public.shape[:-1], public_alone.shape[:-1])
    total = np.zeros(shape)
    paired = public.shape[-1] > 0
    alone = public_alone.shape[-1] > 0 and private_alone.shape[-1] > 0
    if not paired and not alone:
        return np.full(shape, math.nan)
    if paired:
        total = total + overestimation(public, private).mean(axis=-1)
    if alone:
        total = total + overestimation(public_alone.mean(axis=-1), private_alone.mean(axis=-1))
    return total


def rugged_one_as_coded(
    public: Floats, private: Floats, public_alone: Floats, private_alone: Floats
) -> Floats:
    """RS_I as its authors coded it: an unmatched side that is absent counts as zero."""
    paired = overestimation(public, private).mean(axis=-1)
    means = [
        side.mean(axis=-1) if side.shape[-1] else np.zeros(side.shape[:-1])
        for side in (public_alone, private_alone)
    ]
    return np.asarray(paired + overestimation(means[0], means[1]), dtype=float)


def rugged_two(private: Floats) -> Floats:
    """RS_II: the sample standard deviation (n−1) over domains; NaN for fewer than two.

    The printed equation 2 has lost its division; tables 4 and its code divide by n−1.
    """
    if private.shape[-1] < 2:
        return np.full(private.shape[:-1], math.nan)
    return np.asarray(private.std(axis=-1, ddof=1), dtype=float)


def rugged_two_normalised(private: Floats) -> Floats:
    """RS_II / mean, which compares strong and weak models; NaN for a mean of zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(rugged_two(private) / _positive(private.mean(axis=-1)), dtype=float)


def _positive(means: Floats) -> Floats:
    return np.where(means > 0, means, math.nan)


RS1_VARIANTS: Mapping[str, Callable[[Floats, Floats, Floats, Floats], Floats]] = MappingProxyType(
    {"corrected": rugged_one, "as_coded": rugged_one_as_coded}
)
"""``corrected`` is ours."""


def true_ranks(scores: Floats) -> Floats:
    """Ranks among models over the first axis: 1 is the lowest accuracy, ties share their mean.

    Rising with accuracy, so that a model which ranks higher in public than in private has a
    positive relative RS_I, as it has a positive absolute one. NaN stays NaN and is not ranked.
    """
    missing = np.isnan(scores)
    if not missing.any():
        from scipy.stats import rankdata

        return np.asarray(rankdata(scores, axis=0), dtype=float)
    # scipy leaves NaN out one column at a time; comparisons with NaN are false anyway
    ranks = np.empty(scores.shape)
    for place, score in enumerate(scores):
        ranks[place] = (scores < score).sum(axis=0) + ((scores == score).sum(axis=0) + 1) / 2
    return np.where(missing, math.nan, ranks)


def argsort_ranks(scores: Floats) -> Floats:
    """What the published code takes for ranks: the positions that would sort the models."""
    return np.asarray(np.argsort(scores, axis=0) + 1, dtype=float)


RANKS: Mapping[str, Callable[[Any], Floats]] = MappingProxyType(
    {"true": true_ranks, "argsort": argsort_ranks}
)
