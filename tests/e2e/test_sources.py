"""Commands on one workspace count the sources of its items alike, and say how they know them."""

import csv
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.workflow import tasks
from core.workflow.check import review
from core.workflow.workspace import Workspace

SAID = (
    "5 sources (identified by the column “docId”: 3, the passage: 2) and 4 items without a source"
)


def questions(path: Path) -> None:
    """Four questions each of three named documents, of two passages, and of nothing."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["docId", "passage", "question", "A", "B", "C", "answer"])
        for number in range(24):
            about = number // 4
            text = (
                f"Gauge {about} stood at mark {7 * about} in spring, and the miller wrote it down."
            )
            options = [f"It says {number} {letter}." for letter in "xyz"]
            rows.writerow([
                f"wsj-{about}" if about < 3 else "", text if about < 5 else "",
                f"What does note {number} say of the mill?", *options, "ABC"[number % 3],
            ])  # fmt: skip


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: object) -> str:
        """What a command prints."""
        assert main(["--workspace", str(tmp_path / "w"), *map(str, words)]) == 0
        return capsys.readouterr().out

    return run


def test_scores_agreement_comparison_and_methods_count_the_same_sources(
    call: Any, tmp_path: Path
) -> None:
    questions(tmp_path / "read.csv")
    with closing(Workspace.create(tmp_path / "w")) as ws:
        tasks.add(ws, "t", "choice", benchmark="b", protocol={"gate": "off", "overlap": "2"})
    for name in ("li", "wu"):
        call("people", name, "--role", "lead")
    call("import", tmp_path / "read.csv", "--task", "t", "--benchmark", "b", "--user", "li")
    with closing(Workspace.open(tmp_path / "w")) as ws:
        for number in range(1, 25):
            review.decide(ws, "li", number, "accept")
            verdict = "reject" if number in (1, 5) else "accept"
            review.decide(ws, "wu", number, verdict, reason="ambiguous")
    assert f"({SAID})" in call("agreement", "--coefficient", "percent", "--resamples", 50)
    call("freeze", "s", "--benchmark", "b", "--reason", "a test")
    runs = [
        json.loads(call("evaluate", "s", "--engine", engine, "--wait", "--json"))["run"]
        for engine in ("baseline:longest", "baseline:random")
    ]
    report = call("report", runs[0])
    assert f"what answers share: {SAID}." in report
    assert json.loads(call("report", runs[0], "--json"))["clusters"] == 9
    assert SAID in call("report", *runs, "--compare")
    assert json.loads(call("plan-size", "s", "--json"))["articles"] == 9
