"""What a report says beside its scores."""

import random
from dataclasses import replace

import pytest

from core.evaluation.breakdown import breakdown
from core.evaluation.report_parts.methods_text import methods_paragraph
from core.evaluation.report_tables import breakdown_table
from core.evaluation.score_intervals import clustered_error, standard_error
from core.evaluation.scoring import (
    AccuracyEstimate,
    AnswerKey,
    ItemScore,
    Report,
    as_variant,
    keys_of,
    regraded,
    score,
)
from core.evaluation.usage import usage_figures, usage_lines
from tests.core.evaluation.clustered_errors import bell_mccaffrey
from tests.splits import make_split


def entry(number: int, value: float, cluster: str = "", **more) -> ItemScore:
    plain = ItemScore(str(number), "f", "d", cluster, "A", "A", value >= 0.5, True, "ok")
    return plain._replace(graded=value)._replace(**more)


def regraded_total(entries: list[ItemScore]) -> AccuracyEstimate:
    """The total of a report with these scores."""
    report = replace(reported(), scores=tuple(entries))
    return regraded(report, {"nobody": 1.0}).total


def test_the_clustered_error_is_that_of_the_intervals():
    drawn = random.Random(5)
    articles = {name: drawn.random() for name in "abcdefgh"}
    entries = [
        entry(n, float(drawn.random() < share), name)
        for n, (name, share) in enumerate(articles.items(), 1)
        for _ in range(drawn.randint(1, 9))
    ]
    left_out = [entry(99, 1.0, "a", answered=False), entry(98, 1.0, "b", unjudged=True)]
    found = regraded_total([*entries, *left_out])
    values = [float(one.graded or 0.0) for one in entries]
    assert found.clusters == 8
    assert (
        found.stderr
        == found.clustered
        == pytest.approx(clustered_error(values, [one.cluster for one in entries]))
    )


def test_every_part_of_a_report_has_the_error_of_its_clusters():
    drawn = random.Random(8)
    entries = [
        entry(n, drawn.random() ** (1 + n % 7), f"article {n % 7}")._replace(
            format="abc"[drawn.randint(0, 2)]
        )
        for n in range(90)
    ]
    report = regraded(replace(reported(), scores=tuple(entries)), {"nobody": 1.0})
    parts = {"": report.total, **report.by["format"]}
    assert len(parts) == 4
    for name, part in parts.items():
        own = [one for one in entries if not name or one.format == name]
        error, freedom = bell_mccaffrey([e.graded for e in own], [e.cluster for e in own])
        assert part.clustered == pytest.approx(error)
        assert part.freedom == pytest.approx(freedom)
        assert part.stderr == max(part.clustered, part.plain_stderr)


def test_the_document_and_the_tables_hold_the_same_errors_under_clear_names():
    entries = [entry(n, float(n % 3 > 0), f"article {n % 4}") for n in range(24)]
    document = replace(reported(), total=regraded_total(entries)).as_json()
    total = regraded_total(entries)
    assert document["stderr"] == total.stderr
    assert document["plain_stderr"] == total.plain_stderr
    assert document["clustered_stderr"] == total.clustered
    assert (document["low"], document["high"]) == (total.interval.low, total.interval.high)
    assert (document["clusters"], document["caution"]) == (4, "few sources: 4")


def test_two_articles_that_agree_do_not_make_an_error_of_nought():
    """12 of 24 right, six in each of two articles: the clustered error is 0."""
    entries = [entry(n, float(n % 2), f"article {n // 12}") for n in range(24)]
    found = regraded_total(entries)
    assert found.clustered == 0.0
    assert found.stderr == found.plain_stderr == pytest.approx((0.25 / 23) ** 0.5)
    assert found.interval.low < 0.1
    assert found.interval.high > 0.9
    assert found.caution == "few sources: 2"


@pytest.mark.parametrize("right", [0.0, 1.0])
@pytest.mark.parametrize("sources", [3, 24])
def test_none_or_all_of_n_right_is_no_error_but_an_interval(right: float, sources: int):
    found = regraded_total([entry(n, right, f"a{n % sources}") for n in range(24)])
    assert found.stderr is None
    reach = found.interval.high if right == 0 else 1 - found.interval.low
    assert reach > 0.13 if sources == 24 else reach > 0.5
    assert (found.interval.low if right == 0 else found.interval.high) == right


def test_five_ways_of_asking_an_item_are_one_cluster():
    entries = [
        entry(0, value, id=f"{n}#i{i}") for n, value in enumerate([1.0, 0, 0, 1]) for i in "123"
    ]
    found = regraded_total(entries)
    assert found.clusters == 4
    assert found.stderr == pytest.approx((4 / 3 * 4 * 1.5**2) ** 0.5 / 12)


