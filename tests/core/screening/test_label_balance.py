"""Label balance against a label space."""

from collections import Counter

import pytest

from core.screening.label_balance import label_balance


def test_counts_shares_and_what_is_missing_or_unknown() -> None:
    found = label_balance(
        {"正面": 2, "负面": 1, " 正面 ": 1, "": 2, "neutral?": 2, "x": 1},
        ["正面", "负面", "中性"],
    )
    assert [(s.label, s.count, s.share) for s in found.labels] == [
        ("正面", 3, 0.75), ("负面", 1, 0.25), ("中性", 0, 0.0),
    ]  # fmt: skip
    assert found.missing == ("中性",)
    assert found.unknown == (("neutral?", 2), ("x", 1))
    assert found.unlabelled == 2


@pytest.mark.parametrize(("labels", "entropy"), [
    (["a", "b"] * 5, 1.0),
    (["a"] * 9, 0.0),
    (["a"] * 3 + ["b"], 0.8112781244591328),  # 2 − ¾ log₂ 3
])  # fmt: skip
def test_entropy_is_one_for_an_even_spread_and_nought_for_one_label(
    labels: list[str], entropy: float
) -> None:
    assert label_balance(Counter(labels), ["a", "b"]).entropy == pytest.approx(entropy)


def test_without_labels_or_with_one_possible_label_entropy_has_a_reason() -> None:
    for found in (label_balance({}, ["a", "b"]), label_balance({"a": 1}, ["a"])):
        assert found.entropy is None
        assert found.undefined


def test_without_a_space_the_labels_found_make_it_up() -> None:
    found = label_balance({"b": 2, "a": 1}, [])
    assert [s.label for s in found.labels] == ["b", "a"]
    assert found.unknown == ()
