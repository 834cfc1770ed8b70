"""Comparing runs: paired, corrected, and open about what is left out."""

import itertools
import random
from dataclasses import replace
from functools import cache
from math import exp

import pytest
from scipy.stats import binom, chi2
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests

from core.errors import InputError
from core.evaluation.compare import (
    clustered_mcnemar,
    compare,
    compare_many,
    holm,
    mcnemar,
    missed_alike,
    sources_caution,
)
from core.evaluation.report_tables import comparison_table
from core.evaluation.scoring import AnswerKey, Report, keys_of, score
from core.evaluation.types import Answer
from tests.questions import variant_keys
from tests.splits import make_split

ITEMS = make_split(60)
KEYS = keys_of(ITEMS)


def wrong(answer: str) -> str:
    return {"A": "B"}.get(answer, "A") if len(answer) == 1 else (
        "Selection 1" if answer != "Selection 1" else "Selection 2"
    )  # fmt: skip


ALONE = [key._replace(cluster="") for key in KEYS]


def report(
    right: set[int], name: str = "m", failed: frozenset[int] = frozenset(), keys=KEYS
) -> Report:
    records = []
    for n, key in enumerate(KEYS):
        text = key.answer if n in right else wrong(key.answer)
        outcome = "failed" if n in failed else "ok"
        records.append(Answer(key.id, text=text, outcome=outcome).as_json())
    return score(keys, records, model=name)


def test_the_four_cells_and_the_difference():
    order = random.Random(3).sample(range(60), 60)
    found = compare(report(set(order[:40])), report(set(order[30:50])))
    assert (found.both_right, len(found.a_only), len(found.b_only), found.both_wrong) == (
        10, 30, 10, 10,
    )  # fmt: skip
    assert found.difference == pytest.approx(20 / 60)
    assert found.interval.low < found.difference < found.interval.high
    assert found.bootstrap.low < found.difference < found.bootstrap.high
    assert set(found.a_only) == {f"item-{n}" for n in order[:30]}


@pytest.mark.parametrize(("a_only", "b_only"), [(0, 0), (3, 9), (12, 13), (40, 20), (30, 30)])
def test_mcnemar_equals_statsmodels(a_only: int, b_only: int):
    total = a_only + b_only
    exact = total <= 25
    expected = reference_mcnemar([[5, a_only], [b_only, 5]], exact=exact, correction=False).pvalue
    if exact and a_only != b_only:
        expected -= binom.pmf(a_only, total, 0.5)
    assert mcnemar(a_only, b_only) == pytest.approx(expected)


@pytest.mark.parametrize("apart", [8, 10, 15, 20, 25, 30, 40, 60, 100])
def test_without_a_difference_mcnemar_is_below_its_level_as_often_as_it_says(apart: int):
    """Of 300 items about so many that only one run got right: exactly, over all that may come."""
    totals = range(1, 301)
    often = binom.pmf(totals, 300, apart / 300) @ [_below_level(total) for total in totals]
    assert 0.037 < often < 0.052


@cache
def _below_level(total: int) -> float:
    """How often McNemar's p of so many discordant items is 0.05 or less without a difference."""
    small = [a_only for a_only in range(total + 1) if mcnemar(a_only, total - a_only) <= 0.05]
    return float(binom.pmf(small, total, 0.5).sum())


def test_no_p_is_nought():
    """An error function of more than 27 is: 1,500 items that only one of two runs got right."""
    assert 0 < mcnemar(1500, 0) < 1e-300
    assert 0 < clustered_mcnemar([4] * 1500) < 1e-300
    found = compare(report(set(range(60)), keys=ALONE), report(set(), keys=ALONE))
    assert 0 < found.as_json()["p_mcnemar"] < 0.001


