"""What the window asks again and again, and what the status line says of undo."""

from pathlib import Path

import pytest

from core.workflow import people
from core.workflow.changes import ChangeFeed
from core.workflow.check import review
from core.workflow.items.undo import NextUndo, Undone
from core.workflow.workspace import Workspace
from gui.window.status_poll import (
    StageCounts,
    StatusPoll,
    poll_status,
    undo_words,
    undone_words,
)
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


def test_an_idle_window_counts_nothing_again_until_somebody_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ws = Workspace.create(tmp_path / "w")
    ws.watch_commits()
    monkeypatch.setattr("gui.window.status_poll.time.monotonic", lambda: 1000.0)
    lead = people.ensure_person(ws, "Ada", "lead").name
    freeze_split(ws, {"scp": [varied(1)]}, "s", "b")
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
    ws.close()
