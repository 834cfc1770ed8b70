"""Screening and generation as runs: where they work, and by how many workers."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.generation.spec import ScpSpec
from core.jobs.folder import RunFolder
from core.screening.run import PrescreenParams
from core.sources.articles.read_paths import read_paths
from core.workflow import short_steps
from core.workflow.check import review, screen
from core.workflow.items import state_counts
from core.workflow.production import take_in_items
from core.workflow.runs import runs
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import ledger, screenings
from db.session import Session
from db.vocabulary import EventKind
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
    assert state_counts.counts(ws)["draft"] == 6


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
    assert state_counts.counts(ws)["draft"] == 0


def test_what_a_killed_taking_in_has_done_stays_and_the_next_one_does_the_rest(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(short_steps, "LEAST", 2)
    monkeypatch.setattr(short_steps, "MOST", 2)
    with LoopbackModel() as server:
        params = PrescreenParams(base_url=server.url, model="test-model")
        run = screen.start(ws, BENCHMARK, params).spec().id
        assert state_counts.counts(ws)["screening"] == 6
        assert runs.wait(ws, run, 60).state == "finished"
    original, parts = screenings.add, []

    def add(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
        if len(parts) == 2:
            raise KeyboardInterrupt
        parts.append(len(rows))
        original(session, rows)

    with monkeypatch.context() as patch:
        patch.setattr(screenings, "add", add)
        with pytest.raises(KeyboardInterrupt):
            screen.take_in(ws, run)
    assert parts == [2, 2]
    assert state_counts.counts(ws)["screening"] == 2
    assert runs.find(ws, run).taken_in_at is None
    number = review.next_card(ws, "ruth", BENCHMARK).number
    review.decide(ws, "ruth", number, "accept")
    screen.take_in(ws, run)
    assert state_counts.counts(ws)["screening"] == 0
    with ws.reading() as session:
        told = [event.item_id for event in ledger.of_kind(session, EventKind.SCREENED)]
    assert len(told) == len(set(told)) == 6
    assert runs.find(ws, run).taken_in_at is not None
    assert verify(ws).findings == ()
