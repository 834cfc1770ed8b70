"""Public scores that a workspace keeps, on SQLite and PostgreSQL: who brought them, and what."""

import json
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError
from core.workflow import people
from core.workflow.evaluation import public_score_files
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import ledger
from db.ledger import LedgerEvent


def table(path: Path, accuracy: float) -> Path:
    path.write_text(f"model,domain,accuracy\n模型,cs,{accuracy}\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _researchers(ws: Workspace) -> None:
    """Those who keep scores here."""
    for name in ("王芳", "李明"):
        people.ensure_person(ws, name, "researcher")


def told(ws: Workspace, name: str) -> list[LedgerEvent]:
    with ws.reading() as session:
        return ledger.of_subject(session, "public_scores", name)


def test_adding_and_replacing_public_scores_is_in_the_ledger(ws: Workspace, tmp_path: Path) -> None:
    path = table(tmp_path / "开放.csv", 0.9)
    public_score_files.add(ws, path, "王芳")
    public_score_files.add(ws, table(path, 0.8), "李明")
    first, second = told(ws, path.name)
    assert (first.actor, second.actor) == ("王芳", "李明")
    assert (first.data["before"], first.data["scores"]) == (None, 1)
    assert second.data["before"] == first.data["digest"] != second.data["digest"]
    (kept,) = public_score_files.stored_files(ws)
    assert (kept.by, kept.digest, kept.changed) == ("李明", second.data["digest"], False)
    assert verify(ws).sound


def test_scores_that_were_changed_past_the_program_are_found(ws: Workspace, tmp_path: Path) -> None:
    kept = public_score_files.add(ws, table(tmp_path / "a.csv", 0.9), "王芳")
    table(public_score_files.folder(ws) / "by-hand.csv", 0.3)
    assert verify(ws).sound
    table(kept, 0.1)
    (finding,) = verify(ws).findings
    assert (finding.kind, finding.subject) == ("public", "a.csv")
    table(kept, 0.9)
    assert verify(ws).sound


def test_a_file_that_is_refused_or_cannot_be_written_leaves_no_event(
    ws: Workspace, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("model,set,domain,accuracy\na,private,cs,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="no public scores"):
        public_score_files.add(ws, bad)
    ws.place.folder.mkdir(exist_ok=True)
    public_score_files.folder(ws).write_text("a file where the folder goes", encoding="utf-8")
    good = table(tmp_path / "good.csv", 0.5)
    with pytest.raises(InputError, match=r"Could not write “.*good\.csv”"):
        public_score_files.add(ws, good)
    assert told(ws, "bad.csv") == told(ws, "good.csv") == []


def test_a_kept_file_that_became_useless_is_left_out_with_its_name_alone(
    ws: Workspace, tmp_path: Path
) -> None:
    public_score_files.add(ws, table(tmp_path / "a.csv", 0.9))
    (public_score_files.folder(ws) / "坏.csv").write_text("model,accuracy\n", encoding="utf-8")
    found, off = public_score_files.usable_files(ws)
    assert [Path(one).name for one in found] == ["a.csv"]
    assert "“坏.csv”" in off[0]
    assert str(tmp_path) not in off[0]


def test_the_command_keeps_scores_and_lists_them(
    location: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--workspace", location, "analyze", "public"]
    assert main(place) == 0
    assert "no public scores" in capsys.readouterr().out
    path = table(tmp_path / "a.csv", 0.9)
    assert main([*place, str(path), "--user", "王芳", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["added"] == ["a.csv"]
    assert (found["kept"][0]["by"], found["kept"][0]["changed"]) == ("王芳", False)
    assert main([*place, str(tmp_path / "none.csv")]) == 1
    assert "none.csv" in capsys.readouterr().err
