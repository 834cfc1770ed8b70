"""Screening and generation as runs: where they work, and by how many workers."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import InputError
from core.generation.spec import ScpSpec
from core.jobs.folder import RunFolder
from core.screening.run import PrescreenParams
from core.sources.articles.read_paths import read_paths
from core.workflow.check import screen
from core.workflow.items import history
from core.workflow.production import take_in_items
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from resources import resource
from tests.servers.model_server import LoopbackModel
from tests.servers.queued_jobs import JOB, PROFILE, queue_only
from tests.workspaces import BENCHMARK, make_task, write_items

ARTICLE = resource("demo", "stat__averages.txt")
Start = Callable[[Workspace, str], RunFolder]


def begin_screening(ws: Workspace, launcher: str) -> RunFolder:
    params = PrescreenParams(base_url="http://127.0.0.1:9/v1", model="m")
    return screen.start(ws, BENCHMARK, params, launcher=launcher, shards=2)


def begin_generation(ws: Workspace, launcher: str) -> RunFolder:
    report = read_paths([ARTICLE])
    return take_in_items.start_generation(
        ws, report, BENCHMARK, ScpSpec(per_article=2), jobs=2, launcher=launcher
    )


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    make_task(sqlite_ws, gate="required")
    write_items(sqlite_ws, 6)
    return sqlite_ws


@pytest.mark.parametrize("begin", [begin_screening, begin_generation])
def test_a_launcher_that_is_not_there_leaves_no_run_and_no_held_item(ws: Workspace, begin: Start):
    with pytest.raises(InputError, match="local, slurm"):
        begin(ws, "cloud")
    assert runs.runs(ws) == ()
    assert history.counts(ws)["draft"] == 6


@pytest.mark.parametrize("begin", [begin_screening, begin_generation])
def test_the_run_is_queued_as_an_array_of_slurm(
    ws: Workspace, begin: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    queue_only(ws.place.folder, tmp_path / "bin", monkeypatch)
    folder = begin(ws, PROFILE)
    (info,) = runs.runs(ws)
    assert (info.state, info.launcher, info.job) == ("queued", PROFILE, JOB)
    assert runs.find(ws, info.id).launcher == PROFILE
    assert "#SBATCH --array=0-1" in (folder.path / "job.sh").read_text()


def test_two_workers_screen_every_draft_once(ws: Workspace):
    with LoopbackModel() as server:
        params = PrescreenParams(base_url=server.url, model="test-model")
        folder = screen.start(ws, BENCHMARK, params, shards=2)
        assert runs.wait(ws, folder.spec().id, 60).state == "finished"
        assert len(server.seen) == 6
    assert sorted(folder.read_progress()) == ["0/2", "1/2"]
    screen.take_in(ws, folder.spec().id)
    assert history.counts(ws)["draft"] == 0
