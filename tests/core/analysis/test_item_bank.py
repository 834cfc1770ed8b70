"""An item bank: adaptive scores hold the full score; two scales are put on one by anchors."""

from dataclasses import replace

import numpy as np
import pytest

from core.analysis.item_bank import (
    SHARED,
    AdaptiveSession,
    ItemBank,
    linked,
    linking_caution,
    replayed,
)
from core.errors import InputError


def planted(items: int, seed: int) -> tuple[ItemBank, np.random.Generator]:
    rng = np.random.default_rng(seed)
    slopes, places = np.exp(rng.normal(0.3, 0.3, items)), rng.normal(0, 1.2, items)
    ids = tuple(str(n) for n in range(items))
    return ItemBank(ids, slopes, places, np.zeros(items)), rng


def answers_at(bank: ItemBank, ability: float, rng: np.random.Generator) -> np.ndarray:
    chances = 1 / (1 + np.exp(-bank.slopes * (ability - bank.places)))
    return (rng.random(len(chances)) < chances).astype(float)


def test_a_fifth_of_the_items_is_closer_than_a_fifth_drawn_at_random_and_the_interval_holds():
    bank, rng = planted(1000, 1)
    adaptive, drawn, held = [], [], []
    for _ in range(60):
        own = answers_at(bank, rng.normal(), rng)
        found = AdaptiveSession(bank, 0.0, 0.2).run(lambda at, own=own: float(own[at]))
        assert found.asked == 200
        adaptive.append(found.score - own.mean())
        drawn.append(rng.choice(own, 200, replace=False).mean() - own.mean())
        held.append(found.low <= own.mean() <= found.high)
    assert np.std(adaptive) < 0.75 * np.std(drawn)
    assert np.mean(held) >= 0.88


def test_asking_ends_where_the_interval_is_short_enough_and_all_items_leave_no_doubt():
    bank, rng = planted(400, 2)
    own = answers_at(bank, 0.3, rng)
    wide = AdaptiveSession(bank, 0.05, 1.0).run(lambda at: float(own[at]))
    assert wide.half_width <= 0.05
    assert wide.asked < 300
    whole = AdaptiveSession(bank, 0.0, 1.0).run(lambda at: float(own[at]))
    assert (whole.asked, whole.score) == (400, pytest.approx(own.mean()))
    assert whole.half_width == pytest.approx(0, abs=1e-6)


def test_an_interval_allows_for_what_the_errors_of_all_items_have_in_common():
    """In simulations of items that 20 models calibrated, those without it held 86 to 92 of 100."""
    bank, rng = planted(400, 5)
    own = answers_at(bank, 0.2, rng).tolist()
    asked = {m: AdaptiveSession(replace(bank, models=m), 0, 0.2).run(own.__getitem__)
             for m in (0, 20, 80)}  # fmt: skip
    assert {found.score for found in asked.values()} == {asked[0].score}
    errors = {m: found.half_width / 1.96 for m, found in asked.items()}
    shared = {m: (errors[m] ** 2 - errors[0] ** 2) ** 0.5 for m in (20, 80)}
    assert shared[20] == pytest.approx(SHARED * 0.8 / 20**0.5, rel=0.01)
    assert shared[80] == pytest.approx(shared[20] / 2, rel=0.01)
    whole = AdaptiveSession(replace(bank, models=20), 0, 1.0).run(own.__getitem__)
    assert whole.half_width == pytest.approx(0, abs=1e-6)


def test_an_item_without_an_answer_is_out_of_the_score():
    bank, rng = planted(60, 3)
    own = answers_at(bank, 0.0, rng)
    own[:10] = np.nan
    found = AdaptiveSession(bank, 0.0, 1.0).run(lambda at: float(own[at]))
    assert (found.asked, found.items) == (50, 50)
    assert found.score == pytest.approx(np.nanmean(own))


def test_anchors_find_the_planted_line():
    old, rng = planted(200, 4)
    slope, shift = 1.25, 0.4  # θ of the earlier scale = slope · θ + shift
    later = ItemBank(
        (*old.ids[:40], *(f"new{n}" for n in range(100))),
        np.concatenate([old.slopes[:40] * slope, np.ones(100)]),
        np.concatenate([(old.places[:40] - shift) / slope, rng.normal(size=100)]),
        np.zeros(140),
    )
    link = linked(old, later)
    assert (link.slope, link.shift) == pytest.approx((slope, shift), abs=1e-3)
    assert link.anchors == 40
    assert link.slope_error < 0.01
    ability, error = link.on_earlier_scale(1.0, 0.2)
    assert (ability, error) == pytest.approx((1.65, 0.25), abs=1e-2)
    with pytest.raises(InputError, match="only 0 items"):
        linked(old, ItemBank(("x", "y"), np.ones(2), np.zeros(2), np.zeros(2)))


