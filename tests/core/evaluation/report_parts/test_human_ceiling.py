"""What people reach on a split, and what their figures rest on."""

import numpy as np
import pytest

from core.evaluation.report_parts.human_ceiling import ENGINE, PERSON, human_ceiling
from core.evaluation.scoring import AccuracyEstimate, ItemScore, Report


def answered(articles: int, each: int) -> Report:
    """Three people's answers to items of as many articles."""
    said = np.random.default_rng(4).choice(4, (articles * each, 3), p=[0.7, 0.1, 0.1, 0.1])
    entries = tuple(
        ItemScore(f"{n}#{PERSON}{place}", "prediction", "", f"a{n // each}", "A", "ABCD"[code],
                  code == 0, True, "ok", variant=f"{PERSON}{place}")
        for n, row in enumerate(said.tolist())
        for place, code in enumerate(row)
    )  # fmt: skip
    return Report("", ENGINE, "", AccuracyEstimate(0, 0), 0, 0, {}, 0, {}, entries)


@pytest.mark.parametrize(("articles", "rough"), [(10, True), (15, True), (30, False)])
def test_alpha_over_few_articles_is_said_to_be_rough(articles: int, rough: bool) -> None:
    """Of ten articles its interval holds the value in 92 of 100 samples."""
    ceiling = human_ceiling(answered(articles, 10))
    assert ceiling is not None
    document = ceiling.as_json()
    sentences = " ".join(document["sentences"])
    assert bool(document["alpha_caution"]) == rough
    assert ("Krippendorff's alpha, nominal: The items share sources" in sentences) == rough
    assert not ceiling.mean.caution


def test_a_majority_that_is_right_nearly_always_says_that_its_interval_is_rough() -> None:
    ceiling = human_ceiling(answered(10, 5))
    assert ceiling is not None
    assert ceiling.majority is not None
    assert not ceiling.mean.caution
    assert ceiling.majority.caution.startswith("few items of one kind")
    assert ceiling.majority.caution in ceiling.as_json()["sentences"][-1]
