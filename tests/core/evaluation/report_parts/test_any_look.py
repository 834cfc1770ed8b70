"""The interval of any look holds at all looks together, where the usual one does not."""

import math

import numpy as np
import pytest

from core.evaluation.clusters import ClusterSums
from core.evaluation.report_parts.any_look import any_look, log_mixture, mixture_bounds
from core.evaluation.scoring import AccuracyEstimate


@pytest.mark.parametrize("rate", [0.03, 0.4, 0.9])
def test_the_mixture_is_one_on_average_at_the_true_rate(rate: float):
    """What Ville's inequality asks for: summed over all samples of 12 by their binomial chances."""
    chances = [math.comb(12, n) * rate**n * (1 - rate) ** (12 - n) for n in range(13)]
    mixed = [math.exp(log_mixture(rate, n, 12 - n, 5.0)) for n in range(13)]
    assert sum(c * m for c, m in zip(chances, mixed, strict=True)) == pytest.approx(1)


def test_the_bounds_are_those_of_a_fine_grid_and_looking_often_has_its_price():
    grid = np.linspace(0.0005, 0.9995, 1000)
    weight = 100 / (-2 * math.log(0.05) + math.log(1 - 2 * math.log(0.05)))
    for right in (0, 7, 50, 100):
        held = [p for p in grid if log_mixture(p, right, 100 - right, weight) < math.log(20)]
        low, high = mixture_bounds(right / 100, 100, 100)
        assert (low, high) == (pytest.approx(held[0], abs=1e-3), pytest.approx(held[-1], abs=1e-3))
        assert high - low > 2 * 1.96 * math.sqrt(right * (100 - right) / 1e6)
    assert mixture_bounds(0, 100, 100)[0] == 0
    assert mixture_bounds(1, 100, 100)[1] == 1


@pytest.mark.parametrize("rate", [0.03, 0.4])
def test_it_holds_at_all_looks_together(rate: float):
    rng = np.random.default_rng(3)
    held, usual = [], []
    for _ in range(300):
        sums = np.cumsum(rng.random(400) < rate)
        fine = ordinary = True
        for n in range(20, 401, 10):
            part = AccuracyEstimate(n, int(sums[n - 1]), None, clusters=n)
            found, interval = any_look(part, 400), part.interval
            fine = fine and found is not None and found.low <= rate <= found.high
            ordinary = ordinary and interval.low <= rate <= interval.high
        held.append(fine)
        usual.append(ordinary)
    assert np.mean(held) >= 0.95
    assert np.mean(usual) < 0.85


def test_it_holds_where_articles_make_answers_alike():
    """Forty articles of ten items, of which one in twenty is right and some articles have many."""
    rng = np.random.default_rng(5)
    held = []
    for _ in range(120):
        right = (rng.random(400) < np.repeat(rng.beta(0.2, 3.8, 40), 10)).astype(float).tolist()
        fine = True
        for n in range(200, 401, 10):
            sums = ClusterSums()
            sums.extend([str(k // 10) for k in range(n)], right[:n])
            part = AccuracyEstimate(n, sum(right[:n]), None, sums.error(), len(sums),
                                    sums.freedom(), sums)  # fmt: skip
            found = any_look(part, 400)
            fine = fine and found is not None and found.low <= 0.05 <= found.high
        held.append(fine)
    assert np.mean(held) >= 0.9


def test_too_few_answers_have_none():
    assert any_look(AccuracyEstimate(12, 6, None, clusters=12), 100) is None
    assert any_look(AccuracyEstimate(0, 0, None, clusters=0), 100) is None


def test_answers_of_one_source_are_one_unit_however_many():
    assert any_look(AccuracyEstimate(40, 20, None, clusters=1), 100) is None
