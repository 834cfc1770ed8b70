"""Workers in trouble: the run says what is true of it, and goes on from there."""

import errno
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConflictError, InputError, OutsideError
from core.files import write_json, write_jsonl
from core.guarded_folder import GuardedFolder
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchedShard, LaunchRecord
from core.jobs.worker import SPARE, run_worker
from tests.core.jobs.copying_runs import Copies, Nothing, prepare


def finish(folder: RunFolder, names: Sequence[str], shard: int = 0) -> None:
    write_jsonl(folder.path / f"shard-{shard:03d}.jsonl", [{"id": name} for name in names])


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_named_and_what_was_finished_is_kept(tmp_path: Path, code: int):
    folder, kind = prepare(tmp_path), Copies(5, code)
    with pytest.raises(OutsideError, match="is full"):
        run_worker(folder.path, 0, 1, lambda _: kind)
    found = folder.progress()
    assert (found.state, found.done, found.total) == ("failed", 5, 12)
    assert "is full" in (found.error or "")
    assert kind.spare == SPARE, "no room was kept for telling of it"
    assert not list(folder.path.glob("*.spare"))
    folder.clear_outcome()
    run_worker(folder.path, 0, 1, lambda _: Copies())
    assert folder.result() == {"items": 12, "resumed": 5}


def test_another_error_of_the_system_stays_what_it_is(tmp_path: Path):
    folder = prepare(tmp_path)
    with pytest.raises(OutsideError, match="PermissionError"):
        run_worker(folder.path, 0, 1, lambda _: Copies(2, errno.EACCES))
    assert "PermissionError" in (folder.error() or "")


def test_a_run_that_nobody_works_on_counts_what_is_on_disk(tmp_path: Path):
    folder = prepare(tmp_path)
    assert (folder.progress().state, folder.progress().done) == ("prepared", 0)
    folder.update_progress("0/1", figures(done=3))
    finish(folder, ["项0", "项1", "项2", "项3", "项4"])
    assert (folder.progress().state, folder.progress().done) == ("interrupted", 5)
    finish(folder, ["项0", "项1", "项2", "项3", "项4", "项5"], shard=1)
    assert folder.progress().done == 6, "an item in two shards was counted twice"


def test_a_result_that_a_resumption_takes_away_while_it_is_looked_for_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = prepare(tmp_path)
    run_worker(folder.path, 0, 1, lambda _: Copies())
    read = GuardedFolder.read

    def late(files: GuardedFolder, name: str) -> bytes:
        (files.path / name).unlink()
        return read(files, name)

    monkeypatch.setattr(GuardedFolder, "read", late)
    assert folder.result() is None


def test_a_run_that_was_just_resumed_has_not_lost_what_is_done(tmp_path: Path):
    folder = prepare(tmp_path)
    finish(folder, ["项0", "项1", "项2"])
    folder.forget_progress()
    task = LaunchedShard(state="running")
    LaunchRecord(shards=4, tasks={0: task, 1: task, 2: task, 3: task}).write(folder.path)
    assert (folder.progress().state, folder.progress().done) == ("running", 3)
    folder.update_progress("0/4", figures(done=0, before=1))
    assert folder.progress().done == 3


def test_a_damaged_line_of_an_unfinished_run_is_told_of(tmp_path: Path):
    folder = prepare(tmp_path)
    (folder.path / "shard-000.jsonl").write_text("{damaged\n")
    with pytest.raises(InputError, match="damaged"):
        folder.progress()


@pytest.mark.parametrize("ahead", [3600, -3600])
def test_a_clock_that_is_set_gives_no_absurd_speed(tmp_path: Path, ahead: int):
    folder = prepare(tmp_path, 1000)
    LaunchRecord(tasks={0: LaunchedShard(state="running")}).write(folder.path)
    now = time.time()
    folder.update_progress("0/1", figures(done=100, since=now + ahead, at=now))
    found = folder.progress()
    assert (found.speed or 0.0) < 1
    assert found.seconds_left is None or found.seconds_left > 3600


