"""What the window asks again and again, and what the status line says of undo."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.evaluation.params import EvaluateParams
from core.guarded_folder import GuardedFolder
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.workflow import people
from core.workflow.changes import ChangeFeed
from core.workflow.check import review
from core.workflow.evaluation import start
from core.workflow.items.undo import NextUndo, Undone
from core.workflow.runs.kinds import run_kind
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui.window.status_poll import (
    StageCounts,
    StatusPoll,
    poll_status,
    undo_words,
    undone_words,
)
from tests.db.statements import sent_statements
from tests.splits import freeze_split, varied


@pytest.mark.parametrize(
    ("kind", "verdict", "words"),
    [
        ("decided", "accept", "accept #7"),
        ("adjudicated", "reject", "reject #7"),
        ("audit_decided", "accept", "audit decision #7"),
        ("audit_decided", "reject", "audit decision #7"),
        ("rated", "", "rating #7"),
    ],
)
def test_an_audit_decision_is_called_so_and_no_review(kind: str, verdict: str, words: str):
    assert undo_words(NextUndo(1, kind, 7, verdict, 1, "")) == words
    assert undone_words(Undone(7, verdict, 1, kind)) == f"Undone: {words}."


def test_what_is_refused_is_named_as_well_and_many_changes_are_counted():
    assert undo_words(NextUndo(1, "decided", 7, "accept", 1, "built upon")) == "accept #7"
    assert undo_words(NextUndo(1, "bulk", 0, "", 12, "")) == "bulk change: 12"
    assert undone_words(Undone(0, "", 1, "bulk", 12)) == "Undone: change of 12 items."


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Workspace, str]]:
    """A workspace with a split, watched as by a window for which no time passes; its lead."""
    monkeypatch.setattr("gui.window.status_poll.time.monotonic", lambda: 1000.0)
    with closing(Workspace.create(tmp_path / "w")) as ws:
        ws.watch_commits()
        lead = people.ensure_person(ws, "Ada", "lead").name
        freeze_split(ws, {"scp": [varied(1)]}, "s", "b")
        yield ws, lead


def test_an_idle_window_counts_nothing_again_until_somebody_writes(
    watched: tuple[Workspace, str], monkeypatch: pytest.MonkeyPatch
):
    ws, lead = watched
    counted: list[str] = []
    queue = review.queue
    monkeypatch.setattr(review, "queue", lambda *a: counted.append("queue") or queue(*a))
    feed, counts = ChangeFeed(ws), StageCounts()

    def poll(benchmark: str = "b") -> StatusPoll:
        return poll_status(ws, feed, counts, lead, benchmark, False, False)

    first = poll()
    assert (first, len(counted)) == (poll(), 1)
    with ws.writing() as session:
        people.ensure_benchmark_in(session, "c")
    assert set(poll().benchmarks) == {"b", "c"}
    assert len(counted) == 2
    poll("c")
    assert len(counted) == 3
    monkeypatch.setattr("gui.window.status_poll.time.monotonic", lambda: 1100.0)
    poll("c")
    assert len(counted) == 4, "deadlines pass"


def test_a_finished_run_is_read_again_only_after_its_files_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A job of many models on many splits leaves thousands of them."""
    ws = Workspace.create(tmp_path / "w")
    lead = people.ensure_person(ws, "Ada", "lead").name
    freeze_split(ws, {"scp": [varied(1), varied(2)]}, "s", "b")
    finished, waiting = (_evaluation(ws) for _ in range(2))
    run_worker(finished.path, 0, 1, run_kind)
    read: list[Path] = []
    whole = GuardedFolder.read
    monkeypatch.setattr(
        GuardedFolder, "read", lambda folder, *a: read.append(folder.path) or whole(folder, *a)
    )
    feed, counts = ChangeFeed(ws), StageCounts()

    def states() -> dict[str, str]:
        read.clear()
        return poll_status(ws, feed, counts, lead, "b", False, False).run_states

    first = states()
    assert first == {finished.spec().id: "finished", waiting.spec().id: "prepared"}
    assert finished.path in read
    assert states() == first
    assert finished.path not in read
    assert waiting.path in read, "whoever works on it says so in files that only grow"
    finished.files.remove("result.json")
    assert states()[finished.path.name] == "interrupted"
    run_worker(finished.path, 0, 1, run_kind)
    assert states()[finished.path.name] == "finished"
    shutil.rmtree(finished.path)
    assert states()[finished.path.name] == "failed"
    ws.close()


def test_an_idle_window_looks_at_no_finished_run_until_somebody_writes(
    watched: tuple[Workspace, str], monkeypatch: pytest.MonkeyPatch
):
    ws, lead = watched
    finished = _evaluation(ws)
    run_worker(finished.path, 0, 1, run_kind)
    feed, counts = ChangeFeed(ws), StageCounts()
    looked: list[Path] = []
    status = GuardedFolder.status
    monkeypatch.setattr(
        GuardedFolder,
        "status",
        lambda folder, name: looked.append(folder.path) or status(folder, name),
    )

    def states() -> dict[str, str]:
        looked.clear()
        return poll_status(ws, feed, counts, lead, "b", False, False).run_states

    assert states() == {finished.path.name: "finished"}
    assert looked
    with sent_statements() as sent:
        assert states() == {finished.path.name: "finished"}
    assert looked == []
    assert not [statement for statement in sent if "FROM run" in statement]
    finished.files.remove("result.json")
    with ws.writing() as session:
        people.ensure_benchmark_in(session, "c")
    assert states() == {finished.path.name: "interrupted"}
    run_worker(finished.path, 0, 1, run_kind)
    assert states() == {finished.path.name: "finished"}, "what is unfinished is always looked at"
    finished.files.remove("result.json")
    monkeypatch.setattr("gui.window.status_poll.time.monotonic", lambda: 1100.0)
    assert states() == {finished.path.name: "interrupted"}, "once a minute in any case"


def _evaluation(ws: Workspace) -> RunFolder:
    given = EvaluateParams(split="s", engine="baseline:random")
    return start.create(ws, given, freeze.info(ws, "s"), "local", 1)