@pytest.mark.parametrize("clusters", ["abc", "aaa"])
def test_items_of_their_own_or_of_one_source_have_no_clustered_error(clusters: str):
    entries = [entry(n, float(n % 2), name) for n, name in enumerate(clusters)]
    found = regraded_total(entries)
    assert (found.clustered, found.clusters) == (None, len(set(clusters)))
    assert found.stderr == found.plain_stderr == pytest.approx(standard_error([0.0, 1.0, 0.0]))
    assert regraded_total([]).stderr is None


def reported(*outcomes: str, keys: str = "A") -> Report:
    """A report of answers that all say A, by keys that take turns."""
    right = [
        AnswerKey(str(n), keys[n % len(keys)], "scp", "cloze", "cs") for n in range(len(outcomes))
    ]
    rows = [{"id": str(n), "text": "A", "outcome": o} for n, o in enumerate(outcomes) if o]
    return score(right, rows, split="s", model="m", partial=True)


def test_the_ends_of_the_answers_are_counted_each_by_itself():
    report = reported("ok", "refused", "truncated", "thinking_truncated", "thinking_truncated",
                      "empty", "failed", "")  # fmt: skip
    line, read, rough = usage_lines(report)
    assert read.startswith("Read strictly")
    assert rough == "Treat the interval with caution: few items: 6."
    for said in ("Answers: 1 refused", "1 empty", "1 cut off,", "2 cut off while thinking",
                 "1 failed", "1 not asked"):  # fmt: skip
        assert said in line


def test_a_sound_run_says_only_what_it_cost():
    report = reported(*["ok"] * 50, keys="AB")
    whole = "50.0% [36.6, 63.4]"
    alike = f"Read strictly, as lm-evaluation-harness does: {whole}; read leniently: {whole}."
    assert usage_lines(report) == [alike]
    result = {
        "prompt_tokens": 12345,
        "completion_tokens": 6,
        "latency_s": {"median": 0.0223, "p95": 0.5, "longest": 12.0},
        "served": {"m-1": 1, "m-2": 1},
        "too_long": 2,
        "cut_prompts": 0,
        "finish_reasons": {"stop": 2},
    }
    told = usage_figures(result)
    assert told["finish_reasons"] == {"stop": 2}
    assert usage_lines(replace(report, origin=told)) == [
        alike,
        "2 prompts were longer than the model takes and were not asked.",
        "12,345 tokens in, 6 out.",
        "Time per answer: median 0.0223 s, 95% within 0.5 s, longest 12 s.",
        "The server reported several models: m-1 (1), m-2 (1).",
    ]


def test_thinking_that_was_cut_has_a_column_of_its_own():
    report = reported("ok", "truncated", "thinking_truncated", "thinking_truncated")
    cut = breakdown(report, "format")
    assert (cut.total.truncated, cut.total.thinking_truncated) == (1, 2)
    table = breakdown_table({"m": cut})
    named = dict(zip(table.columns, table.rows[-1], strict=True))
    assert (named["Truncated"], named["Cut off while thinking"]) == (1, 2)


def test_how_far_the_score_depends_on_the_wording_is_said():
    keys = [
        AnswerKey(f"{n}#{way}", "A", "f", "f", "d", cluster=str(n), variant=way)
        for n in range(10)
        for way in ("w1", "w2", "w3")
    ]
    right = {"w1": 9, "w2": 6, "w3": 3}
    records = [
        {"id": key.id, "text": "A" if int(key.cluster) < right[key.variant] else "B"}
        for key in keys
    ]
    lines = usage_lines(score(keys, records))
    wanted = "Over 3 instructions: 30.0% to 90.0%, standard deviation 30.0 points; lowest “w3”."
    assert wanted in lines
    assert not any("instructions:" in line for line in usage_lines(score(keys[:1], records[:1])))


def test_what_answers_share_is_called_what_it_is():
    """Sources, items that were asked several times, or some of both, and never “or”."""
    plain = keys_of(make_split(20))

    def said(*clusters: str) -> str:
        keys = [
            as_variant(key._replace(cluster=cluster), str(way))
            for key, cluster in zip(plain, clusters, strict=False)
            for way in range(3)
        ]
        rows = [{"id": key.id, "text": key.answer if n % 4 else "?"} for n, key in enumerate(keys)]
        found = score(keys, rows, model="m")
        return " ".join([*usage_lines(found), methods_paragraph(found)])

    items = said(*[""] * 8)
    assert "what answers share: 8 items." in items
    assert "caution: few items: 8." in items
    assert "cluster-robust over 8 items" in items
    assert "source" not in items
    both = said(*["a", "a", "b", "b", "", ""])
    assert "what answers share: 2 sources (identified by" in both
    assert "and 2 items without a source" in both
    named_alike = said(*[plain[1].id, plain[1].id, "b", ""])
    assert "and 1 item without a source" in named_alike
    a_number = said(plain[1].id, "")
    assert "and 1 item without a source" in a_number, "#1 and a source called 1 are two"
