"""Places of the workspace's folder that held words of an item before the sealing are all named."""

import os
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from core.jobs.folder import RunFolder
from core.release.manifest import SplitItem
from core.screening import duplicate_runs
from core.screening.duplicate_runs import DuplicateParams
from core.screening.run import PrescreenParams
from core.workflow.analysis import second_look
from core.workflow.rights import Action, writing_as
from core.workflow.runs import runs
from core.workflow.sealing import plain_remains
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import ledger
from tests.sealed.conftest import LEAD, SPLIT, SealedPlace
from tests.sealed.private_items import ITEMS

WORDS = str(ITEMS[0].payload["input"])
LEFT = {
    "a reply of a model": "cache/ab/abcd.json",
    "the folder of a run that nobody knows": "runs/rewrite-20260101-000000-abcd/shard-000.jsonl",
    "a freeze under another name": "releases/t.uncommitted-20260101000000000000/items.jsonl",
    "half a backup": "backups/.workspace-20260101T000000000000Z.db.part",
    "a trial that was killed": "trials/trial-20260101/work.jsonl",
    "a copy of the database": "workspace.db.old",
    "an export": "exports/jsonl/items.jsonl",
    "a file of somebody": "notes/items.txt",
    "a note of offline work": "offline.json",
    "a hidden file": ".items.jsonl.1.tmp",
}


@pytest.mark.parametrize("name", LEFT.values(), ids=LEFT)
def test_what_lay_there_before_the_sealing_is_named(sealed: SealedPlace, name: str) -> None:
    path = sealed.root / "workspace" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(WORDS, encoding="utf-8")
    sealed.seal()
    found = {Path(one.path) for one in sealed.found()}
    named = [Path(one.path) for one in sealed.locked.remains]
    assert found == {path}
    assert all(any(file.is_relative_to(place) for place in named) for file in found)
    path.touch()  # what came later is not of before
    assert plain_remains.remains(sealed.ws, SPLIT) == ()


@pytest.mark.parametrize("of_file", [0, 365], ids=["sealed by a clock behind", "a file of 2027"])
def test_what_lay_there_before_is_named_whatever_a_clock_says(
    sealed: SealedPlace, monkeypatch: pytest.MonkeyPatch, of_file: int
) -> None:
    path = sealed.root / "workspace" / "notes.txt"
    path.write_text(WORDS, encoding="utf-8")
    moment = datetime.now(UTC) + timedelta(days=of_file)
    os.utime(path, (moment.timestamp(), moment.timestamp()))
    with monkeypatch.context() as patch:
        if not of_file:
            patch.setattr(ledger, "now", lambda: datetime.now(UTC) - timedelta(days=365))
        sealed.seal()
    assert {Path(one.path) for one in sealed.locked.remains} == {path}
    assert {Path(one.path) for one in plain_remains.remains(sealed.ws, SPLIT)} == {path}


def test_an_item_that_somebody_quoted_is_named(sealed: SealedPlace) -> None:
    """The ledger keeps what was said; a word that is not the item's is no quotation."""
    members = freeze.members_of(sealed.ws, SPLIT)
    quoted, other = (int(member.uid) for member in members[:2])
    look = partial(second_look.run_for_numbers, sealed.ws, "second_look")
    look([quoted], LEAD, f"Is it “{members[0].content.payload['input']}”?")
    look(
        [other], LEAD, "The strongest models all answer something else than what the key says here."
    )
    sealed.seal()
    named = [one.path for one in sealed.locked.remains if one.kind == plain_remains.QUOTED]
    assert named == [f"#{quoted}"]
    files = {Path(one.path.partition("!")[0]).name for one in sealed.found()}
    assert {name.removesuffix("-wal") for name in files} == {"workspace.db"}  # the ledger's pages


def entered(ws: Workspace, folder: RunFolder) -> Path:
    """The folder of a run that the workspace knows."""
    with writing_as(ws, LEAD, Action.MAKE_ITEMS) as (session, actor):
        runs.enter(session, folder, "", actor=actor.name)
    return folder.path


def screening(ws: Workspace, *members: SplitItem, after: str = "") -> Path:
    """A screening of which no verdict came in."""
    params = PrescreenParams(base_url="http://127.0.0.1:1/v1", model="m")
    work = [{"id": one.uid, "revision": 1, "item": one.content.as_json()} for one in members]
    return entered(ws, RunFolder.create(ws.runs, "prescreen", params, work, after=after))


def comparison(ws: Workspace, *texts: tuple[str, str]) -> Path:
    """A run that looked for duplicates among some texts."""
    work = duplicate_runs.chunks(texts)
    return entered(ws, RunFolder.create(ws.runs, "signatures", DuplicateParams(), work))


def test_runs_that_read_items_before_they_were_frozen_are_named(sealed: SealedPlace) -> None:
    """What they read is told by nothing in the database."""
    ws = sealed.ws
    members = freeze.members_of(ws, SPLIT)
    stopped = screening(ws, members[0])
    compared = comparison(
        ws, *((f"file.jsonl:{n}", "a text of others") for n in range(600)),
        (members[1].uid, str(members[1].content.payload["input"])),
    )  # fmt: skip
    later = screening(ws, members[2], after=stopped.name)
    screening(ws, after=stopped.name)
    comparison(ws, ("999999", "a text of another item"), ("file.jsonl:1", "of a file"))
    sealed.seal()
    named = {Path(one.path) for one in sealed.locked.remains if one.kind == plain_remains.RUN}
    assert named == {stopped, compared, later}
    assert {Path(one.path).parent for one in sealed.found()} == named
    assert {Path(one.path) for one in plain_remains.remains(ws, SPLIT)} == named
