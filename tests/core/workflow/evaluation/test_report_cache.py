"""Reports that are kept: read again when something of the run changed, and only then."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.evaluation.run import EvaluateParams
from core.evaluation.scoring import Report
from core.workflow.evaluation import score_run, start
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.evaluation.score_run import KeyBook
from core.workflow.runs import runs
from core.workflow.runs.take_in import take_in
from core.workflow.workspace import Workspace
from db import benchmarks
from tests.splits import freeze_split, varied

COUNT = 12


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.create(tmp_path / "工作区")
    freeze_split(opened, {"scp": [varied(number) for number in range(COUNT)]})
    yield opened
    opened.close()


def run(ws: Workspace, seed: int = 0) -> str:
    params = EvaluateParams(engine="baseline:random", split="s", seed=seed)
    made = start.start(ws, "s", params).spec().id
    assert runs.wait(ws, made, 60).state == "finished"
    return made


def test_a_run_that_did_not_change_is_not_read_again(ws: Workspace):
    made, cache = run(ws), ReportCache(ws)
    first = cache.report(made)
    assert first.as_json() == score_run.report(ws, made).as_json()
    assert cache.report(made) is first
    assert cache.figures(made) is first


def test_the_first_look_is_the_only_reading_and_taking_in_changes_no_report(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
):
    made, cache, asked = run(ws), ReportCache(ws), []
    reading = score_run.report

    def counted(ws: Workspace, name: str, *, partial: bool, keys: KeyBook) -> Report:
        asked.append(name)
        return reading(ws, name, partial=partial, keys=keys)

    monkeypatch.setattr(score_run, "report", counted)
    first = cache.report(made)
    assert not runs.info(ws, made).taken_in
    take_in(ws, made)
    assert runs.info(ws, made).taken_in
    assert cache.report(made) is cache.figures(made) is first
    assert asked == [made]
    start.forget_failed(ws, made)
    assert cache.report(made) is first, "nothing had failed"


def test_a_change_while_a_report_is_read_is_seen_the_next_time(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
):
    made, cache = run(ws), ReportCache(ws)
    (shard,) = runs.folder_of(ws, made).shard_files()
    lines = shard.read_text(encoding="utf-8").splitlines(keepends=True)
    reading = score_run.report

    def overtaken(ws: Workspace, name: str, *, partial: bool, keys: KeyBook) -> Report:
        found = reading(ws, name, partial=partial, keys=keys)
        shard.write_text("".join(lines[:5]), encoding="utf-8")
        return found

    monkeypatch.setattr(score_run, "report", overtaken)
    assert cache.report(made).missing == 0
    assert cache.report(made).missing == COUNT - 5


def test_what_is_made_of_a_report_is_made_once_and_again_of_another(ws: Workspace):
    made, cache, seen = [run(ws, seed) for seed in range(2)], ReportCache(ws, whole=1), []

    def answers(_ws: Workspace, report: Report) -> int:
        seen.append(report)
        return sum(one.answered for one in report.scores)

    assert [cache.made(one, answers) for one in (*made, *made)] == [COUNT] * 4
    assert cache.figures(made[0]).scores == ()
    assert len(seen) == 2
    (shard,) = runs.folder_of(ws, made[0]).shard_files()
    shard.write_text("".join(shard.read_text("utf-8").splitlines(keepends=True)[:5]), "utf-8")
    assert [cache.made(one, answers) for one in made] == [5, COUNT]
    assert len(seen) == 3


def test_more_answers_are_seen(ws: Workspace):
    made, cache = run(ws), ReportCache(ws)
    (shard,) = runs.folder_of(ws, made).shard_files()
    lines = shard.read_text(encoding="utf-8").splitlines(keepends=True)
    shard.write_text("".join(lines[:5]), encoding="utf-8")
    assert cache.report(made).missing == COUNT - 5
    with shard.open("a", encoding="utf-8") as handle:
        handle.writelines(lines[5:])
    assert cache.report(made).missing == 0


def test_an_answer_in_the_place_of_another_of_the_same_length_is_seen(ws: Workspace):
    made, cache = run(ws), ReportCache(ws)
    first = cache.report(made)
    (shard,) = runs.folder_of(ws, made).shard_files()
    rows = [json.loads(line) for line in shard.read_text(encoding="utf-8").splitlines()]
    keys = {one.id: one.expected for one in first.scores}
    told = [{**row, "choice": keys[row["id"]]} for row in rows]
    shard.write_text("".join(json.dumps(row) + "\n" for row in told), encoding="utf-8")
    assert cache.report(made).total.accuracy == 1.0


def test_a_task_that_is_measured_otherwise_is_seen(ws: Workspace):
    made, cache = run(ws), ReportCache(ws)
    assert "measured_by" not in cache.report(made).origin
    with ws.writing() as session:
        (task,) = benchmarks.tasks(session)
        benchmarks.set_profile(session, task.id, {"metric": "similarity"})
    assert cache.report(made).origin["measured_by"] == {"similarity": "chrf"}


def test_only_the_reports_looked_at_last_keep_their_answers(ws: Workspace):
    made = [run(ws, seed) for seed in range(3)]
    cache = ReportCache(ws, whole=2)
    first = cache.report(made[0])
    for one in made[1:]:
        cache.report(one)
    figures = cache.figures(made[0])
    assert figures.scores == ()
    assert figures.as_json() == first.as_json()
    again = cache.report(made[0])
    assert again is not first
    assert again.scores == first.scores


def test_the_reports_of_all_runs_come_from_the_cache(ws: Workspace):
    made, cache = [run(ws, seed) for seed in range(2)], ReportCache(ws)
    first = score_run.reports(ws, cache.figures)
    assert [one.origin["run"] for one in first] == made[::-1]
    assert all(a is b for a, b in zip(first, score_run.reports(ws, cache.figures), strict=True))
    assert [one.as_json() for one in score_run.reports(ws)] == [one.as_json() for one in first]
