"""Reports cut into parts: means over items and tasks, their errors, what was asked first."""

import random
import subprocess
import sys
from statistics import fmean, variance

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from core.evaluation.breakdown import TaskSummary, breakdown
from core.evaluation.clusters import spread_over_tasks
from core.evaluation.mean_interval import caution
from core.evaluation.report_tables import breakdown_table
from core.evaluation.score_intervals import clustered_error, standard_error
from core.evaluation.scoring import AccuracyEstimate, ItemScore, Report


def entry(uid: str, variant: str, value: float | None, cluster: str = "", **more) -> ItemScore:
    id_ = f"{uid}#{variant}" if variant else uid
    plain = ItemScore(id_, "triplet", "zh", cluster, "A", "A", True, True, "ok", "", variant)
    return plain._replace(graded=value, unjudged=value is None, **more)


def report(entries: list[ItemScore]) -> Report:
    return Report("s", "e", "m", AccuracyEstimate(0, 0), len(entries), 0, {}, 0, {}, tuple(entries))


def drawn(seed: int, sources: int) -> list[ItemScore]:
    draw = random.Random(seed)
    return [
        entry(str(uid), way, draw.random(), f"s{uid % sources}")
        for uid in range(40)
        for way in ("v0", "v1", "v2")
    ]


@pytest.mark.parametrize("sources", [7, 40], ids=["shared sources", "own sources"])
def test_the_errors_of_parts_are_those_of_the_intervals(sources: int):
    entries = drawn(3, sources)
    found = breakdown(report(entries), "instruction")
    for line in found.lines:
        own = [one for one in entries if one.variant == line.name]
        values = [one.graded for one in own]
        clusters = [one.cluster for one in own]
        wanted = standard_error(values)
        if sources == 7:
            wanted = max(wanted, clustered_error(values, clusters))
        assert line.score == pytest.approx(fmean(values))
        assert line.stderr == pytest.approx(wanted)
        assert line.clustered == (sources == 7)
        assert line.low < line.score < line.high
        assert line.caution == ("few sources: 7" if sources == 7 else "few items: 40")
    items = [fmean(one.graded for one in entries[n : n + 3]) for n in range(0, 120, 3)]
    assert found.total.score == pytest.approx(fmean(items))
    assert (found.total.items, found.total.asked, found.total.scored) == (40, 120, 120)


def test_the_first_way_is_that_of_each_item_whatever_the_order_of_the_others():
    """Two tasks; of the second, one item was asked by v1 first and one only by v1."""
    told = [("1", "v0", 0.1), ("1", "v1", 0.9), ("2", "v0", 0.3), ("2", "v1", 0.7),
            ("3", "v1", 0.2), ("3", "v0", 0.8), ("4", "v0", 0.6), ("4", "v1", 0.4),
            ("5", "v1", 1.0)]  # fmt: skip
    facts = {uid: TaskSummary("a" if uid < "3" else "b") for uid in "12345"}
    found = breakdown(report([entry(*one) for one in told]), "instruction", facts)
    one = [fmean([0.1, 0.3]), fmean([0.2, 0.6, 1.0])]
    every = [fmean([0.5, 0.5]), fmean([0.5, 0.5, 1.0])]
    assert found.task_variance_one == pytest.approx(variance(one))
    assert found.task_variance_all == pytest.approx(variance(every))
    named = {line.name: line for line in found.lines}
    assert named["v0"].score == pytest.approx(fmean([0.2, 0.7]))
    assert named["v1"].score == pytest.approx(fmean([0.8, fmean([0.2, 0.4, 1.0])]))
    assert (named["v1"].tasks, named["v1"].items, found.total.items) == (2, 5, 5)


def test_what_has_no_score_is_counted_in_its_part_and_in_the_whole():
    entries = [
        entry("1", "v0", 1.0),
        entry("1", "v1", None),
        entry("2", "v0", 0.0, answered=False, outcome="failed", predicted=None),
        entry("2", "v1", 0.5, outcome="truncated", predicted=None),
        entry("3", "", 0.25, outcome="refused"),
    ]
    found = breakdown(report(entries), "instruction", {uid: TaskSummary("t") for uid in "123"})
    first, second = found.lines
    assert (first.asked, first.scored, first.missing, first.unjudged) == (2, 1, 1, 0)
    assert (second.asked, second.scored, second.missing, second.unjudged) == (2, 1, 0, 1)
    assert (second.truncated, second.unparsed) == (1, 1)
    total = found.total
    assert (total.asked, total.scored, total.missing, total.unjudged, total.refused) == (
        5, 3, 1, 1, 1,
    )  # fmt: skip
    assert total.score == pytest.approx(fmean([1.0, 0.5, 0.25]))
    assert (first.stderr, total.items) == (None, 3)


