"""Runs through a real S3 server: planned here, worked on by a process that has only the bucket."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.evaluation.run import EvaluateParams
from core.jobs.stored_runs import PIECE
from core.workflow.analysis.exposures import exposures
from core.workflow.evaluation import start
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from tests.servers.object_storage import BUCKET, S3Server, s3_server
from tests.splits import freeze_split, varied

pytestmark = pytest.mark.slow
LEAD = "王"
_LIST = f"import s3fs, json; print(json.dumps(s3fs.S3FileSystem().find({BUCKET!r}, detail=True), \
default=str))"


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("home")) as server:
        yield server


def prepared(folder: Path, count: int) -> str:
    """A workspace with a prepared run on a split of that many items; the run's id."""
    with closing(Workspace.create(folder, LEAD)) as ws:
        freeze_split(ws, {"scp": [varied(number) for number in range(count)]})
        params = EvaluateParams(split="s", engine="baseline:random")
        return start.prepare(ws, "s", params, person=LEAD).spec().id


def test_a_run_goes_through_a_bucket_to_a_machine_that_shares_no_disk(
    s3: S3Server, tmp_path: Path
) -> None:
    run = prepared(tmp_path / "ws", 12)
    here = ("--workspace", str(tmp_path / "ws"))
    assert "sent 2 files" in s3.benchseal(*here, "run", "push", run, s3.address, "--user", LEAD)
    s3.benchseal("run", "pull", run, s3.address, "--out", str(tmp_path / "there"))
    s3.benchseal("run", str(tmp_path / "there" / run))
    s3.benchseal("run", "push", str(tmp_path / "there" / run), s3.address)
    assert "brought 5" in s3.benchseal(*here, "run", "pull", run, s3.address, "--user", LEAD)
    assert json.loads(s3.benchseal(*here, "report", run, "--json", "--user", LEAD))["items"] == 12
    with closing(Workspace.open(tmp_path / "ws")) as ws:
        ws.person = LEAD
        (told,) = exposures(ws, "s", host="127.0.0.1")
    assert (told.who, told.where, told.items) == (LEAD, "127.0.0.1", 12)


def test_a_push_that_was_killed_sends_the_rest_and_changed_objects_are_named(
    s3: S3Server, tmp_path: Path
) -> None:
    run = prepared(tmp_path / "ws", 4000)
    place = f"s3://{BUCKET}/killed"
    here = ("--workspace", str(tmp_path / "ws"))
    with closing(Workspace.open(tmp_path / "ws")) as ws:
        folder = runs.folder_of(ws, run).path
    total = sum((folder / name).stat().st_size for name in ("spec.json", "work.jsonl"))

    def there() -> dict[str, int]:
        listed = json.loads(s3.python(_LIST))
        return {name: one["size"] for name, one in listed.items() if "/killed/objects/" in name}

    s3.killed_after(2, *here, "run", "push", run, place, "--user", LEAD)
    kept = sum(there().values())
    assert run in s3.benchseal("run", "pull", run, place, "--out", str(tmp_path / "no"), code=1)
    sent = json.loads(s3.benchseal(*here, "run", "push", run, place, "--user", LEAD, "--json"))
    assert PIECE < kept < total
    assert sent["bytes"] == total - kept
    harmed = min(there(), key=lambda name: there()[name])
    s3.python(f"import s3fs; s3fs.S3FileSystem().pipe_file({harmed!r}, b'~')")
    said = s3.benchseal("run", "pull", run, place, "--out", str(tmp_path / "o"), code=1)
    assert f"s3://{harmed}” was changed or cut" in said
    s3.benchseal(*here, "run", "push", run, place, "--user", LEAD)  # of another size: sent again
    s3.benchseal("run", "pull", run, place, "--out", str(tmp_path / "o"))
    for name in ("spec.json", "work.jsonl"):
        assert (tmp_path / "o" / run / name).read_bytes() == (folder / name).read_bytes()


def test_a_server_that_refuses_or_is_not_there_is_said_in_one_line(
    s3: S3Server, tmp_path: Path
) -> None:
    asked = ("run", "pull", "r1", "s3://no-such-bucket/x", "--out", str(tmp_path))
    assert len(s3.benchseal(*asked, code=1).splitlines()) == 1
    gone = S3Server(9, tmp_path)
    said = gone.benchseal(*asked, code=3)
    assert "did not do as asked" in said
    assert len(said.splitlines()) == 1
    assert "of-the-tests" not in said
