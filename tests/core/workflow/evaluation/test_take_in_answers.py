"""Taking a run's answers in: as they were given, all of them or none, once."""

import os
import signal
import subprocess
import sys

import pytest

from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import keys_of
from core.workflow.evaluation import score_run, start
from core.workflow.runs import runs
from core.workflow.runs.take_in import take_in
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.runs import AnswerRow
from db.vocabulary import EventKind
from tests.finished_runs import finished_run
from tests.paths import ROOT
from tests.splits import freeze_split, varied

COUNT = 300
KILLED = """
import os, signal, sys
from core.workflow.runs.take_in import take_in
from core.workflow.workspace import Workspace
from db import ledger
from pathlib import Path

ledger.append = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
take_in(Workspace.open(Path(sys.argv[1])), sys.argv[2])
"""


def answered(ws: Workspace, count: int = COUNT) -> str:
    freeze_split(ws, {"t": [varied(number) for number in range(count)]}, "s")
    keys = keys_of(freeze.members_of(ws, "s"))
    rows = [{"id": key.id, "text": "Selection 1", "outcome": "ok"} for key in keys]
    return finished_run(ws, "evaluate", EvaluateParams(engine="openai", model="m", split="s"), rows)


def kept(ws: Workspace, run: str) -> list[AnswerRow]:
    with ws.reading() as session:
        return run_rows.answers_of(session, run)


def told(ws: Workspace, run: str) -> list[int]:
    """What each event about taking the run in says."""
    with ws.reading() as session:
        events = ledger.of_subject(session, EventKind.RUN, run)
    return [one.data["taken_in"] for one in events if "taken_in" in one.data]


@pytest.mark.parametrize("count", [0, 1, 142, 143, 1000])
def test_any_number_of_answers_is_kept_as_it_was_given(ws: Workspace, count: int):
    texts = ["答", "", "100 % of ?, ' and \"", "%(text)s", "a\nb\u2028", "🙂"]
    rows = [
        AnswerRow("r", 1 + n // 3, f"v{n % 3}", "ok", texts[n % 6], (None, "A", "")[n % 3],
                  (None, 0.0, 1 / 3)[n % 3])
        for n in range(count)
    ]  # fmt: skip
    with ws.writing() as session:
        run_rows.add(session, "r", "evaluate")
        run_rows.add_answers(session, rows)
    assert sorted(kept(ws, "r")) == sorted(rows)


def test_every_answer_is_taken_in_once(ws: Workspace):
    run = answered(ws)
    take_in(ws, run)
    report = score_run.report(ws, run)
    first = kept(ws, run)
    assert [(row.item_id, row.text) for row in first] == [
        (int(one.id), one.text) for one in report.scores
    ]
    take_in(ws, run)
    assert kept(ws, run) == first
    assert told(ws, run) == [COUNT]


def test_what_was_asked_again_takes_the_place_of_what_failed(ws: Workspace):
    run = answered(ws, 5)
    folder = runs.folder_of(ws, run)
    (shard,) = folder.shard_files()
    whole = shard.read_text(encoding="utf-8")
    lines = whole.splitlines(keepends=True)
    failed = lines[-1].replace('"ok"', '"failed"')
    shard.write_text("".join([*lines[:-1], failed]), encoding="utf-8")
    take_in(ws, run)
    assert [row.outcome for row in kept(ws, run)] == ["ok"] * 4 + ["failed"]
    result = (folder.path / "result.json").read_text(encoding="utf-8")
    assert start.forget_failed(ws, run) == 1
    shard.write_text(whole, encoding="utf-8")
    (folder.path / "result.json").write_text(result, encoding="utf-8")
    take_in(ws, run)
    assert [row.outcome for row in kept(ws, run)] == ["ok"] * 5
    assert told(ws, run) == [5, 5]


def test_a_process_that_is_killed_while_it_takes_answers_in_leaves_none(sqlite_ws: Workspace):
    run = answered(sqlite_ws)
    place = sqlite_ws.place.folder
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(place), run], check=False, env=here, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    assert kept(sqlite_ws, run) == []
    assert not runs.info(sqlite_ws, run).taken_in
    take_in(sqlite_ws, run)
    assert len(kept(sqlite_ws, run)) == COUNT
    assert told(sqlite_ws, run) == [COUNT]
