"""The gate's score against people's decisions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.screening.threshold import (
    ScoredDecision,
    auc,
    false_reject_rate,
    proportion,
    score_bins,
    threshold_row,
    threshold_table,
)

JUDGED = [
    ScoredDecision(score, accepted)
    for score, accepted in [
        (9, True),
        (8, True),
        (7, False),
        (6, True),
        (5.5, True),
        (4, False),
        (2, False),
        (10, True),
    ]
]


def test_a_row_says_what_its_threshold_would_have_done() -> None:
    row = threshold_row(JUDGED, 6)
    assert (row.passed_accepted, row.passed_rejected) == (4, 1)
    assert (row.out_accepted, row.out_rejected) == (1, 2)
    assert row.true_positive_rate == 0.8
    assert row.false_positive_rate == pytest.approx(1 / 3)


def test_every_row_accounts_for_every_item_and_a_higher_threshold_passes_no_more() -> None:
    rows = threshold_table(JUDGED)
    assert [row.threshold for row in rows[:3]] == [0, 0.5, 1]
    passed = [row.passed_accepted + row.passed_rejected for row in rows]
    assert passed == sorted(passed, reverse=True)
    assert all(
        row.passed_accepted + row.passed_rejected + row.out_accepted + row.out_rejected == 8
        for row in rows
    )


def test_rates_without_a_denominator_are_none() -> None:
    row = threshold_row([ScoredDecision(3, True)], 5)
    assert row.false_positive_rate is None
    assert row.true_positive_rate == 0


def test_the_area_is_the_chance_that_an_accepted_item_scores_higher() -> None:
    pairs = [(a.score, r.score) for a in JUDGED if a.accepted for r in JUDGED if not r.accepted]
    expected = sum(1.0 if a > r else 0.5 if a == r else 0.0 for a, r in pairs) / len(pairs)
    assert auc(JUDGED) == (pytest.approx(expected), "")
    assert auc([ScoredDecision(5, True), ScoredDecision(5, False)])[0] == 0.5
    value, why = auc([ScoredDecision(5, True)])
    assert value is None
    assert why


def test_the_false_reject_rate_comes_with_an_interval() -> None:
    found = false_reject_rate([True] * 2 + [False] * 38)
    assert found.value == 0.05
    assert found.low == pytest.approx(0.01382, abs=1e-4)  # Wilson 2/40
    assert found.high == pytest.approx(0.16498, abs=1e-4)
    exact = false_reject_rate([False] * 20, method="beta")
    assert (exact.low, exact.high) == (0.0, pytest.approx(0.16843, abs=1e-4))  # 1 − 0.025^(1/20)
    nothing = false_reject_rate([])
    assert nothing.value is None
    assert nothing.undefined


def test_bins_cover_the_range_and_hold_every_item_once() -> None:
    bins = score_bins(JUDGED)
    assert len(bins) == 10
    assert sum(b.items for b in bins) == 8
    assert bins[9].items == 2  # 9 and 10
    assert bins[9].accepted.value == 1.0
    assert bins[0].accepted.value is None


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
