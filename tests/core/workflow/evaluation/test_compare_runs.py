"""Runs side by side: kinds of items, what all miss alike, tables that are kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InputError
from core.evaluation.run import EvaluateParams
from core.workflow.evaluation import compare_runs, item_results, score_run, start
from core.workflow.evaluation.compare_runs import KINDS, RunChoice, match, with_others
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.runs import runs, take_in
from core.workflow.workspace import Workspace
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import freeze_split, varied


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.create(tmp_path / "工作区")
    freeze_split(opened, {"scp": [varied(number) for number in range(40)]})
    yield opened
    opened.close()


def run(ws: Workspace, engine: str = "baseline:random", split: str = "s", **more) -> str:
    params = EvaluateParams(engine=engine, split=split, **more)
    made = start.start(ws, split, params).spec().id
    assert runs.wait(ws, made, 60).state == "finished"
    take_in.take_in(ws, made)
    return made


def choice(ws: Workspace, made: str) -> RunChoice:
    return next(one for one in compare_runs.choices(ws) if one.run == made)


def test_only_finished_evaluations_can_be_chosen_and_their_titles_differ(ws: Workspace):
    first, second = run(ws), run(ws, seed=1)
    third = run(ws, "baseline:longest")
    start.start(ws, "s", EvaluateParams(engine="baseline:tfidf", split="s"))
    found = compare_runs.choices(ws)
    assert {one.run for one in found} >= {first, second, third}
    assert choice(ws, third).title == "baseline:longest"
    titles = [choice(ws, one).title for one in (first, second)]
    assert len(set(titles)) == 2
    assert all(title.startswith("baseline:random, ") for title in titles)
    assert choice(ws, third).accuracy == score_run.report(ws, third).total.accuracy
    runs.wait(ws, found[0].run, 60)


def test_the_kinds_share_out_every_item(ws: Workspace):
    a, b = (choice(ws, one) for one in (run(ws), run(ws, "baseline:longest")))
    comparison = match(ReportCache(ws), a, b)
    parts = ("a_only", "b_only", "alike", "apart", "both_right", "unanswered")
    places = [place for kind in parts for place in comparison.rows(kind)]
    assert sorted(places) == list(range(40))
    assert comparison.count("every") == 40
    for kind, right in (("a_only", (True, False)), ("b_only", (False, True))):
        for place in comparison.rows(kind):
            assert (comparison.a[place].correct, comparison.b[place].correct) == right
    for place in comparison.rows("alike"):
        assert comparison.a[place].predicted == comparison.b[place].predicted
    assert len(comparison.result.a_only) == comparison.count("a_only")


def test_items_without_an_answer_are_a_kind_of_their_own(ws: Workspace):
    def answer(body):
        odd = len(asked_text(body)) % 2
        return {"status": 400, "body": "no"} if odd else "A"

    with LoopbackModel(Policy(), answer=answer) as server:
        half = run(ws, "openai", model="m", base_url=server.url, mode="completion", retries=0)
    comparison = match(ReportCache(ws), choice(ws, half), choice(ws, run(ws)))
    missing = score_run.report(ws, half, partial=True).missing
    assert missing > 0
    assert comparison.count("unanswered") == missing
    assert comparison.result.left_out == missing


def test_what_strong_models_miss_in_the_same_way_is_known_after_all_are_read(ws: Workspace):
    cache = ReportCache(ws)
    engines = ("baseline:longest", "baseline:random", "baseline:tfidf")
    chosen = [choice(ws, run(ws, engine)) for engine in engines]
    comparison = match(cache, chosen[0], chosen[1])
    assert comparison.count("all_alike") == 0
    full = with_others(cache, comparison, chosen)
    assert full.runs == 3
    known = {one.number for one in item_results.missed_alike(ws, "s", viewer="")}
    marked = {compare_runs.number_of(full.a[place].id) for place in full.rows("all_alike")}
    assert marked == known
    assert known
    twice = [choice(ws, run(ws, engines[0])), chosen[0]]
    alone = with_others(cache, match(cache, *twice), twice)
    assert alone.count("all_alike") == 0, "one model that ran twice agrees with itself only"


def test_runs_on_different_splits_are_not_compared(ws: Workspace):
    freeze_split(ws, {"scp": [varied(number) for number in range(50, 55)]}, "t")
    a, b = choice(ws, run(ws)), choice(ws, run(ws, split="t"))
    with pytest.raises(InputError, match="different items"):
        match(ReportCache(ws), a, b)


def test_every_kind_of_item_has_its_table_side_by_side(ws: Workspace):
    cache = ReportCache(ws)
    a, b = (choice(ws, one) for one in (run(ws), run(ws, "baseline:longest")))
    comparison = match(cache, a, b)
    pairs = compare_runs.differences(compare_runs.every_pair(cache, [a, b]))
    assert len(pairs.rows) == 1
    for kind in KINDS:
        table = compare_runs.side_by_side(comparison, kind)
        assert len(table.rows) == comparison.count(kind)
