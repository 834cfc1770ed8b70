"""``simulate --wait``: what it prints of a finished grid; no model is trained."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.analysis.contamination import Delta, DeltaSpread
from core.cli import main
from core.jobs.folder import RunFolder

Capture = pytest.CaptureFixture[str]
LABELS = ("joy", "anger")


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A grid of two proportions on examples of a file. Nothing is trained: the cells are known."""
    module = "core.workflow.analysis.simulations.require_packages"
    monkeypatch.setattr(module, lambda: None)
    base = tmp_path / "model"
    base.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (base / name).write_text("{}", encoding="utf-8")
    rows = [{"text": f"text {n}", "label": LABELS[n % 2]} for n in range(6)]
    data = tmp_path / "test.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["--workspace", str(tmp_path / "w"), "init"]) == 0
    return [
        "--workspace", str(tmp_path / "w"), "simulate", "--task", "mood",
        "--labels", ",".join(LABELS), "--base-model", str(base), "--sets", "orig",
        "--test", f"orig={data}", "--modes", "test", "--proportions", "50,100",
    ]  # fmt: skip


def trained(folder: RunFolder) -> None:
    """Write the record of every cell, as a worker with the packages would."""
    rows = []
    for row in folder.work():
        f1 = 0.5 + row["proportion"] / 400
        rows.append({**row, "seconds": 1.0, "scores": {"orig": {"f1": f1}}})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder.path / "shard-000.jsonl").write_text(text, encoding="utf-8")


def test_a_finished_grid_is_told_with_its_deltas(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    capsys.readouterr()
    assert main([*words, "--wait", "--json"]) == 3  # nothing here can train
    (place,) = (tmp_path / "w" / "runs").glob("*-finetune-*")
    trained(RunFolder(place))
    capsys.readouterr()
    assert main([*words, "--wait", "--json"]) == 0, capsys.readouterr().err
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [row["delta1"] for row in found["deltas"]] == [12.5, 25.0]
    assert [row["caution"] for row in found["deltas"]] == ["few seeds: 1"] * 2
    assert main([*words, "--wait"]) == 0
    table = capsys.readouterr().out
    assert "12.50" in table
    assert "one seed" in table


def test_rows_of_a_document_are_read_back_whatever_else_it_says_of_them() -> None:
    """Results on the disk are of this version, of an older or of a newer one."""
    delta = Delta("m", "mood", "orig", 50, 12.5, None, reason2="none", seeds1=3)
    spread = DeltaSpread("mood", "orig", 12.5, None, None, None, 1, reason1="one")
    assert delta.as_json()["caution"]
    for row, kind in ((delta, Delta), (spread, DeltaSpread)):
        written = json.loads(json.dumps(row.as_json()))
        assert kind.from_json(written | {"of a newer version": 1}) == row
    older = {"model": "m", "task": "t", "dataset": "s", "proportion": 20, "delta1": 1.0,
             "delta2": 2.0}  # fmt: skip
    assert Delta.from_json(older) == Delta("m", "t", "s", 20, 1.0, 2.0)
