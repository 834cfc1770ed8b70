"""δ1 and δ2, their spread over proportions, and macro F1 against scikit-learn."""

import random

import pytest
from sklearn.metrics import f1_score

from core.analysis.contamination import (
    SimulationScore,
    deltas,
    macro_f1,
    spreads,
)


def cell(mode: str, proportion: int, f1: float | None, evaluated: str = "") -> SimulationScore:
    return SimulationScore("m", "irony", "orig", mode, proportion, f1, evaluated)


def test_delta_1_is_against_the_untrained_model_and_delta_2_against_train_alone() -> None:
    (found,) = deltas(
        [cell("zero", 0, 0.5), cell("test", 20, 0.8), cell("train", 20, 0.6),
         cell("train+test", 20, 0.65)]
    )  # fmt: skip
    assert (found.delta1, found.delta2) == (pytest.approx(30), pytest.approx(5))


def test_a_missing_evaluation_is_no_zero() -> None:
    (found,) = deltas([cell("test", 20, 0.8), cell("train", 20, None)])
    assert found.delta1 is None
    assert found.delta2 is None
    assert found.reason1
    assert found.reason2


def test_an_untouched_set_has_a_row_of_its_own() -> None:
    found = deltas(
        [cell("zero", 0, 0.5, "orig"), cell("zero", 0, 0.4, "ours"),
         cell("test", 100, 1.0, "orig"), cell("test", 100, 0.41, "ours")]
    )  # fmt: skip
    assert {row.evaluated: round(row.delta1, 6) for row in found} == {"orig": 50, "ours": 1}


def test_spreads_are_sample_deviations_over_proportions() -> None:
    scores = [cell("zero", 0, 0.5)]
    scores += [cell("test", p, 0.5 + p / 1000) for p in (20, 40, 60)]
    (found,) = spreads(deltas(scores))
    assert found.mean1 == pytest.approx(4)
    assert found.deviation1 == pytest.approx(2)
    assert found.mean2 is None
    assert found.deviation2 is None


def test_macro_f1_is_scikit_learns_and_an_unread_answer_is_a_miss() -> None:
    draw = random.Random(1)
    labels = ["a", "b", "c"]
    for _ in range(20):
        true = draw.choices(labels, k=30)
        said = draw.choices([*labels, None], k=30)
        expected = f1_score(true, [s or "?" for s in said], average="macro", labels=labels,
                            zero_division=0)  # fmt: skip
        assert macro_f1(true, said, labels) == pytest.approx(expected)
    assert macro_f1([], [], labels) is None
