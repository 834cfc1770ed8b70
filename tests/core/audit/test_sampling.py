"""Acceptance sampling: the numbers that the audit page shows."""

import math
import subprocess
import sys
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.audit.sampling import (
    SamplingPlan,
    draw,
    meaning,
    operating_curve,
    pass_chance,
    proven_bound,
)
from core.errors import InputError


def test_the_papers_plan_passes_a_bad_lot_as_often_as_the_binomial_says() -> None:
    plan = SamplingPlan(20, 0)
    for share in (0.01, 0.05, 0.10):
        assert pass_chance(plan, share) == pytest.approx((1 - share) ** 20)


def test_in_a_small_lot_the_chance_is_hypergeometric() -> None:
    assert pass_chance(SamplingPlan(20, 0), 0.05, lot=100) == pytest.approx(
        comb(95, 20) / comb(100, 20)
    )
    two = sum(comb(10, k) * comb(90, 20 - k) for k in (0, 1, 2)) / comb(100, 20)
    assert pass_chance(SamplingPlan(20, 2), 0.10, lot=100) == pytest.approx(two)


def test_a_lot_that_is_seen_whole_passes_only_when_it_is_good() -> None:
    assert pass_chance(SamplingPlan(20, 0), 0.1, lot=15) == 0
    assert pass_chance(SamplingPlan(20, 0), 0.0, lot=15) == 1
    assert pass_chance(SamplingPlan(20, 0), 0.0, lot=0) == 1


def test_twenty_without_a_failure_prove_less_than_fourteen_percent() -> None:
    assert proven_bound(SamplingPlan(20, 0)) == pytest.approx(1 - 0.05 ** (1 / 20))
    assert round(proven_bound(SamplingPlan(20, 0)), 3) == 0.139


def test_a_small_lot_proves_more() -> None:
    bound = proven_bound(SamplingPlan(20, 0), lot=100)
    assert bound < proven_bound(SamplingPlan(20, 0))
    defects = round(bound * 100)
    assert comb(100 - defects, 20) / comb(100, 20) >= 0.05
    assert comb(99 - defects, 20) / comb(100, 20) < 0.05
    assert proven_bound(SamplingPlan(20, 0), lot=20) == 0
    assert proven_bound(SamplingPlan(5, 4), failures=5) == 1


def test_a_lot_with_just_the_proven_share_still_passes_now_and_then() -> None:
    """So the share is “at most”, never “fewer than”: 1 of 25 items is 4%, and is not ruled out."""
    plan = SamplingPlan(20, 0)
    assert proven_bound(plan, lot=25) == 1 / 25
    assert pass_chance(plan, 1 / 25, 25) == pytest.approx(0.2)


def test_the_meaning_of_a_plan_holds_what_the_page_shows() -> None:
    found = meaning(SamplingPlan(20, 0), lot=100)
    assert [share for share, _ in found.pass_chances] == [0.01, 0.05, 0.10]
    assert found.pass_chances[0][1] == pytest.approx(0.8)
    assert found.proves_at_most == proven_bound(SamplingPlan(20, 0), lot=100)


def test_the_curve_falls_from_one() -> None:
    curve = operating_curve(SamplingPlan(20, 1), points=51)
    chances = [chance for _, chance in curve]
    assert curve[0] == (0.0, 1.0)
    assert chances == sorted(chances, reverse=True)
    assert curve[-1][0] == 0.5


@pytest.mark.parametrize(("sample", "allowed"), [(0, 0), (5, 5), (5, -1), (-3, 0)])
def test_plans_that_make_no_sense_are_refused(sample: int, allowed: int) -> None:
    with pytest.raises(InputError):
        SamplingPlan(sample, allowed)


def test_a_share_outside_nought_and_one_is_refused() -> None:
    with pytest.raises(InputError, match="1.5"):  # noqa: RUF043  a plain number
        pass_chance(SamplingPlan(), 1.5)


@given(st.integers(2, 200), st.integers(1, 60), st.data())
def test_chances_are_chances_and_more_defects_never_help(
    lot: int, sample: int, data: st.DataObject
) -> None:
    plan = SamplingPlan(sample, data.draw(st.integers(0, sample - 1)))
    low, high = sorted(data.draw(st.tuples(st.floats(0, 1), st.floats(0, 1))))
    assert 0 <= pass_chance(plan, high, lot) <= pass_chance(plan, low, lot) + 1e-12 <= 1 + 2e-12
    bound = proven_bound(plan, plan.allowed, lot=lot)
    assert 0 <= bound <= 1


@given(st.integers(1, 60_000), st.integers(1, 2000), st.integers(0, 60), st.floats(0, 1))
def test_chances_are_those_of_scipy(lot: int, sample: int, allowed: int, share: float) -> None:
    from scipy.stats import binom, hypergeom

    plan = SamplingPlan(max(sample, allowed + 1), allowed)
    defects, drawn = math.floor(share * lot + 0.5), min(plan.sample, lot)
    expected = hypergeom.cdf(allowed, lot, defects, drawn)
    assert pass_chance(plan, share, lot) == pytest.approx(expected, rel=1e-7, abs=1e-12)
    expected = binom.cdf(allowed, plan.sample, share)
    assert pass_chance(plan, share) == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_chances_need_no_distributions_of_scipy() -> None:
    # importing them takes most of a second, which the first picture of a dashboard does not have
    code = (
        "import sys; from core.audit.sampling import SamplingPlan, operating_curve, proven_bound; "
        "operating_curve(SamplingPlan(20, 0), 400); operating_curve(SamplingPlan(20, 0)); "
        "proven_bound(SamplingPlan(20, 0), 0, lot=400); print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_draw_repeats_from_its_seed_whatever_the_order() -> None:
    ids = [f"项目{n}" for n in range(300)]
    drawn = draw(ids, 20, seed=11)
    assert len(set(drawn)) == 20
    assert drawn == draw([*reversed(ids), ids[5]], 20, seed=11)
    assert drawn != draw(ids, 20, seed=12)
    assert sorted(draw(ids[:7], 20, seed=1)) == sorted(ids[:7])
    assert draw([], 20, seed=1) == []
