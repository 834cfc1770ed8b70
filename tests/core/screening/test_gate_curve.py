"""The gate's score against people's decisions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from core.screening.gate_curve import MOST_POINTS, GateCurve, gate_curve, score_bins

SCORES = (9, 8, 7, 6, 5.5, 4, 2, 10)
ACCEPTED = (True, True, False, True, True, False, False, True)


def curve() -> GateCurve:
    return gate_curve(SCORES, ACCEPTED)


def test_a_row_says_what_its_threshold_would_have_done() -> None:
    row = next(row for row in curve().thresholds if row.threshold == 6)
    assert (row.passed_accepted, row.passed_rejected) == (4, 1)
    assert (row.out_accepted, row.out_rejected) == (1, 2)
    assert row.true_positive_rate == 0.8
    assert row.false_positive_rate == pytest.approx(1 / 3)


def test_every_row_accounts_for_every_item_and_a_higher_threshold_passes_no_more() -> None:
    rows = curve().thresholds
    assert [row.threshold for row in rows] == [step / 2 for step in range(21)]
    passed = [row.passed_accepted + row.passed_rejected for row in rows]
    assert passed == sorted(passed, reverse=True)
    assert all(
        row.passed_accepted + row.passed_rejected + row.out_accepted + row.out_rejected == 8
        for row in rows
    )


def test_rates_without_a_denominator_are_none() -> None:
    row = gate_curve([3], [True]).thresholds[10]
    assert row.false_positive_rate is None
    assert row.true_positive_rate == 0


def test_the_area_is_the_chance_that_an_accepted_item_scores_higher() -> None:
    judged = list(zip(SCORES, ACCEPTED, strict=True))
    pairs = [(a, r) for a, kept in judged if kept for r, other in judged if not other]
    expected = sum(1.0 if a > r else 0.5 if a == r else 0.0 for a, r in pairs) / len(pairs)
    assert curve().area == pytest.approx(expected)
    assert not curve().undefined
    assert gate_curve([5, 5], [True, False]).area == 0.5


@pytest.mark.parametrize("verdict", [True, False])
def test_the_area_of_one_kind_of_decision_is_undefined(verdict: bool) -> None:
    found = gate_curve([5, 6], [verdict, verdict])
    assert found.area is None
    assert found.undefined
    assert gate_curve([], []).area is None


@given(st.integers(0, 2**32 - 1), st.integers(2, 300), st.sampled_from((None, 0, 1, 6)))
def test_curve_and_area_are_those_of_scikit_learn(
    seed: int, items: int, digits: int | None
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0, 10, items)
    if digits is not None:
        scores = scores.round(digits)
    accepted = rng.uniform(size=items) < scores / 10
    accepted[:2] = True, False
    found = gate_curve(scores, accepted)
    assert found.area == pytest.approx(roc_auc_score(accepted, scores), abs=1e-12)
    false, true, steps = roc_curve(accepted, scores, drop_intermediate=False)
    expected = dict(zip(steps, zip(false, true, strict=True), strict=True))
    for point in found.points:
        rates = point.false_positive_rate, point.true_positive_rate
        assert rates == pytest.approx(expected[point.threshold], abs=1e-12)
    assert len(found.points) == min(MOST_POINTS, len(np.unique(scores)))


def test_bins_cover_the_range_and_hold_every_item_once() -> None:
    bins = score_bins(SCORES, ACCEPTED)
    assert [(part.low, part.high) for part in bins] == [(n, n + 1) for n in range(10)]
    assert sum(part.items for part in bins) == 8
    assert bins[9].items == 2  # 9 and 10
    assert bins[9].accepted.value == 1.0
    assert bins[0].accepted.value is None
