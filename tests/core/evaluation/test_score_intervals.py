"""Errors and intervals, against statsmodels and against what they claim."""

import math
import random
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import skew as skewness
from scipy.stats import t as student

from core.errors import InputError
from core.evaluation import score_intervals
from core.evaluation.clusters import AccuracyEstimate, ClusterSums, mean_spread
from core.evaluation.mean_interval import (
    MeanSpread,
    caution,
    mean_interval,
)
from core.proportion import FEW_ITEMS, proportion, student_quantile, wilson_bounds
from tests.core.evaluation.clustered_errors import bell_mccaffrey


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
def test_the_clustered_error_is_that_of_bell_and_mccaffrey(seed: int):
    values, names = clustered_sample(seed)
    error, freedom = bell_mccaffrey(values, names)
    assert score_intervals.clustered_error(values, names) == pytest.approx(error)
    assert score_intervals.degrees_of_freedom(len(values), names) == pytest.approx(freedom)
    sums = ClusterSums()
    sums.extend(names, values)
    assert (sums.error(), sums.freedom()) == pytest.approx((error, freedom))


@pytest.mark.parametrize("seed", range(5))
def test_of_sources_of_one_size_it_equals_statsmodels(seed: int):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels imports with warnings of its own
        import statsmodels.api as sm
    values = [float(value) for value in np.random.default_rng(seed).integers(0, 2, 60)]
    names = [f"article {n % 12}" for n in range(60)]
    assert score_intervals.degrees_of_freedom(60, names) == pytest.approx(11)
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


def test_the_reach_of_an_interval_is_that_of_students_distribution():
    found = score_intervals.student_interval(0.5, 0.1, 4.0, 0.9)
    assert found.high - 0.5 == pytest.approx(0.1 * 2.131846786)
    assert 0.5 - found.low == pytest.approx(found.high - 0.5)


def covered(sizes: list[int], level: float, shared: float, seed: int) -> tuple[float, float, float]:
    """Shares of 1,000 samples whose normal and whose own interval hold the true mean, and of which
    it is said that the interval is rough."""
    rng = np.random.default_rng(seed)
    odds = (1 - shared) / shared
    own = normal = said = 0
    for _ in range(1000):
        rates = rng.beta(level * odds, (1 - level) * odds, len(sizes))
        right = rng.binomial(sizes, rates)
        sums = ClusterSums()
        for name, (total, size) in enumerate(zip(right.tolist(), sizes, strict=True)):
            sums.extend([str(name)] * size, [1.0] * total + [0.0] * (size - total))
        count = sum(sizes)
        mean = float(right.sum()) / count
        error = sums.error() or 0.0
        spread = MeanSpread(
            mean, count, mean * (1 - mean), error, len(sizes), sums.freedom(), True, sums.skew()
        )
        found = mean_interval(spread)
        own += found.low <= level <= found.high
        said += bool(caution(spread))
        normal += abs(mean - level) <= 1.96 * error
    return normal / 1000, own / 1000, said / 1000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "level"),
    [
        ([12] * 5, 0.5),
        ([20] * 10, 0.3),
        ([100] * 10, 0.1),
        ([100] * 10, 0.9),
        ([20, 16, 12, 10, 8, 5, 4, 4, 3, 3] * 2, 0.6),
        ([150, 90, 40, 20, 10, 5] * 4, 0.1),
    ],
)
def test_few_or_unequal_sources_are_covered_where_the_normal_interval_is_not(
    sizes: list[int], level: float
):
    normal, own, said = covered(sizes, level, 0.2, 1)
    assert normal < 0.93
    assert 0.93 <= own <= 0.98 or said > 0.5, (own, said)
    assert own >= 0.9, (own, said)


def test_the_skewness_of_a_mean_is_that_of_its_sources():
    rights = [0, 1, 1, 2, 9, 3, 0, 1]
    sums = ClusterSums()
    for name, right in enumerate(rights):
        sums.extend([str(name)] * 12, [1.0] * right + [0.0] * (12 - right))
    assert sums.skew() == pytest.approx(skewness(rights) / math.sqrt(len(rights)))
    alike = ClusterSums()
    alike.extend("aabbcc", [1.0, 0.0] * 3)
    assert alike.skew() == 0.0


