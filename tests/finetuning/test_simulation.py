"""Contamination for real: a tiny random model learns a test set by heart, and survives kills."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.finetuning.grid import PlannedGrid, prepare
from core.finetuning.params import FinetuneParams, TrainingParams
from core.finetuning.run import DatasetInput
from core.jobs.folder import RunFolder
from core.own_places import allow_place, model_place
from core.sources.labelled.datasets import LabelledExample, own_task
from tests.finetuning.words import WORDS
from tests.polling import until
from tests.vllm.tiny_llama import make_model

ROOT = Path(__file__).resolve().parents[2]
TASK = own_task("mood", ("joy", "anger"))
WHOLE = ("embed_tokens", "lm_head")


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("tiny") / "llama")


def examples(count: int, seed: int) -> tuple[LabelledExample, ...]:
    """Random words with random labels: there is nothing to learn but the examples themselves."""
    draw = random.Random(seed)
    return tuple(
        LabelledExample(
            id=str(n), text=" ".join(draw.choices(WORDS, k=8)), label=draw.choice(TASK.labels)
        )
        for n in range(count)
    )


def settings(base: Path, epochs: int, **more: Any) -> FinetuneParams:
    training = TrainingParams(
        epochs=epochs, learning_rate=1e-3, threads=1, modules_to_save=WHOLE, checkpoint_every=3
    )
    allow_place(model_place(str(base)))
    given: dict[str, Any] = {
        "base_model": str(base), "task": TASK, "training": training, "answer_by": "choice",
    }  # fmt: skip
    return FinetuneParams.model_validate(given | more)


def worker(planned: PlannedGrid) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "core.cli", "run", str(planned.folder.path)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def finished(planned: PlannedGrid) -> dict[str, Any]:
    assert worker(planned).wait() == 0, planned.folder.log_tail(40)
    result = planned.folder.result()
    assert result is not None
    return result


def test_a_grid_shows_memorisation_where_the_test_set_was_seen(base: Path, tmp_path: Path) -> None:
    """2 sets × 3 modes × 2 proportions on one core of a CPU."""
    sets = {
        "orig": DatasetInput(examples(14, 1), examples(14, 2)),
        "ours": DatasetInput(examples(14, 3), examples(14, 4)),
    }
    params = settings(base, 30, evaluate_on="all", templates=(2, 3))
    planned = prepare(tmp_path, params, sets, ["test", "train", "train+test"], [50, 100])
    result = finished(planned)
    assert result["cells"] == 14
    whole = {
        (row["dataset"], row["evaluated"]): row
        for row in result["deltas"]
        if row["proportion"] == 100
    }
    seen = [whole["orig", "orig"], whole["ours", "ours"]]
    untouched = [whole["orig", "ours"], whole["ours", "orig"]]
    assert all(row["delta1"] > 30 for row in seen), seen
    assert all(row["delta2"] > 20 for row in seen), seen
    # about zero on average: fourteen coin-like labels move a single F1 by ten points and more
    mean = sum(row["delta1"] for row in untouched) / 2
    assert abs(mean) < 20, untouched
    assert all(row["delta1"] < min(one["delta1"] for one in seen) for row in untouched)
    half = {
        row["dataset"]: row["delta1"]
        for row in result["deltas"]
        if row["proportion"] == 50 and row["evaluated"] == row["dataset"]
    }
    assert sum(half.values()) < sum(row["delta1"] for row in seen)
    assert not list((planned.folder.path / "checkpoints").glob("*"))


def numbers(folder: RunFolder) -> dict[str, Any]:
    return {
        name: (record.get("loss"), record["scores"]) for name, record in folder.records().items()
    }


def test_a_training_that_was_killed_and_resumed_ends_with_the_same_numbers(
    base: Path, tmp_path: Path
) -> None:
    sets = {"orig": DatasetInput(examples(12, 7))}
    params = settings(base, 24, answer_by="generation", max_new_tokens=12)
    straight = prepare(tmp_path / "a", params, sets, ["test"], [100])
    finished(straight)
    killed = prepare(tmp_path / "b", params, sets, ["test"], [100])
    process = worker(killed)
    checkpoint = killed.folder.path / "checkpoints" / "orig@test@100"
    until(lambda: checkpoint.exists() or process.poll() is not None, 240)
    assert process.poll() is None, killed.folder.log_tail(40)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert killed.folder.state() == "interrupted"
    assert "orig/test/100" not in killed.folder.records()
    finished(killed)
    assert killed.folder.records()["orig/test/100"]["resumed_from"] >= 3
    assert numbers(killed.folder) == numbers(straight.folder)


def test_a_checkpoint_that_was_torn_while_it_was_written_is_not_used(
    base: Path, tmp_path: Path
) -> None:
    sets = {"orig": DatasetInput(examples(4, 7))}
    planned = prepare(tmp_path, settings(base, 2), sets, ["test"], [100])
    torn = planned.folder.path / "checkpoints" / "orig@test@100.new"
    torn.mkdir(parents=True)
    (torn / "state.pt").write_bytes(b"PK half")
    finished(planned)
    assert planned.folder.records()["orig/test/100"]["resumed_from"] == 0


def test_text_only_contamination_trains_without_labels(base: Path, tmp_path: Path) -> None:
    sets = {"orig": DatasetInput(examples(6, 7))}
    params = settings(base, 2, text_only=True)
    planned = prepare(tmp_path, params, sets, ["test"], [50])
    result = finished(planned)
    assert planned.folder.records()["orig/test/50"]["lessons"] == 3
    assert result["deltas"][0]["delta1"] is not None


def test_a_base_model_that_is_none_is_something_outside(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    planned = prepare(
        tmp_path / "runs",
        settings(folder, 2),
        {"orig": DatasetInput(examples(3, 1))},
        ["test"],
        [50],
    )
    assert worker(planned).wait() == 3
    error = json.loads((planned.folder.path / "error.json").read_text(encoding="utf-8"))
    assert "could not load" in error["message"]


def test_the_command_plans_trains_and_tells_the_deltas(base: Path, tmp_path: Path) -> None:
    def call(*words: object) -> dict[str, Any]:
        command = [sys.executable, "-m", "core.cli", "--workspace", str(tmp_path / "w"), *words]
        done = subprocess.run(
            [str(word) for word in [*command, "--json"]],
            cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    for name, seed in (("test", 1), ("train", 2)):
        rows = [{"text": e.text, "label": e.label} for e in examples(6, seed)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    call("init")
    words = (
        "simulate", "--task", "mood", "--labels", "joy,anger", "--base-model", base,
        "--sets", "orig", "--test", f"orig={tmp_path / 'test.jsonl'}",
        "--train", tmp_path / "train.jsonl", "--modes", "test,train,train+test",
        "--param", "epochs=2", "--param", "threads=1", "--param", "modules_to_save=embed_tokens",
        "--answer-by", "choice", "--wait",
    )  # fmt: skip
    found = call(*words, "--proportions", "100")
    assert (found["state"], found["cells"], found["known"]) == ("finished", 4, 0)
    (delta,) = found["deltas"]
    assert delta["delta1"] is not None
    assert delta["delta2"] is not None
    again = call(*words, "--proportions", "100")
    assert (again["run"], again["continued"], again["known"]) == (found["run"], True, 4)
    larger = call(*words, "--proportions", "50,100")
    assert (larger["cells"], larger["known"]) == (7, 4)
    assert call("analyze", "coreeval", larger["run"])["spreads"][0]["proportions"] == 2
