"""Near-duplicates of a task by runs: what is compared, and that it is what one process finds."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InputError, OutsideError
from core.workflow.production import duplicate_jobs, duplicates, write
from core.workflow.runs import runs
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import items
from db.vocabulary import ItemState
from tests.servers.queued_jobs import PROFILE, queue_only
from tests.workspaces import BENCHMARK, TASK, make_task, payload

LONG = "年度报告显示，该公司在过去三年中一直保持稳定的增长，并且计划扩大在南方的业务。第{}段。"


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    make_task(sqlite_ws)
    for place in range(8):
        write.submit(sqlite_ws, "ann", TASK, payload(LONG.format(place // 2 * 1000)[place % 2 :]))
    return sqlite_ws


def published(folder: Path) -> Path:
    path = folder / "published.jsonl"
    item = payload(LONG.format(0))
    rows = [{"Instruction": "判断。", "Input": item["input"], "Output": item["output"]}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_two_shards_find_what_one_process_finds_and_once_more_without_work(
    ws: Workspace, tmp_path: Path
):
    file = published(tmp_path)
    expected = duplicates.find(ws, TASK, BENCHMARK, public=file)
    assert expected.within
    assert expected.published
    found = duplicate_jobs.find(ws, TASK, BENCHMARK, public=file, shards=2)
    assert found == expected
    made = runs.runs(ws)
    assert sorted(run.kind for run in made) == ["near_pairs"] * 2 + ["signatures"] * 2
    assert {run.state for run in made} == {"finished"}
    assert verify(ws).findings == ()
    assert duplicate_jobs.find(ws, TASK, BENCHMARK, public=file, shards=1) == expected
    assert len(runs.runs(ws)) == 4
    write.submit(ws, "ann", TASK, payload(LONG.format(77)))
    again = duplicate_jobs.find(ws, TASK, BENCHMARK)
    assert again.compared == 9
    assert len(runs.runs(ws)) == 6


def test_a_frozen_text_is_not_written_to_a_run_folder(ws: Workspace):
    with ws.reading() as session:
        first = items.in_state(session, tuple(ItemState))[0]
    with ws.writing() as session:
        items.change(session, [first.id], state=ItemState.FROZEN)
    found = duplicate_jobs.find(ws, TASK, BENCHMARK)
    assert (found.compared, found.left_out) == (7, 1)
    every = duplicates.find(ws, TASK, BENCHMARK)
    assert str(first.id) in {pair.left for pair in every.within}
    assert str(first.id) not in {pair.left for pair in found.within}
    folders = [runs.folder_of(ws, run.id) for run in runs.runs(ws)]
    written = [row for one in folders if not one.spec().after for row in one.work_rows()]
    assert [len(row["ids"]) for row in written] == [7]
    assert str(first.id) not in written[0]["ids"]


def test_a_run_that_failed_says_why_and_goes_on_when_asked_again(ws: Workspace):
    expected = duplicates.find(ws, TASK, BENCHMARK)
    duplicate_jobs.find(ws, TASK, BENCHMARK)
    pairs = next(run for run in runs.runs(ws) if run.kind == "near_pairs")
    folder = runs.folder_of(ws, pairs.id)
    signing = runs.folder_of(ws, folder.spec().after)
    sound = (signing.path / "shard-000.jsonl").read_bytes()
    for name in ("result.json", "shard-000.jsonl"):
        folder.files.remove(name)
    signing.files.write("shard-000.jsonl", '{"id": "0"}\n')
    with pytest.raises(OutsideError, match="damaged"):
        duplicate_jobs.find(ws, TASK, BENCHMARK)
    (signing.path / "shard-000.jsonl").write_bytes(sound)
    assert duplicate_jobs.find(ws, TASK, BENCHMARK) == expected
    assert len(runs.runs(ws)) == 2


@pytest.mark.parametrize(
    "record",
    [
        {"pairs": [[0, 10**9, 1.0]]},
        {"pairs": [[0, "one", 1.0]]},
        {"pairs": [[0]]},
        {},
    ],
    ids=[
        "a text that is not there",
        "no number",
        "half a pair",
        "no pairs",
    ],
)
def test_pairs_that_somebody_changed_are_told_as_damage(ws: Workspace, record: dict[str, object]):
    duplicate_jobs.find(ws, TASK, BENCHMARK)
    pairs = next(run for run in runs.runs(ws) if run.kind == "near_pairs")
    folder = runs.folder_of(ws, pairs.id)
    folder.write_shard("shard-000.jsonl", [{"id": id_, **record} for id_ in folder.work_ids()])
    with pytest.raises(InputError, match="damaged"):
        duplicate_jobs.find(ws, TASK, BENCHMARK)


@pytest.mark.parametrize("kind", ["signatures", "near_pairs"])
def test_a_finished_run_that_lost_results_finds_nothing_less_unsaid(ws: Workspace, kind: str):
    duplicate_jobs.find(ws, TASK, BENCHMARK)
    run = next(run for run in runs.runs(ws) if run.kind == kind)
    folder = runs.folder_of(ws, run.id)
    folder.write_shard("shard-000.jsonl", list(folder.shard_rows("shard-000.jsonl"))[1:])
    with pytest.raises(InputError, match="no longer has all of its results"):
        duplicate_jobs.find(ws, TASK, BENCHMARK)


def test_a_damaged_run_is_made_anew(ws: Workspace):
    expected = duplicate_jobs.find(ws, TASK, BENCHMARK)
    for run in runs.runs(ws):
        runs.folder_of(ws, run.id).files.write("spec.json", "{")
    assert duplicate_jobs.find(ws, TASK, BENCHMARK) == expected


def test_a_task_of_one_text_and_a_bad_threshold_make_no_run(ws: Workspace):
    make_task(ws, "alone")
    write.submit(ws, "ann", "alone", payload(LONG.format(1)))
    assert duplicate_jobs.find(ws, "alone", BENCHMARK) == replace(
        duplicates.find(ws, "alone", BENCHMARK), groups=()
    )
    with pytest.raises(InputError, match="threshold"):
        duplicate_jobs.find(ws, TASK, BENCHMARK, threshold=0)
    assert runs.runs(ws) == ()


def test_a_host_to_which_run_folders_are_copied_is_refused_before_a_run_is_made(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    queue_only(ws.place.folder, tmp_path / "bin", monkeypatch)
    monkeypatch.setattr("core.jobs.launchers.slurm.SlurmLauncher.require", lambda _: None)
    profile = '[slurm.big]\nhost = "login"\nfolder = "/scratch"\n'
    (ws.place.folder / "launchers.toml").write_text(profile)
    with pytest.raises(InputError, match="login"):
        duplicate_jobs.find(ws, TASK, BENCHMARK, launcher=PROFILE)
    assert runs.runs(ws) == ()
