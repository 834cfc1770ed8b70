"""Readings: every act by which private items leave is an event with its actor, and no other is."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.errors import RightsError
from core.evaluation.run import EvaluateParams
from core.frames import open_workspace
from core.workflow import people
from core.workflow.evaluation import start
from core.workflow.evaluation.dry_run import try_out
from core.workflow.evaluation.plan import EvaluationRequest
from core.workflow.items import history, search
from core.workflow.items.search import Filters
from core.workflow.runs import runs
from core.workflow.splits import exports, freeze, lifecycle, readings
from core.workflow.workspace import Workspace
from db import ledger
from tests.splits import freeze_split, varied
from tests.used_split import LEAD, SPLIT, use_split
from tests.workspaces import all_events

RANDOM = EvaluateParams(split=SPLIT, engine="baseline:random")


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a lead, a specialist and two frozen splits."""
    opened = Workspace.create(tmp_path / "w")
    people.ensure_person(opened, LEAD, "lead")
    people.ensure_person(opened, "li", "specialist")
    freeze_split(opened, {"scp": [varied(n) for n in range(4)]}, SPLIT)
    freeze_split(opened, {"scp": [varied(n) for n in range(10, 12)]}, "t", "c")
    yield opened
    opened.close()


def told(ws: Workspace, split: str = SPLIT) -> list[tuple[str, str, int]]:
    return [(r.act, r.person, r.items) for r in lifecycle.split_life(ws, split).readings]


def tip(ws: Workspace) -> int:
    with ws.reading() as session:
        return ledger.tip(session)


def test_every_act_is_told_with_who_and_how_much(ws: Workspace, tmp_path: Path):
    exports.export(ws, SPLIT, "jsonl", tmp_path / "out", person=LEAD)
    for _ in range(3):
        runs.wait(ws, start.start(ws, SPLIT, RANDOM, person=LEAD).spec().id)
    try_out(ws, EvaluationRequest(SPLIT, RANDOM), items=2, person=LEAD)
    search.export_items(ws, Filters(), tmp_path / "items.jsonl", viewer="li")
    with open_workspace(ws.place.folder, user="li") as frames:
        frames.items()
        frames.items()
        frames.items(texts=False)
    assert told(ws) == [
        ("export", LEAD, 4), ("evaluation", LEAD, 4), ("evaluation", LEAD, 4),
        ("evaluation", LEAD, 4), ("trial", LEAD, 2), ("items", "li", 4), ("table", "li", 4),
    ]  # fmt: skip
    assert told(ws, "t") == [("items", "li", 2), ("table", "li", 2)]
    assert set(readings.TITLES) == set(readings.Act)


def test_no_text_is_in_an_event(ws: Workspace, tmp_path: Path):
    search.export_items(ws, Filters(), tmp_path / "items.jsonl", viewer=LEAD)
    texts = [m.content.payload for m in freeze.members_of(ws, SPLIT)]
    with ws.reading() as session:
        events = json.dumps([e.data for e in all_events(session)][-1], ensure_ascii=False)
    assert not [t for p in texts for t in p.values() if isinstance(t, str) and t in events]


def test_looking_as_part_of_the_work_is_none(ws: Workspace):
    before = tip(ws)
    search.page(ws, Filters(), viewer="li")
    history.item_history(ws, int(freeze.members_of(ws, SPLIT)[0].uid), "li")
    with open_workspace(ws.place.folder, user="li") as frames:
        frames.decisions()
        assert frames.items(texts=False).payload.isna().all()
    assert tip(ws) == before


def test_items_of_a_sealed_split_leave_by_no_file(ws: Workspace, tmp_path: Path, capsys):
    lifecycle.seal(ws, SPLIT, LEAD)
    out = tmp_path / "items.jsonl"
    words = ["--workspace", str(ws.place.folder), "items", "--out", str(out), "--user", LEAD]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["written"], document["sealed"]) == (2, 4)
    assert out.read_text(encoding="utf-8").count("\n") == 2
    lifecycle.expire(ws, SPLIT, LEAD)
    before = tip(ws)
    assert search.export_items(ws, Filters(states=("frozen",)), out, viewer=LEAD).written == 6
    assert told(ws) == [], "the items of an expired split are no secret"
    assert tip(ws) == before + 1, "those of the other one are"


def test_who_reads_must_be_known_and_allowed(ws: Workspace, tmp_path: Path, capsys):
    place = ["--workspace", str(ws.place.folder)]
    for words in (
        ["export", SPLIT, "--format", "jsonl", "--out", str(tmp_path / "out")],
        ["evaluate", SPLIT, "--engine", "baseline:random"],
        ["items", "--out", str(tmp_path / "items.jsonl")],
    ):
        assert main([*place, *words, "--user", "nobody"]) == 1
        assert "There is no person “nobody”" in capsys.readouterr().err
        if words[0] != "items":
            assert main([*place, *words, "--user", "li"]) == 1
            assert "li has the role specialist" in capsys.readouterr().err
    with pytest.raises(RightsError):
        exports.export(ws, SPLIT, "jsonl", tmp_path / "out", person="li")
    assert told(ws) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["w"]
    assert not ws.runs.exists() or not list(ws.runs.iterdir())


def test_the_judging_is_told_with_who_evaluated(tmp_path: Path):
    ws = Workspace.create(tmp_path / "w")
    use_split(ws, tmp_path)
    acts = [act for act, _, _ in told(ws)]
    assert acts == ["evaluation", "judging", "export", "export", "export"]
    ws.close()
