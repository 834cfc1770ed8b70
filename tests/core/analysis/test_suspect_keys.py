"""Keys that were planted wrong are found from the models' answers; hard items are not blamed."""

import numpy as np
import pytest

from core.analysis.suspect_keys import suspect_keys
from core.errors import InputError
from core.evaluation.scoring import AnswerKey, Report, score

LETTERS = "ABCD"


def simulated(
    seed: int, items: int, models: int, wrong: float, attracted: float = 0.5
) -> tuple[dict[str, Report], set[str]]:
    """Answers by the two-parameter model, a strong distractor in half of the items, and keys of
    which a share is wrong; the reports against these keys, and which those are."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0.8, 1.0, models)
    slope, place = np.exp(rng.normal(0, 0.4, items)), rng.normal(0, 1.2, items)
    truth = rng.integers(0, 4, items)
    bad = rng.choice(items, round(wrong * items), replace=False)
    keys = truth.copy()
    keys[bad] = (truth[bad] + rng.integers(1, 4, len(bad))) % 4
    known = [
        AnswerKey(f"i{n}", LETTERS[key], "f", "x", "d", r"([ABCD])", tuple(LETTERS))
        for n, key in enumerate(keys)
    ]
    lure = (truth + rng.integers(1, 4, items)) % 4
    lured = rng.random(items) < attracted
    reports = {}
    for model in range(models):
        right = rng.random(items) < 1 / (1 + np.exp(-slope * (ability[model] - place)))
        other = np.where(
            lured & (rng.random(items) < 0.7), lure, (truth + rng.integers(1, 4, items)) % 4
        )
        given = np.where(right, truth, other)
        records = [{"id": f"i{n}", "text": LETTERS[at], "outcome": "ok", "choice": LETTERS[at]}
                   for n, at in enumerate(given)]  # fmt: skip
        reports[f"m{model}"] = score(known, records, model=f"m{model}")
    return reports, {f"i{n}" for n in bad}


def recall(reports: dict[str, Report], bad: set[str], share: float) -> float:
    ranked = [one.id for one in suspect_keys(reports)]
    return len(bad.intersection(ranked[: round(share * 400)])) / len(bad)


@pytest.mark.parametrize("models", [8, 15, 30])
def test_four_of_five_planted_wrong_keys_are_in_the_first_fifth(models):
    found = [recall(*simulated(seed, 400, models, 0.05), 0.2) for seed in range(3)]
    assert np.mean(found) >= 0.8


def test_what_it_says_is_certain_is_mostly_wrong_and_of_sound_keys_it_says_little():
    said = [(simulated(seed, 400, 15, 0.05)) for seed in (7, 9)]
    certain = [[one.id for one in suspect_keys(reports) if one.probability > 0.5]
               for reports, _ in said]  # fmt: skip
    right = sum(len(bad.intersection(ids)) for ids, (_, bad) in zip(certain, said, strict=True))
    assert right >= 0.7 * sum(map(len, certain)) > 0
    reports, _ = simulated(8, 400, 15, 0.0, attracted=1.0)
    assert sum(one.probability > 0.5 for one in suspect_keys(reports)) <= 4


def test_able_models_count_for_more_than_many_weak_ones():
    """Of two items with as many answers against the key, the one that able models answer so."""
    rng = np.random.default_rng(0)
    known = [AnswerKey(f"i{n}", "A", "f", "x", "d", "", tuple(LETTERS)) for n in range(102)]
    reports = {}
    for model in range(12):
        able = model < 6
        right = rng.random(102) < (0.9 if able else 0.4)
        given = np.where(right, "A", rng.choice(list("BCD"), 102))
        given[100], given[101] = ("B", "A") if able else ("A", "B")
        records = [{"id": f"i{n}", "text": at, "outcome": "ok", "choice": at}
                   for n, at in enumerate(given.tolist())]  # fmt: skip
        reports[f"m{model}"] = score(known, records)
    found = {one.id: one for one in suspect_keys(reports)}
    assert found["i100"].probability > 0.9 > 0.05 > found["i101"].probability
    assert found["i100"].answer == "B"
    assert found["i100"].agreeing == tuple(f"m{n}" for n in range(6))
    assert found["i100"].keeping == tuple(f"m{n}" for n in range(6, 12))


def test_two_models_are_needed_and_answers_without_a_letter_say_nothing():
    reports, _ = simulated(1, 30, 3, 0.0)
    with pytest.raises(InputError):
        suspect_keys({"m0": reports["m0"]})
    with pytest.raises(InputError):
        suspect_keys(reports, prior=0.0)
    known = [AnswerKey(f"i{n}", "A", "f", "x", "d", "([ABCD])", tuple(LETTERS)) for n in range(3)]
    silent = [{"id": f"i{n}", "text": "", "outcome": "empty"} for n in range(3)]
    assert suspect_keys({"a": score(known, silent), "b": score(known, silent)}) == ()
