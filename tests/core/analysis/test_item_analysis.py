"""Item analysis: difficulty, discrimination, abilities, and what is noise in them."""

import numpy as np
import pytest

from core.analysis.item_analysis import analyse_items
from core.analysis.ranking_tables import item_rows
from core.evaluation.scoring import AnswerKey, Report, score


def reports(answers: dict[str, str]) -> dict[str, Report]:
    """One report per model; a letter per item is its answer, a dash no answer; A is right."""
    size = len(next(iter(answers.values())))
    keys = [
        AnswerKey(str(n), "A", "scp", "prediction", "cs", r"(\b[ABCD]\b)", tuple("ABCD"))
        for n in range(size)
    ]
    return {
        model: score(
            keys,
            [
                {"id": str(n), "text": said, "outcome": "failed" if said == "-" else "ok"}
                for n, said in enumerate(letters)
            ],
            model=model,
            origin={"run": f"run-{model}"},
        )
        for model, letters in answers.items()
    }


def often(answers: dict[str, str], times: int) -> dict[str, str]:
    """As many models that answer like each of these."""
    return {f"{name}{n or ''}": said for n in range(times) for name, said in answers.items()}


FOUR = {"strong": "AAAB", "good": "AAAB", "weak": "BBAA", "poor": "CBB-"}


def test_an_item_that_only_weak_models_solve_is_found() -> None:
    found = analyse_items(reports(often(FOUR, 3)), {str(n): tuple("ABCD") for n in range(4)})
    first, last = found.items[0], found.items[3]
    assert (first.difficulty, first.discrimination) == (0.5, 1.0)
    assert first.item_total > 0 > last.item_total
    assert last.models == 9
    assert first.unpicked == ("D",)
    assert found.runs[:4] == ("run-strong", "run-good", "run-weak", "run-poor")


def test_of_few_models_no_discrimination_is_printed() -> None:
    found = analyse_items(reports(FOUR))
    first = found.items[0]
    assert (first.difficulty, first.discrimination, first.item_total) == (0.5, None, None)
    assert first.slope is None
    assert any("two-parameter model needs 5 or more" in note for note in found.notes)
    assert any("Discrimination" in note and "10 or more" in note for note in found.notes)


def test_the_order_of_models_that_are_level_does_not_discriminate() -> None:
    level = often({"a": "ABAB", "b": "BABA", "c": "ABBA"}, 4)
    assert all(i.discrimination is None for i in analyse_items(reports(level)).items)
    # one of three level models is in the better half beside the best: each is there by a third
    said = often({"best": "AAA", "x": "ABB", "y": "BAB", "z": "BBA"}, 3) | {"none": "---"}
    for order in (list(said), list(said)[::-1]):
        found = analyse_items(reports({name: said[name] for name in order}))
        assert found.items[0].discrimination == pytest.approx((1 + 1 / 3) / 2 - 1 / 3)


def test_five_models_give_a_response_model_with_abilities_in_order() -> None:
    found = analyse_items(
        reports({"e": "AAAAAB", "d": "AAAABB", "c": "AAABBB", "b": "AABBBB", "a": "ABBBBB"})
    )
    assert list(found.abilities.values()) == sorted(found.abilities.values(), reverse=True)
    places = [item.location for item in found.items]
    assert places == sorted(places)
    for item in found.items:
        assert item.slope_low < item.slope < item.slope_high
        assert item.slope_error > 0
        assert item.location_error > 0
    table = item_rows(found)
    assert "[" in str(table.rows[0][table.columns.index("Slope a") + 1])


def test_slopes_that_are_noise_come_with_a_sentence_that_says_so() -> None:
    draw = np.random.default_rng(1)
    few = {f"m{n}": "".join(draw.choice(["A", "B"], 60)) for n in range(6)}
    found = analyse_items(reports(few))
    assert found.reliability < 0.7
    note = found.notes[0]
    assert "6 models" in note
    assert found.as_json()["slope_reliability"] == found.reliability
    assert set(found.ability_errors) == set(few)


def test_a_model_without_an_answer_has_no_ability_and_an_item_without_one_no_slope() -> None:
    said = {"e": "AAAA-", "d": "AAAB-", "c": "AABB-", "b": "ABBB-", "a": "BBBB-", "x": "-----"}
    found = analyse_items(reports(said))
    assert set(found.abilities) == set("edcba")
    last = found.items[-1]
    assert (last.models, last.slope, last.slope_error, last.location) == (0, None, None, None)
    assert all(item.slope is not None for item in found.items[:-1])
    too_few = analyse_items(reports({name: said[name] for name in "edcbx"}))
    assert too_few.abilities == {}
    assert "there are 4" in too_few.notes[0]
