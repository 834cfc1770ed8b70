"""The gate's score against people's decisions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from core.screening.gate_curve import (
    FEW_REVIEWED,
    MOST_POINTS,
    GateCurve,
    Reviewed,
    gate_curve,
    score_bins,
    share_accepted,
)

SCORES = (9, 8, 7, 6, 5.5, 4, 2, 10)
ACCEPTED = (True, True, False, True, True, False, False, True)


def curve() -> GateCurve:
    return gate_curve(Reviewed.of_all(SCORES, ACCEPTED))


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


def test_every_item_passes_a_threshold_of_zero_and_that_is_no_estimate() -> None:
    rows = curve().thresholds
    lowest, next_row = rows[0], rows[1]
    bounds = (lowest.true_positive_low, lowest.true_positive_high,
              lowest.false_positive_low, lowest.false_positive_high)  # fmt: skip
    assert (lowest.threshold, *bounds) == (0, 1, 1, 1, 1)
    assert next_row.true_positive_rate == 1
    assert next_row.true_positive_low != 1


def test_rates_without_a_denominator_are_none() -> None:
    row = gate_curve(Reviewed.of_all([3], [True])).thresholds[10]
    assert row.false_positive_rate is None
    assert row.true_positive_rate == 0


def test_the_area_is_the_chance_that_an_accepted_item_scores_higher() -> None:
    judged = list(zip(SCORES, ACCEPTED, strict=True))
    pairs = [(a, r) for a, kept in judged if kept for r, other in judged if not other]
    expected = sum(1.0 if a > r else 0.5 if a == r else 0.0 for a, r in pairs) / len(pairs)
    assert curve().area == pytest.approx(expected)
    assert not curve().undefined
    assert gate_curve(Reviewed.of_all([5, 5], [True, False])).area == 0.5


@pytest.mark.parametrize("verdict", [True, False])
def test_the_area_of_one_kind_of_decision_is_undefined(verdict: bool) -> None:
    found = gate_curve(Reviewed.of_all([5, 6], [verdict, verdict]))
    assert found.area is None
    assert found.undefined
    assert gate_curve(Reviewed.of_all([], [])).area is None


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
    found = gate_curve(Reviewed.of_all(scores, accepted))
    assert found.area == pytest.approx(roc_auc_score(accepted, scores), abs=1e-12)
    false, true, steps = roc_curve(accepted, scores, drop_intermediate=False)
    expected = dict(zip(steps, zip(false, true, strict=True), strict=True))
    for point in found.points:
        rates = point.false_positive_rate, point.true_positive_rate
        assert rates == pytest.approx(expected[point.threshold], abs=1e-12)
    assert len(found.points) == min(MOST_POINTS, len(np.unique(scores)))


def test_bins_cover_the_range_and_hold_every_item_once() -> None:
    bins = score_bins(Reviewed.of_all(SCORES, ACCEPTED))
    assert [(part.low, part.high) for part in bins] == [(n, n + 1) for n in range(10)]
    assert sum(part.items for part in bins) == 8
    assert bins[9].items == 2  # 9 and 10
    assert bins[9].accepted.value == 1.0
    assert bins[0].accepted.value is None


def screened(seed: int, items: int, share: float) -> tuple[Reviewed, np.ndarray, np.ndarray]:
    """A gate at 6 of whose screened-out items people see a share, and what they would all say."""
    rng = np.random.default_rng(seed)
    good = rng.uniform(size=items) < 0.5
    scores = np.clip(6 + 1.5 * (np.where(good, 0.65, -0.65) + rng.normal(size=items)), 0, 10)
    out = scores < 6
    seen = ~out | (rng.uniform(size=items) < share)
    sizes = np.array([np.count_nonzero(~out), np.count_nonzero(out)], np.float64)
    strata = out[seen].astype(np.int64)
    return Reviewed(scores[seen], good[seen], strata, sizes, np.array([False, True])), scores, good


def test_screened_out_items_of_which_few_are_seen_count_for_all_of_them() -> None:
    """On the decided items alone the area would be 0.73 and 98% of the good items would pass."""
    areas, rates, covered = [], [], 0
    for seed in range(200):
        sample, _, _ = screened(seed, 2227, 0.05)
        found = gate_curve(sample)
        areas.append(found.area)
        covered += found.low <= 0.8211 <= found.high
        rates.append(next(row for row in found.thresholds if row.threshold == 6))
    assert np.mean(areas) == pytest.approx(0.8211, abs=0.01)
    assert np.mean([row.true_positive_rate for row in rates]) == pytest.approx(0.742, abs=0.01)
    assert np.mean([row.passed_accepted + row.out_accepted for row in rates]) == pytest.approx(
        2227 / 2, rel=0.02
    )
    assert 0.92 <= covered / 200 <= 0.98
    within = [row.true_positive_low <= 0.742 <= row.true_positive_high for row in rates]
    assert 0.92 <= np.mean(within) <= 0.98


def test_items_that_were_all_reviewed_weigh_the_same_in_strata_or_without() -> None:
    sample, scores, good = screened(1, 400, 1.0)
    one, other = gate_curve(sample), gate_curve(Reviewed.of_all(scores, good))
    assert one.area == pytest.approx(other.area)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=0.01)
    assert one.thresholds[12].passed_accepted == other.thresholds[12].passed_accepted


def test_a_gate_of_whose_screened_out_items_nobody_saw_one_has_no_area() -> None:
    sample = Reviewed(
        np.array([7.0, 8.0, 9.0]), np.array([True, False, True]), np.zeros(3, np.int64),
        np.array([3.0, 40.0]), np.array([False, True]),
    )  # fmt: skip
    found = gate_curve(sample)
    assert (found.area, found.points, found.thresholds) == (None, (), ())
    assert "screened-out" in found.undefined


def test_few_reviewed_items_are_said() -> None:
    sample, _, _ = screened(2, 300, 0.05)
    assert sample.decided[1] < FEW_REVIEWED
    assert str(int(sample.decided[1])) in gate_curve(sample).caution
    assert not gate_curve(screened(2, 2227, 0.05)[0]).caution


def test_a_bin_that_the_threshold_cuts_counts_what_is_screened_out_in_full() -> None:
    rng = np.random.default_rng(4)
    scores = rng.uniform(6, 7, 4000)
    good, out = rng.uniform(size=4000) < scores - 6, scores < 6.5
    seen = ~out | (rng.uniform(size=4000) < 0.1)
    sample = Reviewed(
        scores[seen], good[seen], out[seen].astype(np.int64),
        np.array([np.count_nonzero(~out), np.count_nonzero(out)], np.float64),
        np.array([False, True]),
    )  # fmt: skip
    part = score_bins(sample)[6].accepted
    assert part.value == pytest.approx(good.mean(), abs=0.03)
    assert part.low < part.value < part.high


def _bounds(sample: Reviewed) -> np.ndarray:
    """Area, rate at 6, share accepted and each bin of good and bad items: low and high."""
    curve, share = gate_curve(sample), share_accepted(sample)
    row = curve.thresholds[12]
    mixed = [part.accepted for part in score_bins(sample) if 0 < (part.accepted.value or 0) < 1]
    bins = [(share.low, share.high) for share in mixed]
    pairs = [(curve.low, curve.high), (row.true_positive_low, row.true_positive_high),
             (share.low, share.high), *bins]  # fmt: skip
    return np.array(pairs, float)


def test_copies_of_an_article_say_no_more_than_one() -> None:
    draw = np.random.default_rng(4)
    good = draw.random(60) < 0.5
    scores = np.clip(6 + 1.5 * (good - 0.5) + draw.normal(0, 2, 60), 0, 10)
    alone = _bounds(Reviewed.of_all(scores, good))
    sources = np.repeat(np.arange(60), 10)
    copied = _bounds(Reviewed.of_all(np.repeat(scores, 10), np.repeat(good, 10), sources))
    taken_alone = _bounds(Reviewed.of_all(np.repeat(scores, 10), np.repeat(good, 10)))
    wide, known, narrow = (np.diff(one).ravel() for one in (copied, alone, taken_alone))
    assert np.all(wide >= known - 1e-9)
    assert np.all(wide <= 1.35 * known)
    assert np.all(narrow < 0.75 * known)


def test_intervals_hold_the_truth_where_articles_are_good_or_bad() -> None:
    draw = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        level, lean = draw.beta(2, 2, 30), draw.normal(0, 0.5, 30)
        sources = np.repeat(np.arange(30), 20)
        good = draw.random(600) < level[sources]
        scores = np.clip(6 + lean[sources] + draw.normal(0, 1.4, 600), 0, 10)
        found = share_accepted(Reviewed.of_all(scores, good, sources))
        held += (found.low or 0.0) <= 0.5 <= (found.high or 1.0)
    assert held >= 182  # 95 of 100 but for chance; 140 as if each item stood alone


def test_few_articles_are_said_to_make_the_gate_rough() -> None:
    draw = np.random.default_rng(6)
    scores, good = draw.uniform(0, 10, 200), draw.random(200) < 0.5
    few = gate_curve(Reviewed.of_all(scores, good, np.repeat(np.arange(4), 50)))
    assert "4 sources" in few.caution
    many = gate_curve(Reviewed.of_all(scores, good, np.repeat(np.arange(40), 5)))
    assert many.caution == ""


@pytest.mark.parametrize("sources", [1, 2, 9])
def test_a_share_of_items_of_few_sources_says_so_whatever_the_curve_rests_on(sources: int) -> None:
    """Two hundred screened-out items of one article are no sample of two hundred."""
    of = np.arange(200) % sources
    found = share_accepted(Reviewed.of_all(np.full(200, 4.0), np.arange(200) % 5 == 0, of))
    assert found.caution == f"few sources: {sources}"
    bins = score_bins(Reviewed.of_all(np.full(200, 4.0), np.arange(200) % 5 == 0, of))
    assert bins[4].accepted.caution == f"few sources: {sources}"


def test_a_share_of_items_of_many_sources_or_of_none_has_no_such_caution() -> None:
    accepted = np.random.default_rng(1).random(200) < 0.3
    for sources in (None, np.arange(200) % 40):
        found = share_accepted(Reviewed.of_all(np.full(200, 4.0), accepted, sources))
        assert found.caution == ""
