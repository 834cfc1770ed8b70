"""One simulation on a GPU machine: ``python -m tests.finetuning.gpu_smoke OUT [--tiny]``.

Needs torch, transformers and peft, and no network. It makes a random Llama of about a billion
parameters (with ``--tiny`` the one of the tests), contaminates it with two sets of planted examples
in three modes at two proportions, and prints one JSON document: seconds, memory, δ1 and δ2.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from core.finetuning.grid import prepare
from core.finetuning.params import FinetuneParams, TrainingParams
from core.finetuning.run import DatasetInput
from core.jobs.worker import run_worker
from core.own_places import allow_place, model_place
from core.sources.labelled.datasets import LabelledExample, own_task
from core.workflow.runs.kinds import run_kind
from tests.vllm.gpu_smoke import make_larger_model
from tests.vllm.tiny_llama import make_model

TASK = own_task("mood", ("joy", "anger"))
WORDS = ("the", "model", "reads", "text", "answers", "river", "stone", "tree", "cloud", "light")


def examples(count: int, seed: int) -> tuple[LabelledExample, ...]:
    """Random words with random labels: nothing to learn but the examples themselves."""
    draw = random.Random(seed)
    return tuple(
        LabelledExample(
            id=str(n), text=" ".join(draw.choices(WORDS, k=24)), label=draw.choice(TASK.labels)
        )
        for n in range(count)
    )


def simulate(place: Path, model: Path, count: int, epochs: int) -> dict[str, Any]:
    """Run the grid by the ordinary worker, and say what it took."""
    import torch

    training = TrainingParams(
        epochs=epochs, learning_rate=1e-3, modules_to_save=("embed_tokens", "lm_head")
    )
    params = FinetuneParams(
        base_model=str(model), task=TASK, training=training, answer_by="choice",
        evaluate_on="all",
    )  # fmt: skip
    sets = {
        name: DatasetInput(examples(count, seed), examples(count, seed + 10))
        for seed, name in enumerate(("orig", "ours"))
    }
    allow_place(model_place(str(model)))
    planned = prepare(place, params, sets, ["test", "train", "train+test"], [50, 100])
    began = time.perf_counter()
    run_worker(planned.folder.path, 0, 1, run_kind)
    seconds = time.perf_counter() - began
    result = planned.folder.result() or {}
    gpu = torch.cuda.is_available()
    return {
        "device": torch.cuda.get_device_name() if gpu else "cpu",
        "examples": count,
        "epochs": epochs,
        "cells": len(planned.cells),
        "seconds": round(seconds, 1),
        "seconds_by_cell": {
            name: round(record.get("seconds", 0.0), 2)
            for name, record in planned.folder.records().items()
        },
        "peak_gpu_bytes": torch.cuda.max_memory_allocated() if gpu else None,
        "deltas": result.get("deltas"),
        "spreads": result.get("spreads"),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--examples", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    make = make_model if given.tiny else make_larger_model
    model = make(given.out / "model")
    figures = simulate(given.out / "runs", model, given.examples, given.epochs)
    sys.stdout.write(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