def test_a_report_by_instruction_and_its_table_need_no_numpy():
    """Importing it takes a twentieth of the two seconds that the whole command has."""
    code = """
import sys
from core.evaluation.breakdown import breakdown
from core.evaluation.scoring import AnswerKey, score
from core.evaluation.report_tables import breakdown_table
from core.workflow.evaluation import score_run
keys = [
    AnswerKey(f"{n}#v{n % 2}", "A", "scp", "cloze", "cs", variant=f"v{n % 2}") for n in range(8)
]
rows = [{"id": key.id, "text": "A"} for key in keys]
print(breakdown_table({"m": breakdown(score(keys, rows), "instruction")}).to_csv())
sys.exit("numpy" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_templates_within_an_instruction_are_averaged_by_item():
    told = [("1", "v0@a", 0.0), ("1", "v0@b", 1.0), ("1", "v1@a", 1.0), ("2", "v0@b", 1.0),
            ("2", "v1@b", 0.0)]  # fmt: skip
    found = breakdown(report([entry(*one) for one in told]), "instruction")
    assert [line.score for line in found.lines] == [0.75, 0.5]
    assert found.total.score == pytest.approx(fmean([2 / 3, 0.5]))
    by_template = breakdown(report([entry(*one) for one in told]), "template")
    assert [line.score for line in by_template.lines] == [0.5, 0.75]


def test_a_part_whose_interval_is_rough_is_named_below_the_table():
    """Of the whole 200 answers nothing is rough, but one part has seven sources, another 30."""
    draw = random.Random(3)
    entries = []
    for uid in range(260):
        form, source = ("zh", uid) if uid < 200 else ("few", uid % 7) if uid < 230 else ("own", uid)
        one = entry(str(uid), "", draw.random(), f"s{source}", expected="A")
        entries.append(one._replace(format=form))
    cut = breakdown(report(entries), "format")
    assert cut.total.caution == ""
    assert {line.name: line.caution for line in cut.lines} == {
        "zh": "", "few": "few sources: 7", "own": "few items: 30",
    }  # fmt: skip
    notes = breakdown_table({"m": cut}).notes
    assert "m: the interval of 1 part is rough (few sources: 7): few." in notes
    assert "m: the interval of 1 part is rough (few items: 30): own." in notes
    assert not [note for note in notes if "zh" in note]


def test_macro_f1_of_few_sources_says_so():
    facts = {str(n): TaskSummary("a", labels=("A", "B")) for n in range(120)}
    entries = [
        ItemScore(str(n), "f", "zh", f"s{n % 4}", "AB"[n % 2], "AB"[n % 3 % 2], n % 2 == n % 3 % 2,
                  True, "ok")
        for n in range(120)
    ]  # fmt: skip
    (line,) = breakdown(report(entries), "format", facts).lines
    assert line.macro_f1_low is not None
    assert line.macro_f1_caution == "few sources: 4"


def three_tasks(draw: np.random.Generator, articles: int, each: int) -> tuple[Report, dict]:
    """Items of three tasks, as sequencing, cloze and prediction, made from the same articles, some
    of which are harder than others for all of them."""
    level = draw.beta(2, 2, articles)
    entries, facts = [], {}
    for task in range(3):
        for n in range(articles * each):
            uid = f"{task}-{n}"
            entries.append(entry(uid, "", float(draw.random() < level[n // each]), f"a{n // each}"))
            facts[uid] = TaskSummary(f"t{task}", ("all",))
    return report(entries), facts


def test_the_mean_over_tasks_of_the_same_articles_allows_for_them():
    """Held in 95 of 100 samples, not in the 70 of three tasks that have nothing in common."""
    draw, held = np.random.default_rng(8), []
    for _ in range(150):
        (line,) = breakdown(*_cut(draw, 20, 5)).lines
        held.append(line.low <= 0.5 <= line.high)
    assert np.mean(held) >= 0.9


def _cut(draw: np.random.Generator, articles: int, each: int) -> tuple:
    told, facts = three_tasks(draw, articles, each)
    return told, "category", facts


def test_the_error_of_the_mean_over_tasks_is_that_of_a_clustered_regression():
    """Of the mean of the coefficients of three dummies, clustered by article (statsmodels)."""
    told, facts = three_tasks(np.random.default_rng(9), 15, 4)
    (line,) = breakdown(told, "category", facts).lines
    scores = np.array([one.score for one in told.scores])
    tasks = np.repeat(np.eye(3), 60, axis=0)
    articles = np.array([int(one.cluster[1:]) for one in told.scores])
    fitted = OLS(scores, tasks).fit(
        cov_type="cluster", cov_kwds={"groups": articles, "use_correction": False}
    )
    weights = np.full(3, 1 / 3)
    wanted = np.sqrt(weights @ fitted.cov_params() @ weights * 15 / 14)
    assert line.stderr == pytest.approx(wanted)
    assert line.sources == 15


def test_few_articles_of_many_tasks_are_few():
    (line,) = breakdown(*_cut(np.random.default_rng(1), 4, 10)).lines
    assert (line.sources, line.caution) == (4, "few sources: 4")


def test_a_task_whose_items_all_come_from_one_source_is_named() -> None:
    alone = ([1.0, 0.0, 1.0], ["a"] * 3)
    other = ([0.0, 1.0, 1.0], ["e"] * 3)
    several = ([0.0, 1.0, 1.0], ["b", "c", "d"])
    words = {
        caution(spread) for spread in (spread_over_tasks([alone, other]),
                                       spread_over_tasks([alone, several]))
        if spread is not None
    }  # fmt: skip
    assert words == {"all items of a task share 1 source"}


def test_a_source_that_is_called_like_an_item_is_another():
    """As “1”, which the first item would be by itself."""

    def of(name: str) -> list[tuple[float, float]]:
        draw = random.Random(5)
        entries = [
            entry(str(uid), way, draw.random(), name if 1 < uid < 9 else "")
            for uid in range(1, 25)
            for way in ("v0", "v1")
        ]
        found = breakdown(report(entries), "instruction")
        return [(line.stderr, line.low) for line in (*found.lines, found.total)]

    assert of("1") == of("an article")
