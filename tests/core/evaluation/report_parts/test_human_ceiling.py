"""What people reach on a split, and what their figures rest on."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student_t
from statsmodels.stats.proportion import proportion_confint

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
    assert ceiling.majority.caution.startswith("few items with the rarer outcome")
    assert ceiling.majority.caution in ceiling.as_json()["sentences"][-1]


def of_skills(skills: np.ndarray, articles: int, each: int, rng: np.random.Generator) -> Report:
    """Answers of people who know as large a share of all items; graded, so without an alpha."""
    right = rng.random((articles * each, len(skills))) < skills
    entries = tuple(
        ItemScore(f"{n}#{PERSON}{place}", "prediction", "", f"a{n // each}", "A", "AB"[not good],
                  good, True, "ok", variant=f"{PERSON}{place}", graded=float(good))
        for n, row in enumerate(right.tolist())
        for place, good in enumerate(row)
    )  # fmt: skip
    return Report("", ENGINE, "", AccuracyEstimate(0, 0), 0, 0, {}, 0, {}, entries)


def test_the_mean_of_people_like_these_allows_for_who_was_asked() -> None:
    """Five people who differ by ten points: the interval over items holds the mean of all such
    people in half of the samples, the one over people too in about 95 of 100."""
    rng = np.random.default_rng(11)
    over_items, over_people = [], []
    for _ in range(100):
        ceiling = human_ceiling(of_skills(rng.normal(0.7, 0.1, 5).clip(0, 1), 40, 2, rng))
        assert ceiling is not None
        assert ceiling.anybody is not None
        assert ceiling.anybody.value == ceiling.mean.value
        over_items.append(ceiling.mean.low <= 0.7 <= ceiling.mean.high)
        over_people.append(ceiling.anybody.low <= 0.7 <= ceiling.anybody.high)
    assert np.mean(over_items) < 0.8
    assert np.mean(over_people) >= 0.9


def test_two_way_error_is_that_of_its_formula() -> None:
    """Sources and people as in Cameron, Gelbach and Miller: V over sources, plus V over people,
    minus V over what both share, each with its correction for few clusters."""
    report = of_skills(np.array([0.5, 0.7, 0.9]), 12, 5, np.random.default_rng(2))
    ceiling = human_ceiling(report)
    assert ceiling is not None
    assert ceiling.anybody is not None
    right = np.array([entry.score for entry in report.scores]).reshape(12, 5, 3)
    off, n = right - right.mean(), right.size
    sources = (off.sum((1, 2)) ** 2).sum() / (1 - 1 / 12) / n**2
    people = (off.sum((0, 1)) ** 2).sum() / (1 - 1 / 3) / n**2
    both = (off.sum(1) ** 2).sum() / n**2
    mean = right.mean()
    sources = max(sources, mean * (1 - mean) / n)
    error = sources + people - both
    freedom = max(error**2 / (sources**2 / 11 + people**2 / 2), 2)
    t = student_t.ppf(0.975, freedom)
    low, high = proportion_confint(
        mean * mean * (1 - mean) / error, mean * (1 - mean) / error, 2 * norm.sf(t), "wilson"
    )
    assert (ceiling.anybody.low, ceiling.anybody.high) == pytest.approx((low, high), abs=1e-5)


@pytest.mark.parametrize(("people", "words"), [(1, "this one person"), (3, "few people: 3")])
def test_the_ceiling_says_for_whom_its_intervals_speak(people: int, words: str) -> None:
    skills = np.linspace(0.6, 0.8, people)
    ceiling = human_ceiling(of_skills(skills, 40, 2, np.random.default_rng(3)))
    assert ceiling is not None
    sentences = " ".join(ceiling.as_json()["sentences"])
    assert words in sentences
    assert (ceiling.anybody is None) == (people == 1)


def test_several_people_of_one_answer_each_are_not_one_person() -> None:
    report = of_skills(np.linspace(0.6, 0.8, 3), 3, 1, np.random.default_rng(3))
    ceiling = human_ceiling(replace(report, scores=report.scores[::4]))
    assert ceiling is not None
    assert (ceiling.people, ceiling.anybody) == (3, None)
    assert "so few answers do not tell" in " ".join(ceiling.as_json()["sentences"])


def test_people_who_do_not_differ_get_no_shorter_an_interval() -> None:
    rng = np.random.default_rng(4)
    ceiling = human_ceiling(of_skills(np.full(12, 0.7), 30, 3, rng))
    assert ceiling is not None
    assert ceiling.anybody is not None
    assert ceiling.anybody.low <= ceiling.mean.low
    assert ceiling.anybody.high >= ceiling.mean.high
    assert "few people" not in ceiling.anybody.caution


def test_an_article_that_is_called_like_an_item_is_another() -> None:
    """As “0”, which the first item would be by itself."""

    def of(name: str) -> object:
        own = answered(4, 10)
        alike = tuple(
            one._replace(cluster="" if one.cluster == "a0" else name if one.cluster == "a1" else "")
            for one in own.scores
        )
        found = human_ceiling(replace(own, scores=alike))
        assert found is not None
        return found

    assert of("0") == of("an article")
