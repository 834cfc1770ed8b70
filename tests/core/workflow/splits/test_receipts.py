"""Receipts: bound to the ledger, issued again at any time, on the disk before a seal is told."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.accounts import login
from core.cli import main
from core.errors import InputError, WorkspaceError
from core.workflow import people
from core.workflow.splits import exports, freeze, lifecycle, receipts, split_states
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.vocabulary import EventKind
from tests.finished_runs import take_in_answers
from tests.paths import ROOT
from tests.splits import freeze_split, varied
from tests.used_split import LEAD, SPLIT, read, use_split


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a lead and a frozen split of three items."""
    opened = Workspace.create(tmp_path / "w")
    people.ensure_person(opened, LEAD, "lead")
    freeze_split(opened, {"scp": [varied(n) for n in range(3)]}, SPLIT)
    yield opened
    opened.close()


def newest(ws: Workspace) -> receipts.Receipt:
    return receipts.issue_again(ws, SPLIT)[0]


def test_openings_evaluations_and_exports_are_in_the_receipt(ws: Workspace, tmp_path: Path):
    sealed = lifecycle.seal(ws, SPLIT, LEAD)
    assert (sealed.state, sealed.openings, sealed.evaluations, sealed.exports) == (
        "sealed", 0, 0, (),
    )  # fmt: skip
    assert (sealed.event, sealed.ledger_hash) == (sealed.last_event, sealed.last_hash)
    lifecycle.open_split(ws, SPLIT, LEAD, "July")
    replies = {member.uid: "A" for member in freeze.members_of(ws, SPLIT)}
    for model in ("a", "b", "c"):
        take_in_answers(ws, tmp_path, replies, SPLIT, model)
    exports.export(ws, SPLIT, "jsonl", tmp_path / "out", person=LEAD, plain="tests")
    receipt = newest(ws)
    assert (receipt.openings, receipt.evaluations) == (1, 3), "one opening, three evaluations"
    (export,) = receipt.exports
    assert (export.by, export.format, export.items) == (LEAD, "jsonl", 3)
    assert len(list(ws.receipts.iterdir())) == 6, "sealed, opened, three evaluations, one export"
    assert verify(ws, receipts.as_json(receipt)).findings == ()


def test_an_opening_cannot_be_erased_without_the_receipt_showing_it(ws: Workspace):
    lifecycle.seal(ws, SPLIT, LEAD)
    before = ws.place.folder.with_name("before")
    shutil.copytree(ws.place.folder, before)
    lifecycle.open_split(ws, SPLIT, LEAD, "curious")
    kept = receipts.as_json(newest(ws))
    with closing(Workspace.open(before)) as earlier:
        assert verify(earlier).findings == (), "from inside nobody sees that it was set back"
        fields = {finding.subject for finding in verify(earlier, kept).findings}
    assert "last_event" in fields


@pytest.mark.parametrize("events", [0, 5])
@pytest.mark.parametrize("name", [SPLIT, "t"])
def test_a_receipt_of_another_workspace_is_said_to_be_one(
    ws: Workspace, tmp_path: Path, name: str, events: int
):
    with closing(Workspace.create(tmp_path / "other")) as other:
        people.ensure_person(other, LEAD, "lead")
        for number in range(events):
            people.ensure_person(other, f"person {number}", "annotator")
        freeze_split(other, {"scp": [varied(n) for n in range(4, 9)]}, name)
        foreign = receipts.as_json(lifecycle.seal(other, name, LEAD))
        assert verify(other, foreign).findings == ()
    lifecycle.seal(ws, SPLIT, LEAD)
    (finding,) = verify(ws, foreign).findings
    assert "another workspace" in finding.detail
    first = {field: foreign[field] for field in receipts._FIRST_FIELDS}
    (finding,) = verify(ws, first).findings
    assert "another workspace" in finding.detail


def test_a_ledger_that_was_rewritten_is_compared_field_by_field(ws: Workspace):
    before = ws.place.folder.with_name("before")
    shutil.copytree(ws.place.folder, before)
    kept = receipts.as_json(lifecycle.seal(ws, SPLIT, LEAD))
    with closing(Workspace.open(before)) as rewritten:
        people.ensure_person(rewritten, "zoe", "annotator", LEAD)
        lifecycle.seal(rewritten, SPLIT, LEAD)
        fields = {finding.subject for finding in verify(rewritten, kept).findings}
    assert {"sealed_at", "ledger_hash"} <= fields


