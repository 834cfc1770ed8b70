"""Strengths from comparisons in pairs, against statsmodels' regression with clustered errors."""

import math
import random
from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import t

from core.evaluation.preference.bradley_terry import ELO, PairOutcome, strengths

TRUE = {"a": 0.8, "b": 0.2, "c": -0.1, "d": -0.9}


def compared(items: int, seed: int) -> list[PairOutcome]:
    """Every pair on every item, with an effect of the item that its comparisons share, and ties."""
    draw = random.Random(seed)
    outcomes = []
    for item in range(items):
        shift = {name: draw.gauss(0, 0.5) for name in TRUE}
        for a, b in combinations(TRUE, 2):
            gap = TRUE[a] + shift[a] - TRUE[b] - shift[b]
            score = 0.5 if draw.random() < 0.1 else float(draw.random() < 1 / (1 + math.exp(-gap)))
            outcomes.append(PairOutcome(a, b, score, f"i{item}"))
    return outcomes


def test_elo_and_intervals_are_those_of_a_clustered_logistic_regression():
    outcomes = compared(60, 3)
    names = sorted(TRUE)
    design = np.zeros((len(outcomes), len(names)))
    for row, one in enumerate(outcomes):
        design[row, names.index(one.a)], design[row, names.index(one.b)] = 1, -1
    groups = [int(one.cluster[1:]) for one in outcomes]
    # the last model as the base: differences do not depend on what is held at 0
    fit = sm.GLM(
        [one.score for one in outcomes], design[:, :-1], family=sm.families.Binomial()
    ).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    centre = np.vstack([np.eye(3), np.zeros(3)]) - np.full((4, 3), 0.25)
    theta = centre @ fit.params
    errors = np.sqrt(np.diag(centre @ fit.cov_params() @ centre.T) * 60 / 59)
    table = strengths(outcomes)
    assert [one.model for one in table.models] == sorted(TRUE, key=lambda m: -theta[names.index(m)])
    for one in table.models:
        at = names.index(one.model)
        assert one.elo == pytest.approx(1000 + ELO * theta[at], abs=1e-5)
        reach = t.ppf(0.975, 59) * ELO * errors[at]
        assert (one.low, one.high) == pytest.approx((one.elo - reach, one.elo + reach), abs=1e-4)


def test_two_models_have_the_closed_form():
    outcomes = [PairOutcome("a", "b", float(n < 30), f"i{n}") for n in range(40)]
    best, other = strengths(outcomes).models
    assert best.elo - other.elo == pytest.approx(ELO * math.log(3))
    assert (best.share, other.share) == (0.75, 0.25)


def test_a_model_that_always_wins_has_no_elo_and_a_reason():
    outcomes = [PairOutcome("a", "b", 1.0, "i"), PairOutcome("b", "c", 0.5, "j")]
    table = strengths(outcomes)
    assert [one.elo for one in table.models] == [None] * 3
    assert table.models[0].model == "a"
    assert "every time" in table.models[0].reason
    assert strengths([]).models == ()


def test_ties_alone_are_no_evidence_that_models_are_equal():
    """So a judge that prefers what is shown first ends: its verdicts contradict each other."""
    ties = [PairOutcome("a", "b", 0.5, f"item {n}") for n in range(40)]
    for one in strengths(ties).models:
        assert (one.elo, one.low, one.high) == (1000.0, None, None)
        assert one.reason == "its comparisons do not vary, which gives no interval"
    (first, last) = strengths([*ties, PairOutcome("a", "b", 1.0, "other")]).models
    assert first.low < first.elo < first.high
    assert (first.reason, last.reason) == ("", "")
