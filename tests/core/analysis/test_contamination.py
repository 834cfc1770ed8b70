"""δ1 and δ2, their spread over proportions, and macro F1 against scikit-learn."""

import random
from dataclasses import replace

import pytest
from sklearn.metrics import f1_score

from core.analysis.contamination import (
    SimulationScore,
    deltas,
    macro_f1,
    spreads,
)
from core.analysis.ranking_tables import delta_table, spread_table


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


def test_a_missing_deviation_says_why() -> None:
    (found,) = spreads(deltas([cell("zero", 0, 0.5), cell("test", 20, 0.6)]))
    assert found.mean1 == pytest.approx(10)
    assert found.deviation1 is found.deviation2 is None
    assert "two or more proportions" in found.reason1
    assert "missing" in found.reason2
    notes = spread_table([found]).notes
    assert [note[:2] for note in notes] == ["δ1", "δ2"]


def test_simulations_of_other_settings_or_data_are_not_mixed_into_one_delta() -> None:
    def run(name: str, zero: float, test: float, **more: object) -> list[SimulationScore]:
        told = {"run": name, **more}
        return [replace(cell("zero", 0, zero), **told), replace(cell("test", 20, test), **told)]

    scores = [
        *run("labels", 0.5, 0.9, setting="a"),
        *run("text", 0.5, 0.51, setting="b", text_only=True),
        *run("again", 0.5, 0.7, setting="c"),
        *run("other-data", 0.2, 0.3, setting="a", data=("x", "x")),
    ]
    found = deltas(scores)
    assert [(row.run, round(row.delta1)) for row in found] == [
        ("labels", 40), ("text", 1), ("again", 20), ("other-data", 10),
    ]  # fmt: skip
    with_labels, text = spreads(found)
    assert (with_labels.text_only, with_labels.mean1) == (False, pytest.approx(70 / 3))
    assert (text.text_only, text.mean1) == (True, pytest.approx(1))
    table = delta_table(found)
    assert "text only" in str(table.rows[1])
    assert any("several simulations" in note for note in table.notes)
    # a later run of the same settings that took the cells over adds nothing
    assert len(deltas([*scores, *run("resumed", 0.5, 0.9, setting="a")])) == 4


def test_every_model_counts_alike_however_often_it_was_simulated() -> None:
    scores = []
    for model, setting, test in (("a", "1", 0.9), ("a", "2", 0.7), ("b", "1", 0.5)):
        told = {"model": model, "setting": setting}
        scores += [replace(cell("zero", 0, 0.4), **told), replace(cell("test", 20, test), **told)]
    (found,) = spreads(deltas(scores))
    assert found.mean1 == pytest.approx((40 + 10) / 2)


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
