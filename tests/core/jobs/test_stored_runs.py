"""Run folders in an object store: what is sent, what comes back, and what is not believed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ConflictError, InputError, NotFoundError, OutsideError
from core.jobs import stored_runs
from core.jobs.folder import RunFolder
from core.jobs.object_store import ObjectStore
from core.jobs.stored_runs import PIECE
from core.jobs.worker import run_worker
from tests.core.jobs.copying_runs import Copies, Nothing
from tests.servers.object_storage import have_fsspec

pytestmark = pytest.mark.slow
ROWS = [{"id": str(number), "text": f"第{number}项 " + "x" * 3000} for number in range(6000)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is the storage."""
    have_fsspec(monkeypatch)
    return tmp_path / "place"


def at(place: Path) -> ObjectStore:
    return ObjectStore(f"file://{place}")


def made(root: Path, rows: object = ROWS[:50], run_id: str = "r1") -> RunFolder:
    return RunFolder.create(root, "copies", Nothing(), rows, run_id=run_id)


def worked(folder: RunFolder, shard: int = 0, shards: int = 1) -> RunFolder:
    return run_worker(folder.path, shard, shards, lambda _: Copies())


def objects(place: Path) -> list[Path]:
    return sorted(path for path in (place / "objects").rglob("*") if path.is_file())


def files_of(folder: RunFolder) -> dict[str, bytes]:
    """The files of a run folder but those of a machine's workers."""
    left = (".lock", ".tmp", "launch.json")
    return {p.name: p.read_bytes() for p in folder.path.iterdir() if not p.name.endswith(left)}


def test_a_run_goes_out_is_worked_on_and_comes_back(place: Path, tmp_path: Path) -> None:
    here = made(tmp_path / "here", ROWS)
    sent = stored_runs.push(at(place), here)
    assert sent.bytes == sum(len(content) for content in files_of(here).values())
    assert len(objects(place)) == 4  # the questions are more than two pieces
    brought = stored_runs.pull(at(place), "r1", tmp_path / "there")
    there = RunFolder(tmp_path / "there/r1")
    assert files_of(there) == files_of(here)
    assert (there.path.stat().st_mode & 0o77, brought.bytes) == (0, sent.bytes)
    worked(there)
    stored_runs.push_answers(at(place), there)
    assert stored_runs.pull_answers(at(place), here).files == 4
    assert here.state() == "finished"
    assert here.ordered_records() == ROWS
    for again in (
        stored_runs.push(at(place), here), stored_runs.push_answers(at(place), there),
        stored_runs.pull_answers(at(place), here),
        stored_runs.pull(at(place), "r1", tmp_path / "there"),
    ):  # fmt: skip
        assert (again.files, again.bytes) == (0, 0)


def test_why_a_worker_failed_comes_back_until_the_run_is_finished(
    place: Path, tmp_path: Path
) -> None:
    here = made(tmp_path / "here")
    here.write_error("why it failed here, before", 3, "")
    stored_runs.push(at(place), here)
    there = RunFolder(tmp_path / "there/r1")
    stored_runs.pull(at(place), "r1", there.path.parent)
    assert there.error() is None
    with pytest.raises(OutsideError):
        run_worker(there.path, 0, 1, lambda _: Copies(full_after=3))
    stored_runs.push_answers(at(place), there)
    stored_runs.pull_answers(at(place), here)
    assert (here.state(), len(here.records())) == ("failed", 3)
    assert "is full" in str(here.error())
    worked(there)
    stored_runs.push_answers(at(place), there)
    stored_runs.pull_answers(at(place), here)
    assert (here.state(), here.error()) == ("finished", None)


def test_two_machines_share_a_run_and_the_second_finishes_it(place: Path, tmp_path: Path) -> None:
    here = made(tmp_path / "here")
    stored_runs.push(at(place), here)
    for machine, shard in (("a", 0), ("b", 1)):
        stored_runs.pull(at(place), "r1", tmp_path / machine)
        stored_runs.push_answers(at(place), worked(RunFolder(tmp_path / machine / "r1"), shard, 2))
    stored_runs.pull_answers(at(place), here)
    assert here.state() == "finished"
    assert sorted(here.records()) == sorted(row["id"] for row in ROWS[:50])


def test_two_hundred_runs_of_one_split_share_the_questions(place: Path, tmp_path: Path) -> None:
    questions = made(tmp_path / "here", ROWS, "r0")
    size = (questions.path / "work.jsonl").stat().st_size
    first = stored_runs.push(at(place), questions)
    more = [
        stored_runs.push(at(place), made(tmp_path / "here", questions, f"r{number}")).bytes
        for number in range(1, 200)
    ]
    assert first.bytes > size
    assert max(more) < 1000  # bytes: its spec.json
    assert sum(path.stat().st_size for path in objects(place)) < size + 200 * 1000
    assert len(list((place / "runs").iterdir())) == 200


