"""CIF-Bench's analysis: means of means, categories, halves, variances, people."""

import random
from dataclasses import replace
from pathlib import Path
from statistics import fmean, variance

import pytest

from core.analysis.cif import (
    TaskScore,
    cif_analysis,
    human_verification,
    read_task_scores,
    task_means,
)
from core.analysis.ranking_tables import cif_shift_table, cif_table
from core.errors import InputError
from core.families.catalogue import cif_bench

CATALOGUE = cif_bench()
SOURCED = [task.id for task in CATALOGUE.tasks if task.source][:2]
NEW = [task.id for task in CATALOGUE.tasks if not task.source][:2]


def one(task: int, half: str, score: float, item: str, instruction: str = "1") -> TaskScore:
    return TaskScore("m", task, half, score, instruction, item, "run-1")


def test_a_task_is_the_mean_over_items_of_the_mean_over_instructions() -> None:
    rows = [one(1, "private", 1.0, "a", str(i)) for i in range(4)]
    rows += [one(1, "private", 0.0, "b")]
    assert task_means(rows) == {1: 0.5}


def test_overall_is_over_tasks_not_items() -> None:
    rows = [one(SOURCED[0], "private", 1.0, str(n)) for n in range(9)]
    rows += [one(SOURCED[1], "private", 0.0, "x")]
    (found,) = cif_analysis(rows)
    assert found.overall == pytest.approx(0.5)
    assert found.runs == ("run-1",)
    assert any("150" in note for note in found.notes)


def test_a_task_counts_in_each_of_its_categories_and_an_empty_one_has_no_number() -> None:
    task = next(task for task in CATALOGUE.tasks if len(task.categories) > 1)
    (found,) = cif_analysis([one(task.id, "private", 0.4, "a")])
    names = {c.name for c in CATALOGUE.categories if c.id in task.categories}
    assert {name for name, value in found.categories.items() if value == 0.4} == names
    assert len(found.categories) == 20


def test_halves_are_compared_with_one_instruction_over_the_tasks_of_both() -> None:
    rows = [one(SOURCED[0], "public", 0.9, "p"), one(NEW[0], "public", 0.5, "p")]
    rows += [one(SOURCED[0], "private", 0.6, "a", "1"), one(SOURCED[0], "private", 0.0, "a", "2")]
    rows += [one(NEW[0], "private", 0.6, "a", "1"), one(NEW[1], "private", 1.0, "a", "1")]
    (found,) = cif_analysis(rows)
    assert found.existing == pytest.approx(-0.3)
    assert found.new == pytest.approx(0.1)
    assert found.difference == pytest.approx(-0.1)
    assert found.instructions == 2
    # Student's interval of −0.3 and 0.1, one degree of freedom: 12.706 · 0.2
    assert found.intervals["difference"] == pytest.approx((-0.1 - 2.5412, -0.1 + 2.5412), abs=1e-3)
    assert "existing" not in found.intervals
    assert found.as_json()["intervals"] == {"difference": list(found.intervals["difference"])}
    table = cif_shift_table([found])
    shown = dict(zip(table.columns, table.rows[0], strict=True))
    assert shown["Private − public, 95% interval"] == "[-2.64, 2.44]"
    assert shown["New tasks, 95% interval"] is None
    assert found.overall == pytest.approx((0.3 + 0.6 + 1.0) / 3)


def test_overall_has_an_interval_over_the_items_of_its_tasks() -> None:
    """√(Σ se²)/T of two tasks of 30 items, whose two instructions are averaged item by item; of
    items that share sources, also across the tasks, it is longer and says over how few."""
    draw = random.Random(5)
    rows = [one(task, "private", draw.random() < 0.6, str(n), way)
            for task in SOURCED for n in range(30) for way in "12"]  # fmt: skip
    (found,) = cif_analysis(rows)
    squares = 0.0
    for task in SOURCED:
        own = [row.score for row in rows if row.task == task]
        squares += variance(fmean(own[n : n + 2]) for n in range(0, 60, 2)) / 30
    low, high = found.intervals["overall"]
    assert (low + high) / 2 == pytest.approx(found.overall, abs=0.01)
    assert high - low == pytest.approx(2 * 2.0 * squares**0.5 / 2, rel=0.05)
    shared = [replace(row, source=f"s{int(row.item) % 6}") for row in rows]
    by_source = [replace(row, score=float(row.source < "s3")) for row in shared]
    (over_sources,) = cif_analysis(by_source)
    assert over_sources.cautions["overall"] == "few sources: 6"
    low, high = over_sources.intervals["overall"]
    assert high - low > 0.6
    table = cif_table([over_sources])
    assert table.columns[2] == "Overall, 95% interval"
    assert table.rows[0][2] == f"[{low:.2f}, {high:.2f}]"
    assert any("few sources: 6" in note for note in table.notes)
    assert not any("few sources: 6" in note for note in cif_shift_table([over_sources]).notes)