def test_the_errors_of_a_link_are_said_to_be_rough():
    assert linking_caution(10, 40) == "few anchors: 10"
    assert linking_caution(30, 20) == "few models: 20"
    assert linking_caution(30, 40) == "by 40 models"


def test_a_replay_calibrates_without_the_model_it_asks():
    bank, rng = planted(120, 5)
    answers = np.array([answers_at(bank, t, rng) for t in np.linspace(-1.5, 1.5, 8)]).T
    models = [f"m{n}" for n in range(8)]
    found = replayed(bank.ids, models, answers, within=0.04, most=1.0)
    assert [one.model for one in found] == models
    assert max(abs(one.error) for one in found) < 0.12
    with pytest.raises(InputError, match="six models"):
        replayed(bank.ids, models[:5], answers[:, :5], within=0.04, most=1.0)


def test_no_choice_of_items_comes_nearer_than_the_luck_of_the_others():
    rng = np.random.default_rng(12)
    slopes, places = np.exp(rng.normal(0.3, 0.35, 400)), rng.normal(0, 1.2, 400)
    bank = ItemBank(tuple(map(str, range(400))), slopes, places, np.zeros(400))
    rights = 1 / (1 + np.exp(-slopes * (0.3 - places)))
    best = bank.closest(0.3, 0.2)
    asked = np.argsort(-rights * (1 - rights))[:80]
    errors = []
    for _ in range(3000):
        own = rng.random(400) < rights
        known = np.where(np.isin(np.arange(400), asked), own, rights)
        errors.append(abs(known.mean() - own.mean()))
    assert best == pytest.approx(np.quantile(errors, 0.95), rel=0.06)
    assert bank.closest(0.3, 1.0) == 0.0
    answered = ((rng.random(400) < rights).astype(float).tolist() for _ in range(3))
    found = [AdaptiveSession(bank, 0.0, 0.2).run(own.__getitem__).half_width for own in answered]
    assert min(found) > best


def test_the_size_that_is_said_to_be_enough_is_and_half_of_it_is_not():
    """A fifth of the items within ± 3 points of the score on all, for 95 of 100 new models."""
    small, _ = planted(400, 13)
    enough = small.size_for(0.2, 0.03)
    assert 700 < enough < 1500
    assert small.size_for(0.2, 0.015) == pytest.approx(4 * enough, rel=0.05)
    near = {}
    for size in (enough // 2, enough):
        bank, rng = planted(size, 14)
        assert bank.size_for(0.2, 0.03) == pytest.approx(enough, rel=0.15)
        within = []
        for _ in range(150):
            own = answers_at(bank, rng.normal(), rng)
            found = AdaptiveSession(bank, 0.0, 0.2).run(own.tolist().__getitem__)
            within.append(abs(found.score - own.mean()) <= 0.03)
        near[size] = np.mean(within)
    assert near[enough] >= 0.92
    assert near[enough // 2] < 0.90


def test_the_size_that_is_enough_grows_as_fewer_models_calibrate_and_may_not_exist():
    """Items that few models calibrated err together, which more such items do not mend."""
    known, _ = planted(1000, 13)
    sizes = [replace(known, models=models).size_for(0.2, 0.015) for models in (1000, 80, 40)]
    assert known.size_for(0.2, 0.015) < sizes[0] < sizes[1] < sizes[2]
    assert replace(known, models=10).size_for(0.2, 0.015) is None
    # half of the interval that is expected is the one that is found
    few = replace(known, models=20)
    own = answers_at(few, 0.0, np.random.default_rng(16))
    found = AdaptiveSession(few, 0.0, 0.2).run(own.tolist().__getitem__)
    assert few.reach(0.0, 0.2) == pytest.approx(found.half_width, rel=0.1)


def test_what_is_expected_of_a_fifth_is_what_it_comes_to():
    bank, rng = planted(1000, 15)
    own = answers_at(bank, 0.0, rng)
    found = AdaptiveSession(bank, 0.0, 0.2).run(own.tolist().__getitem__)
    assert bank.reach(0.0, 0.2) == pytest.approx(found.half_width, rel=0.1)
    assert bank.closest(0.0, 0.2) < bank.reach(0.0, 0.2)
    assert bank.reach(0.0, 1.0) == 0.0
