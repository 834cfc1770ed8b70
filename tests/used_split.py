"""A workspace whose split was sealed, opened, evaluated, judged and exported, for tests of what
remains of that in files."""

import json
from pathlib import Path

from core.workflow import people
from core.workflow.evaluation import take_in_answers
from core.workflow.runs import runs
from core.workflow.splits import exports, freeze, lifecycle
from core.workflow.workspace import Workspace
from tests.finished_runs import judge_by_hand
from tests.finished_runs import take_in_answers as answered
from tests.splits import freeze_split, varied

LEAD = "王"
SPLIT = "s"
COUNT = 6


def use_split(ws: Workspace, outside: Path) -> str:
    """Seal, open, evaluate, judge and export the split ``s``; returns the evaluation's run.

    The exports are in ``outside``, a folder for each format, and the receipt of the end as
    ``receipt.json``.
    """
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(COUNT)]}, SPLIT)
    lifecycle.seal(ws, SPLIT, LEAD)
    lifecycle.open_split(ws, SPLIT, LEAD, "the evaluation of July")
    replies = {member.uid: "A" for member in freeze.members_of(ws, SPLIT)}
    run = answered(ws, outside, replies, SPLIT)
    judge_by_hand(ws, run)
    take_in_answers.take_in(ws, run)
    for form in ("jsonl", "lm-eval", "inspect"):
        exports.export(ws, SPLIT, form, outside / form, person=LEAD, plain="for the tests")
    write_receipt(ws, outside / "receipt.json")
    return run


def write_receipt(ws: Workspace, path: Path) -> None:
    """The newest receipt of the split, as somebody outside keeps it."""
    from core.workflow.splits import receipts

    receipts.write(path, receipts.issue_again(ws, SPLIT)[0])


def judging_run(ws: Workspace, run: str) -> str:
    """The judging of an evaluation."""
    row = runs.judging_of(ws, run)
    assert row is not None
    return row.id


def read(path: Path) -> dict:
    """The JSON object in a file."""
    return json.loads(path.read_text(encoding="utf-8"))
