"""Intervals of agreement where items share sources, such as questions of one article."""

import numpy as np
import pytest

from core.agreement import shared_sources
from core.agreement.compute import coefficients_for, value_of
from core.agreement.ratings import table_of_matrix
from core.agreement.shared_sources import SharedSources


def rated(rng, articles, each):
    """Verdicts of two raters, who agree on nearly all questions of most articles, and the names
    of the articles."""
    keep = np.repeat(rng.beta(1.2, 0.4, articles), each)
    true = rng.integers(0, 2, articles * each)
    other = np.where(rng.random(len(true)) < keep, true, 1 - true)
    return np.column_stack([true, other]).astype(np.int8), [
        f"a{n // each}" for n in range(len(true))
    ]


def test_intervals_hold_the_truth_where_questions_of_an_article_are_alike():
    rng = np.random.default_rng(1)
    truth = value_of(table_of_matrix(rated(rng, 20_000, 10)[0], range(2)), "percent")
    held = {"items": 0, "articles": 0}
    for seed in range(200):
        ratings, articles = rated(rng, 20, 10)
        table = table_of_matrix(ratings, range(2))
        for name, sources in (("items", None), ("articles", articles)):
            (found,) = coefficients_for(
                table, ["percent"], resamples=300, seed=seed, sources=sources
            )
            held[name] += found.low <= truth <= found.high
    assert held["items"] / 200 < 0.75
    assert 0.9 <= held["articles"] / 200 <= 0.99


@pytest.mark.parametrize("interval", ["bca", "bootstrap"])
def test_items_of_sources_of_their_own_are_items(interval):
    ratings, _ = rated(np.random.default_rng(2), 12, 4)
    table = table_of_matrix(ratings, range(2))
    own = [f"q{n}" for n in range(len(ratings))]
    names = ["fleiss_kappa", "percent"]
    alone = coefficients_for(table, names, interval, resamples=200)
    assert coefficients_for(table, names, interval, resamples=200, sources=own) == alone
    assert coefficients_for(table, names, interval, resamples=200, sources=[""] * 48) == alone


def test_few_sources_are_said():
    ratings, articles = rated(np.random.default_rng(3), 6, 10)
    (found,) = coefficients_for(table_of_matrix(ratings, range(2)), ["percent"], sources=articles)
    assert found.rough
    assert found.sources == 6
    assert any("count as 6" in note for note in found.notes)
    for articles, rough in ((15, True), (20, False)):
        ratings, names = rated(np.random.default_rng(3), articles, 10)
        table = table_of_matrix(ratings, range(2))
        (found,) = coefficients_for(table, ["percent"], sources=names)
        assert found.rough == rough, articles


@pytest.mark.parametrize("seed", range(5))
def test_sources_by_number_are_those_by_name(seed):
    rng = np.random.default_rng(seed)
    names = ("", "passage a", "doc = 7", "b")
    numbers = rng.choice([-4, -3, -1, 1, 2, 3], 40)
    by_number = SharedSources.of_numbers(numbers, names)
    by_name = SharedSources.of([names[n] if n > 0 else f"\0{n}" for n in numbers.tolist()])
    assert by_number is not None
    assert by_name is not None
    assert by_number.codes.tolist() == by_name.codes.tolist()
    assert (by_number.count, by_number.words) == (by_name.count, by_name.words)
    assert SharedSources.of_numbers(np.array([1, 2, -3]), names) is None


@pytest.mark.parametrize("count", [12, 2600])
def test_draws_are_those_of_the_seed_whoever_drew_before(count):
    """Also of more sources than are kept, and where fewer or more resamples were asked for."""
    sources = SharedSources(np.arange(count), count)
    for seed, resamples in ((3, 40), (3, 7), (3, 1010), (4, 40), (3, 40)):
        generator = np.random.default_rng(seed)
        wanted = generator.multinomial(count, np.full(count, 1 / count), resamples)
        drawn = np.concatenate(list(sources.drawn(resamples, seed, 1)))
        assert (drawn == wanted).all()


