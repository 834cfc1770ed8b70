"""Runs on a split that was sealed leave none of its words in any file."""

import json
import sqlite3
import subprocess
import threading
from contextlib import closing

import pytest

from core.errors import StateError
from core.evaluation.params import JudgeParams
from core.evaluation.report_parts import human_ceiling
from core.evaluation.run import EvaluateParams
from core.jobs.folder import RunFolder
from core.own_process import module_command, module_environment
from core.workflow import people
from core.workflow.evaluation import judging, people_answers, score_run, start
from core.workflow.evaluation.dry_run import try_out
from core.workflow.evaluation.plan import EvaluationRequest, Planner
from core.workflow.evaluation.take_in_answers import report_taken_in, take_in
from core.workflow.runs import runs
from core.workflow.sealing import score_records
from core.workflow.splits import freeze, item_keys, lifecycle
from core.workflow.verify.checks import verify
from tests.polling import until
from tests.sealed.conftest import LEAD, SEARCH, SPLIT
from tests.sealed.private_items import COUNT, ITEMS
from tests.servers.model_server import LoopbackModel, asked_text

ANSWERED = COUNT - len(range(0, COUNT, 4))
JUDGED = json.dumps({"reasons": "No.", "answer_correct": 0, "confidence": 4})


def echo(body):
    """Says the question again, and quotes it in the error of every fourth item."""
    said = asked_text(body)
    number = int(said.split("item-")[1].split(":")[0])
    if number % 4 == 0:
        return {"status": 400, "body": {"error": {"message": f"cannot answer {said}"}}}
    return said


def judge(body):
    said = asked_text(body)
    rated = {"creativity": 2, "fluency": 3, "instruction_following": 4, "confidence": 4}
    return json.dumps({"reasons": f"It says {said}", **rated}, ensure_ascii=False)


def evaluated(place, engine="openai", shards=1, **more):
    params = EvaluateParams(split=SPLIT, engine=engine, **more)
    run = start.start(place.ws, SPLIT, params, shards=shards).spec().id
    assert runs.wait(place.ws, run, 120).state == "finished", runs.log_tail(place.ws, run)
    return run


def test_what_is_in_files_before_a_split_is_sealed_is_found(sealed):
    with LoopbackModel(answer=echo) as model:
        run = evaluated(sealed, model="m", base_url=model.url, mode="chat")
    folder = sealed.ws.runs / run
    places = {one.path for one in sealed.found()}
    assert {str(folder / "work.jsonl"), str(folder / "shard-000.jsonl")} <= places


def test_a_whole_run_by_a_server_its_judge_and_a_trial_leave_nothing(sealed):
    sealed.seal()
    with LoopbackModel(answer=echo) as model, LoopbackModel(answer=judge) as judged:
        by = JudgeParams(model="j", base_url=judged.url, kind="creative")
        asked = EvaluateParams(split=SPLIT, engine="openai", model="m", base_url=model.url,
                               mode="chat")  # fmt: skip
        trial = try_out(sealed.ws, EvaluationRequest(SPLIT, asked))
        assert not trial.error
        run = evaluated(sealed, model="m", base_url=model.url, mode="chat", shards=2)
        assert len(model.seen) >= COUNT + min(COUNT, 20), "asked the items themselves"
        report = report_taken_in(sealed.ws, run)
        judging_run = judging.start(sealed.ws, run, by).spec().id
        assert runs.wait(sealed.ws, judging_run, 120).state == "finished"
        assert len(judged.seen) == ANSWERED
    take_in(sealed.ws, run)
    places = [one.path.removeprefix(str(sealed.ws.place.folder)) for one in sealed.found()]
    assert places == []
    assert report.total.n == ANSWERED
    rows = RunFolder(sealed.ws.runs / run).files.rows("work.jsonl")
    assert {frozenset(row) for row in rows} == {frozenset({"id", "locked"})}
    known = runs.folder_of(sealed.ws, run)
    said = {record["id"]: record for record in known.ordered_records()}
    assert len(said) == COUNT
    assert any(ITEMS[1].payload["input"] in record["text"] for record in said.values())
    assert any("cannot answer" in record.get("error", "") for record in said.values())
    assert verify(sealed.ws).sound
    assert score_run.report(sealed.ws, run).total.n == ANSWERED
    assert judging.judged(sealed.ws, run).finished