class Killed(BaseException):
    """The end of a process."""


def after(count: int, act: Callable[..., object]) -> Callable[..., object]:
    """The act that many times, then the end of the process."""
    left = iter(range(count))

    def acting(*arguments: object) -> object:
        if next(left, None) is None:
            raise Killed
        return act(*arguments)

    return acting


def test_a_push_that_was_killed_goes_on_and_no_run_is_there_before(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = made(tmp_path / "here", ROWS)
    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "write", after(2, ObjectStore.write))
        with pytest.raises(Killed):
            stored_runs.push(at(place), here)
    with pytest.raises(NotFoundError, match="There is no run “r1”"):
        stored_runs.pull(at(place), "r1", tmp_path / "there")
    there = sum(path.stat().st_size for path in objects(place))
    cut = objects(place)[0]  # as a storage without atomic writes leaves it
    lost = cut.stat().st_size
    cut.write_bytes(cut.read_bytes()[:100])
    total = sum(len(content) for content in files_of(here).values())
    assert stored_runs.push(at(place), here).bytes == total - there + lost
    stored_runs.pull(at(place), "r1", tmp_path / "there")
    assert files_of(RunFolder(tmp_path / "there/r1")) == files_of(here)


def test_a_pull_that_was_killed_goes_on_and_no_run_is_there_before(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = stored_runs.push(at(place), made(tmp_path / "here", ROWS)).bytes
    there = RunFolder(tmp_path / "there/r1")
    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "read", after(2, ObjectStore.read))  # run.json and a piece
        with pytest.raises(Killed):
            stored_runs.pull(at(place), "r1", tmp_path / "there")
    assert not there.has_spec()
    assert stored_runs.pull(at(place), "r1", tmp_path / "there").bytes == sent - PIECE
    assert there.work() == ROWS


@pytest.mark.parametrize("damage", ["changed", "cut", "grown", "lost"])
def test_an_object_that_is_not_as_it_was_sent_is_named(
    place: Path, tmp_path: Path, damage: str
) -> None:
    here = made(tmp_path / "here", ROWS)
    stored_runs.push(at(place), here)
    for number, harmed in enumerate(objects(place)):
        content = harmed.read_bytes()
        harmed.write_bytes({"changed": b"~" + content[1:], "cut": content[:-1],
                            "grown": content + b"\n", "lost": b""}[damage])  # fmt: skip
        if damage == "lost":
            harmed.unlink()
        with pytest.raises((InputError, NotFoundError), match=harmed.name):
            stored_runs.pull(at(place), "r1", tmp_path / f"try-{number}")
        assert not (tmp_path / f"try-{number}" / "r1/spec.json").exists()
        harmed.unlink(missing_ok=True)  # as the sentence says
        stored_runs.push(at(place), here)
        assert harmed.read_bytes() == content
    stored_runs.pull(at(place), "r1", tmp_path / "there")


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../../planted"}, {"name": "launch.json"}, {"name": ".hidden"}, {"size": 3},
        {"sha256": "0" * 64}, {"name": "work.jsonl"}, {"size": 2**60}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_record_of_answers_that_somebody_made_up_is_refused(
    place: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    here = made(tmp_path / "here")
    stored_runs.push(at(place), here)
    there = RunFolder(tmp_path / "there/r1")
    stored_runs.pull(at(place), "r1", there.path.parent)
    stored_runs.push_answers(at(place), worked(there))
    before = files_of(here)
    record = place / "runs/r1/written/shard-000.jsonl.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), **change}))
    with pytest.raises(InputError, match=r"shard-000\.jsonl"):
        stored_runs.pull_answers(at(place), here)
    assert "shard-000.jsonl" not in files_of(here)
    assert "result.json" not in files_of(here)
    assert files_of(here)["spec.json"] == before["spec.json"]


@pytest.mark.parametrize("name", ["launch.json", "job.sh", "stop", "spec.json", "x.lock", ".x.tmp"])
def test_a_file_that_no_worker_writes_is_not_brought_back(
    place: Path, tmp_path: Path, name: str
) -> None:
    here = made(tmp_path / "here")
    here.write_result({})
    stored_runs.push(at(place), here)
    (here.path / "result.json").unlink()
    before = files_of(here)
    record = json.loads((place / "runs/r1/written/result.json.json").read_text())
    planted = place / f"runs/r1/written/{name}.json"
    planted.write_text(json.dumps({**record, "name": name}))
    with pytest.raises(InputError, match=f"{name}.json"):
        stored_runs.pull_answers(at(place), here)
    assert files_of(here) == before


@pytest.mark.parametrize("name", ["launch.json", "stop", "shard-000.jsonl", "../x", ".x.tmp"])
def test_a_run_is_made_of_nothing_that_tells_of_workers(
    place: Path, tmp_path: Path, name: str
) -> None:
    stored_runs.push(at(place), made(tmp_path / "here"))
    run = json.loads((place / "runs/r1/run.json").read_text())
    planted = {**run["files"][0], "name": name}
    (place / "runs/r1/run.json").write_text(json.dumps({**run, "files": [*run["files"], planted]}))
    with pytest.raises(InputError, match=r"r1/run\.json"):
        stored_runs.pull(at(place), "r1", tmp_path / "there")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 2, "run": "r1", "files": []}',
                                     b'{"format": 1, "run": "r1", "files": []}'])  # fmt: skip
