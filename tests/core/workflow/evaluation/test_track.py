"""Runs in trackers of experiments: the figures of a report, under one name, known to the ledger."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import OutsideError, RightsError, StateError
from core.evaluation.trackers import TRACKERS, Tracker
from core.workflow import people
from core.workflow.evaluation import score_run, track
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import ledger
from db.vocabulary import EventKind
from tests.polling import until
from tests.side_environments import python_of
from tests.used_split import LEAD, SPLIT, judging_run, use_split

NAMED = {tracker.name: tracker for tracker in TRACKERS}


@pytest.fixture
def used(tmp_path: Path) -> Iterator[tuple[Workspace, str]]:
    """A workspace with an evaluated split, and the evaluation's run."""
    ws = Workspace.create(tmp_path / "w", lead=LEAD)
    (tmp_path / "outside").mkdir()
    yield ws, use_split(ws, tmp_path / "outside")
    ws.close()


@pytest.fixture
def written(tmp_path: Path) -> Tracker:
    """A tracker of a few lines, which needs no package."""
    script = tmp_path / "to_file.py"
    script.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1], 'runs.jsonl')\n"
        "path.parent.mkdir(exist_ok=True)\n"
        "with path.open('a') as out:\n    print(sys.stdin.read(), file=out)\n"
        "print(path)\n",
        encoding="utf-8",
    )
    return Tracker("file", "A file", "", str(script))


def told_of(ws: Workspace, run: str) -> list[dict]:
    """What the ledger knows of trackers of a run."""
    with ws.reading() as session:
        events = ledger.of_subject(session, EventKind.RUN, run)
    return [dict(event.data) for event in events if track.TRACKED in event.data]


def test_the_figures_of_the_report_leave_and_the_ledger_knows_where_to(
    used: tuple[Workspace, str], written: Tracker, tmp_path: Path
) -> None:
    ws, run = used
    place = tmp_path / "place"
    announced = track.announce(ws, run, written, str(place), LEAD)
    sent = track.track(ws, announced)
    report = score_run.report(ws, run)
    assert (sent.run, sent.state, sent.score) == (run, "finished", report.total.accuracy)
    assert (sent.answered, sent.items, sent.going_on) == (6, 6, False)
    line = json.loads(Path(sent.at).read_text(encoding="utf-8"))
    assert line["figures"]["score"] == report.total.accuracy
    assert line["marks"]["manifest"] == freeze.info(ws, SPLIT).manifest_hash
    assert told_of(ws, run) == [{"tracked": "file", "host": ""}]
    text = json.dumps(line, ensure_ascii=False)
    for member in freeze.members_of(ws, SPLIT):
        for value in member.content.payload.values():
            assert not (isinstance(value, str) and len(value) > 12 and value in text)


def test_what_cannot_be_sent_leaves_no_word_in_the_ledger(
    used: tuple[Workspace, str], written: Tracker, tmp_path: Path
) -> None:
    ws, run = used
    people.ensure_person(ws, "ann", "annotator")
    with pytest.raises(RightsError):
        track.announce(ws, run, written, str(tmp_path), "ann")
    with pytest.raises(StateError, match="not an evaluation"):
        track.announce(ws, judging_run(ws, run), written, str(tmp_path), LEAD)
    with pytest.raises(OutsideError, match="needs the package mlflow"):
        track.announce(ws, run, NAMED["mlflow"], str(tmp_path), LEAD, sys.executable)
    assert told_of(ws, run) == []


READ_MLFLOW = """
import json, sys
from mlflow import MlflowClient
client = MlflowClient(tracking_uri=sys.argv[1])
experiment = client.get_experiment_by_name(sys.argv[2])
runs = client.search_runs([experiment.experiment_id])
print(json.dumps([{"name": r.info.run_name, "state": r.info.status, "user": r.info.user_id,
    "score": r.data.metrics["score"], "manifest": r.data.tags["benchseal.manifest"]}
    for r in runs]))
"""
# a file of W&B is a log as LevelDB writes it, behind seven bytes: blocks of 32 KiB, in which parts
# of records stand behind a sum (4 bytes), a length (2) and whether more follows (1)
READ_WANDB = """
import json, sys
from pathlib import Path
from wandb.proto import wandb_internal_pb2
data, at, parts, found = Path(sys.argv[1]).read_bytes(), 7, b"", {}
while at + 7 <= len(data):
    if 32768 - at % 32768 < 7:
        at += 32768 - at % 32768
        continue
    length, kind = int.from_bytes(data[at + 4:at + 6], "little"), data[at + 6]
    parts += data[at + 7:at + 7 + length]
    at += 7 + length
    if kind in (1, 4):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(parts)
        parts = b""
        for item in record.summary.update:
            found["/".join(item.nested_key) or item.key] = json.loads(item.value_json)
        if record.WhichOneof("record_type") == "run":
            found["name"], found["host"] = record.run.run_id, record.run.host
print(json.dumps(found))
"""


