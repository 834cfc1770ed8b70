"""A run that chose by likelihood says how well it is calibrated, in its report and by a command."""

import json
from pathlib import Path

import pytest

from core.cli import main
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import keys_of, regraded
from core.jobs import stored_tuples
from core.workflow.evaluation import score_run
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.finished_runs import finished_run, take_in_answers
from tests.splits import freeze_split, varied


@pytest.fixture
def two_runs(sqlite_ws: Workspace) -> tuple[Path, str, str]:
    """A workspace, a run of likelihoods and one without."""
    freeze_split(sqlite_ws, {"t": [varied(n) for n in range(12)]})
    names = []
    for answer_by in ("loglikelihood", "generation"):
        rows = []
        for n, member in enumerate(freeze.members_of(sqlite_ws, "s")):
            scores = [-9.0, -9.5, -9.2, -9.1]
            scores[n % 4] = -8.0
            row = {"id": member.uid, "text": "A", "choice": "A", "outcome": "ok"}
            rows.append(row | ({"scores": scores} if answer_by == "loglikelihood" else {}))
        params = EvaluateParams.model_validate(
            {"split": "s", "engine": "transformers", "model": "m", "answer_by": answer_by}
        )
        names.append(finished_run(sqlite_ws, "evaluate", params, rows))
    return sqlite_ws.place.folder, names[0], names[1]


def test_likelihoods_are_calibrated_on_the_command_line_and_in_every_report(
    two_runs: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
):
    folder, run, other = two_runs
    said = ["--workspace", str(folder), "analyze", "calibration", run, other]
    assert main(said) == 0
    text = capsys.readouterr().out
    assert "reliability of likelihoods" in text
    assert "few items: 12" in text or "few sources" in text
    assert main([*said, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"].values()
    assert (found["answers"], len(found["bins"])) == (12, 4)  # as many as confidences
    assert 0 <= found["low"] <= found["ece"] <= 1
    assert main(["--workspace", str(folder), "report", run]) == 0
    assert "Likelihoods: calibration error" in capsys.readouterr().out
    assert main([*said[:4], other]) == 1
    assert "loglikelihood" in capsys.readouterr().err


def test_a_report_is_the_same_whether_its_scores_lie_in_memory_or_on_the_disk(
    sqlite_ws: Workspace, monkeypatch: pytest.MonkeyPatch
):
    freeze_split(sqlite_ws, {"t": [varied(n) for n in range(1200)]})
    members = freeze.members_of(sqlite_ws, "s")
    rows = [
        {"id": member.uid, "text": "ABCD"[n % 4], "outcome": "ok" if n % 5 else "refused"}
        for n, member in enumerate(members)
    ]
    asked = rows[::2] + rows[1::2]
    params = EvaluateParams.model_validate({"split": "s", "engine": "transformers", "model": "m"})
    run = finished_run(sqlite_ws, "evaluate", params, asked)
    runs.folder_of(sqlite_ws, run).write_shard("shard-000.jsonl", rows)
    in_memory = score_run.report(sqlite_ws, run)
    monkeypatch.setattr(stored_tuples, "MANY", 100)
    on_disk = score_run.report(sqlite_ws, run)
    assert isinstance(on_disk.scores, stored_tuples.StoredTuples)
    assert [score.id for score in on_disk.scores] == [row["id"] for row in asked]
    assert tuple(on_disk.scores) == in_memory.scores
    assert on_disk.as_json() == in_memory.as_json()
    assert in_memory.outcomes == {"ok": 960, "refused": 240}
    every = {score.id: 0.25 for score in in_memory.scores}
    assert regraded(on_disk, every).as_json() == regraded(in_memory, every).as_json()


def test_the_methods_of_a_report_are_those_of_the_run(
    sqlite_ws: Workspace, capsys: pytest.CaptureFixture[str]
):
    freeze_split(sqlite_ws, {"t": [varied(n) for n in range(12)]})
    members = freeze.members_of(sqlite_ws, "s")
    rows = [{"id": member.uid, "text": "A", "outcome": "ok"} for member in members]
    params = EvaluateParams.model_validate(
        {"split": "s", "engine": "transformers", "model": "m", "shots": 2, "max_tokens": 32,
         "adapter": "/models/tuned", "enable_thinking": False, "system": "Be short.",
         "engine_args": {"dtype": "float16", "device_map": "auto"}}
    )  # fmt: skip
    run = finished_run(sqlite_ws, "evaluate", params, rows)
    capsys.readouterr()
    assert main(["--workspace", str(sqlite_ws.place.folder), "report", run]) == 0
    said = capsys.readouterr().out.partition("Methods: ")[2]
    for fact in (
        "2 worked examples preceded",
        "max_tokens 32.",
        "LoRA adapter “tuned”",
        "Thinking was switched off",
        "A system prompt was given.",
        "The model was loaded with dtype float16.",
        "strict reading of lm-evaluation-harness",
    ):
        assert fact in said
    assert "/models" not in said


def test_a_report_of_imported_answers_claims_neither_settings_nor_times(
    sqlite_ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    freeze_split(sqlite_ws, {"t": [varied(n) for n in range(4)]})
    replies = {key.id: key.answer for key in keys_of(freeze.members_of(sqlite_ws, "s"))}
    run = take_in_answers(sqlite_ws, tmp_path, replies)
    assert main(["--workspace", str(sqlite_ws.place.folder), "report", run]) == 0
    text = capsys.readouterr().out
    assert "The answers were imported from lm_eval and scored again." in text
    assert "4 of 4 answered" in text
    for unknown in ("Settings", "temperature", "Time per answer"):
        assert unknown not in text
    origin = score_run.report(sqlite_ws, run).origin
    assert (origin["settings"], origin["asking"]) == ({}, {})