@pytest.mark.parametrize("sources", range(2, 10))
def test_the_smallest_p_of_few_sources_is_said_beside_the_exact_one(sources: int):
    """0.031 of five sources looks like a finding; the exact p of as many is 0.062."""
    keys = [key._replace(cluster=f"article {n % sources}") for n, key in enumerate(KEYS)]
    found = compare(report(set(range(60)), keys=keys), report(set(), keys=keys))
    assert found.p_mcnemar == found.p_mcnemar_least == pytest.approx(2.0**-sources)
    assert f"{2 ** (1 - sources):.3f}" in found.mcnemar_note
    assert any(found.mcnemar_note in note for note in comparison_table([found]).notes)
    assert found.as_json()["p_mcnemar_least"] == found.p_mcnemar
    first = set(range(0, 60, sources))
    both = compare(report(first, keys=keys), report(set(range(60)) - first, keys=keys))
    assert both.p_mcnemar > both.p_mcnemar_least
    assert not both.mcnemar_note


def test_a_sentence_about_several_pairs_stands_once_with_their_names():
    keys = [key._replace(cluster=f"article {n % 5}") for n, key in enumerate(KEYS)]
    rights = {"a": 60, "b": 30, "c": 0}
    runs = [report(set(range(n)), name=name, keys=keys) for name, n in rights.items()]
    pairs = [compare(one, other) for one, other in itertools.combinations(runs, 2)]
    notes = comparison_table(pairs).notes
    assert len(notes) == len(set(notes))
    assert sum("share: 5 sources" in note for note in notes) == 1
    assert any(note.startswith("all pairs: errors") for note in notes)
    (sign,) = (note for note in notes if "all sources that differ prefer the same run" in note)
    assert sign.startswith("all pairs:")
    apart = [compare(report({0, 1}, name="a", keys=ALONE), report(set(), name="b", keys=ALONE)),
             compare(runs[0], runs[1])]  # fmt: skip
    first, *others = comparison_table(apart).notes
    assert first.startswith("a and b: ")
    assert any("all items that differ prefer the same run" in note for note in (first, *others))


def test_clusters_of_one_pair_give_mcnemars_own_p():
    drawn = random.Random(2)
    for total in (1, 6, 25, 26, 90):
        a_only = drawn.randint(0, total)
        signs = [1] * a_only + [-1] * (total - a_only) + [0] * 30
        assert clustered_mcnemar(signs) == pytest.approx(mcnemar(a_only, total - a_only))


def test_of_few_clusters_every_sign_is_counted():
    sizes = [5, 3, -2, 4, 1, -5, 2]
    sums = [sum(s * d for s, d in zip(signs, sizes, strict=True))
            for signs in itertools.product((1, -1), repeat=len(sizes))]  # fmt: skip
    seen = abs(sum(sizes))
    expected = sum((abs(one) > seen) + (abs(one) == seen) / 2 for one in sums) / len(sums)
    assert clustered_mcnemar(sizes) == expected
    assert clustered_mcnemar([]) == clustered_mcnemar([2, -2]) == 1.0


def test_of_many_clusters_it_is_the_modified_obuchowski_test():
    drawn = random.Random(4)
    sizes = [drawn.randint(-3, 5) for _ in range(60)]
    statistic = sum(sizes) ** 2 / sum(d * d for d in sizes)
    assert clustered_mcnemar(sizes) == pytest.approx(chi2.sf(statistic, 1))
    times_five = [5 * d for d in sizes]
    assert clustered_mcnemar(times_five) == pytest.approx(clustered_mcnemar(sizes))


def asked_five_times(right: set[int], *, alone: bool = False) -> Report:
    keys = variant_keys(ITEMS, "12345")
    if alone:  # no item shares its article with another one
        keys = [key._replace(cluster="") for key in keys]
    answers = [
        Answer(key.id, text=key.answer if n % 60 in right else wrong(key.answer)).as_json()
        for n, key in enumerate(keys)
    ]
    return score(keys, answers, model="m")


