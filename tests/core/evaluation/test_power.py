"""The power that is promised before freezing is the power that the program's own test reaches."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, multinomial, norm

from core.errors import InputError
from core.evaluation.compare import clustered_mcnemar, mcnemar
from core.evaluation.power import (
    ComparisonSettings,
    PairAssumptions,
    articles_needed,
    pilot_assumptions,
    pilot_correlation,
    power_of,
    smallest_difference,
    spread_sizes,
)

Random = np.random.Generator
Draw = Callable[[Random, int], tuple[int, int]]
SAMPLES = 1500


def _dirichlet(rng: Random, size: int, shares: tuple[float, float], icc: float) -> tuple[int, int]:
    """Items that only A, and only B, gets right, of one article with a mind of its own."""
    kinds = np.array([*shares, 1 - sum(shares)])
    rates = rng.dirichlet(kinds * (1 / icc - 1)) if icc else kinds
    a, b, _both = rng.multinomial(size, rates)
    return int(a), int(b)


def _shared(rng: Random, size: int, shares: tuple[float, float], icc: float) -> tuple[int, int]:
    """The same correlation made otherwise: each item takes its article's outcome or its own."""
    kinds = np.array([*shares, 1 - sum(shares)])
    own = rng.choice(3, size=size, p=kinds)
    common = rng.choice(3, p=kinds)
    drawn = np.where(rng.random(size) < np.sqrt(icc), common, own)
    return int(np.sum(drawn == 0)), int(np.sum(drawn == 1))


def _reached(draw, sizes, difference, assumed: PairAssumptions, level: float) -> float:
    rng = np.random.default_rng(11)
    apart = assumed.discordant(difference)
    shares = ((apart + difference) / 2, (apart - difference) / 2)
    found = 0
    for _ in range(SAMPLES):
        counts = [draw(rng, size, shares, assumed.icc) for size in sizes]
        found += clustered_mcnemar([a - b for a, b in counts]) <= level
    return found / SAMPLES


UNEQUAL = [2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 12, 15, 18, 20, 25, 4, 6, 8, 11] * 2


@pytest.mark.parametrize(
    ("sizes", "apart", "icc", "models"),
    [
        (spread_sizes(100, 10), 0.35, 0.05, 2),
        (spread_sizes(200, 20), 0.15, 0.2, 2),
        (spread_sizes(300, 30), 0.15, 0.0, 4),
        (spread_sizes(600, 60), 0.25, 0.1, 2),
        (UNEQUAL, 0.3, 0.1, 3),
    ],
)
def test_the_promised_power_is_reached_by_the_test_that_compares(sizes, apart, icc, models):
    assumed = PairAssumptions(discordance=apart, icc=icc)
    settings = ComparisonSettings(models=models, power=0.8)
    difference = smallest_difference(sizes, assumed, settings)
    assert difference is not None
    difference = min(difference, apart * 0.98)
    promised = power_of(sizes, difference, assumed, settings.level)
    assert _reached(_dirichlet, sizes, difference, assumed, settings.level) == pytest.approx(
        promised, abs=0.035  # three points and the error of 1,500 samples
    )  # fmt: skip


def test_the_power_holds_where_the_likeness_within_an_article_is_of_another_kind():
    sizes, assumed = spread_sizes(200, 40), PairAssumptions(discordance=0.3, icc=0.05)
    difference = smallest_difference(sizes, assumed, ComparisonSettings())
    assert difference is not None
    assert _reached(_shared, sizes, difference, assumed, 0.05) == pytest.approx(0.8, abs=0.035)


def test_independent_items_have_the_exact_power_of_mcnemar():
    items, apart, difference, level = 60, 0.3, 0.2, 0.05
    exact = 0.0
    for discordant in range(1, items + 1):
        for a in range(discordant + 1):
            if mcnemar(a, discordant - a) <= level:
                share = (1 + difference / apart) / 2
                mass = binom.pmf(discordant, items, apart) * binom.pmf(a, discordant, share)
                exact += float(mass)
    found = power_of([1] * items, difference, PairAssumptions(discordance=apart), level)
    assert found == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("items", "apart", "difference", "level"),
    [(40, 0.3, 0.15, 0.05), (90, 0.25, 0.1, 0.05), (90, 0.25, 0.1, 0.05 / 3)],
)
def test_the_power_of_independent_items_is_a_sum_over_all_that_may_come_up(
    items: int, apart: float, difference: float, level: float
):
    """With its own p: the mid-p of SciPy's binomial, the normal one beyond 25."""
    shares = ((apart + difference) / 2, (apart - difference) / 2, 1 - apart)

    def p_of(a: int, b: int) -> float:
        if a + b > 25:
            return float(2 * norm.sf(abs(a - b) / np.sqrt(a + b)))
        fewer = min(a, b)
        return float(2 * binom.cdf(fewer, a + b, 0.5) - binom.pmf(fewer, a + b, 0.5))

    pairs = [(a, b) for a in range(items + 1) for b in range(items + 1 - a)]
    found = [(a, b, items - a - b) for a, b in pairs if a != b and p_of(a, b) <= level]
    power = multinomial.pmf(found, items, shares).sum()
    ours = power_of([1] * items, difference, PairAssumptions(discordance=apart), level)
    assert ours == pytest.approx(power, abs=1e-9)