def test_work_that_is_shared_out_in_two_ways_at_once_is_refused(tmp_path: Path):
    folder = prepare(tmp_path)
    alive = folder.claim("shard-000")
    folder.update_progress("0/2", figures(done=0, pid=os.getpid(), since=time.time()))
    with pytest.raises(ConflictError, match="is in progress with 2 shards"):
        run_worker(folder.path, 1, 3, lambda _: Copies())
    run_worker(folder.path, 1, 2, lambda _: Copies())
    alive.close()
    run_worker(folder.path, 0, 1, lambda _: Copies())
    assert folder.result() == {"items": 12, "resumed": 6}
    assert list(folder.read_progress()) == ["0/1"], "figures of another sharing out were kept"


def test_figures_of_the_dead_are_in_nobodys_way(tmp_path: Path):
    folder = prepare(tmp_path)
    gone = subprocess.Popen(["true"])
    gone.wait()
    write_json(folder.path / "progress.json", {"0/2": figures(done=1, pid=gone.pid)})
    alive = folder.claim("shard-000")
    run_worker(folder.path, 1, 3, lambda _: Copies())
    alive.close()


def figures(
    *, done: int, before: int = 0, pid: int = 1, since: float = 1.0, at: float = 2.0
) -> dict[str, Any]:
    host = os.uname().nodename
    return {"pid": pid, "host": host, "since": since, "at": at, "done": done, "before": before}


@pytest.mark.parametrize("line", [b'{"id": "a\n', b"\x00\x01\n", b'{"id": "\xff"}\n', b"[1]\n"])
def test_a_damaged_list_of_work_is_named(tmp_path: Path, line: bytes):
    folder = prepare(tmp_path)
    (folder.path / "work.jsonl").write_bytes(b'{"id": "b"}\n' + line)
    (folder.path / "shard-000.jsonl").write_bytes(line)
    with pytest.raises(InputError, match=r"work\.jsonl” is damaged"):
        folder.work_ids()
    with pytest.raises(InputError, match=r"work\.jsonl” is damaged"):
        folder.work()
    with pytest.raises(InputError, match=r"shard-000\.jsonl” is damaged"):
        folder.finished_ids()


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_a_folder_that_is_only_to_be_read_still_tells_its_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
):
    folder = prepare(tmp_path)
    held = folder.claim("shard-000")
    plain = Path.open

    def refused(path: Path, mode: str = "r", *more: Any, **rest: Any) -> Any:
        if set(mode) & set("aw+"):
            raise OSError(code, os.strerror(code), str(path))
        return plain(path, mode, *more, **rest)

    monkeypatch.setattr(Path, "open", refused)
    assert folder.progress().state == "running"
    held.close()
    assert folder.progress().state == "prepared"
    assert not folder.is_running()


def test_a_run_whose_work_cannot_be_written_leaves_no_folder(tmp_path: Path):
    def rows() -> Iterator[dict[str, Any]]:
        yield {"id": "1"}
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space"):
        RunFolder.create(tmp_path, "copies", Nothing(), rows())
    assert list(tmp_path.iterdir()) == []


def test_counts_go_on_over_shards_and_after_a_resume(tmp_path: Path):
    folder = prepare(tmp_path)
    for shard in ("0/2", "1/2"):
        folder.update_progress(
            shard, {**figures(done=0), "notes": {"requests": 5, "waiting": 2, "mode": "chat"}}
        )
    assert folder.progress().notes == {"requests": 10, "waiting": 2, "mode": "chat"}
    folder.forget_progress()
    assert folder.progress().notes == {"requests": 10}
    folder.update_progress("0/1", {**figures(done=0), "notes": {"requests": 1, "retries": 1}})
    assert folder.progress().notes == {"requests": 11, "retries": 1}
    folder.forget_progress()
    folder.update_progress("0/1", {**figures(done=0), "notes": {"requests": 2}})
    assert folder.progress().notes["requests"] == 13


@pytest.mark.parametrize("before", [[1], {"requests": "many"}, {"requests": -1}, {"requests": True},
                                    {"requests": float("inf")}, 3])  # fmt: skip
def test_counts_that_make_no_sense_are_no_counts(before: object, tmp_path: Path):
    folder = prepare(tmp_path)
    write_json(folder.path / "progress.json", {"before": before})
    assert folder.progress().notes == {}