def test_five_wordings_of_an_item_prove_no_more_than_one():
    one, other = set(range(30)), set(range(24, 31))
    plain = compare(report(one), report(other))
    found = compare(asked_five_times(one), asked_five_times(other))
    assert (len(found.a_only), len(found.b_only)) == (120, 5)
    assert found.p_mcnemar == plain.p_mcnemar == clustered_mcnemar([5, 5, 4, 5, 4])
    assert (found.clusters, plain.clusters) == (5, 5)
    for pair in (found, plain):
        shared, rough, *_ = comparison_table([pair]).notes
        assert "share: 5 sources (identified by" in shared
        assert "few sources: 5" in rough
    apart = compare(asked_five_times(one, alone=True), asked_five_times(other, alone=True))
    assert (apart.clusters, apart.p_mcnemar) == (60, mcnemar(24, 1))
    assert "share: 60 items." in comparison_table([apart]).notes[0]


def test_holm_equals_statsmodels_and_keeps_what_is_undefined():
    drawn = random.Random(1)
    for _ in range(20):
        ps = [drawn.random() ** 3 for _ in range(drawn.randint(1, 9))]
        assert holm(ps) == pytest.approx(list(multipletests(ps, method="holm")[1]))
    assert holm([0.02, None, 0.01]) == [0.02, None, 0.02]


def test_equal_runs_do_not_differ():
    found = compare(report(set(range(20))), report(set(range(20))))
    assert (found.difference, found.p_mcnemar, found.p_bootstrap) == (0.0, 1.0, 1.0)


def test_the_smallest_p_that_the_bootstrap_can_show_is_said_to_be_so():
    shared = [key._replace(cluster=str(n % 20)) for n, key in enumerate(KEYS)]
    found = compare(report(set(range(60)), keys=shared), report(set(), name="o", keys=shared))
    assert found.p_mcnemar < 0.001 < 0.004 < found.p_bootstrap < 0.006
    assert found.as_json()["p_bootstrap_least"] == found.p_bootstrap == found.p_bootstrap_least
    (note,) = (note for note in comparison_table([found]).notes if "bootstrap" in note)
    assert "at most 0.005, the smallest that so many draws of 20 sources" in note
    close = compare(report(set(range(31)), keys=shared), report(set(range(30)), keys=shared))
    assert close.p_bootstrap > close.p_bootstrap_least
    assert not [note for note in comparison_table([close]).notes if "bootstrap" in note]


def test_a_clear_difference_is_found_by_all_tests():
    found = compare(report(set(range(55)), keys=ALONE), report(set(range(10)), keys=ALONE))
    assert found.p_mcnemar < 1e-6
    assert found.p_bootstrap < 0.01
    assert found.clusters == 0
    assert found.interval.low > 0 < found.bootstrap.low


def test_items_without_an_answer_in_one_run_are_left_out_and_counted():
    found = compare(report(set(range(30)), failed=frozenset({0, 1, 2})), report(set(range(30))))
    assert (found.n, found.left_out) == (57, 3)


def test_nothing_in_common_is_undefined_and_other_splits_are_refused():
    everything = frozenset(range(60))
    found = compare(report(set(), failed=everything), report(set()))
    assert found.difference is None
    assert found.undefined
    others = score(keys_of(make_split(61)[60:]), [Answer("item-60", text="A").as_json()], model="x")
    with pytest.raises(InputError, match="different items"):
        compare(report(set()), others)