def test_many_raters_merge_their_patterns_and_keep_their_sources():
    rng = np.random.default_rng(4)
    ratings = np.where(rng.random((300, 12)) < 0.5, 1, rng.integers(0, 3, (300, 12))).astype(
        np.int8
    )
    table = table_of_matrix(ratings, range(3))
    assert table.patterns.merged.size < table.patterns.size
    sources = SharedSources.of([str(n // 5) for n in range(300)])
    for patterns in (table.patterns, table.patterns.merged):
        places = patterns.item_pattern
        assert np.bincount(places, minlength=patterns.size).tolist() == patterns.weights.tolist()
        for weights in sources.draws(patterns, places, 20, 0):
            assert (weights.sum(1) == 300).all()
        left = sources.left_out(patterns, places, 60, 0)
        assert (left.sum(1) == 295).all()
        assert sources.left_out(patterns, places, 20, 0).sum() == 20 * 300 - 300


def test_a_few_items_that_decide_the_value_are_said():
    ratings = np.array([[2, 2]] * 60 + [[0, 0]] * 3 + [[0, 4]], np.int8)
    found, plain = coefficients_for(table_of_matrix(ratings, range(5)),
                                    ["cohen_kappa_quadratic", "percent"])  # fmt: skip
    assert found.rough
    assert any("depends mostly on a few items" in note for note in found.notes)
    assert plain.rough  # one item decides this one too


def test_the_test_of_chance_agreement_is_over_sources():
    """Raters who lean in each article to a verdict of their own, and agree by chance alone: over
    items as if independent, Fleiss' z finds agreement or its contrary far too often."""
    rng = np.random.default_rng(4)
    missed = {"z": 0, "t": 0}
    articles, each, tries = 30, 30, 200
    names = [f"a{n // each}" for n in range(articles * each)]
    for _ in range(tries):
        lean = rng.beta(1, 1, (articles, 3))
        ratings = (rng.random((articles, each, 3)) < lean[:, None]).reshape(-1, 3).astype(np.int8)
        table = table_of_matrix(ratings, range(2))
        (alone,) = coefficients_for(table, ["fleiss_kappa"], "none")
        (over,) = coefficients_for(table, ["fleiss_kappa"], "none", sources=names)
        assert set(over.details) == {"t", "freedom", "standard_error"}
        assert over.details["freedom"] == pytest.approx(29)
        missed["z"] += abs(alone.details["z"]) > 1.96
        missed["t"] += abs(over.details["t"]) > 2.045
    assert missed["z"] / tries > 0.15
    assert 0.015 <= missed["t"] / tries <= 0.09


@pytest.mark.parametrize(("articles", "each"), [(2, 30), (3, 20), (6, 10)])
@pytest.mark.parametrize("interval", ["bca", "bootstrap"])
def test_of_few_sources_the_interval_is_student_s_and_holds(articles, each, interval):
    """Resamples of two sources have three values: between them lies the truth in half of the
    samples."""
    rng = np.random.default_rng(5)
    names = [f"a{n // each}" for n in range(articles * each)]

    def drawn(count, size):
        keep = np.repeat(rng.beta(8, 3, count), size)[:, None]
        true = rng.integers(0, 2, (count * size, 1))
        return np.where(rng.random((count * size, 3)) < keep, true, 1 - true).astype(np.int8)

    truth = value_of(table_of_matrix(drawn(20_000, 10), range(2)), "fleiss_kappa")
    held = []
    for seed in range(100):
        table = table_of_matrix(drawn(articles, each), range(2))
        (found,) = coefficients_for(table, ["fleiss_kappa"], interval, 50, seed, sources=names)
        assert (found.interval, found.resamples, found.sources) == ("student", 0, articles)
        if found.low is not None:  # else the sources agree to the last digit, or are undefined
            assert found.rough
            held.append(found.low <= truth <= found.high)
    assert len(held) > 90
    assert np.mean(held) >= 0.87


def test_student_s_interval_over_sources_is_that_of_the_jackknife():
    ratings, names = rated(np.random.default_rng(6), 5, 12)
    (found,) = coefficients_for(table_of_matrix(ratings, range(2)), ["percent"], sources=names)
    agree = (ratings[:, 0] == ratings[:, 1]).reshape(5, 12)
    without = [np.delete(agree, place, 0).mean() for place in range(5)]
    error = np.sqrt(4 / 5 * np.sum((np.array(without) - np.mean(without)) ** 2))
    reach = 2.7764451 * error  # Student's t with 4 degrees of freedom
    assert found.low == pytest.approx(max(0.0, agree.mean() - reach), abs=1e-6)
    assert found.high == pytest.approx(min(1.0, agree.mean() + reach), abs=1e-6)


def test_an_analytic_interval_says_that_it_leaves_out_shared_sources():
    ratings, names = rated(np.random.default_rng(7), 40, 10)
    table = table_of_matrix(ratings, range(2))
    (over,) = coefficients_for(table, ["percent"], "analytic", sources=names)
    assert over.rough
    assert any("does not allow for" in note and "40 sources" in note for note in over.notes)
    assert not coefficients_for(table, ["percent"], "analytic")[0].rough


@pytest.mark.parametrize("articles", [30, 700])  # fewer and more than the jackknife leaves out
@pytest.mark.parametrize("interval", ["bca", "bootstrap"])
def test_resamples_of_sources_and_of_their_patterns_give_one_interval(
    articles, interval, monkeypatch
):
    rng = np.random.default_rng(8)
    true = rng.integers(0, 3, (articles * 4, 1))
    ratings = np.where(rng.random((articles * 4, 5)) < 0.7, true, rng.integers(0, 3, true.shape))
    ratings[rng.random(ratings.shape) < 0.4] = -1
    table = table_of_matrix(ratings.astype(np.int8), range(3))
    names = [f"a{n // 4}" for n in range(len(ratings))]
    measures = ["percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha_nominal"]
    by_source = coefficients_for(table, measures, interval, 200, sources=names)
    monkeypatch.setattr(shared_sources, "MOST_CELLS", 0)
    by_pattern = coefficients_for(table, measures, interval, 200, sources=names)
    for one, other in zip(by_source, by_pattern, strict=True):
        assert one.low is not None
        assert one.low == pytest.approx(other.low, abs=1e-9)
        assert one.high == pytest.approx(other.high, abs=1e-9)