@pytest.mark.parametrize("mirrored", [False, True])
def test_where_few_sources_hold_the_right_answers_the_interval_reaches_as_far_as_halls(
    mirrored: bool,
):
    mean, error, skew = (0.9, 0.04, -0.3) if mirrored else (0.1, 0.04, 0.3)
    spread = MeanSpread(mean, 1000, 0.09, error, 10, 9.0, True, skew)
    plain = mean_interval(replace(spread, skew=0.0))
    found = mean_interval(spread)
    reach = student.ppf(0.975, 9)

    def transformed(bound: float) -> float:
        t = (mean - bound) / error
        return t + skew * t**2 / 3 + skew**2 * t**3 / 27 + skew / 6

    if mirrored:
        assert transformed(found.low) == pytest.approx(reach)
        assert found.low < plain.low
        assert found.high == plain.high
    else:
        assert transformed(found.high) == pytest.approx(-reach)
        assert found.high > plain.high
        assert found.low == plain.low


@pytest.mark.parametrize("mirrored", [False, True])
def test_of_few_uneven_sources_it_reaches_no_farther_than_of_sources_that_are_all_alike(
    mirrored: bool,
):
    rights = (0, 0, 1, 1, 2, 2, 9)
    values = [float((n < right) != mirrored) for right in rights for n in range(9)]
    spread = mean_spread(values, [str(place // 9) for place in range(len(values))], binary=True)
    found = mean_interval(spread)
    most = wilson_bounds(15 / 63, 7, student.ppf(0.975, 6))[1]
    reached = 1 - (found.low or 0) if mirrored else found.high
    assert reached == pytest.approx(most)
    assert most < 0.7


@pytest.mark.parametrize("score", [0.7, 0.3, 1 / 3, 0.1])
@pytest.mark.parametrize(("items", "sources"), [(60, 10), (12, 5), (45, 9), (40, 40)])
def test_graded_scores_that_are_all_alike_are_no_certainty(score, items, sources):
    """What rounding leaves of their spread was taken for an error: [70.0, 70.0]."""
    names = [str(n % sources) for n in range(items)]
    spread = mean_spread([score] * items, names)
    found = mean_interval(spread)
    assert found.high - found.low > 0.1
    sums = ClusterSums()
    sums.extend(names, [score] * items)
    part = AccuracyEstimate(
        items, sum([score] * items), sum([score * score] * items), sums.error(), len(sums),
        sums.freedom(), sums,
    )  # fmt: skip
    assert part.stderr is None
    assert part.interval.high - part.interval.low > 0.1


def test_without_sources_it_is_wilsons_interval():
    found = mean_interval(MeanSpread(0.25, 12, 0.25 * 0.75))
    expected = proportion(3, 12)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_wilsons_interval_of_items_without_a_caution_holds_as_often_as_it_says():
    """Exact coverage, from binomial chances: no simulation."""
    unsaid = {}
    for n in (35, FEW_ITEMS, 53, 75, 106, 300, 1000):
        bounds = [mean_interval(MeanSpread(k / n, n, k / n * (1 - k / n))) for k in range(n + 1)]
        low = np.array([one.low for one in bounds])
        high = np.array([one.high for one in bounds])
        rough = [bool(caution(MeanSpread(k / n, n, k / n * (1 - k / n)))) for k in range(n + 1)]
        levels = np.concatenate([np.linspace(0.001, 0.999, 999), low + 1e-9, high - 1e-9])
        levels = levels[(levels > 0) & (levels < 1)]
        held = [binom.pmf(np.arange(n + 1), n, p)[(low <= p) & (p <= high)].sum() for p in levels]
        outside = levels[[not 0.93 <= share <= 0.97 for share in held]]
        unsaid[n] = [
            (k, p) for k in range(n + 1) for p in outside if low[k] <= p <= high[k] and not rough[k]
        ]
        assert len(outside), n
    assert not any(unsaid.values()), unsaid


def test_what_an_interval_rests_on_is_said_where_it_is_little():
    def said(n: int, **more) -> str:
        return caution(MeanSpread(0.5, n, 0.25, **more))

    assert said(12) == "few items: 12"
    assert said(35) == "few items: 35"  # at 10% Wilson's interval holds in 92 of 100 samples
    assert said(50) == ""
    assert said(400) == ""
    assert said(400, clusters=1) == "all items share 1 source"
    assert said(400, clustered=0.1, clusters=5, freedom=4) == "few sources: 5"
    assert said(400, clustered=0.1, clusters=40, freedom=3.2) == "unequal sources: 40 count as 3"
    assert said(400, clustered=0.02, clusters=10, freedom=9.0) == ""  # of one size
    assert (
        said(400, clustered=0.2, clusters=40, freedom=39) == "few items with the rarer outcome: 3"
    )
    assert said(400, clustered=0.02, clusters=40, freedom=39) == ""


def test_a_bootstrap_of_few_sources_reaches_further_out():
    means = np.random.default_rng(3).normal(0, 1, 20_000)
    plain, few = (score_intervals.percentile_interval(means, 0.95, f) for f in (math.inf, 4.0))
    assert plain.high == pytest.approx(1.96, abs=0.05)
    assert few.high == pytest.approx(2.776 * math.sqrt(1.25), abs=0.25)
    assert score_intervals.bootstrap_p(means + 2.0) == pytest.approx(0.0455, abs=0.006)
    assert score_intervals.bootstrap_p(means + 2.0, 4.0) == pytest.approx(
        2 * student.sf(2.0 / math.sqrt(1.25), 4), abs=0.01
    )


def test_the_same_seed_gives_the_same_bounds_and_another_seed_others():
    values, _ = clustered_sample(5)
    one, again, other = (
        score_intervals.percentile_interval(score_intervals.bootstrap_means(values, seed=seed))
        for seed in (7, 7, 8)
    )
    assert one == again != other
    assert one.low < np.mean(values) < one.high


def test_too_little_for_an_error_is_undefined():
    assert score_intervals.standard_error([1.0]) is None
    assert score_intervals.clustered_error([1.0, 0.0], ["a", "a"]) is None
    assert score_intervals.clustered_error([], []) is None
    assert score_intervals.student_interval(0.5, None, 4.0).high is None


def test_values_without_their_clusters_are_refused():
    with pytest.raises(InputError, match="2 values do not match 1 cluster"):
        score_intervals.clustered_error([1.0, 0.0], ["a"])


def test_of_few_sources_the_interval_is_as_far_as_wilsons():
    # four sources, 14 of 60 right, nine of them in one: [5.0, 83.4] with a skewness of chance
    parts = {"a": (9, 18), "b": (1, 14), "c": (2, 14), "d": (2, 14)}
    values = [float(n < right) for right, count in parts.values() for n in range(count)]
    names = [name for name, (_, count) in parts.items() for _ in range(count)]
    spread = mean_spread(values, names, binary=True)
    quantile = student_quantile(spread.freedom)
    low, high = wilson_bounds(spread.mean, spread.worth, quantile)
    found = mean_interval(spread)
    assert (found.low, found.high) == (low, high)
    assert (round(low, 3), round(high, 3)) == (0.050, 0.636)


@pytest.mark.parametrize(("units", "defined"), [(2, False), (3, False), (4, False), (5, True)])
def test_percentiles_rarer_than_any_draw_of_so_few_clusters_are_undefined(units, defined):
    values = [float(n % 3) for n in range(10 * units)]
    clusters = [n // 10 for n in range(10 * units)]
    means = score_intervals.bootstrap_means(values, seed=0, clusters=clusters)
    freedom = score_intervals.degrees_of_freedom(len(values), clusters)
    found = score_intervals.percentile_interval(means, 0.95, freedom, units)
    assert (found.low is not None) == defined
    assert score_intervals.percentile_interval(means, 0.95, freedom).low is not None
