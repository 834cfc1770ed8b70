"""Tests of exposure: they tell a model that saw the items from one that did not, and err as often
as they say where it did not."""

import math

import numpy as np
import pytest

from core.analysis.exposure import (
    canary_completion,
    canary_rank,
    compare_scores,
    exposures,
    min_k,
    min_k_plus,
    order_test,
)
from core.analysis.model_traces import texts_of
from core.errors import InputError
from core.release.canary import canary_of

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


def test_texts_of_one_source_count_as_one_and_others_are_said_to_count_alone():
    rng = np.random.default_rng(3)
    errs = {"alone": 0, "by source": 0}
    for _ in range(200):
        rows = []
        for group in ("item", "control"):
            for source, shift in enumerate(rng.normal(0, 0.15, 10).tolist()):
                for _ in range(6):
                    logprobs = tokens(rng, shift, 40)
                    rows.append({"group": group, "logprobs": logprobs, "source": f"a{source}"})
        (by_source,) = exposures(rows)
        (alone,) = exposures([row | {"source": ""} for row in rows])
        assert (by_source.n, by_source.control, alone.n, alone.control) == (10, 10, 60, 60)
        errs["alone"] += alone.p < 0.05
        errs["by source"] += by_source.p < 0.05
    assert errs["by source"] / 200 <= 0.09
    assert errs["alone"] / 200 > 0.12
    assert "name the source of each row" in alone.limit
    assert "Texts of one source count as one" in by_source.limit


def test_a_model_that_learned_the_file_prefers_its_order():
    rng = np.random.default_rng(3)
    shuffled = rng.normal(-500, 3, (15, 25))
    own = shuffled.mean(1) + rng.normal(4, 2, 15)
    found = order_test(own.tolist(), shuffled.tolist())
    assert found.p < 0.001
    assert (found.n, found.control) == (15, 25)
    with pytest.raises(InputError, match="shards"):
        order_test(own[:4].tolist(), shuffled[:4].tolist())
    with pytest.raises(InputError, match="nothing to test"):  # t would be infinite, and p nought
        order_test([-1.0] * 5, [[-2.0, -3.0]] * 5)


def test_no_p_is_nought_and_no_number_infinite():
    """Scores of 3,000 items that lie above all controls; a log-probability of minus infinity."""
    far = compare_scores("min-k%", [1.0 + n for n in range(3000)], [-1.0 - n for n in range(3000)])
    assert 0 < far.p < 1e-300
    gains = order_test([0.0] * 400, [[-1e6 - n % 2] for n in range(400)])
    assert 0 < gains.p < 1e-300
    rows = [{"own": -math.inf, "shuffled": [-1.0]}] * 5
    with pytest.raises(InputError, match="Row 1"):
        exposures(rows)


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


def test_a_canary_that_was_learned_is_likelier_than_the_others():
    others = [-100.0 - n for n in range(199)]
    found = canary_rank(-60.0, others)
    assert (found.statistic, found.p) == (pytest.approx(np.log2(200)), 0.005)
    assert canary_rank(-150.5, others).p == pytest.approx(52 / 200)
    assert canary_rank(-100.0, [-100.0] * 19).p == 1.0  # of equal ones it is the last
    with pytest.raises(InputError, match="19"):
        canary_rank(-60.0, others[:18])


def test_a_canary_that_nobody_saw_is_found_as_often_as_is_said():
    rng = np.random.default_rng(6)
    drawn = rng.normal(size=(2000, 40))
    hits = [canary_rank(row[0], row[1:].tolist()).p <= 0.05 for row in drawn]
    assert 0.03 <= np.mean(hits) <= 0.07


def test_a_completion_counts_the_digits_from_the_beginning():
    secret = "-4b8e-9a6e-0f2d5b1c7e93"
    found = canary_completion(secret, ["4b8e9a00", " 1234"])
    assert (found.statistic, found.p) == (6.0, 2 * 16.0**-6)
    assert canary_completion(secret, [secret.upper()]).statistic == 20
    assert canary_completion(secret, ["nothing"]).p == 1.0
    for wrong in (("", ["4"]), (secret, [])):
        with pytest.raises(InputError):
            canary_completion(*wrong)


def test_digits_that_were_guessed_are_no_evidence():
    rng = np.random.default_rng(7)
    drawn = rng.integers(0, 16, (3000, 2, 8))
    written = [["".join("0123456789abcdef"[n] for n in side) for side in pair] for pair in drawn]
    hits = [canary_completion(secret, [text]).p < 0.07 for secret, text in written]
    assert 0.045 <= np.mean(hits) <= 0.08  # one digit in sixteen: p is 0.0625


def test_rows_of_canaries_are_read_beside_the_others():
    rows = [
        {"own": -3.0, "canaries": [-9.0 - n for n in range(30)]},
        {"canary": "abcd", "completions": ["abcd"]},
    ]
    assert [found.test for found in exposures(rows)] == ["canary", "completion"]
    assert all("canary" in found.limit for found in exposures(rows))


def test_a_canary_is_that_of_the_splits_digest_and_texts_are_one_a_line():
    assert canary_of("a" * 64) == canary_of("a" * 64) != canary_of("b" * 64)
    lines = ["plain text", "", '{"question": "What?", "n": 3, "answer": "B"}', "[1]"]
    assert [text for text, _ in texts_of(lines)] == ["plain text", "What?\nB", "[1]"]
