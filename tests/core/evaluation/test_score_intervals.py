"""Errors and intervals, against statsmodels and against what they claim."""

import math
import random
import warnings

import numpy as np
import pytest

from core.errors import InputError
from core.evaluation import score_intervals


def clustered_sample(seed: int, groups: int = 40) -> tuple[list[float], list[str]]:
    """Answers that lean on their article: half the variance is between articles."""
    rng = random.Random(seed)
    values: list[float] = []
    names: list[str] = []
    for group in range(groups):
        level = rng.betavariate(1, 1)
        for _ in range(rng.randint(1, 12)):
            values.append(float(rng.random() < level))
            names.append(f"article {group}")
    return values, names


@pytest.mark.parametrize("seed", range(5))
def test_the_clustered_error_equals_statsmodels(seed: int):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels imports with warnings of its own
        import statsmodels.api as sm
    values, names = clustered_sample(seed)
    codes = np.unique(names, return_inverse=True)[1]
    fitted = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": codes}
    )
    assert score_intervals.clustered_error(values, names) == pytest.approx(fitted.bse[0], rel=1e-9)


def test_clusters_of_one_give_the_plain_error():
    values = [0.0, 1.0, 1.0, 0.0, 1.0]
    plain = score_intervals.standard_error(values)
    assert plain == pytest.approx(math.sqrt(0.6 * 0.4 / 4))
    assert score_intervals.clustered_error(values, list("abcde")) == pytest.approx(plain)


def test_shared_sources_widen_the_error():
    values, names = clustered_sample(3)
    assert score_intervals.clustered_error(values, names) > 1.3 * score_intervals.standard_error(
        values
    )


def test_the_bootstrap_is_near_the_analytic_error_with_and_without_clusters():
    values, names = clustered_sample(4)
    plain = np.std(score_intervals.bootstrap_means(values, seed=1))
    shared = np.std(score_intervals.bootstrap_means(values, seed=1, clusters=names))
    assert plain == pytest.approx(score_intervals.standard_error(values), rel=0.1)
    assert shared == pytest.approx(score_intervals.clustered_error(values, names), rel=0.15)


def test_drawing_kinds_is_drawing_items():
    """Few different values are drawn by how often each is drawn, many by their places."""
    rng = np.random.default_rng(8)
    few = rng.choice([-1.0, 0.0, 0.5, 1.0], 4000, p=[0.2, 0.5, 0.1, 0.2])
    many = few + 1e-9 * rng.random(4000)
    one, two = (score_intervals.bootstrap_means(v, seed=2, resamples=4000) for v in (few, many))
    assert one.std() == pytest.approx(two.std(), rel=0.05)
    for level in (0.025, 0.5, 0.975):
        assert np.quantile(one, level) == pytest.approx(np.quantile(two, level), abs=1.5e-3)
    sizes = np.repeat(np.arange(2000), rng.choice([1, 2, 3], 2000))[:4000]
    shared = [score_intervals.bootstrap_means(v, seed=2, resamples=4000, clusters=sizes.tolist())
              for v in (few[: len(sizes)], many[: len(sizes)])]  # fmt: skip
    assert shared[0].std() == pytest.approx(shared[1].std(), rel=0.05)
    assert shared[0].mean() == pytest.approx(shared[1].mean(), abs=1e-3)


def test_the_reach_of_an_interval_is_that_of_the_normal_distribution():
    found = score_intervals.normal_interval(0.5, 0.1, 0.9)
    assert found.high - 0.5 == pytest.approx(0.1 * 1.6448536269514722)
    assert 0.5 - found.low == pytest.approx(found.high - 0.5)


def test_the_same_seed_gives_the_same_bounds_and_another_seed_others():
    values, _ = clustered_sample(5)
    one = score_intervals.bootstrap_interval(values, seed=7)
    assert one == score_intervals.bootstrap_interval(values, seed=7)
    assert one != score_intervals.bootstrap_interval(values, seed=8)
    assert one.low < np.mean(values) < one.high


def test_too_little_for_an_error_is_undefined():
    assert score_intervals.standard_error([1.0]) is None
    assert score_intervals.clustered_error([1.0, 0.0], ["a", "a"]) is None
    assert score_intervals.clustered_error([], []) is None
    assert score_intervals.bootstrap_interval([1.0, 0.0], seed=0, clusters=["a", "a"]).low is None
    assert score_intervals.normal_interval(0.5, None).high is None


def test_values_without_their_clusters_are_refused():
    with pytest.raises(InputError, match="2 values do not match 1 cluster"):
        score_intervals.clustered_error([1.0, 0.0], ["a"])