def test_a_run_by_a_baseline_leaves_nothing_and_counts_the_same(sealed):
    before = report_taken_in(sealed.ws, evaluated(sealed, "baseline:random"))
    for path in sealed.ws.runs.iterdir():
        for file in path.iterdir():
            file.unlink()
        path.rmdir()
    sealed.seal()
    run = evaluated(sealed, "baseline:random", 3)
    places = [one.path.removeprefix(str(sealed.ws.place.folder)) for one in sealed.found()]
    assert places == []
    assert report_taken_in(sealed.ws, run).total == before.total


def test_a_run_is_read_and_goes_on_after_its_split_has_expired(sealed):
    sealed.seal()
    run = evaluated(sealed, "baseline:random")
    before = report_taken_in(sealed.ws, run).total
    lifecycle.expire(sealed.ws, SPLIT, LEAD)
    known = runs.folder_of(sealed.ws, run)
    assert len(known.ordered_records()) == COUNT
    assert score_run.report(sealed.ws, run).total == before
    for name in ("shard-000.jsonl", "result.json"):
        (known.path / name).unlink()
    runs.resume(sealed.ws, run)
    assert runs.wait(sealed.ws, run, 120).state == "finished"
    assert len(runs.folder_of(sealed.ws, run).records()) == COUNT


def test_a_run_that_was_begun_in_time_ends_after_the_expiry_and_its_record_says_so(
    sealed, tmp_path
):
    sealed.seal()
    has_expired = threading.Event()

    def answer(body):
        return "B. no" if has_expired.wait(60) else {"status": 400, "body": {}}

    with LoopbackModel(answer=answer) as model:
        params = EvaluateParams(split=SPLIT, engine="openai", model="m", base_url=model.url,
                                mode="chat")  # fmt: skip
        run = start.start(sealed.ws, SPLIT, params).spec().id
        until(lambda: model.seen)
        lifecycle.expire(sealed.ws, SPLIT, LEAD)
        has_expired.set()
        assert runs.wait(sealed.ws, run, 120).state == "finished"
    assert report_taken_in(sealed.ws, run).total.n == COUNT
    score_records.sign(sealed.ws, run, tmp_path / "score.json", LEAD)
    checked = score_records.verify(tmp_path / "score.json")
    assert checked.sound
    assert checked.body["plan"]["at"] < checked.body["expired"]["at"]
    with pytest.raises(StateError):
        lifecycle.open_split(sealed.ws, SPLIT, LEAD, "once more", "m", sealed.unlocking)
    assert verify(sealed.ws).sound


def test_secrets_that_an_earlier_version_left_encrypted_are_opened_by_the_archives_key(sealed):
    sealed.seal()
    run = evaluated(sealed, "baseline:random")
    read = "SELECT event_id, secret FROM split_key"
    database = sealed.root / "workspace" / "workspace.db"
    with closing(sqlite3.connect(database)) as connection:
        kept = connection.execute(read).fetchall()
    lifecycle.expire(sealed.ws, SPLIT, LEAD)
    with closing(sqlite3.connect(database)) as connection:
        connection.executemany("UPDATE split_key SET secret = ?2 WHERE event_id = ?1", kept)
        connection.commit()
    with pytest.raises(StateError) as refused:
        runs.folder_of(sealed.ws, run).ordered_records()
    assert "split unlock s --identity FILE" in refused.value.command
    with pytest.raises(StateError, match="Give a key"):
        item_keys.unlock(sealed.ws, SPLIT, LEAD, None)
    item_keys.unlock(sealed.ws, SPLIT, LEAD, sealed.unlocking)
    assert len(runs.folder_of(sealed.ws, run).ordered_records()) == COUNT
    assert verify(sealed.ws).sound


def test_the_log_and_the_error_of_a_run_are_read_at_home_alone(sealed):
    sealed.seal()
    with LoopbackModel(answer=lambda body: {"status": 401, "body": asked_text(body)}) as model:
        params = EvaluateParams(split=SPLIT, engine="openai", model="m", base_url=model.url,
                                mode="chat")  # fmt: skip
        run = start.start(sealed.ws, SPLIT, params).spec().id
        runs.wait(sealed.ws, run, 120)
    home, abroad = runs.folder_of(sealed.ws, run), RunFolder(sealed.ws.runs / run)
    assert "engine openai" in home.log_tail()
    assert "engine openai" not in abroad.log_tail()
    assert "locked" in abroad.log_tail()
    assert home.error()
    assert "locked" in abroad.error()
    assert home.error() != abroad.error()
    with pytest.raises(StateError, match="locked"):
        abroad.work()
    assert len(abroad.work_ids()) == COUNT
    places = [one.path.removeprefix(str(sealed.ws.place.folder)) for one in sealed.found()]
    assert places == []


