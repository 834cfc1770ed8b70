"""The two-parameter logistic model of item responses (Birnbaum 1968), by marginal likelihood.

P(right) = 1/(1 + exp(−a(θ − b))) with discrimination a, difficulty b and θ ~ N(0, 1). The EM
algorithm of Bock and Aitkin (1981) on a fixed grid of abilities; a weak prior on log a and b
(Mislevy 1986) keeps items that everybody or nobody solves finite.

The kept library for this (girth 0.8) takes minutes for 1,000 items, so this is our own.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.errors import InputError
from core.text import tr

Floats = npt.NDArray[np.float64]

_NODES = np.linspace(-4.5, 4.5, 41)
_PRIOR_LOG_A, _PRIOR_LOG_A_SD = 0.0, 0.5
_PRIOR_B_SD = 2.0
_ROUNDS, _ENOUGH = 200, 1e-3
_NEWTON = 2


@dataclass(frozen=True)
class ResponseModel:
    """``discrimination`` and ``difficulty`` per item, ``ability`` and its error per model."""

    discrimination: Floats
    difficulty: Floats
    ability: Floats
    ability_error: Floats
    rounds: int
    converged: bool


def two_parameter_model(answers: npt.NDArray[np.float64]) -> ResponseModel:
    """Fit to ``answers``: items × models of 1 (right), 0 (wrong) and NaN (no answer).

    Raises InputError for fewer than two items or five models.
    """
    if answers.ndim != 2 or answers.shape[0] < 2 or answers.shape[1] < 5:
        raise InputError(tr("The two-parameter model needs two items and five models at least."))
    seen = ~np.isnan(answers)
    right = np.where(seen, answers, 0.0)
    share = (right.sum(1) + 0.5) / (seen.sum(1) + 1)
    slope, threshold = np.ones(len(answers)), -np.log(share / (1 - share))
    weight = np.exp(-(_NODES**2) / 2)
    weight /= weight.sum()
    rounds, converged = 0, False
    for rounds in range(1, _ROUNDS + 1):  # noqa: B007 - reported
        posterior = _posterior(right, seen, slope, threshold, weight)
        expected, count = right @ posterior, seen.astype(float) @ posterior
        new_slope, new_threshold = _maximised(expected, count, slope, threshold)
        change = max(
            float(np.abs(new_slope - slope).max()), float(np.abs(new_threshold - threshold).max())
        )
        slope, threshold = new_slope, new_threshold
        if change < _ENOUGH:
            converged = True
            break
    posterior = _posterior(right, seen, slope, threshold, weight)
    ability = posterior @ _NODES
    error = np.sqrt(np.maximum(posterior @ _NODES**2 - ability**2, 0))
    return ResponseModel(slope, threshold, ability, error, rounds, converged)


def _probability(slope: Floats, threshold: Floats) -> Floats:
    """Items × nodes."""
    logit = np.clip(slope[:, None] * (_NODES - threshold[:, None]), -30, 30)
    return np.asarray(1 / (1 + np.exp(-logit)), dtype=float)


def _posterior(
    right: Floats, seen: npt.NDArray[np.bool_], slope: Floats, threshold: Floats, weight: Floats
) -> Floats:
    """Models × nodes: how likely each ability is for each model."""
    p = np.clip(_probability(slope, threshold), 1e-12, 1 - 1e-12)
    wrong = np.where(seen, 1 - right, 0.0)
    logs = right.T @ np.log(p) + wrong.T @ np.log(1 - p) + np.log(weight)
    logs -= logs.max(axis=1, keepdims=True)
    found = np.exp(logs)
    return np.asarray(found / found.sum(axis=1, keepdims=True), dtype=float)


def _maximised(
    expected: Floats, count: Floats, slope: Floats, threshold: Floats
) -> tuple[Floats, Floats]:
    """Some Newton steps on (log a, b) of every item at once, damped to stay within reason."""
    log_a, b = np.log(slope), threshold.copy()
    for _ in range(_NEWTON):
        a = np.exp(log_a)
        distance = _NODES - b[:, None]
        p = _probability(a, b)
        residual = expected - count * p
        information = count * p * (1 - p)
        by_log_a = a[:, None] * distance
        g1 = (residual * by_log_a).sum(1) - (log_a - _PRIOR_LOG_A) / _PRIOR_LOG_A_SD**2
        g2 = -(residual.sum(1) * a) - b / _PRIOR_B_SD**2
        h11 = (information * by_log_a**2).sum(1) + 1 / _PRIOR_LOG_A_SD**2
        h22 = information.sum(1) * a**2 + 1 / _PRIOR_B_SD**2
        h12 = -(information * by_log_a).sum(1) * a
        determinant = np.maximum(h11 * h22 - h12**2, 1e-9)
        step1 = (h22 * g1 - h12 * g2) / determinant
        step2 = (h11 * g2 - h12 * g1) / determinant
        log_a = np.clip(log_a + np.clip(step1, -0.5, 0.5), -3, 2)
        b = np.clip(b + np.clip(step2, -1, 1), -8, 8)
    return np.exp(log_a), b
