"""The one way in for a run's results: an entry for each kind, asked by window and commands."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.errors import NotFoundError, StateError
from core.evaluation.params import EvaluateParams, JudgeParams
from core.evaluation.scoring import keys_of
from core.workflow.analysis import analyze, leaderboard
from core.workflow.analysis.leaderboard import LeaderboardRequest
from core.workflow.evaluation import compare_runs, score_run
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.runs import kinds, runs, take_in
from core.workflow.runs.kinds import RUN_KINDS, RegisteredKind, use_case_of
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db.tables import ANSWER, EVENT, RUN
from tests.finished_runs import finished_run, judge_by_hand
from tests.splits import freeze_split, varied

KINDS = [kind.name for kind in RUN_KINDS]
ASKED: list[str] = []


def keep_nothing(ws: Workspace, name: str) -> dict[str, Any]:
    """The use case of a run kind that only these tests register."""
    ASKED.append(name)
    return {"run": name}


def evaluated(ws: Workspace, judge: JudgeParams | None = None) -> str:
    """A finished evaluation that nobody has taken in."""
    if not freeze.all_splits(ws):
        freeze_split(ws, {"t": [varied(number) for number in range(12)]}, "s")
    keys = keys_of(freeze.members_of(ws, "s"))
    rows = [{"id": key.id, "text": "A", "outcome": "ok"} for key in keys]
    params = EvaluateParams(engine="openai", model="m", split="s", judge=judge)
    return finished_run(ws, "evaluate", params, rows)


def rows_of(ws: Workspace) -> dict[str, list[Any]]:
    """Everything that a report could have written: runs, answers, events, run folders."""
    with ws.reading() as session:
        known = {
            table.name: [tuple(row) for row in session.execute(table.select())]
            for table in (RUN, ANSWER, EVENT)
        }
    return known | {"folders": sorted(path.name for path in ws.runs.iterdir())}


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_says_what_does_its_work_and_what_takes_its_results_in(name: str):
    assert kinds.run_kind(name).name == name
    use_case = use_case_of(name)
    assert take_in.has_results(name) is (use_case is not None)
    assert use_case is None or callable(use_case)


def test_each_kind_is_registered_once():
    assert len(set(KINDS)) == len(KINDS)
    # what those find is read in their folders, by the command that started them
    assert [one.name for one in RUN_KINDS if not one.take_in] == ["signatures", "near_pairs"]


def test_a_kind_needs_one_entry_to_be_taken_in(
    sqlite_ws: Workspace, monkeypatch: pytest.MonkeyPatch
):
    place = f"{__name__}:{keep_nothing.__name__}"
    entry = RegisteredKind("of-these-tests", "core.evaluation.run:EVALUATE", place)
    monkeypatch.setattr(kinds, "RUN_KINDS", (*RUN_KINDS, entry))
    params = EvaluateParams(engine="openai", model="m", split="s")
    run = finished_run(sqlite_ws, "of-these-tests", params, [{"id": "1"}])
    assert take_in.has_results("of-these-tests")
    assert take_in.take_in(sqlite_ws, run) == {"run": run}
    assert [run] == ASKED


def test_a_run_of_an_unknown_kind_is_no_reason_to_stop_looking(sqlite_ws: Workspace):
    params = EvaluateParams(engine="openai", model="m", split="s")
    run = finished_run(sqlite_ws, "of-tomorrow", params, [{"id": "1"}])
    assert not take_in.has_results("of-tomorrow")
    with pytest.raises(NotFoundError, match="of-tomorrow"):
        take_in.take_in(sqlite_ws, run)


def test_what_is_not_finished_is_not_taken_in(sqlite_ws: Workspace):
    run = evaluated(sqlite_ws)
    (runs.folder_of(sqlite_ws, run).path / "result.json").unlink()
    with pytest.raises(StateError, match="not finished"):
        take_in.take_in(sqlite_ws, run)


def test_reading_reports_writes_nothing(ws: Workspace):
    judge = JudgeParams(model="j", base_url="http://127.0.0.1:9/v1", kind="correctness")
    run = evaluated(ws, judge)
    before = rows_of(ws)
    assert score_run.report(ws, run).total.n == 12
    assert score_run.reports(ws)
    cache = ReportCache(ws)
    assert cache.report(run).total.n == 12
    assert cache.figures(run).total.n == 12
    assert leaderboard.read(ws, LeaderboardRequest("s"), cache).rows
    assert analyze.reports_of_one_split(ws, [])[0]
    assert compare_runs.choices(ws)
    assert rows_of(ws) == before
    assert not runs.info(ws, run).taken_in


def test_reading_a_judged_report_writes_nothing(ws: Workspace):
    run = evaluated(ws)
    judge_by_hand(ws, run)
    take_in.take_in(ws, run)
    judge_by_hand(ws, run, shift=1)
    before = rows_of(ws)
    assert score_run.report(ws, run).origin["judge"]["judged"] == 12
    assert rows_of(ws) == before


def test_what_a_judge_said_comes_in_with_its_own_run(ws: Workspace):
    run = evaluated(ws)
    judge_by_hand(ws, run)
    judging = runs.judging_of(ws, run)
    assert judging is not None
    assert take_in.take_in(ws, judging.id) == {"scores": 12}
    assert runs.info(ws, run).taken_in, "the answers come in before what was said of them"
    scores = [row[-1] for row in rows_of(ws)["answer"]]
    assert take_in.take_in(ws, judging.id) == {"scores": 12}
    assert [row[-1] for row in rows_of(ws)["answer"]] == scores
    judge_by_hand(ws, run, shift=1)
    newer = runs.judging_of(ws, run)
    assert newer is not None
    assert take_in.take_in(ws, newer.id) == {"scores": 12}
    assert [row[-1] for row in rows_of(ws)["answer"]] != scores


def test_a_judging_that_a_newer_one_replaced_changes_no_score(ws: Workspace):
    run = evaluated(ws)
    judge_by_hand(ws, run)
    older = runs.judging_of(ws, run)
    judge_by_hand(ws, run, shift=1)
    take_in.take_in(ws, run)
    before = rows_of(ws)["answer"]
    assert older is not None
    assert take_in.take_in(ws, older.id) == {"scores": 0}
    assert rows_of(ws)["answer"] == before
    assert runs.info(ws, older.id).taken_in, "the window would ask again at each start"


def test_the_command_takes_in_what_it_reports(
    sqlite_ws: Workspace, place: Path, capsys: pytest.CaptureFixture[str]
):
    run = evaluated(sqlite_ws)
    assert main(["--workspace", str(place), "report", run, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 12
    assert runs.info(sqlite_ws, run).taken_in
