"""Intervals: seeded, shared draws, the right distribution, and honest where there are none."""

import tracemalloc

import numpy as np
import pytest

from core.agreement import coefficient
from core.agreement.compute import coefficients_for, value_of
from core.agreement.intervals import Bootstrap, PoissonDraws, resampled_weights
from core.agreement.ratings import (
    RatingTable,
    table_of_columns,
    table_of_counts,
    table_of_matrix,
    table_of_rows,
)
from core.errors import InputError, NotFoundError


def noisy(items: int, raters: int = 3, missing: float = 0.1, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 5, items)
    keep = rng.random((items, raters)) < 0.7
    matrix = np.where(keep, true[:, None], rng.integers(0, 5, (items, raters)))
    matrix[rng.random(matrix.shape) < missing] = -1
    return matrix.astype(np.int8)


def bounds(matrix: np.ndarray, name: str, interval: str, **more) -> tuple[float, float]:
    found = coefficients_for(table_of_matrix(matrix, range(5)), [name], interval, **more)[0]
    return found.low, found.high


def test_the_same_seed_gives_the_same_bounds_and_another_seed_others():
    matrix = noisy(200)
    once = bounds(matrix, "fleiss_kappa", "bootstrap", seed=4)
    assert bounds(matrix, "fleiss_kappa", "bootstrap", seed=4) == once
    assert bounds(matrix, "fleiss_kappa", "bootstrap", seed=5) != once


def test_a_coefficient_has_the_same_interval_alone_and_among_others():
    matrix = noisy(200)
    table = table_of_matrix(matrix, range(5))
    among = {found.name: (found.low, found.high) for found in coefficients_for(table)}
    assert among["gwet_ac1"] == bounds(matrix, "gwet_ac1", "bca")


@pytest.mark.parametrize("name", ["fleiss_kappa", "krippendorff_alpha_ordinal", "cohen_kappa"])
def test_drawing_patterns_has_the_distribution_of_drawing_items(name):
    matrix = noisy(150)
    statistic = coefficient(name).statistic(table_of_matrix(matrix, range(5)))
    fast = Bootstrap(2000, 0).values(statistic)
    rng = np.random.default_rng(1)
    slow = np.array(
        [
            coefficient(name)
            .statistic(table_of_matrix(matrix[rng.integers(0, 150, 150)], range(5)))
            .value
            for _ in range(400)
        ]
    )
    assert fast.mean() == pytest.approx(slow.mean(), abs=0.01)
    assert fast.std() == pytest.approx(slow.std(), rel=0.15)


def test_every_resample_has_as_many_items_as_the_table():
    table = table_of_matrix(noisy(321), range(5))
    for weights in resampled_weights(table.patterns, 50, 0):
        assert (weights.sum(axis=1) == 321).all()


@pytest.mark.parametrize("name", ["percent", "fleiss_kappa", "gwet_ac1", "gwet_ac2"])
def test_bootstrap_and_analytic_intervals_agree_on_a_large_table(name):
    matrix = noisy(4000)
    low, high = bounds(matrix, name, "analytic")
    for interval in ("bootstrap", "bca"):
        found = bounds(matrix, name, interval, resamples=2000)
        assert found == pytest.approx((low, high), abs=0.15 * (high - low))


@pytest.mark.parametrize("raters", [2, 4])
@pytest.mark.parametrize(
    "name",
    [
        "cohen_kappa", "cohen_kappa_quadratic", "cohen_kappa_cost", "conger_kappa", "scott_pi",
        "krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "krippendorff_alpha_interval",
        "krippendorff_alpha_ratio", "spearman", "kendall",
    ],
)  # fmt: skip
def test_every_analytic_interval_agrees_with_the_bootstrap(name, raters):
    matrix = noisy(4000, raters=raters, missing=0.1 if raters > 2 else 0)
    low, high = bounds(matrix, name, "analytic")
    assert bounds(matrix, name, "bootstrap", resamples=2000) == pytest.approx(
        (low, high), abs=0.15 * (high - low)
    )


@pytest.mark.parametrize("name", ["spearman", "kendall", "krippendorff_alpha_nominal"])
def test_the_analytic_interval_of_tied_ratings_covers_the_true_value(name):
    """Two raters who say 1 nine times in ten: ties are the rule, as in ratings of people."""
    rng = np.random.default_rng(4)

    def drawn(items):
        true = rng.random(items) < 0.1
        said = np.where(rng.random((items, 2)) < 0.1, ~true[:, None], true[:, None])
        return table_of_matrix(said.astype(np.int8), range(2))

    truth = value_of(drawn(1_000_000), name)
    found = [coefficients_for(drawn(150), [name], "analytic")[0] for _ in range(200)]
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.9