def test_a_cluster_is_refused_before_anything_is_written(sealed, monkeypatch):
    sealed.seal()
    folder = sealed.ws.place.folder
    (folder / "launchers.toml").write_text('[slurm.p]\npartition = "all"\n', encoding="utf-8")
    params = EvaluateParams(split=SPLIT, engine="baseline:random")
    monkeypatch.setattr("core.jobs.launchers.slurm.SlurmLauncher.require", lambda self: None)
    plan = Planner(sealed.ws).plan(EvaluationRequest(SPLIT, params, launcher="slurm:p"))
    assert any("this machine only" in one.text for one in plan.findings if one.severity == "stop")
    with pytest.raises(StateError, match="this machine only"):
        start.start(sealed.ws, SPLIT, params, launcher="slurm:p")
    assert not list(sealed.ws.runs.glob("*"))
    run = evaluated(sealed, "baseline:random")
    by = JudgeParams(model="j", base_url="http://127.0.0.1:9/v1", kind="creative")
    with pytest.raises(StateError, match="this machine only"):
        judging.start(sealed.ws, run, by, launcher="slurm:p")
    assert [info.id for info in runs.runs(sealed.ws)] == [run]


def test_a_worker_without_its_key_refuses_and_a_resumed_one_is_given_it(sealed):
    sealed.seal()
    folder = start.start(sealed.ws, SPLIT, EvaluateParams(split=SPLIT, engine="baseline:random"))
    run = folder.spec().id
    runs.wait(sealed.ws, run, 120)
    (folder.path / "shard-000.jsonl").unlink()
    (folder.path / "result.json").unlink()
    command = module_command("core.cli", "run", str(folder.path))
    done = subprocess.run(command, env=module_environment({}), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode != 0
    assert "locked" in done.stderr
    assert not (folder.path / "shard-000.jsonl").exists()
    runs.resume(sealed.ws, run)
    assert runs.wait(sealed.ws, run, 120).state == "finished"
    assert len(runs.folder_of(sealed.ws, run).records()) == COUNT


def test_failed_answers_are_asked_again_in_a_locked_run(sealed):
    sealed.seal()
    with LoopbackModel(answer=echo) as model:
        run = evaluated(sealed, model="m", base_url=model.url, mode="chat")
        assert start.forget_failed(sealed.ws, run) == COUNT - ANSWERED
        runs.resume(sealed.ws, run)
        assert runs.wait(sealed.ws, run, 120).state == "finished"
    assert not SEARCH.folders(sealed.ws.runs)


@pytest.mark.parametrize("expires", [False, True], ids=["while it is open", "after it expired"])
def test_what_people_answered_is_in_the_ledger_without_a_word_of_it(sealed, expires) -> None:
    """A right answer is the key, word for word."""
    people.ensure_person(sealed.ws, "ann", "annotator")
    sealed.seal()
    params = EvaluateParams(split=SPLIT, engine=human_ceiling.ENGINE)
    run = people_answers.begin(sealed.ws, params, ["ann"], LEAD).spec().id
    keys = {m.uid: m.content.payload["output"] for m in freeze.members_of(sealed.ws, SPLIT)}
    for turn in range(COUNT):
        question = people_answers.next_question(sealed.ws, run, "ann")
        said = keys[question.id.partition("#")[0]]
        if turn == COUNT - 1:
            assert sealed.found() == []
            assert people_answers.sittings(sealed.ws, "ann")[0].done == COUNT - 1
            if expires:
                lifecycle.expire(sealed.ws, SPLIT, LEAD, "over", sealed.unlocking)
        people_answers.answer(sealed.ws, run, question.id, "ann", text=said)
    assert bool(sealed.found()) is expires
    assert people_answers.open_runs(sealed.ws) == ()
    assert score_run.report(sealed.ws, run).total.accuracy == 1.0
    assert verify(sealed.ws).findings == ()