def said(*command: str) -> object:
    done = subprocess.run(
        [str(python_of("trackers")), "-c", *command], capture_output=True, text=True, check=False,
        env={**os.environ, "DO_NOT_TRACK": "true"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def put(used: tuple[Workspace, str], name: str, where: str) -> track.TrackedScore:
    """The run in a tracker, twice: the second time goes on with the first."""
    ws, run = used
    python = str(python_of("trackers"))
    for _ in range(2):
        sent = track.track(ws, track.announce(ws, run, NAMED[name], where, LEAD, python))
    return sent


@pytest.mark.slow
def test_mlflow_has_the_run_in_a_folder(used: tuple[Workspace, str], tmp_path: Path) -> None:
    sent = put(used, "mlflow", str(tmp_path / "m"))
    (one,) = said(READ_MLFLOW, f"sqlite:///{tmp_path}/m/mlflow.db", "b")
    assert (one["name"], one["state"], one["score"]) == (used[1], "FINISHED", sent.score)
    assert one["manifest"] == freeze.info(used[0], SPLIT).manifest_hash


@pytest.fixture
def mlflow_server(tmp_path: Path) -> Iterator[str]:
    """An MLflow on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "server").mkdir()
    command = [str(python_of("trackers")), "-m", "mlflow", "server", "--host", "127.0.0.1",
               "--port", str(port), "--workers", "1",
               "--backend-store-uri", f"sqlite:///{tmp_path}/server/mlflow.db"]  # fmt: skip
    environment = {**os.environ, "DO_NOT_TRACK": "true"}
    log = (tmp_path / "server.log").open("wb")
    server = subprocess.Popen(
        command, cwd=tmp_path / "server", env=environment, stdout=log, stderr=log,
        start_new_session=True,
    )  # fmt: skip

    def answers() -> bool:
        with socket.socket() as there:
            return there.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(answers, 120)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, 15)
        server.wait(60)
        log.close()


@pytest.mark.slow
def test_mlflow_has_the_run_at_a_server(used: tuple[Workspace, str], mlflow_server: str) -> None:
    sent = put(used, "mlflow", mlflow_server)
    (one,) = said(READ_MLFLOW, mlflow_server, "b")
    assert (one["name"], one["state"], one["score"]) == (used[1], "FINISHED", sent.score)
    assert told_of(*used) == [{"tracked": "mlflow", "host": "127.0.0.1"}] * 2


@pytest.mark.slow
def test_wandb_has_the_run_offline(used: tuple[Workspace, str], tmp_path: Path) -> None:
    sent = put(used, "wandb", str(tmp_path / "o"))
    assert Path(sent.at).parent.parent == tmp_path / "o"
    (path,) = Path(sent.at).glob("*.wandb")
    found = said(READ_WANDB, str(path))
    assert (found["name"], found["score"], found["state"]) == (used[1], sent.score, "finished")
    assert found["host"] == ""


@pytest.mark.slow
def test_trackio_has_the_run_in_a_folder(used: tuple[Workspace, str], tmp_path: Path) -> None:
    sent = put(used, "trackio", str(tmp_path / "t"))
    with closing(sqlite3.connect(tmp_path / "t" / "b.db")) as database:
        rows = database.execute("SELECT run_name, metrics FROM metrics").fetchall()
        (config,) = database.execute("SELECT config FROM configs").fetchone()
    assert {name for name, _ in rows} == {used[1]}
    assert json.loads(rows[-1][1])["score"] == sent.score
    assert json.loads(config)["_Username"] is None
