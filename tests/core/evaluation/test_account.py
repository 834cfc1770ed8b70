"""What a report says beside its scores."""

import random
from dataclasses import replace

import pytest

from core.evaluation.account import account, account_lines, clustered_stderr
from core.evaluation.breakdown import breakdown
from core.evaluation.intervals import clustered_error
from core.evaluation.scoring import ItemScore, Key, Report, score
from core.evaluation.tables import breakdown_table


def entry(number: int, value: float, cluster: str = "", **more) -> ItemScore:
    plain = ItemScore(str(number), "f", "d", cluster, "A", "A", value >= 0.5, True, "ok")
    return plain._replace(graded=value)._replace(**more)


def test_the_clustered_error_is_that_of_the_intervals():
    drawn = random.Random(5)
    articles = {name: drawn.random() for name in "abcdefgh"}
    entries = [
        entry(n, float(drawn.random() < share), name)
        for n, (name, share) in enumerate(articles.items(), 1)
        for _ in range(drawn.randint(1, 9))
    ]
    left_out = [entry(99, 1.0, "a", answered=False), entry(98, 1.0, "b", unjudged=True)]
    found, groups = clustered_stderr([*entries, *left_out])
    values = [float(one.graded or 0.0) for one in entries]
    assert groups == 8
    assert found == pytest.approx(clustered_error(values, [one.cluster for one in entries]))


def test_five_ways_of_asking_an_item_are_one_cluster():
    entries = [
        entry(0, value, id=f"{n}#i{i}") for n, value in enumerate([1.0, 0, 0, 1]) for i in "123"
    ]
    found, groups = clustered_stderr(entries)
    assert groups == 4
    assert found == pytest.approx((4 / 3 * 4 * 1.5**2) ** 0.5 / 12)


@pytest.mark.parametrize("clusters", ["abc", "aaa"])
def test_items_of_their_own_or_of_one_source_have_no_clustered_error(clusters: str):
    entries = [entry(n, float(n % 2), name) for n, name in enumerate(clusters)]
    assert clustered_stderr(entries) == (None, len(set(clusters)))
    assert clustered_stderr([]) == (None, 0)


def reported(*outcomes: str) -> Report:
    keys = [Key(str(n), "A", "scp", "cloze", "cs") for n in range(len(outcomes))]
    rows = [{"id": str(n), "text": "A", "outcome": o} for n, o in enumerate(outcomes) if o]
    return score(keys, rows, split="s", model="m", partial=True)


def test_the_ends_of_the_answers_are_counted_each_by_itself():
    report = reported("ok", "refused", "truncated", "thinking_truncated", "thinking_truncated",
                      "empty", "failed", "")  # fmt: skip
    (line,) = account_lines(report)
    for said in ("1 were refused", "1 empty", "1 cut off,", "2 cut off while thinking",
                 "1 failed", "1 were not asked"):  # fmt: skip
        assert said in line


def test_a_sound_run_says_only_what_it_cost():
    report = reported("ok", "ok")
    assert account_lines(report) == []
    result = {
        "prompt_tokens": 12345,
        "completion_tokens": 6,
        "latency_s": {"median": 0.0223, "p95": 0.5, "longest": 12.0},
        "served": {"m-1": 1, "m-2": 1},
        "finish_reasons": {"stop": 2},
    }
    told = account(report, result)
    assert told["finish_reasons"] == {"stop": 2}
    assert account_lines(replace(report, origin=told)) == [
        "12,345 tokens in, 6 out.",
        "An answer took 0.0223 s, 95% of them at most 0.5 s, the longest 12 s.",
        "The server named several models: m-1 (1), m-2 (1).",
    ]


def test_thinking_that_was_cut_has_a_column_of_its_own():
    report = reported("ok", "truncated", "thinking_truncated", "thinking_truncated")
    cut = breakdown(report, "format")
    assert (cut.total.truncated, cut.total.thinking_truncated) == (1, 2)
    table = breakdown_table({"m": cut})
    named = dict(zip(table.columns, table.rows[-1], strict=True))
    assert (named["Truncated"], named["Cut while thinking"]) == (1, 2)
