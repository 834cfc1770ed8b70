"""Run folders: bound in the ledger when their results are taken in, and no score from a changed
one."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.errors import ConflictError, InputError, RightsError, StateError
from core.evaluation.run import EvaluateParams
from core.jobs.folder import RunFolder
from core.workflow import people
from core.workflow.evaluation import score_run, start, take_in_answers
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.runs import bound_files, runs
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import ledger
from db.evidence.merkle import merkle_root
from db.vocabulary import EventKind
from tests.splits import freeze_split, varied
from tests.used_split import COUNT, LEAD, SPLIT, judging_run, use_split


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.create(tmp_path / "w")
    yield opened
    opened.close()


@pytest.fixture
def run(ws: Workspace, tmp_path: Path) -> str:
    return use_split(ws, tmp_path)


def all_right(ws: Workspace, run: str) -> Path:
    """Edit the answers of a run: every one is B from now on."""
    shard = ws.runs / run / "shard-000.jsonl"
    rows = [json.loads(line) | {"text": "B"} for line in shard.read_text("utf-8").splitlines()]
    shard.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return shard


def test_the_ledger_holds_every_file_and_the_root_of_the_results(ws: Workspace, run: str):
    with ws.reading() as session:
        files = bound_files.recorded_files(session, run)
        event = next(
            e.data["files"]
            for e in ledger.of_subject(session, EventKind.RUN, run)
            if bound_files.TAKEN_IN in e.data
        )
    folder = ws.runs / run
    assert set(files.named) == {
        "spec.json", "work.jsonl", "shard-000.jsonl", "result.json", "engine-000.json",
    }  # fmt: skip
    lines = (folder / "shard-000.jsonl").read_bytes().splitlines()
    leaves = sorted(lines, key=lambda line: json.loads(line)["id"])
    assert (event["root"], event["results"]) == (merkle_root(leaves), COUNT)
    assert list(bound_files.differences(folder, files)) == []


def test_no_score_is_computed_from_a_run_that_was_changed(ws: Workspace, run: str, capsys):
    cache = ReportCache(ws)
    cache.report(run)
    shard = all_right(ws, run)
    for read in (lambda: score_run.report(ws, run), lambda: cache.report(run)):
        with pytest.raises(StateError, match=r"were changed after they were taken in.*shard-000"):
            read()
    assert main(["--workspace", str(ws.place.folder), "report", run]) == 1
    assert "shard-000.jsonl" in capsys.readouterr().err
    assert f"runs/{run}/{shard.name}" in [f.subject for f in verify(ws).findings]


def test_a_changed_judging_gives_no_score_either(ws: Workspace, run: str):
    judging = judging_run(ws, run)
    shard = ws.runs / judging / "shard-000.jsonl"
    shard.write_text(shard.read_text("utf-8").replace("1.0", "5.0"), "utf-8")
    with pytest.raises(StateError, match=judging):
        score_run.report(ws, run)


def test_a_run_that_starts_is_bound_to_what_it_is_told(ws: Workspace):
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(3)]}, SPLIT)
    name = start.start(
        ws, SPLIT, EvaluateParams(split=SPLIT, engine="baseline:random"), person=LEAD
    ).spec().id  # fmt: skip
    runs.wait(ws, name)
    assert verify(ws).findings == (), "what the worker writes is bound when it is taken in"
    work = ws.runs / name / "work.jsonl"
    kept = work.read_text("utf-8")
    work.write_text(kept.replace("项", "顼"), "utf-8")
    assert [f.subject for f in verify(ws).findings] == [f"runs/{name}/" + "work.jsonl"]
    work.write_text(kept, "utf-8")
    take_in_answers.take_in(ws, name)
    (ws.runs / name / "log.txt").write_text("edited\n")
    assert verify(ws).findings == ()


def test_a_run_asked_again_is_bound_again(ws: Workspace, run: str):
    shard = ws.runs / run / "shard-000.jsonl"
    rows = [json.loads(line) for line in shard.read_text("utf-8").splitlines()]
    with ws.writing() as session:
        data = {"asked_again": 1}
        ledger.append(session, ledger.NewEvent(EventKind.RUN, LEAD, subject=run, data=data))
        files = bound_files.recorded_files(session, run)
    shard.write_text("".join(json.dumps(row) + "\n" for row in rows[1:]), "utf-8")
    assert set(files.named) == {"spec.json", "work.jsonl"}
    assert not files.whole
    assert verify(ws).findings == ()


def test_a_folder_that_is_gone_is_named_unless_somebody_removed_it(ws: Workspace, run: str):
    folder = ws.runs / run
    kept = folder.with_name("kept")
    shutil.copytree(folder, kept)
    shutil.rmtree(folder)
    assert [f.subject for f in verify(ws).findings] == [f"runs/{run}"]
    kept.rename(folder)
    people.ensure_person(ws, "li", "specialist")
    with pytest.raises(RightsError):
        runs.remove(ws, run, "li", "old")
    with pytest.raises(InputError, match="reason"):
        runs.remove(ws, run, LEAD, " ")
    place = str(ws.place.folder)
    words = ["run", "remove", run, "--reason", "no room", "--user", LEAD]
    assert main(["--workspace", place, *words]) == 0
    assert not folder.exists()
    assert verify(ws).findings == ()


def test_a_run_in_progress_is_not_removed(ws: Workspace, run: str):
    handle = RunFolder(ws.runs / run).claim("shard-000")
    with pytest.raises(ConflictError), handle:
        runs.remove(ws, run, LEAD, "no room")


def test_runs_of_an_earlier_version_are_said_and_not_failed(ws: Workspace, tmp_path: Path):
    name = "20260101-000000-evaluate-abcdef"
    (ws.runs / name).mkdir(parents=True)
    with ws.writing() as session:
        for data in ({"kind": "evaluate", "split": "s"}, {"taken_in": 3}):
            ledger.append(session, ledger.NewEvent(EventKind.RUN, "", subject=name, data=data))
    verified = verify(ws)
    assert verified.findings == ()
    assert [name in note for note in verified.notes] == [True]
