"""A team of six in processes of their own takes one task from empty to approved."""

import json
import re
import subprocess
import sys

import pytest

from core.screening.run import PrescreenParams
from core.workflow import people
from core.workflow.audit import lots
from core.workflow.check import screen
from core.workflow.items import state_counts
from core.workflow.runs import runs
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.paths import ROOT
from tests.servers.model_server import LoopbackModel
from tests.workspaces import BENCHMARK, TASK, make_task

SHIFT = """
import sys
from core.errors import BenchsealError
from core.workflow.audit import lots
from core.workflow.check import adjudicate, review
from core.workflow.production import write
from core.workflow.workspace import Workspace
from tests.workspaces import TASK, payload
location, person, work, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
ws = Workspace.open(location)
if work == "write":
    for place in range(count):
        draft = write.save_draft(ws, person, TASK, {"input": "half a sentence"})
        content = payload(f"第{place}次，{person}")
        number = write.submit(ws, person, TASK, content, draft=draft).number
elif work == "rework":
    for entry in write.returned_to(ws, person, TASK):
        if any(word.revision == entry.revision for word in entry.words):
            new = dict(entry.content.payload)
            new["output"] = new["output"] + f"（改{entry.revision}）"
            write.revise(ws, person, entry.number, new)
    write.hand_in_unchanged(ws, person, TASK)
elif work == "review":
    while (card := review.next_card(ws, person, "bench")) is not None:
        bad = person == "s2" and card.number % 10 < 3 and card.revision == 1
        review.decide(ws, person, card.number, "reject" if bad else "accept",
                      reason="ambiguous", seconds=2)
elif work == "adjudicate":
    for line in adjudicate.disputed(ws, person):
        adjudicate.settle(ws, person, line.id, "accept" if line.id % 2 else "return", note="改")
elif work == "audit":
    while (card := lots.next_card(ws, TASK, person)) is not None:
        verdict = "reject" if count and not card.number % 2 else "accept"
        lots.decide(ws, person, card.number, verdict, reason="答案不唯一")
"""


def shift(location: str, *people: tuple[str, str, int]) -> None:
    """Let some people work at the same time, each in a process."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SHIFT, location, name, work, str(count)],
            cwd=ROOT, stderr=subprocess.PIPE, text=True,
        )
        for name, work, count in people
    ]  # fmt: skip
    for process in started:
        _, err = process.communicate(timeout=1000)
        assert process.returncode == 0, err


def score(body: dict) -> str:
    """The stand-in finds every tenth text weak."""
    number = int(re.findall(r"第(\d+)次", str(body["messages"]))[-1])
    return json.dumps({"score": 3 if number % 10 == 9 else 8, "reasons": "…"})


def through_the_gate(ws: Workspace, url: str) -> None:
    """Screen whatever waits."""
    params = PrescreenParams(base_url=url, model="test-model")
    run_id = screen.start(ws, BENCHMARK, params).spec().id
    runs.wait(ws, run_id, 60)
    screen.take_in(ws, run_id)


def check_until_settled(ws: Workspace, location: str, url: str) -> None:
    """Stage 2 until nothing is left in it: gate, two reviewers, adjudication, rework."""
    for _ in range(6):
        states = state_counts.counts(ws)
        if not states["draft"] and not states["in_review"] and not states["returned"]:
            return
        if states["draft"]:
            through_the_gate(ws, url)
        shift(location, ("s1", "review", 0), ("s2", "review", 0))
        shift(location, ("s3", "adjudicate", 0))
        shift(location, ("a1", "rework", 0), ("a2", "rework", 0))
    pytest.fail(f"stage 2 does not come to an end: {state_counts.counts(ws)}")


@pytest.mark.slow
def test_from_empty_to_approved_with_a_failed_audit_on_the_way(ws, location):
    make_task(
        ws, gate="required", overlap=2, gate_audit_share=0.2, audit_sample=6, target=30
    )  # fmt: skip
    people.ensure_person(ws, "s3")
    with LoopbackModel(answer=score) as server:
        shift(location, ("a1", "write", 20), ("a2", "write", 20))
        check_until_settled(ws, location, server.url)
        first = lots.start(ws, TASK, "ruth", seed=2)
        lot = first.lots[0].size
        assert lot >= 30
        shift(location, ("ruth", "audit", 1))
        failed = lots.status(ws, TASK)
        assert (failed.round, failed.lots[0].state) == (2, "returned")
        assert failed.states["returned"] == lot
        shift(location, ("a1", "rework", 0), ("a2", "rework", 0))
        check_until_settled(ws, location, server.url)
    second = lots.start(ws, TASK, "ruth", seed=3)
    assert [entry.number for entry in second.lots[1].drawn] != [
        entry.number for entry in first.lots[0].drawn
    ]
    shift(location, ("ruth", "audit", 0))
    done = lots.status(ws, TASK)
    assert (done.round, done.lots[-1].state) == (2, "passed")
    counts = state_counts.counts(ws)
    assert sum(counts.values()) == 40
    assert counts["approved"] + counts["screened_out"] + counts["rejected"] == 40
    assert counts["approved"] >= 30
    found = verify(ws)
    assert (found.sound, found.items) == (True, 40)
    printed = subprocess.run(
        [sys.executable, "-m", "core.cli", "--workspace", location, "verify", "--json"],
        capture_output=True, text=True, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert printed.returncode == 0
    assert json.loads(printed.stdout)["sound"] is True