def test_a_run_that_somebody_made_up_is_refused(
    place: Path, tmp_path: Path, content: bytes
) -> None:
    stored_runs.push(at(place), made(tmp_path / "here"))
    (place / "runs/r1/run.json").write_bytes(content)
    with pytest.raises(InputError, match=r"r1/run\.json"):
        stored_runs.pull(at(place), "r1", tmp_path / "there")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("run", ["../r1", "", ".", "a/b", "r1\n"])
def test_an_id_that_is_no_name_leads_nowhere(place: Path, tmp_path: Path, run: str) -> None:
    with pytest.raises(InputError, match="not the whole id"):
        stored_runs.pull(at(place), run, tmp_path / "there")


def test_another_run_of_that_name_is_never_written_over(place: Path, tmp_path: Path) -> None:
    stored_runs.push(at(place), made(tmp_path / "here"))
    other = made(tmp_path / "other", ROWS[:49])
    before = files_of(other)
    for act in (
        lambda: stored_runs.push(at(place), other),
        lambda: stored_runs.push_answers(at(place), other),
        lambda: stored_runs.pull(at(place), "r1", tmp_path / "other"),
        lambda: stored_runs.pull_answers(at(place), other),
    ):
        with pytest.raises(ConflictError, match="differ in what they were made of"):
            act()
    assert files_of(other) == before


def test_answers_grow_and_are_never_lost_to_shorter_or_other_ones(
    place: Path, tmp_path: Path
) -> None:
    here = made(tmp_path / "here", ROWS)
    stored_runs.push(at(place), here)
    there = RunFolder(tmp_path / "there/r1")
    stored_runs.pull(at(place), "r1", there.path.parent)
    worked(there)
    (there.path / "result.json").unlink()
    shard = there.path / "shard-000.jsonl"
    whole = shard.read_bytes()
    line = len(whole) // len(ROWS)
    for length in (10 * line, PIECE + line, PIECE, 2 * PIECE + 5, len(whole)):
        shard.write_bytes(whole[:length])  # with a torn line at its end
        stored_runs.push_answers(at(place), there)
        stored_runs.pull_answers(at(place), here)
        shards = (here.path / "shard-000.jsonl").read_bytes()
        assert whole.startswith(shards)
        assert shards.endswith(b"\n")
        assert len(shards) > length - 2 * line
    shard.write_bytes(whole[: 10 * line])
    stored_runs.push_answers(at(place), there)
    assert stored_runs.pull_answers(at(place), here).files == 0
    assert (here.path / "shard-000.jsonl").read_bytes() == whole
    shard.write_bytes(whole.replace(b"xxx", b"yyy", 1))
    with pytest.raises(ConflictError, match="two workers did the same shard"):
        stored_runs.push_answers(at(place), there)
    with pytest.raises(ConflictError, match="two workers did the same shard"):
        stored_runs.pull(at(place), "r1", there.path.parent)
    assert b"yyy" in shard.read_bytes()


def test_what_tells_of_the_workers_of_a_machine_stays_there(place: Path, tmp_path: Path) -> None:
    here = made(tmp_path / "here")
    for name in ("launch.json", "shard-000.lock", "shard-000.queued", "stop", ".x.tmp"):
        (here.path / name).write_text("{}")
    stored_runs.push(at(place), here)
    stored_runs.pull(at(place), "r1", tmp_path / "there")
    assert sorted(files_of(RunFolder(tmp_path / "there/r1"))) == ["spec.json", "work.jsonl"]


def test_a_link_in_the_folder_is_not_followed(place: Path, tmp_path: Path) -> None:
    here = made(tmp_path / "here")
    secret = tmp_path / "secret"
    secret.write_text("the private key")
    (here.path / "log.txt").symlink_to(secret)
    with pytest.raises(InputError, match="is a link"):
        stored_runs.push(at(place), here)
    assert not any(b"private key" in path.read_bytes() for path in objects(place))
