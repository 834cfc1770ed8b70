"""SIGKILL at every write of a decision, an undo, an audit and an import: whole or absent."""

import json
import subprocess
import sys

import pytest

from core.workflow.audit import lots
from core.workflow.check import rate, review
from core.workflow.items import history, search, undo
from core.workflow.items.verify import verify
from core.workflow.workspace import Workspace
from tests.paths import ROOT
from tests.workspaces import TASK, accept_all, make_task, payload, write_items

# Forks a process for every step that the action makes; each kills itself at its own step. The
# first that lives to the end has done the action, and the walk is over.
WALK = """
import json, os, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from core.workflow.audit import lots
from core.workflow.check import rate, review
from core.workflow.items import undo
from core.workflow.production import import_items as imports, write
from core.workflow.workspace import Workspace
from core.workflow.items.verify import verify
location, action, argument = sys.argv[1:4]

def act(ws):
    if action == "decide":
        review.decide(ws, "wu", int(argument), "reject", reason="other")
    elif action == "undo":
        undo.undo(ws, "li")
    elif action == "audit":
        lots.decide(ws, "ruth", int(argument), "reject", reason="wrong")
    elif action == "rate":
        rate.rate(ws, "wu", int(argument), {"fluency": 2, "accuracy": 1})
    elif action == "revise":
        write.revise(ws, "ann", int(argument), json.loads(sys.argv[4]))
    else:
        order = imports.ImportOrder(Path(argument), "titles", "bench", person="ann")
        imports.import_file(ws, order)

def child(step):
    count = 0
    def tick(*_, **__):
        nonlocal count
        count += 1
        if count == step:
            os.kill(os.getpid(), signal.SIGKILL)
    ws = Workspace.open(location)
    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(Engine, name, tick)
    act(ws)
    os._exit(0)

def events(ws):
    found = verify(ws)
    assert found.sound, found.findings
    return found.events

ws = Workspace.open(location)
before, seen, step = events(ws), [], 0
ws.close()
while True:
    step += 1
    pid = os.fork()
    if pid == 0:
        try:
            child(step)
        except BaseException as error:
            sys.stderr.write(f"{error!r}\\n")
            os._exit(7)
    _, status = os.waitpid(pid, 0)
    ws = Workspace.open(location)
    seen.append(events(ws) - before)
    ws.close()
    if not os.WIFSIGNALED(status):
        assert os.WEXITSTATUS(status) == 0, "the action failed"
        break
    if seen[-1]:
        break
print(json.dumps(seen))
"""


def walk(location: str, action: str, *arguments: object) -> list[int]:
    """How many events the ledger had gained after a kill at every step of an action."""
    command = [sys.executable, "-c", WALK, location, action, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=250)
    assert done.returncode == 0, done.stderr
    seen: list[int] = json.loads(done.stdout)
    return seen


def prepared(ws: Workspace) -> list[int]:
    make_task(ws, overlap=1, audit_sample=2, rubric="coreeval")
    numbers = write_items(ws, 4)
    accept_all(ws, numbers[:3], "li")
    for name in ("wu",):
        review.next_card(ws, name, "bench")
    return numbers


def whole_or_absent(seen: list[int], at_least: int) -> None:
    assert len(seen) > at_least, "the walk was shorter than the action"
    assert set(seen[:-1]) == {0}
    assert seen[-1] > 0


def test_a_decision(ws, location):
    numbers = prepared(ws)
    whole_or_absent(walk(location, "decide", numbers[3]), at_least=14)
    assert history.state_of(ws, numbers[3]) == "rejected"


@pytest.mark.slow
def test_an_undo(ws, location):
    numbers = prepared(ws)
    whole_or_absent(walk(location, "undo", ""), at_least=14)
    assert history.state_of(ws, numbers[2]) == "draft"


@pytest.mark.slow
def test_an_audit_that_returns_the_lot(ws, location):
    numbers = prepared(ws)
    drawn = lots.start(ws, TASK, "ruth", seed=1).lots[0].drawn[0].number
    whole_or_absent(walk(location, "audit", drawn), at_least=20)
    assert {history.state_of(ws, number) for number in numbers[:3]} == {"returned"}
    assert lots.status(ws, TASK).round == 2


@pytest.mark.slow
def test_ratings(ws, location):
    numbers = prepared(ws)
    whole_or_absent(walk(location, "rate", numbers[3]), at_least=10)
    assert rate.ratings(ws, "wu", numbers[3])["wu"] == {"fluency": 2.0, "accuracy": 1.0}


@pytest.mark.slow
def test_a_revision(ws, location):
    numbers = prepared(ws)
    undo.undo(ws, "li")
    review.decide(ws, "li", numbers[2], "return", note="fix")
    new = json.dumps(payload("被打断"))
    whole_or_absent(walk(location, "revise", numbers[2], new), at_least=14)
    assert search.page(ws, search.Filters()).rows[numbers[2] - 1].revision == 2


@pytest.mark.slow
def test_an_import(ws, location, tmp_path):
    prepared(ws)
    file = tmp_path / "items.jsonl"
    rows = [
        {"Instruction": "写标题", "Input": f"正文{place}", "Output": f"标题{place}"}
        for place in range(5)
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    whole_or_absent(walk(location, "import", file), at_least=10)
    assert sum(history.counts(ws).values()) == 9


@pytest.mark.parametrize("kills", [20])
def test_a_reviewer_who_is_killed_while_deciding_loses_no_acknowledged_decision(
    ws, location, kills
):
    make_task(ws)
    write_items(ws, 3 * kills)
    script = (
        "import sys\nfrom core.workflow.check import review\n"
        "from core.workflow.workspace import Workspace\n"
        "ws = Workspace.open(sys.argv[1])\n"
        "while (card := review.next_card(ws, 'li', 'bench')) is not None:\n"
        "    done = review.decide(ws, 'li', card.number, 'accept')\n"
        "    print(done.number, done.event, flush=True)\n"
    )
    acknowledged: list[str] = []
    for _ in range(3):
        worker = subprocess.Popen(
            [sys.executable, "-c", script, location],
            stdout=subprocess.PIPE, cwd=ROOT, text=True,
        )  # fmt: skip
        assert worker.stdout is not None
        for _ in range(kills // 3):
            acknowledged.append(worker.stdout.readline())
        worker.kill()
        acknowledged += worker.stdout.readlines()
        worker.wait()
        worker.stdout.close()
    whole = [line.split() for line in acknowledged if line.endswith("\n")]
    assert len(whole) >= 3 * (kills // 3)
    for number, event in whole:
        assert history.state_of(ws, int(number)) == "accepted"
        assert int(event) in {e.number for e in history.life(ws, int(number)).events}
    assert verify(ws).sound
