"""Rewriting as a run: where it works, by how many workers, and what goes on."""

from datetime import date
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError
from core.jobs.folder import RunFolder
from core.own_places import PLACES_VARIABLE
from core.rewriting.params import RewriteParams
from core.sources.labelled.datasets import EMOTION
from core.workflow.production import rewrite_runs
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from tests.core.rewriting.scripted_model import Part, ScriptedModel, cast, write_news
from tests.core.rewriting.test_run import own_examples
from tests.servers.model_server import LoopbackModel
from tests.servers.queued_jobs import JOB, PROFILE, queue_only

COUNT = 8
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def parts() -> list[Part]:
    return cast(own_examples(COUNT), COUNT, branches=["good"])


@pytest.fixture
def news(parts: list[Part], tmp_path: Path) -> Path:
    return write_news(tmp_path / "it's news", parts)


def begin(ws: Workspace, parts: list[Part], news: Path, url: str = NOWHERE, **where) -> RunFolder:
    params = RewriteParams(
        task=EMOTION, base_url=url, model="writer", knowledge=f"gdelt-files:{news}",
        since=date(2026, 1, 1), until=date(2026, 6, 30), concurrency=1,
    )  # fmt: skip
    examples = tuple(part.example for part in parts)
    return rewrite_runs.start(ws, "b", "emotion", params, examples, **where)


def test_a_launcher_that_is_not_there_leaves_no_run(sqlite_ws: Workspace, parts, news: Path):
    with pytest.raises(InputError, match="local, slurm"):
        begin(sqlite_ws, parts, news, launcher="cloud")
    assert runs.runs(sqlite_ws) == ()


def test_the_run_is_queued_as_an_array_that_may_read_the_news(
    sqlite_ws: Workspace, parts, news: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    queue_only(sqlite_ws.place.folder, tmp_path / "bin", monkeypatch)
    folder = begin(sqlite_ws, parts, news, launcher=PROFILE, shards=COUNT + 5)
    (info,) = runs.runs(sqlite_ws)
    assert (info.state, info.launcher, info.job) == ("queued", PROFILE, JOB)
    row = runs.find(sqlite_ws, info.id)
    assert (row.launcher, row.shards) == (PROFILE, COUNT)
    script = (folder.path / "job.sh").read_text(encoding="utf-8")
    assert f"#SBATCH --array=0-{COUNT - 1}\n" in script
    (told,) = [line for line in script.splitlines() if f"export {PLACES_VARIABLE}=" in line]
    assert f"gdelt-files:{news}".replace("'", "'\"'\"'") in told
    assert begin(sqlite_ws, parts, news, launcher=PROFILE).path == folder.path, "it waits already"


def test_two_workers_ask_once_for_each_item_and_another_start_goes_on(
    sqlite_ws: Workspace, parts, news: Path
):
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as server:
        folder = begin(sqlite_ws, parts, news, server.url, shards=2)
        run = folder.spec().id
        runs.stop(sqlite_ws, run)
        again = begin(sqlite_ws, parts, news, server.url, shards=3)
        assert again.path == folder.path
        assert runs.wait(sqlite_ws, run, 120).state == "finished"
        assert runs.find(sqlite_ws, run).shards in (2, 3)  # 2 where it had ended before the stop
    assert len(folder.ordered_records()) == COUNT
    shard = folder.path / "shard-000.jsonl"
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-1])
    with pytest.raises(InputError, match=f"1 of {COUNT} are gone"):
        rewrite_runs.take_in(sqlite_ws, run)
    shard.write_bytes(whole)
    assert rewrite_runs.take_in(sqlite_ws, run)["sets"]["updated"] == COUNT


def test_the_command_says_where_the_run_works(
    sqlite_ws: Workspace, parts, news: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    queue_only(sqlite_ws.place.folder, tmp_path / "bin", monkeypatch)
    data = tmp_path / "emotion.csv"
    rows = [f"{part.example.text},{part.example.label}" for part in parts]
    data.write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")
    code = main(
        [
            "--workspace", str(sqlite_ws.place.folder), "rewrite", "--benchmark", "b", "--task",
            "emotion", "--data", str(data), "--base-url", NOWHERE, "--model", "writer",
            "--knowledge", f"gdelt-files:{news}", "--from", "2026-01-01", "--to", "2026-06-30",
            "--launcher", PROFILE, "--shards", "3",
        ]
    )  # fmt: skip
    assert code == 0
    (info,) = runs.runs(sqlite_ws)
    assert (info.state, info.launcher, info.shards) == ("queued", PROFILE, 3)
