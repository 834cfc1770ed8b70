"""A random part of the items: its interval holds the score on all, whatever the models are like."""

import numpy as np
import pytest

from core.analysis.adaptive.sampled_score import (
    SampledSession,
    drawn_reach,
    session_of,
)
from core.analysis.item_bank import (
    AdaptiveSession,
    ItemBank,
    calibrated,
    replayed,
)


def of_two_kinds(items: int, models: int, rng: np.random.Generator) -> np.ndarray:
    """Answers to items of two kinds, each with an ability of its own: on no one scale."""
    abilities, kind = rng.normal(size=(models, 2)), rng.integers(0, 2, items)
    places, slopes = rng.normal(0, 1.2, items), np.exp(rng.normal(0.3, 0.35, items))
    distance = slopes[:, None] * (abilities[:, kind].T - places[:, None])
    return (rng.random((items, models)) < 1 / (1 + np.exp(-distance))).astype(float)


def test_where_the_model_does_not_fit_the_random_interval_holds_and_the_telling_one_does_not():
    rng = np.random.default_rng(3)
    telling, random, half = [], [], []
    for seed in range(12):
        answers = of_two_kinds(200, 17, rng)
        bank = calibrated([str(n) for n in range(200)], answers[:, 6:])
        for place in range(6):
            own, full = answers[:, place].tolist(), answers[:, place].mean()
            found = AdaptiveSession(bank, 0.0, 0.2).run(own.__getitem__)
            telling.append(found.low <= full <= found.high)
            for draw in range(6):
                drawn = SampledSession(bank, 0.0, 0.2, 100 * seed + draw).run(own.__getitem__)
                assert drawn.asked == 40
                random.append(drawn.low <= full <= drawn.high)
                half.append(drawn.half_width)
    assert np.mean(telling) < 0.88
    assert 0.92 <= np.mean(random) <= 0.98
    assert np.mean(half) < 0.15


def planted(items: int, seed: int) -> tuple[ItemBank, np.ndarray]:
    rng = np.random.default_rng(seed)
    slopes, places = np.exp(rng.normal(0.3, 0.3, items)), rng.normal(0, 1.2, items)
    bank = ItemBank(tuple(map(str, range(items))), slopes, places, np.zeros(items))
    own = (rng.random(items) < 1 / (1 + np.exp(-slopes * (0.3 - places)))).astype(float)
    return bank, own


def test_what_is_expected_of_a_random_part_is_what_it_comes_to():
    bank, own = planted(1000, 4)
    halves = [
        SampledSession(bank, 0.0, 0.2, seed).run(own.tolist().__getitem__).half_width
        for seed in range(10)
    ]
    assert drawn_reach(bank, 0.3, 0.2) == pytest.approx(np.mean(halves), rel=0.1)
    plain = 1.96 * np.sqrt(0.8 * own.var() / 200)
    assert np.mean(halves) < 0.9 * plain  # what the bank predicts makes it shorter
    assert drawn_reach(bank, 0.3, 1.0) == 0.0


def test_asking_ends_where_the_interval_is_short_enough_and_all_items_leave_no_doubt():
    bank, own = planted(400, 5)
    wide = SampledSession(bank, 0.08, 1.0).run(own.tolist().__getitem__)
    assert wide.half_width <= 0.08
    assert 50 <= wide.asked < 300
    early = SampledSession(bank, 0.9, 1.0).run(own.tolist().__getitem__)
    assert early.asked == 52  # whole rounds of a hundredth, fifty at least
    own[:10] = np.nan
    whole = SampledSession(bank, 0.0, 1.0).run(own.tolist().__getitem__)
    assert (whole.asked, whole.items) == (390, 390)
    assert whole.low == whole.score == whole.high == pytest.approx(np.nanmean(own))


def test_a_model_that_is_always_right_still_has_an_interval():
    bank, _ = planted(300, 6)
    found = SampledSession(bank, 0.0, 0.2).run(lambda _: 1.0)
    assert found.high == 1.0
    assert 0.9 < found.low < 0.96
    assert found.caution
    none = SampledSession(bank, 0.0, 0.2).run(lambda _: float("nan"))
    assert (none.asked, none.low, none.high) == (0, 0.0, 1.0)


def test_the_order_is_that_of_the_seed_and_of_nothing_else():
    bank, _ = planted(100, 7)
    first, other = SampledSession(bank, 0.0, 0.2, 1), SampledSession(bank, 0.0, 0.2, 2)
    begun = first.next_places(0.1)
    assert begun != other.next_places(0.1)
    for place in begun:
        first.take(place, 1.0)
    again = SampledSession(bank, 0.0, 0.2, 1)
    for place in again.next_places(0.1):
        again.take(place, 0.0)
    assert first.next_places(0.1) == again.next_places(0.1)
    assert isinstance(session_of(bank, 0.0, 0.2, "random"), SampledSession)
    assert not isinstance(session_of(bank, 0.0, 0.2), SampledSession)


def test_a_replay_takes_either_choice():
    rng = np.random.default_rng(8)
    answers = of_two_kinds(120, 8, rng)
    models, ids = [f"m{n}" for n in range(8)], [str(n) for n in range(120)]
    by_choice = [
        [one.adaptive.score for one in replayed(ids, models, answers, within=0.0, most=0.3,
                                                begin=begin)]
        for begin in (AdaptiveSession, SampledSession)
    ]  # fmt: skip
    assert by_choice[0] != by_choice[1]
