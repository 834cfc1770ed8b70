"""Reports cut into parts: means over items and tasks, their errors, what was asked first."""

import random
import subprocess
import sys
from statistics import fmean, variance

import pytest

from core.evaluation.breakdown import TaskSummary, breakdown
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
