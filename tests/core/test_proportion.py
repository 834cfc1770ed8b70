"""Shares and their intervals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from core.proportion import proportion, student_quantile


def test_a_share_comes_with_an_interval() -> None:
    found = proportion(2, 40)
    assert found.value == 0.05
    assert found.low == pytest.approx(0.01382, abs=1e-4)  # Wilson 2/40
    assert found.high == pytest.approx(0.16498, abs=1e-4)
    exact = proportion(0, 20, method="beta")
    assert (exact.low, exact.high) == (0.0, pytest.approx(0.16843, abs=1e-4))  # 1 − 0.025^(1/20)
    nothing = proportion(0, 0)
    assert nothing.value is None
    assert nothing.undefined


@given(st.integers(0, 400), st.integers(1, 400), st.sampled_from((0.8, 0.95, 0.99)))
def test_intervals_are_those_of_statsmodels(count: int, total: int, level: float) -> None:
    from statsmodels.stats.proportion import proportion_confint

    count = min(count, total)
    for method in ("wilson", "beta"):
        found = proportion(count, total, level=level, method=method)
        expected = proportion_confint(count, total, alpha=1 - level, method=method)
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


def test_intervals_stay_within_nought_and_one() -> None:
    for method in ("wilson", "beta"):
        for count in (0, 5):
            found = proportion(count, 5, method=method)
            assert found.low is not None
            assert found.high is not None
            assert 0 <= found.low <= found.high <= 1


def test_a_share_of_few_or_nearly_all_of_one_kind_is_said_to_be_rough() -> None:
    assert proportion(3, 12).caution == "few items: 12"
    assert proportion(0, 400).caution == "few items with the rarer outcome: 0"
    assert proportion(14, 400).caution == "few items with the rarer outcome: 14"
    assert proportion(386, 400).caution == "few items with the rarer outcome: 14"
    assert proportion(15, 400).caution == ""
    assert proportion(0, 0).caution == ""


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.95, 0.99, 0.99999])
@pytest.mark.parametrize(
    "freedom",
    [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.7, 9.0, 29.9, 30.0, 31.7, 99.0, 999.0, 9999.9, 10_000.0, 1e7],
)
def test_quantiles_are_those_of_students_distribution(freedom: float, confidence: float) -> None:
    expected = student.isf((1 - confidence) / 2, freedom)
    assert student_quantile(freedom, confidence) == pytest.approx(expected, rel=1e-10)


def test_quantiles_of_endless_freedom_are_those_of_the_normal_distribution() -> None:
    for freedom in (None, math.inf):
        assert student_quantile(freedom, 0.9) == pytest.approx(1.6448536269514722)