def test_a_receipt_that_was_lost_is_issued_again_word_for_word(ws: Workspace, capsys):
    lifecycle.seal(ws, SPLIT, LEAD)
    (path,) = ws.receipts.iterdir()
    text = path.read_bytes()
    path.unlink()
    assert [f.subject for f in verify(ws).findings] == [f"receipts/{path.name}"]
    assert main(["--workspace", str(ws.place.folder), "split", "receipt", SPLIT, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "sealed"
    assert path.read_bytes() == text
    assert verify(ws).findings == ()


def test_a_folder_that_refuses_the_receipt_does_not_undo_the_seal(ws: Workspace):
    ws.receipts.write_text("a file where the folder should be")
    with pytest.raises(WorkspaceError, match="split receipt s"):
        lifecycle.seal(ws, SPLIT, LEAD)
    ws.receipts.unlink()
    receipts.issue_again(ws, SPLIT)
    assert verify(ws).findings == ()


def test_a_receipt_of_an_earlier_version_is_verified_by_what_it_has(ws: Workspace):
    sealed = receipts.as_json(lifecycle.seal(ws, SPLIT, LEAD))
    names = ("split", "benchmark", "items", "manifest_hash", "sealed_at", "sealed_by", "event",
             "ledger_hash")  # fmt: skip
    first = {name: sealed[name] for name in names}
    verified = verify(ws, first)
    assert verified.findings == ()
    (note,) = verified.notes
    assert "openings" in note
    for name, value in first.items():
        wrong = "0" * len(value) if isinstance(value, str) else value + 1
        assert name in [f.subject for f in verify(ws, {**first, name: wrong}).findings]


def test_what_is_no_receipt_is_refused(ws: Workspace):
    for document in ({}, {"split": SPLIT}, {"split": 1, "manifest_hash": "", "event": 1},
                     {"split": SPLIT, "manifest_hash": "x", "event": True}):  # fmt: skip
        with pytest.raises(InputError, match="not the receipt"):
            verify(ws, document)


def test_the_events_before_receipts_were_promised_need_none(ws: Workspace):
    with ws.writing() as session:
        row = split_states.split_in(session, SPLIT)
        data = {"state": "sealed", "before": "frozen", "digest": row.manifest_hash, "reason": ""}
        event = ledger.NewEvent(EventKind.SPLIT, LEAD, subject=SPLIT, data=data)
        ledger.append(session, event)
        splits.set_state(session, row.id, "sealed")
    assert verify(ws).findings == ()
    assert newest(ws).sealed_by == LEAD


def test_many_uses_are_all_there(tmp_path: Path):
    with closing(Workspace.create(tmp_path / "w")) as ws:
        use_split(ws, tmp_path)
        receipt = read(tmp_path / "receipt.json")
        assert receipt["readings"] == {"judging": 1}
        assert [entry["format"] for entry in receipt["exports"]] == ["jsonl", "lm-eval", "inspect"]
        assert all(re.fullmatch("[0-9a-f]{64}", entry["digest"]) for entry in receipt["exports"])
        assert verify(ws).findings == ()


# --- the order of commit, file and word ---------------------------------------------------------

_SEAL = """
import sys
from core.accounts import login
from core.cli import main
raise SystemExit(main(["--workspace", sys.argv[1], "split", "seal", "s", "--user", "王",
                       "--receipt", sys.argv[2]]))
"""


def test_the_receipt_is_on_the_disk_before_the_seal_is_reported(ws: Workspace, tmp_path: Path):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace, out = tmp_path / "trace", tmp_path / "mine.json"
    ws.close()
    command = ["strace", "-f", "-y", "-s", "4096", "-e", "trace=fsync,fdatasync,write,linkat",
               "-o", str(trace), sys.executable, "-c", _SEAL, str(ws.place.folder),
               str(out)]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, env=dict(os.environ), check=False)
    assert done.returncode == 0, done.stderr.decode()
    calls = trace.read_text(encoding="utf-8", errors="replace").splitlines()

    def first(*parts: str) -> int:
        return next(n for n, line in enumerate(calls) if all(part in line for part in parts))

    committed = first("sync(", "workspace.db-wal")
    kept = first("linkat(", "receipts>", "s-")
    kept_folder = first("fsync(", "/receipts>")
    mine = first("linkat(", "mine.json")
    mine_folder = next(
        place
        for place, line in enumerate(calls)
        if place > mine and "fsync(" in line and f"{tmp_path}>" in line
    )
    told = first("write(1<", "manifest_hash")
    assert committed < kept < kept_folder < told
    assert mine < mine_folder < told


# --- names -------------------------------------------------------------------------------------


def stand_for_the_lead(ws: Workspace) -> None:
    """From now on the account of this test is the lead, and nobody else."""
    people.set_account(ws, login(), "", LEAD)
    people.set_account(ws, LEAD, login(), LEAD)


def test_a_receipt_says_whether_accounts_decided_and_that_is_verified(ws: Workspace):
    stand_for_the_lead(ws)
    sealed = receipts.as_json(lifecycle.seal(ws, SPLIT, LEAD))
    assert sealed["names"] == "not authenticated"
    people.set_shared(ws, True, LEAD)
    lifecycle.open_split(ws, SPLIT, LEAD, "July")
    opened = receipts.as_json(newest(ws))
    assert opened["names"] == "accounts in part", "it was sealed when names were not authenticated"
    for receipt in (sealed, opened):
        assert verify(ws, receipt).findings == ()
        findings = verify(ws, {**receipt, "names": "accounts"}).findings
        assert [finding.subject for finding in findings] == ["names"]
        without = {name: value for name, value in receipt.items() if name != "names"}
        assert [finding.subject for finding in verify(ws, without).findings] == ["names"]


def test_a_split_made_in_a_shared_workspace_has_the_names_of_accounts(ws: Workspace):
    stand_for_the_lead(ws)
    people.set_shared(ws, True, LEAD)
    freeze_split(ws, {"scp2": [varied(n) for n in range(5, 8)]}, "t", "b2")
    lifecycle.seal(ws, "t", LEAD)
    assert receipts.issue_again(ws, "t")[0].names == "accounts"


def test_a_receipt_of_the_version_without_names_still_verifies(ws: Workspace):
    with ws.writing() as session:
        row = split_states.split_in(session, SPLIT)
        data = {"state": "sealed", "before": "frozen", "digest": row.manifest_hash, "reason": "",
                receipts.PROMISE: 2}  # fmt: skip
        event = ledger.NewEvent(EventKind.SPLIT, LEAD, subject=SPLIT, data=data)
        number = ledger.append(session, event)
        splits.set_state(session, row.id, "sealed")
    old = receipts.as_json(receipts.issue(ws, SPLIT, number))
    assert old["receipt"] == 2
    assert "names" not in old
    assert verify(ws, old).findings == ()
    downgraded = receipts.as_json(newest(ws))
    people.ensure_person(ws, "another", "annotator", LEAD)
    assert receipts.as_json(newest(ws))["receipt"] == 3
    assert verify(ws, {**downgraded, "names": "accounts"}).findings
