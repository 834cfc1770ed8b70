"""Tests of exposure: they tell a model that saw the items from one that did not, and err as often
as they say where it did not."""

import numpy as np
import pytest

from core.analysis.exposure import (
    compare_scores,
    exposures,
    min_k,
    min_k_plus,
    order_test,
)
from core.errors import InputError

Random = np.random.Generator


def tokens(rng: Random, shift: float = 0.0, length: int = 80) -> list[float]:
    """Token log-probabilities; of a text that was seen the unlikely tokens are likelier."""
    values = -rng.gamma(1.0, 2.0, length)
    return (values * (1 - shift)).tolist()


def test_min_k_is_the_mean_of_the_unlikeliest_fifth():
    assert min_k([-1, -9, -3, -5, -7, -2, -4, -6, -8, -10]) == pytest.approx(-9.5)
    assert min_k([-2.0]) == -2.0
    plain = [-1.0, -2.0, -3.0]
    assert min_k_plus(plain, [0, 0, 0], [1, 1, 1]) == min_k(plain)
    assert min_k_plus([-4.0], [-2.0], [0.5]) == -4.0
    with pytest.raises(InputError):
        min_k([])
    with pytest.raises(InputError):
        min_k_plus([-1.0], [], [])


def test_items_that_were_seen_are_told_from_control_texts():
    rng = np.random.default_rng(1)
    seen = [min_k(tokens(rng, 0.3)) for _ in range(40)]
    fresh = [min_k(tokens(rng)) for _ in range(40)]
    found = compare_scores("min-k%", seen, fresh)
    assert found.p < 0.001
    assert found.statistic > 0.9


def test_where_nothing_was_seen_the_tests_err_as_often_as_they_say():
    rng = np.random.default_rng(2)
    scores, orders = [], []
    for _ in range(400):
        items, control = ([min_k(tokens(rng)) for _ in range(12)] for _ in range(2))
        scores.append(compare_scores("min-k%", items, control).p < 0.05)
        sums = rng.normal(-500, 20, (15, 1)) + rng.normal(0, 3, (15, 26))
        orders.append(order_test(sums[:, 0].tolist(), sums[:, 1:].tolist()).p < 0.05)
    for found in (scores, orders):
        assert 0.02 <= np.mean(found) <= 0.085


def test_a_model_that_learned_the_file_prefers_its_order():
    rng = np.random.default_rng(3)
    shuffled = rng.normal(-500, 3, (15, 25))
    own = shuffled.mean(1) + rng.normal(4, 2, 15)
    found = order_test(own.tolist(), shuffled.tolist())
    assert found.p < 0.001
    assert (found.n, found.control) == (15, 25)
    with pytest.raises(InputError, match="shards"):
        order_test(own[:4].tolist(), shuffled[:4].tolist())


def test_rows_of_a_file_give_the_tests_they_allow():
    rng = np.random.default_rng(4)
    rows = [
        {"group": group, "logprobs": tokens(rng), "means": [-2.0] * 80, "deviations": [2.0] * 80}
        for group in ("item", "control")
        for _ in range(6)
    ]
    rows += [{"own": -10.0, "shuffled": [-11.0, -12.0 + n]} for n in range(6)]
    assert [found.test for found in exposures(rows)] == ["min-k%", "min-k%++", "order"]
    for wrong in ([], [{"group": "other", "logprobs": [1]}], [{"own": "x", "shuffled": [1]}],
                  [{"group": "item", "logprobs": [-1.0]}]):  # fmt: skip
        with pytest.raises(InputError):
            exposures(wrong)
