"""Evaluations that go wrong: cut off, split again, without a server, and asked for too early."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.errors import ConflictError, OutsideError, StateError
from core.evaluation.run import EvaluateParams
from core.workflow.evaluation import start
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.people import ensure_benchmark_in
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import runs as run_rows
from tests.polling import until
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import freeze_split, varied

COUNT = 40


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.create(tmp_path / "ws")
    freeze_split(opened, {"scp": [varied(number) for number in range(COUNT)]})
    yield opened
    opened.close()


def params(url: str, **more) -> EvaluateParams:
    return EvaluateParams(
        split="s", engine="openai", model="m", base_url=url, mode="completion", concurrency=1,
        **more,
    )  # fmt: skip


def test_four_shards_go_on_as_two_and_every_item_is_answered_once(ws: Workspace):
    with LoopbackModel(Policy(latency_s=0.1), answer=lambda body: "A") as server:
        folder = start.start(ws, "s", params(server.url), shards=4)
        run = folder.spec().id
        until(lambda: len(folder.finished_ids()) > 6)
        runs.stop(ws, run)
        done = len(folder.finished_ids())
        assert 6 < done < COUNT
        server.policy.latency_s = 0
        runs.resume(ws, run, 2)
        assert runs.wait(ws, run).state == "finished"
        asked = Counter(seen.tag for seen in server.seen)
    assert len(asked) == COUNT
    assert sum(asked.values()) <= COUNT + 4  # what was in flight when it was stopped
    report = report_taken_in(ws, run)
    assert (report.answered, report.origin["resumed"]) == (COUNT, done)
    lines = [line for path in folder.shard_files() for line in path.read_text().splitlines()]
    assert len(lines) == COUNT


def test_a_report_before_the_end_is_refused_with_counts_and_partial_ones_say_what_is_missing(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
):
    with LoopbackModel(Policy(latency_s=0.1), answer=lambda body: "A") as server:
        folder = start.start(ws, "s", params(server.url))
        run = folder.spec().id
        until(lambda: len(folder.finished_ids()) > 3)
        runs.stop(ws, run)
    done = len(folder.finished_ids())
    with pytest.raises(StateError, match=f"{COUNT - done} of {COUNT} items: {done} answered, 0 r"):
        report_taken_in(ws, run)
    said = ["--workspace", str(ws.place.folder), "report", run]
    for more in ([], ["--by", "format"], ["--csv"], ["--latex"]):
        assert main([*said, *more]) == 1
        captured = capsys.readouterr()
        assert f"{COUNT - done} of {COUNT}" in captured.err
        assert not captured.out
    partial = report_taken_in(ws, run, partial=True)
    assert (partial.answered, partial.missing, partial.not_asked) == (
        done,
        COUNT - done,
        COUNT - done,
    )
    assert runs.info(ws, run).taken_in is False


def test_a_server_that_goes_down_in_the_middle_loses_nothing(ws: Workspace):
    with LoopbackModel(Policy(latency_s=0.05), answer=lambda body: "A") as server:
        folder = start.start(ws, "s", params(server.url, retries=0, timeout_s=2))
        run, port = folder.spec().id, int(server.url.rsplit(":", 1)[1].split("/")[0])
        until(lambda: len(folder.finished_ids()) > 5)
    info = runs.wait(ws, run)
    assert info.state == "failed"
    assert str(port) in (info.error or "")
    before = report_taken_in(ws, run, partial=True)
    assert 5 < before.answered < COUNT
    with LoopbackModel(answer=lambda body: "A", port=port):
        runs.resume(ws, run)
        assert runs.wait(ws, run).state == "finished"
    assert report_taken_in(ws, run).answered >= COUNT - 1  # at most what was in flight is lost


def test_a_split_without_items_cannot_come_to_be(ws: Workspace):
    with ws.writing() as session:
        ensure_benchmark_in(session, "empty")
    with pytest.raises(StateError, match="Nothing to freeze"):
        freeze.freeze(ws, "none", "empty")


def test_an_engine_that_is_not_here_says_what_to_install_and_leaves_no_run(ws: Workspace):
    given = EvaluateParams(split="s", engine="vllm", model="/nowhere/模型")
    with pytest.raises(OutsideError, match="make gpu"):
        start.start(ws, "s", given)
    assert runs.runs(ws) == ()


def test_a_finished_run_is_not_started_again(ws: Workspace):
    run = start.start(ws, "s", EvaluateParams(split="s", engine="baseline:random")).spec().id
    runs.wait(ws, run)
    with pytest.raises((ConflictError, StateError)):
        runs.resume(ws, run)


def test_what_failed_is_asked_again_on_demand_and_replaces_what_was_kept(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
):
    place = str(ws.place.folder)
    broken = {"status": 500, "body": {"error": {"message": "no"}}}
    sick = True

    def answer(body: dict):
        return broken if sick and "item-7）" in asked_text(body) else "A"

    with LoopbackModel(answer=answer) as server:
        run = start.start(ws, "s", params(server.url, retries=0)).spec().id
        runs.wait(ws, run)
        first = report_taken_in(ws, run)
        assert (first.missing, first.outcomes["failed"]) == (1, 1)
        sick = False
        asked = len(server.seen)
        assert main(["--workspace", place, "run", "resume", run, "--failed"]) == 0
        runs.wait(ws, run)
        assert len(server.seen) == asked + 1
    again = report_taken_in(ws, run)
    assert (again.missing, again.answered) == (0, COUNT)
    with ws.reading() as session:
        kept = run_rows.answers_of(session, run)
    assert len(kept) == COUNT
    assert {row.outcome for row in kept} == {"ok"}
    assert verify(ws).findings == ()
    assert start.forget_failed(ws, run) == 0