def test_means_without_items_have_no_interval() -> None:
    (found,) = cif_analysis([replace(one(t, "private", 0.5, ""), item="") for t in SOURCED])
    assert "overall" not in found.intervals
    assert cif_table([found]).rows[0][2] is None


def test_more_instructions_lower_the_variance_of_task_scores() -> None:
    rows = []
    for place, task in enumerate([*SOURCED, *NEW]):
        for instruction in range(5):
            flip = (place + instruction) % 2
            rows.append(one(task, "private", float(flip), "a", str(instruction)))
    (found,) = cif_analysis(rows)
    assert found.variance_all < found.variance_one
    assert found.as_json()["variance_difference"] < 0


def test_people_are_compared_with_the_scores_they_saw() -> None:
    items = [str(n) for n in range(8)]
    faithful = {item: (float(n > 3), float(n > 4)) for n, item in enumerate(items)}
    found = human_verification(
        faithful, dict.fromkeys(items, (3, 4)), {item: n / 8 for n, item in enumerate(items)}
    )
    assert found.n == 8
    assert found.preference == pytest.approx(3.5)
    assert found.spearman > 0.8
    empty = human_verification({}, {}, {})
    assert empty.spearman is None
    assert empty.reason


def test_scores_are_read_by_the_tasks_id_or_name(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    task = CATALOGUE.tasks[3]
    path.write_text(f"model,task,set,score\nm,{task.id},private,0.5\n", encoding="utf-8")
    assert read_task_scores(path)[0].task == task.id
    path.write_text("model,task,set,score\nm,84,private,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_task_scores(path)
    path.write_text("model,score\nm,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="task"):
        read_task_scores(path)


def test_a_name_that_two_tasks_have_asks_for_the_number(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("model,task,set,score\nm,Dialogue State Tracking,private,0.5\n", "utf-8")
    with pytest.raises(InputError, match=r"line 2.*35, 36"):
        read_task_scores(path)
    path.write_text("model,task,set,score\nm,36,private,0.5\n", "utf-8")
    assert read_task_scores(path)[0].task == 36


def test_a_model_with_public_scores_alone_is_not_taken_for_a_private_one() -> None:
    rows = [one(1, "private", 0.4, "a"), replace(one(1, "public", 0.9, "a"), model="open")]
    found = cif_analysis(rows)
    assert [row.half for row in found] == ["private", "public"]
    (note,) = (note for note in cif_table(found).notes if "no private scores" in note)
    assert note.startswith("open:")
    assert "the scores shown are from the public part" in note
    assert any(note.startswith("149 of") for note in cif_table(found).notes)


def test_intervals_over_few_tasks_say_so() -> None:
    tasks = [task.id for task in CATALOGUE.tasks if not task.source][:12]
    for count, wanted in ((3, {"difference": "few tasks: 3", "new": "few tasks: 3"}), (12, {})):
        rows = [
            one(task, half, (task % 7) / 7 if half == "public" else (task % 5) / 5, "a")
            for task in tasks[:count]
            for half in ("public", "private")
        ]
        (found,) = cif_analysis(rows)
        assert set(found.intervals) == {"difference", "new"}
        assert found.cautions == wanted
        assert found.as_json()["cautions"] == wanted
        notes = cif_shift_table([found]).notes
        assert notes == (("The intervals are rough (few tasks: 3).",) if wanted else ())


def test_the_correlation_with_people_is_over_items_and_says_where_they_are_few() -> None:
    """Four answers to each item that go up and down together: four times as many answers tell no
    more, where the interval over answers is half as wide."""
    rng = random.Random(2)
    items = {f"{item}#{way}": str(item) for item in range(40) for way in range(4)}
    level = {str(item): rng.random() for item in range(40)}
    said = {answer: (float(round(3 * level[item])),) for answer, item in items.items()}
    noise = {str(item): rng.gauss(0, 0.4) for item in range(40)}
    scores = {answer: level[item] + noise[item] for answer, item in items.items()}
    over = human_verification(said, {}, scores, items=items)
    alone = human_verification(said, {}, scores)
    once = {answer: value for answer, value in scores.items() if answer.endswith("#0")}
    single = human_verification(said, {}, once)
    assert over.spearman == pytest.approx(single.spearman, abs=0.05)
    assert over.high - over.low == pytest.approx(single.high - single.low, rel=0.15)
    assert alone.high - alone.low < 0.65 * (over.high - over.low)
    assert (over.caution, single.caution) == ("", "")
    few = {answer: value for answer, value in scores.items() if int(items[answer]) < 9}
    assert human_verification(said, {}, few, items=items).caution == "few items: 9"