def test_many_runs_are_compared_in_pairs_with_one_correction():
    reports = {name: report(set(range(n)), name) for name, n in (("a", 50), ("b", 30), ("c", 28))}
    found = compare_many(reports)
    assert [(one.a, one.b) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(one.p_holm >= one.p_mcnemar for one in found)
    assert found[2].p_holm == found[2].p_mcnemar == 0.25  # two of two, counted by half


def test_items_that_strong_models_miss_alike_are_listed():
    reports = [report(set(range(58))), report(set(range(1, 59))), report(set(range(60)) - {59})]
    assert [item for item, _ in missed_alike(reports)] == ["item-59"]
    assert [item for item, _ in missed_alike(reports[:2])] == ["item-59"]
    assert [item for item, _ in missed_alike(reports[:1])] == ["item-58", "item-59"]
    assert missed_alike([]) == []


def test_shared_articles_widen_the_error_of_a_difference():
    # A wins whole articles: five of them decide, not sixty items
    by_article = {n for n in range(60) if n % 5 < 3}
    found = compare(report(by_article), report(set()))
    plain = (0.6 * 0.4 / 59) ** 0.5
    assert found.stderr > 2 * plain


def test_a_difference_is_never_said_to_be_larger_than_the_scale():
    keys = [key._replace(cluster=f"a{n // 20}") for n, key in enumerate(KEYS)]
    one = report(set(range(40)), keys=keys)
    found = compare(one, report(set(), keys=keys))
    assert found.interval.high == 1.0
    assert -1.0 <= found.interval.low < found.difference


def test_runs_that_never_differ_have_an_interval_and_no_error_of_nought():
    same = [report(set(range(20)), keys=keys) for keys in (ALONE, KEYS)]
    alone, shared = (compare(one, one) for one in same)
    assert alone.stderr is shared.stderr is None
    assert 0.04 < alone.interval.high < 0.1 < shared.interval.high
    assert alone.interval.low == -alone.interval.high


@pytest.mark.slow
@pytest.mark.parametrize(("articles", "each"), [(30, 10), (100, 3)])
def test_articles_that_prefer_a_model_do_not_make_it_better(articles: int, each: int):
    """The two are equal; over items McNemar's test finds a difference far too often."""
    drawn = random.Random(7)
    keys = [
        AnswerKey(str(n), "A", "scp", "cloze", "cs", cluster=f"a{n // each}")
        for n in range(articles * each)
    ]
    plain, clustered, resampled, covered = 0, 0, 0, 0
    for seed in range(300):
        runs = []
        leaning = [drawn.gauss(0, 1.2) for _ in range(articles)]
        for sign in (1, -1):
            texts = [
                "A" if drawn.random() < 1 / (1 + exp(-sign * leaning[n // each])) else "B"
                for n in range(len(keys))
            ]
            records = [{"id": key.id, "text": t} for key, t in zip(keys, texts, strict=True)]
            runs.append(score(keys, records, model=str(sign)))
        found = compare(*runs, seed=seed, resamples=400)
        plain += mcnemar(len(found.a_only), len(found.b_only)) < 0.05
        clustered += found.p_mcnemar < 0.05
        resampled += found.p_bootstrap < 0.05
        covered += found.interval.low <= 0 <= found.interval.high
    assert plain / 300 > 0.1
    assert 0.02 <= clustered / 300 <= 0.08
    assert 0.02 <= resampled / 300 <= 0.08
    assert 0.92 <= covered / 300 <= 0.98


def test_the_json_holds_every_figure():
    found = compare(report({0}, "m1"), report({1}, "m2")).as_json()
    assert (found["a"], found["b"], found["items"]) == ("m1", "m2", 60)
    assert (found["a_only"], found["b_only"]) == (["item-0"], ["item-1"])


def test_ten_sources_or_fewer_are_said_to_be_few():
    assert sources_caution(10, 9.0) == "few sources: 10"
    assert sources_caution(11, 10.0) == ""
    assert sources_caution(30, 8.2) == "unequal sources: 30 count as 8"


def test_graded_scores_say_what_mcnemar_makes_of_them():
    """A difference of 0.3 on every item, all beyond one half: McNemar sees none of it."""
    whole = report(set(range(60)), keys=ALONE)
    lower = replace(
        whole, model="n", scores=tuple(one._replace(graded=0.6) for one in whole.scores)
    )
    higher = replace(
        whole,
        scores=tuple(one._replace(graded=0.85 + n % 2 / 10) for n, one in enumerate(whole.scores)),
    )
    found = compare(higher, lower)
    assert found.graded
    assert found.as_json()["graded"] is True
    assert found.difference == pytest.approx(0.3)
    assert (found.p_mcnemar, found.p_bootstrap < 0.01) == (1.0, True)
    (note,) = (note for note in comparison_table([found]).notes if "one half" in note)
    assert "the bootstrap's p are of the scores themselves" in note
    plain = compare(whole, replace(whole, model="n"))
    assert not plain.graded
    assert not [note for note in comparison_table([plain]).notes if "one half" in note]
