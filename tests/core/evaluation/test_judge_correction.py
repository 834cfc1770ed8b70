"""A judge twenty points too kind is corrected by a human sample, with intervals that hold."""

import numpy as np
import pytest

from core.evaluation.judge_correction import (
    correction_sentences,
    prediction_powered_mean,
    rogan_gladen_mean,
)

TRUTH, SENSITIVITY, SPECIFICITY = 0.5, 0.95, 0.55  # the judge says 0.70


def sample(
    rng: np.random.Generator, answers: int, rated: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Verdicts of the judge on all answers, and of people on some."""
    right = rng.random(answers) < TRUTH
    said = np.where(right, rng.random(answers) < SENSITIVITY, rng.random(answers) > SPECIFICITY)
    chosen = rng.choice(answers, rated, replace=False).tolist()
    return (
        {str(n): float(value) for n, value in enumerate(said)},
        {str(n): float(right[n]) for n in chosen},
    )


@pytest.mark.parametrize("rated", [40, 150])
def test_both_intervals_hold_the_truth_that_the_judge_misses(rated):
    rng = np.random.default_rng(3)
    powered, gladen, people, judge = [], [], [], []
    samples = 600
    for _ in range(samples):
        judged, human = sample(rng, 800, rated)
        one, two = prediction_powered_mean(judged, human), rogan_gladen_mean(judged, human)
        powered.append((one.low or 0) <= TRUTH <= (one.high or 0))
        gladen.append((two.low or 0) <= TRUTH <= (two.high or 0))
        people.append((one.stderr or 1) <= np.sqrt(0.25 / (rated - 2)))
        judge.append(abs(one.judged - TRUTH) < 0.05)
    slack = 3 * np.sqrt(0.05 * 0.95 / samples)
    assert 0.93 - slack <= np.mean(powered) <= 0.97 + slack
    assert 0.93 - slack <= np.mean(gladen) <= 0.97 + slack
    assert np.mean(judge) == 0
    assert np.mean(people) > 0.9  # better than the people's ratings alone


@pytest.mark.parametrize("truth", [0.02, 0.97])
@pytest.mark.parametrize("articles", [0, 40])
def test_the_interval_holds_where_people_find_nearly_all_answers_alike(truth, articles):
    """With 100 rated, what few answers differ is often not among them at all."""
    rng = np.random.default_rng(11)
    held = []
    samples = 400
    names = [str(n) for n in range(800)]
    sources = np.arange(800) % max(1, articles)
    clusters = dict(zip(names, map(str, sources.tolist()), strict=True)) if articles else None
    for _ in range(samples):
        rates = rng.beta(20 * truth, 20 * (1 - truth), 40)[sources] if articles else truth
        right = rng.random(800) < rates
        said = np.where(right, rng.random(800) < SENSITIVITY, rng.random(800) > 0.8)
        judged = dict(zip(names, said.astype(float).tolist(), strict=True))
        human = {str(n): float(right[n]) for n in rng.choice(800, 100, replace=False).tolist()}
        found = prediction_powered_mean(judged, human, clusters)
        held.append((found.low or 0) <= truth <= (found.high or 0))
    slack = 3 * np.sqrt(0.05 * 0.95 / samples)
    assert 0.93 - slack <= np.mean(held) <= 0.97 + slack


@pytest.mark.parametrize("verdict", [0.0, 1.0])
def test_people_who_find_all_alike_leave_an_interval(verdict):
    """As Wilson's of 60 of 60: what was not seen may still be there."""
    judged = {str(n): float(n % 3 > 0) for n in range(400)}
    human = {str(n): verdict for n in range(60)}
    found = prediction_powered_mean(judged, human)
    assert found.value == verdict
    assert found.high - found.low == pytest.approx(0.06, abs=0.005)
    shared = prediction_powered_mean(judged, human, {name: str(int(name) % 12) for name in judged})
    assert shared.high - shared.low > found.high - found.low


def test_rated_answers_of_one_article_say_nothing():
    judged, human = sample(np.random.default_rng(4), 400, 120)
    for clusters in (
        dict.fromkeys(judged, "a"),
        {name: "a" if name in human else f"b{int(name) // 9}" for name in judged},
    ):
        found = prediction_powered_mean(judged, human, clusters)
        assert (found.stderr, found.low, found.high) == (None, 0.0, 1.0)
        assert found.caution == "few sources: 1"


@pytest.mark.parametrize(("articles", "size"), [(30, 30), (12, 50)])
def test_rogan_and_gladens_interval_holds_where_answers_share_articles(articles, size):
    """A judge 20 points too kind, whose errors and whose truth both lean on the article."""
    rng = np.random.default_rng(9)
    own, plain = [], []
    samples = 400
    names = [str(n) for n in range(articles * size)]
    sources = np.repeat(np.arange(articles), size)
    clusters = dict(zip(names, (f"a{n}" for n in sources.tolist()), strict=True))
    for _ in range(samples):
        rates, kind, harsh = (
            rng.beta(9 * level, 9 * (1 - level), articles)[sources]
            for level in (TRUTH, SENSITIVITY, SPECIFICITY)
        )
        right = rng.random(len(names)) < rates
        said = rng.random(len(names)) < np.where(right, kind, 1 - harsh)
        judged = dict(zip(names, said.astype(float).tolist(), strict=True))
        chosen = rng.choice(len(names), 150, replace=False).tolist()
        human = {names[n]: float(right[n]) for n in chosen}
        for tally, shared in ((own, clusters), (plain, None)):
            found = rogan_gladen_mean(judged, human, shared)
            tally.append((found.low or 0) <= TRUTH <= (found.high or 0))
    slack = 3 * np.sqrt(0.05 * 0.95 / samples)
    assert 0.93 - slack <= np.mean(own) <= 0.97 + slack
    assert np.mean(plain) < np.mean(own)
    if articles == 12:
        assert np.mean(plain) < 0.93


@pytest.mark.parametrize("articles", [2, 3])
def test_of_two_or_three_articles_the_interval_is_around_the_value(articles):
    """Student's quantile of one degree of freedom, 12.7, in the shift of the centre took the
    interval from the value to a point at 0 or 1."""
    rng = np.random.default_rng(1)
    source = np.repeat(np.arange(articles), 60)
    clusters = {str(n): f"a{one}" for n, one in enumerate(source.tolist())}
    held = []
    for _ in range(100):
        right = rng.random(len(source)) < rng.beta(2, 2, articles)[source]
        kind, harsh = (rng.beta(9 * one, 9 * (1 - one), articles) for one in (0.95, 0.55))
        said = rng.random(len(source)) < np.where(right, kind[source], 1 - harsh[source])
        judged = {str(n): float(one) for n, one in enumerate(said.tolist())}
        human = {str(n): float(right[n]) for n in rng.choice(len(source), 60, replace=False)}
        found = rogan_gladen_mean(judged, human, clusters)
        if found.value is not None:
            assert found.low <= found.value <= found.high
            assert found.high - found.low > 0.1
            held.append(found.low <= TRUTH <= found.high)
    assert len(held) > 80
    assert np.mean(held) > 0.9


def test_articles_of_one_answer_change_nothing_and_few_are_said():
    judged, human = sample(np.random.default_rng(4), 400, 120)
    alone = rogan_gladen_mean(judged, human)
    assert rogan_gladen_mean(judged, human, {name: name for name in judged}) == alone
    few = rogan_gladen_mean(judged, human, {name: str(int(name) % 5) for name in judged})
    assert few.caution == "few sources: 5"
    assert few.value == alone.value
    powered = prediction_powered_mean(judged, human, {name: str(int(name) % 5) for name in judged})
    assert powered.caution == "few sources: 5"
    assert prediction_powered_mean(judged, human).caution == ""


def test_the_prediction_powered_mean_is_the_published_formula():
    """Against the sums of the paper, with λ by hand."""
    rng = np.random.default_rng(1)
    judged, human = sample(rng, 300, 60)
    y = np.array([human[name] for name in judged if name in human])
    f = np.array([judged[name] for name in judged if name in human])
    u = np.array([judged[name] for name in judged if name not in human])
    tuned = np.cov(y, f)[0, 1] / (np.var(np.r_[f, u], ddof=1) * (1 + len(y) / len(u)))
    expected = tuned * u.mean() + (y - tuned * f).mean()
    variance = tuned**2 * u.var() / len(u) + (y - tuned * f).var() / (len(y) - 2)
    found = prediction_powered_mean(judged, human)
    assert found.value == pytest.approx(expected)
    assert found.stderr == pytest.approx(np.sqrt(variance), rel=0.01)


def test_rogan_and_gladen_invert_the_judges_errors():
    judged = {f"u{n}": float(n < 70) for n in range(100)}
    judged |= {f"r{n}": float(n < 19) for n in range(20)}  # 19 of 20 right ones called right
    judged |= {f"w{n}": float(n < 9) for n in range(20)}  # 9 of 20 wrong ones too
    human = {f"r{n}": 1.0 for n in range(20)} | {f"w{n}": 0.0 for n in range(20)}
    found = rogan_gladen_mean(judged, human)
    assert found.value == pytest.approx((0.70 + 0.55 - 1) / (0.95 + 0.55 - 1))
    assert found.bias == pytest.approx((19 + 9) / 40 - 0.5)


def test_answers_of_one_article_widen_the_interval():
    rng = np.random.default_rng(2)
    judged, human = {}, {}
    for article in range(20):
        rate = rng.beta(1, 1)
        for n in range(20):
            name = f"{article}-{n}"
            judged[name] = float(rng.random() < rate)
            if n % 4 == 0:
                human[name] = judged[name] if rng.random() < 0.9 else 1 - judged[name]
    clusters = {name: name.split("-")[0] for name in judged}
    alone = prediction_powered_mean(judged, human)
    shared = prediction_powered_mean(judged, human, clusters)
    assert alone.value == shared.value
    assert (shared.stderr or 0) > 1.3 * (alone.stderr or 0)


def test_what_cannot_be_corrected_is_said_in_words():
    judged = {str(n): float(n % 2) for n in range(40)}
    for human, why in (
        ({"0": 1.0}, "only 1 answer"),
        ({str(n): 1.0 for n in range(20)}, "alike"),
        ({str(n): float(1 - n % 2) for n in range(20)}, "no better than chance"),
        ({str(n): float(n % 3 == 0) for n in range(40)}, "every answer"),
    ):
        found = rogan_gladen_mean(judged, human)
        assert (found.value, why in found.undefined) == (None, True)
        (line,) = correction_sentences({"answer_correct": [found.as_json()]})
        assert why in line
    everything = prediction_powered_mean(judged, {str(n): 1.0 for n in range(40)})
    assert everything.value == 1.0
    assert everything.low < 1.0


def test_a_caution_counts_what_it_names():
    names = [str(n) for n in range(400)]
    judged = {name: float(int(name) % 2) for name in names}
    few = {name: judged[name] for name in names[:20]}
    assert rogan_gladen_mean(judged, few).caution == "few rated answers: 20"
    rare = dict.fromkeys(names[:60], 0.0) | {names[n]: 1.0 for n in (1, 3, 5, 7, 9)}
    assert rogan_gladen_mean(judged, rare).caution == "few rated answers with the rarer outcome: 5"
    assert prediction_powered_mean(judged, rare).caution == ""
