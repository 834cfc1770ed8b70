"""A run whose work another run makes: who waits, who begins, and what is never lost."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError, StateError
from core.jobs.earlier_run import launch_to_wait_for
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchedShard, LaunchRecord, read_launch
from core.jobs.launchers.local import LocalLauncher, shard_is_unfinished, wait
from core.jobs.worker import run_worker
from core.workflow.runs.kinds import run_kind
from tests.core.jobs.copying_runs import Copies, Nothing, prepare
from tests.polling import until
from tests.questions import work_rows
from tests.servers.cluster_runs import launch
from tests.splits import make_split


class CopiesAgain(Copies):
    """Copies what an earlier run copied."""

    def work_after(self, earlier: RunFolder, params: Any) -> Iterator[dict[str, Any]]:
        yield from earlier.finished().records


def after(earlier: RunFolder, kind: str = "copies") -> RunFolder:
    root = earlier.path.parent
    return RunFolder.create(root, kind, Nothing(), (), after=earlier.path.name)


def finish(folder: RunFolder) -> None:
    run_worker(folder.path, 0, 1, lambda _: Copies())


def test_the_first_worker_writes_the_work_and_all_share_it(tmp_path: Path):
    earlier = prepare(tmp_path)
    folder = after(earlier)
    assert (folder.progress().state, folder.progress().total) == ("prepared", 0)
    assert shard_is_unfinished(folder, 1, 2)
    finish(earlier)
    run_worker(folder.path, 1, 2, lambda _: CopiesAgain())
    assert (folder.spec().total, len(folder.finished_ids())) == (12, 6)
    assert folder.result() is None
    earlier.files.remove("shard-000.jsonl")  # what was written once is not asked for again
    run_worker(folder.path, 0, 2, lambda _: CopiesAgain())
    assert folder.result() == {"items": 12, "resumed": 0}


def test_an_earlier_run_that_made_nothing_leaves_nothing_to_do(tmp_path: Path):
    earlier = prepare(tmp_path, 0)
    finish(earlier)
    folder = after(earlier)
    run_worker(folder.path, 0, 1, lambda _: CopiesAgain())
    assert folder.result() == {"items": 0, "resumed": 0}


def test_without_the_earlier_results_a_worker_says_so_and_may_be_started_again(tmp_path: Path):
    earlier = prepare(tmp_path)
    folder = after(earlier)
    with pytest.raises(StateError, match="ended unfinished"):
        run_worker(folder.path, 0, 1, lambda _: CopiesAgain())
    assert earlier.path.name in (folder.error() or "")
    finish(earlier)
    run_worker(folder.path, 0, 1, lambda _: CopiesAgain())
    assert folder.result() is not None


def test_a_kind_that_comes_after_none_is_refused(tmp_path: Path):
    earlier = prepare(tmp_path)
    finish(earlier)
    with pytest.raises(InputError, match="do not match its kind"):
        run_worker(after(earlier).path, 0, 1, lambda _: Copies())


def test_what_there_is_to_wait_for(tmp_path: Path):
    earlier = prepare(tmp_path)
    assert launch_to_wait_for(earlier) is None
    folder = after(earlier)
    with pytest.raises(StateError, match="ended unfinished"):
        launch_to_wait_for(folder)
    known = LaunchRecord(launcher="slurm:lab", job="7", tasks={0: LaunchedShard(state="queued")})
    known.write(earlier.path)
    assert launch_to_wait_for(folder) == known
    with pytest.raises(InputError, match="slurm:lab"):
        LocalLauncher().start(folder)
    finish(earlier)
    assert launch_to_wait_for(folder) is None


@pytest.fixture
def going_on(tmp_path: Path) -> Iterator[tuple[RunFolder, RunFolder]]:
    """A run of this machine whose worker does not get on, and one that comes after it."""
    params = run_kind("evaluate").params_model(split="s", engine="baseline:random")
    earlier = RunFolder.create(tmp_path, "evaluate", params, work_rows(make_split(6)))
    lock = earlier.claim("shard-000")
    LaunchRecord(host=os.uname().nodename, tasks={}).write(earlier.path)
    try:
        yield earlier, after(earlier)
    finally:
        lock.close()


def test_a_worker_of_this_machine_waits_until_the_earlier_run_has_ended(
    going_on: tuple[RunFolder, RunFolder],
):
    earlier, folder = going_on
    way = LocalLauncher()
    way.start(folder, 2)
    assert folder.state() == "queued"
    os.kill(launch(folder).tasks[1].pid, signal.SIGKILL)
    until(lambda: way.requeue(folder) == 1)
    assert folder.state() == "queued"
    earlier.write_result({})
    assert wait(folder, 60)
    # the kind "copies" is known to tests alone: the worker has begun, and says so
    assert folder.state() == "failed"
    assert "copies" in (folder.error() or "")
    assert not folder.files.names("*.queued")


def test_a_worker_that_waits_can_be_stopped(going_on: tuple[RunFolder, RunFolder]):
    _, folder = going_on
    way = LocalLauncher()
    way.start(folder)
    assert folder.state() == "queued"
    way.stop(folder)
    assert folder.state() == "stopped"
    assert not folder.files.names("*.queued")
    assert read_launch(folder.path) is not None