def test_the_bca_interval_is_that_of_scipy():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(3)
    agreed = (rng.random(60) < 0.9).astype(int)
    matrix = np.column_stack([np.zeros(60, int), 1 - agreed]).astype(np.int8)
    ours = bounds(matrix, "percent", "bca", resamples=20_000)
    theirs = bootstrap(
        (agreed,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(5)
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_bca_over_more_patterns_than_are_left_out_singly_stays_near_the_percentile():
    rng = np.random.default_rng(8)
    true = rng.normal(size=6000)
    columns = [np.round(true + rng.normal(size=6000) * 0.5, 2).tolist() for _ in range(2)]
    table = table_of_columns(columns, ["a", "b"])
    assert table.patterns.size > 5000
    name = "krippendorff_alpha_interval"
    bca, plain = (
        coefficients_for(table, [name], interval, resamples=200)[0]
        for interval in ("bca", "bootstrap")
    )
    assert (bca.low, bca.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_the_bootstrap_covers_the_true_value_about_as_often_as_it_says():
    # the true percent agreement of two raters who agree with probability 0.8
    covered = 0
    for seed in range(120):
        agreed = np.random.default_rng(seed).random(100) < 0.8
        matrix = np.column_stack([np.zeros(100), ~agreed]).astype(np.int8)
        low, high = bounds(matrix, "percent", "bootstrap", resamples=300, seed=seed)
        covered += low <= 0.8 <= high
    assert 105 <= covered <= 120


def test_a_narrower_confidence_gives_a_narrower_interval():
    matrix = noisy(200)
    wide = bounds(matrix, "fleiss_kappa", "bootstrap", confidence=0.99)
    narrow = bounds(matrix, "fleiss_kappa", "bootstrap", confidence=0.5)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_resamples_that_are_undefined_are_counted_and_too_many_leave_no_interval():
    rare = table_of_columns([[1] * 40 + [2], [1] * 40 + [2]], ["a", "b"])
    found = coefficients_for(rare, ["cohen_kappa"], resamples=500)[0]
    assert found.value == 1.0
    assert any("undefined and are excluded from the interval" in note for note in found.notes)
    rarer = table_of_columns([[1, 1, 2], [1, 1, 2]], ["a", "b"])
    few = coefficients_for(rarer, ["spearman"], resamples=500)[0]
    assert few.value == 1.0
    assert few.low is None
    assert any("vary too little" in note for note in few.notes)


@pytest.mark.parametrize("kind", ["bca", "bootstrap"])
def test_items_of_one_source_alone_give_no_interval_and_that_is_said(kind):
    table = table_of_columns([[1, 2, 3, 1, 2, 3], [1, 2, 2, 1, 3, 3]], ["a", "b"])
    (found,) = coefficients_for(table, ["cohen_kappa"], interval=kind, resamples=200,
                                sources=["one"] * 6)  # fmt: skip
    assert found.low is None
    assert any("share one source" in note for note in found.notes)
    assert not any("vary too little" in note for note in found.notes)


def test_where_there_is_no_analytic_interval_that_is_said():
    rng = np.random.default_rng(0)
    matrix = np.column_stack([rng.permutation(3200), rng.permutation(3200)])
    found = coefficients_for(table_of_matrix(matrix, range(3200)), ["spearman"], "analytic")[0]
    assert found.low is None
    assert any("analytic" in note for note in found.notes)


@pytest.mark.parametrize("interval", ["bootstrap", "bca", "analytic"])
def test_an_interval_without_a_width_is_said_to_prove_nothing(interval):
    table = table_of_columns([[1, 2, 3], [1, 2, 3]], ["a", "b"])
    found = coefficients_for(table, ["percent", "fleiss_kappa"], interval)
    assert all((one.value, one.low, one.high) == (1.0, None, None) for one in found)
    assert all(any("not evidence of precision" in note for note in one.notes) for one in found)


def test_numbers_beyond_every_scale_are_words():
    table = table_of_columns([[1e308, 2, 1], [1e308, 2, 1e308]], ["a", "b"])
    found = {one.name: one for one in coefficients_for(table, resamples=50)}
    assert found["cohen_kappa"].value == pytest.approx(0.5)
    assert "text without an order" in found["krippendorff_alpha_interval"].undefined


def test_no_interval_is_asked_for_and_none_is_given():
    found = coefficients_for(table_of_matrix(noisy(50)), ["fleiss_kappa"], "none")[0]
    assert (found.low, found.high, found.interval, found.resamples) == (None, None, "none", 0)


@pytest.mark.parametrize(
    "wrong", [{"interval": "jackknife"}, {"resamples": 0}, {"confidence": 1.0}, {"names": ["icc"]}]
)
def test_senseless_requests_are_refused_in_a_sentence(wrong):
    with pytest.raises((InputError, NotFoundError)):
        coefficients_for(table_of_matrix(noisy(50)), **wrong)


def test_a_million_items_need_a_few_megabytes():
    matrix = noisy(1_000_000)
    table = table_of_matrix(matrix, range(5))
    tracemalloc.start()
    found = coefficients_for(table, ["fleiss_kappa", "krippendorff_alpha_nominal"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert all(result.low < result.value < result.high for result in found)


def test_ten_raters_are_reduced_to_counts_before_they_are_resampled():
    table = table_of_matrix(noisy(20_000, raters=10), range(5))
    assert table.patterns.merged.size < table.patterns.size / 3
    merged = coefficient("fleiss_kappa").statistic(table)
    counts = np.stack([(table.data == c).sum(axis=1) for c in range(5)], axis=1)
    assert merged.value == pytest.approx(
        coefficient("fleiss_kappa").statistic(table_of_counts(counts)).value, abs=1e-12
    )


def test_resamples_have_all_items_and_the_right_spread_whatever_the_number_of_patterns():
    generator = np.random.default_rng(3)
    for raters, kinds in ((2, 3), (12, 3)):
        codes = generator.integers(0, kinds, (600, raters)).astype(np.int8)
        patterns = table_of_matrix(codes).patterns
        drawn = np.concatenate(list(resampled_weights(patterns, 4000, seed=1)))
        assert set(drawn.sum(axis=1)) == {600.0}
        share = patterns.weights / 600
        assert drawn.mean(axis=0) == pytest.approx(patterns.weights, abs=0.12 * 600**0.5)
        expected = float((600 * share * (1 - share)).sum())
        assert float(drawn.var(axis=0).sum()) == pytest.approx(expected, rel=0.05)


def shifts(items: int, raters: int, on_each: int) -> np.ndarray:
    """Ratings of a team of whom each item meets a few, two categories."""
    rng = np.random.default_rng(11)
    matrix = np.full((items, raters), -1, np.int8)
    true = rng.random(items) < 0.7
    for row, says in zip(matrix, true, strict=True):
        who = rng.permutation(raters)[:on_each]
        row[who] = np.where(rng.random(on_each) < 0.85, says, ~says)
    return matrix


@pytest.mark.parametrize(("raters", "on_each"), [(10, 10), (9, 3)])
@pytest.mark.parametrize("name", ["cohen_kappa", "scott_pi"])
def test_resamples_of_a_large_team_are_those_of_drawing_items(name, raters, on_each):
    # where everybody rates everything all pairs of raters move together: drawing the items of each
    # pair on its own would make the spread of their mean far too small
    matrix = shifts(6000, raters, on_each)
    statistic = coefficient(name).statistic(table_of_matrix(matrix, range(2)))
    assert statistic.patterns.size > 256
    rng = np.random.default_rng(2)
    slow = np.array(
        [
            coefficient(name)
            .statistic(table_of_matrix(matrix[rng.integers(6000, size=6000)], range(2)))
            .value
            for _ in range(150)
        ]
    )
    fast = Bootstrap(3000, 0).values(statistic)
    assert fast.std() == pytest.approx(slow.std(), rel=0.2)
    assert fast.mean() == pytest.approx(slow.mean(), abs=slow.std() / 4)


def test_looked_up_draws_have_the_chances_of_poisson_numbers():
    from scipy.stats import poisson

    means = np.array([1.0, 1.0, 7.0, 150.0, 900.0])
    drawn = PoissonDraws(means).of(np.random.default_rng(5), 40_000)
    assert drawn.shape == (40_000, 5)
    assert drawn.mean(axis=0) == pytest.approx(means, rel=0.02)
    assert drawn.var(axis=0) == pytest.approx(means, rel=0.04)
    for column, mean in enumerate(means):
        numbers = poisson.ppf([0.01, 0.25, 0.5, 0.75, 0.99], mean)
        shares = (drawn[:, [column]] <= numbers).mean(axis=0)
        assert shares == pytest.approx(poisson.cdf(numbers, mean), abs=0.01)
    assert np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1] == pytest.approx(0, abs=0.02)


@pytest.mark.slow
def test_of_few_ratings_the_usual_interval_covers_where_percentiles_do_not():
    """Half of the items are of one of five categories; three raters are right in 70%."""
    rng = np.random.default_rng(0)

    def rated(items: int) -> np.ndarray:
        true = rng.choice(5, items, p=(0.5, 0.125, 0.125, 0.125, 0.125))
        keep = rng.random((items, 3)) < 0.7
        return np.where(keep, true[:, None], rng.integers(0, 5, (items, 3))).astype(np.int8)

    truth = value_of(table_of_matrix(rated(400_000), range(5)), "fleiss_kappa")
    covered = {"": 0, "bootstrap": 0}
    for seed in range(400):
        table = table_of_matrix(rated(12), range(5))
        for kind in covered:
            more = {"interval": kind} if kind else {}
            (found,) = coefficients_for(table, ["fleiss_kappa"], resamples=400, seed=seed, **more)
            covered[kind] += found.low <= truth <= found.high
    assert covered["bootstrap"] / 400 < 0.91
    assert covered[""] / 400 >= 0.92


def test_few_items_are_said_beside_the_interval():
    few, enough = (table_of_matrix(noisy(items, missing=0), range(5)) for items in (30, 31))
    (found,) = coefficients_for(few, ["fleiss_kappa"])
    assert found.interval == "bootstrap-bca"
    assert any("30 items" in note and "rough" in note for note in found.notes)
    assert not any("rough" in note for note in coefficients_for(enough, ["fleiss_kappa"])[0].notes)


def crowd(items: int, raters: int) -> RatingTable:
    """Each item rated by three of many, on three categories; right in 7 of 10, else by chance."""
    rng = np.random.default_rng(3)
    true = rng.integers(0, 3, items)
    matrix = np.full((items, raters), -1, np.int8)
    for item in range(items):
        kept = rng.random(3) < 0.7
        shown = np.where(kept, true[item], rng.integers(0, 3, 3))
        matrix[item, rng.choice(raters, 3, replace=False)] = shown
    return table_of_matrix(matrix, range(3))


@pytest.mark.parametrize("interval", ["bca", "bootstrap"])
def test_an_interval_holds_its_own_value_or_there_is_none(interval):
    """Two raters of forty share an item or two: resampled, these give other values."""
    found = coefficients_for(crowd(200, 40), interval=interval, resamples=400)
    for one in found:
        assert one.low is None or one.low <= one.value <= one.high, one.name
    (scott,) = [one for one in found if one.name == "scott_pi"]
    assert scott.low is None
    assert any("resampled items give other values" in note for note in scott.notes)
    (alpha,) = [one for one in found if one.name == "krippendorff_alpha_nominal"]
    assert alpha.low is not None
    assert not alpha.rough


def test_an_analytic_interval_holds_a_value_below_the_usual_minimum():
    """Fleiss' kappa of items that different numbers rated: chance agreement counts all ratings."""
    rows = [(f"alone {n}", "x", 1) for n in range(9)]
    rows += [(f"{n}", rater, 1 + (n + place) % 2 * (1 + n // 5))
             for n in range(6) for place, rater in enumerate("xy")]  # fmt: skip
    (kappa,) = coefficients_for(table_of_rows(rows), ["fleiss_kappa"], interval="analytic")
    assert kappa.value < -1
    assert kappa.low < kappa.value < kappa.high


def test_a_mean_over_pairs_who_share_few_items_says_so():
    few = coefficients_for(crowd(200, 20), ["cohen_kappa"])[0]
    assert "Half of these pairs share 3 items or fewer" in " ".join(few.notes)
    assert few.rough
    none = coefficients_for(crowd(200, 20), ["cohen_kappa"], "none")[0]
    assert "Half of these pairs share 3 items or fewer" in " ".join(none.notes)
    many = coefficients_for(crowd(300, 6), ["cohen_kappa"])[0]
    assert many.notes == ("Mean over all 15 pairs of raters.",)
    assert not many.rough
