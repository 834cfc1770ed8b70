"""Calibration of likelihoods, against sums by hand and against what the intervals claim."""

import math

import numpy as np
import pytest
from scipy.stats import rankdata

from core.evaluation.report_parts.calibration import (
    Calibration,
    calibration,
    calibration_sentence,
    reliability_table,
)
from core.evaluation.scoring import AnswerKey

CHOICES = ("joy", "sadness", "no", "anger")


def made(sure: list[float], right: list[bool], sources: list[str] | None = None) -> Calibration:
    """The calibration of answers whose option has a probability, and is right or not."""
    keys, records = [], {}
    for n, (share, good) in enumerate(zip(sure, right, strict=True)):
        rest = (1 - share) / 3
        answer = CHOICES[0] if good else CHOICES[1]
        cluster = sources[n] if sources else ""
        keys.append(AnswerKey(str(n), answer, "f", "f", "d", choices=CHOICES, cluster=cluster))
        records[str(n)] = {"scores": [math.log(share) - 3, *[math.log(rest) - 3] * 3]}
    found = calibration((key, records.get(key.id)) for key in keys)
    assert found is not None
    return found


def test_the_error_is_the_weighted_gap_of_bins_of_equal_size():
    rng = np.random.default_rng(1)
    sure = np.sort(rng.uniform(0.3, 0.99, 200))
    right = rng.random(200) < 0.5
    gaps = [abs(sure[n : n + 20].mean() - right[n : n + 20].mean()) for n in range(0, 200, 20)]
    found = made(sure.tolist(), right.tolist())
    assert found.ece == pytest.approx(np.mean(gaps))
    assert [one.answers for one in found.bins] == [20] * 10
    assert found.confidence == pytest.approx(sure.mean())
    assert found.accuracy == right.mean()
    assert found.p < 0.05 < found.low < found.ece
    assert found.low < found.high


def test_the_order_of_answers_that_are_as_sure_says_nothing():
    """Two levels of confidence, of which each is right as often as it says."""
    sure = [0.6] * 250 + [0.9] * 50
    right = [True] * 150 + [False] * 100 + [True] * 45 + [False] * 5
    sorted_ones = made(sure, right)
    mixed = np.random.default_rng(4).permutation(300)
    shuffled = made([sure[n] for n in mixed], [right[n] for n in mixed])
    for found in (sorted_ones, shuffled):
        assert found.ece == pytest.approx(0.0, abs=1e-12)
        assert [(one.answers, one.accuracy) for one in found.bins] == [(250, 0.6), (50, 0.9)]
    assert sorted_ones.high == pytest.approx(shuffled.high, abs=0.02)


def test_the_error_is_that_of_the_definition_with_ties_and_sources():
    """Against sums over the answers of each bin, one by one, with draws of another generator."""
    rng = np.random.default_rng(6)
    sure = np.round(rng.uniform(0.3, 0.99, 500), 2)
    right = rng.random(500) < sure - 0.1
    sources = [str(n % 70) for n in range(500)]
    found = made(sure.tolist(), right.tolist(), sources)
    ranks = rankdata(sure, method="average") - 1
    bins: dict[int, list[int]] = {}
    for place, rank in enumerate(ranks):
        bins.setdefault(math.floor(rank) * 10 // 500, []).append(place)

    def error(times: np.ndarray) -> float:
        gaps = [abs(sum(times[n] * (sure[n] - right[n]) for n in own)) for own in bins.values()]
        return float(sum(gaps) / times.sum())

    ece = error(np.ones(500))
    assert found.ece == pytest.approx(ece, abs=1e-12)
    drawn = np.array([
        error(np.bincount(rng.integers(0, 70, 70), minlength=70)[np.arange(500) % 70])
        for _ in range(600)
    ])  # fmt: skip
    assert found.high == pytest.approx(np.quantile(drawn, 0.975) - drawn.mean() + ece, abs=0.01)


def test_a_calibrated_model_is_not_said_to_be_wrong_and_an_overconfident_one_is():
    rng = np.random.default_rng(2)
    held = {True: 0, False: 0}
    false_alarms = 0
    samples = 150
    for _ in range(samples):
        sure = rng.uniform(0.3, 0.95, 300)
        found = made(sure.tolist(), (rng.random(300) < sure).tolist())
        held[True] += found.low == 0.0
        false_alarms += found.p < 0.05
        found = made(sure.tolist(), (rng.random(300) < sure - 0.2).tolist())
        held[False] += found.low <= 0.2 <= found.high
        assert found.p < 0.05
    assert held[True] >= 0.88 * samples
    assert false_alarms <= 0.12 * samples
    assert 0.9 * samples <= held[False]


def test_options_are_also_weighed_by_their_length_as_lm_eval_does():
    keys = [AnswerKey("1", "sadness", "f", "f", "d", choices=CHOICES)]
    scores = [-6.0, -7.0, -5.0, -9.0]
    found = calibration((key, {"scores": scores}) for key in keys)
    assert found is not None
    assert (found.accuracy, found.normalised) == (0.0, 1.0)  # “no” is likeliest, by length sadness
    normalised = [score / len(choice) for score, choice in zip(scores, CHOICES, strict=True)]
    assert CHOICES[int(np.argmax(normalised))] == "sadness"


def test_few_answers_and_few_sources_are_said_and_answers_without_likelihoods_left_out():
    found = made([0.6] * 40, [True] * 40)
    assert found.caution == "few items: 40"
    shared = made([0.6] * 200, [True, False] * 100, [str(n % 4) for n in range(200)])
    assert shared.caution == "few sources: 4"
    assert calibration([(AnswerKey("1", "A", "f", "f", "d"), {"text": "A"})]) is None
    document = shared.as_json()
    assert "(few sources: 4)" in calibration_sentence(document)
    table = reliability_table("m", document)
    assert [row[0] for row in table.rows] == [200]  # all are as sure


@pytest.mark.parametrize(("answers", "rough"), [(150, True), (200, False)])
def test_the_error_of_fewer_than_two_hundred_answers_is_said_to_be_rough(answers: int, rough: bool):
    """Small gaps are held in 92 of 100 samples of 100 answers, in 93 of 150 and in 95 of 200."""
    keys = [AnswerKey(str(n), "ab"[n % 3 == 0], "", "", "", "", ("a", "b")) for n in range(answers)]
    records = {key.id: {"scores": [-0.3, -1.3]} for key in keys}
    found = calibration((key, records.get(key.id)) for key in keys)
    assert found is not None
    assert (found.caution == f"few items: {answers}") == rough