def test_more_items_show_a_smaller_difference_and_more_models_or_likeness_a_larger_one():
    plain = PairAssumptions(icc=0.0)
    few = smallest_difference(spread_sizes(200, 40), plain, ComparisonSettings()) or 0
    many = smallest_difference(spread_sizes(800, 160), plain, ComparisonSettings()) or 0
    assert 0 < many < few < 1
    alike = smallest_difference(
        spread_sizes(200, 40), PairAssumptions(icc=0.3), ComparisonSettings()
    )
    assert (alike or 0) > few
    six = smallest_difference(spread_sizes(200, 40), plain, ComparisonSettings(models=6))
    assert (six or 0) > few


def test_as_many_articles_as_are_said_to_be_needed_do():
    assumed, settings = PairAssumptions(icc=0.1), ComparisonSettings()
    needed = articles_needed(0.08, 5, assumed, settings)
    assert needed is not None
    there = power_of(spread_sizes(5 * needed, needed), 0.08, assumed, settings.level)
    assert there == pytest.approx(0.8, abs=0.03)
    before = power_of(spread_sizes(4 * needed, needed * 4 // 5), 0.08, assumed, settings.level)
    assert before < 0.8
    assert articles_needed(0.0, 5, assumed, settings) is None


def test_too_few_articles_show_nothing_whatever_their_items():
    # of four articles no sum of signs is rarer than one in eight
    assert smallest_difference([500] * 4, PairAssumptions(), ComparisonSettings()) is None


def test_pilot_runs_give_back_what_they_were_drawn_with():
    rng = np.random.default_rng(5)
    values, articles = [], []
    for article in range(600):
        a, b = _dirichlet(rng, 8, (0.2, 0.1), 0.15)
        values += [1] * a + [-1] * b + [0] * (8 - a - b)
        articles += [article] * 8
    found = pilot_assumptions([(values, articles)], 0.6)
    assert found.discordance == pytest.approx(0.3, abs=0.02)
    assert found.icc == pytest.approx(0.15, abs=0.03)
    with pytest.raises(InputError):
        pilot_assumptions([], 0.6)


@pytest.mark.parametrize(
    ("values", "articles"),
    [
        ([1, 0, -1, 0, 1, 1], "abcdef"),  # no two items share an article
        ([1, 0, -1, 0, 1, 1], "aaaaaa"),  # one article
        ([0, 0, 0, 0, 0, 0], "aabbcc"),  # nothing that could go together
    ],
)
def test_a_pilot_that_tells_nothing_of_the_correlation_in_a_source_leaves_the_usual_one(
    values, articles
):
    found = pilot_assumptions([(values, articles)], 0.6)
    assert found.icc == PairAssumptions().icc
    assert pilot_correlation([(values, articles)]) is None
    assert pilot_correlation([([1, 0, 1, 0], "aabb")]) == 0.0


def test_no_difference_is_promised_that_the_accuracy_does_not_allow():
    """Of a mean accuracy of 95% two models differ by ten points at most, of 0% and 100% not."""
    settings = ComparisonSettings()
    assert PairAssumptions(accuracy=0.95).largest == pytest.approx(0.1)
    assert smallest_difference([1] * 12, PairAssumptions(accuracy=0.95), settings) is None
    found = smallest_difference([1] * 400, PairAssumptions(accuracy=0.95), settings)
    assert found is not None
    assert 0 < found <= 0.1
    for accuracy in (0.0, 1.0):
        assumed = PairAssumptions(accuracy=accuracy)
        assert smallest_difference([1] * 1000, assumed, settings) is None
    assert PairAssumptions(accuracy=0.0, discordance=0.3).largest == 1.0


def test_accuracies_and_their_correlation_give_the_discordance():
    # independent models of 0.7 and 0.5: 0.7·0.5 + 0.3·0.5
    assert PairAssumptions(0.6, 0.0).discordant(0.2) == pytest.approx(0.5)
    # as correlated as can be: only the difference itself
    assert PairAssumptions(0.5, 1.0).discordant(0.1) == pytest.approx(0.1, abs=0.01)
    with pytest.raises(InputError, match=r"accuracy: .* does not lie between 0 and 1"):
        PairAssumptions(accuracy=1.2).check()
    with pytest.raises(InputError):
        ComparisonSettings(models=1).check()
