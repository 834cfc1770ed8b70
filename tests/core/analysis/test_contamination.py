"""δ1 and δ2, their spread over proportions, and macro F1 against scikit-learn."""

import random
from dataclasses import replace
from statistics import fmean, stdev

import pytest
from scipy.stats import t as student
from sklearn.metrics import f1_score

from core.analysis.contamination import (
    SimulationScore,
    deltas,
    macro_f1,
    spreads,
)
from core.analysis.ranking_tables import delta_table, spread_table
from core.evaluation.metrics.f1 import macro_f1_by_item, macro_f1_caution


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


def answered(draw: random.Random, items: int, right: float) -> tuple[list[str], list[str]]:
    true = draw.choices("abc", weights=(5, 3, 2), k=items)
    return true, [t if draw.random() < right else draw.choice("abc") for t in true]


def test_the_values_of_items_have_the_mean_and_the_error_of_macro_f1() -> None:
    draw = random.Random(3)
    drawn = [answered(draw, 200, 0.6) for _ in range(400)]
    f1 = [macro_f1(true, said, "abc") for true, said in drawn]
    values = [macro_f1_by_item(true, said, "abc") for true, said in drawn]
    for whole, parts in zip(f1, values, strict=True):
        assert fmean(parts) == pytest.approx(whole)
    errors = [stdev(parts) / 200**0.5 for parts in values]
    assert fmean(errors) == pytest.approx(stdev(f1), rel=0.1)


def simulated(
    seed: int, items: int, *, runs: int = 1, between: float = 0.0
) -> list[SimulationScore]:
    """Scores of an untrained model and of trainings whose level varies from seed to seed."""
    draw = random.Random(seed)
    scores = []
    for run in range(runs):
        for mode, right in (("zero", 0.4), ("test", 0.6 + draw.gauss(0, between))):
            # all answer the same items, whose labels are drawn once
            true = random.Random(seed).choices("abc", weights=(5, 3, 2), k=items)
            said = [t if draw.random() < right else draw.choice("abc") for t in true]
            one = cell(mode, 0 if mode == "zero" else 20, macro_f1(true, said, "abc"))
            by_item = tuple(macro_f1_by_item(true, said, "abc"))
            scores.append(replace(one, seed=run, by_item=by_item))
    return scores


def test_a_delta_has_an_interval_over_its_items_and_says_that_it_is_of_one_seed() -> None:
    scores = simulated(1, 150)
    (found,) = deltas(scores)
    apart = [b - a for a, b in zip(scores[0].by_item, scores[1].by_item, strict=True)]
    reach = student.ppf(0.975, 149) * 100 * stdev(apart) / 150**0.5
    assert found.delta1 == pytest.approx(100 * fmean(apart))
    assert (found.low1, found.high1) == pytest.approx((found.delta1 - reach, found.delta1 + reach))
    assert (found.low2, found.seeds1, found.seeds2) == (None, 1, 0)
    table = delta_table([found])
    assert any("one seed" in note for note in table.notes)
    assert found.as_json()["low1"] == found.low1


def test_several_seeds_are_one_delta_whose_interval_holds_their_differences() -> None:
    scores = simulated(2, 150, runs=5, between=0.1)
    (found,) = deltas(scores)
    each = [deltas([zero, test])[0] for zero, test in zip(scores[::2], scores[1::2], strict=True)]
    assert found.delta1 == pytest.approx(fmean(one.delta1 for one in each))
    assert found.seeds1 == 5
    assert stdev(one.delta1 for one in each) > 2
    items_alone = fmean(one.high1 - one.low1 for one in each) / 5**0.5
    assert found.high1 - found.low1 > 1.2 * items_alone
    assert not any("one seed" in note for note in delta_table([found]).notes)


def test_fewer_than_eight_seeds_are_said_to_make_intervals_rough() -> None:
    (few,) = deltas(simulated(2, 60, runs=7, between=0.1))
    (enough,) = deltas(simulated(2, 60, runs=8, between=0.1))
    assert few.as_json()["caution"] == "few seeds: 7"
    assert enough.as_json()["caution"] == ""
    assert any("fewer than 8 seeds" in note for note in delta_table([few]).notes)
    assert not any("seeds" in note for note in delta_table([enough]).notes)


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "between"), [(1, 0.0), (3, 0.05)])
def test_the_interval_of_a_delta_covers(runs: int, between: float) -> None:
    true = []
    for seed in range(40):
        zero, test = simulated(1000 + seed, 20_000)
        true.append(100 * (test.f1 - zero.f1))
    level, hits = fmean(true), 0
    for seed in range(300):
        (found,) = deltas(simulated(seed, 150, runs=runs, between=between))
        hits += found.low1 <= level <= found.high1
    assert 0.92 <= hits / 300 <= 0.995


def test_a_rare_label_makes_the_interval_of_macro_f1_rough() -> None:
    assert macro_f1_caution(["a"] * 30 + ["b"] * 4, "ab") == "few items of a label: 4"
    assert macro_f1_caution(["a"] * 30 + ["b"] * 10, "ab") == ""
