"""The run kind ``finetune``: a grid of contamination simulations, one record per cell.

The folder holds ``test-SET.jsonl`` and ``train-SET.jsonl`` (labelled examples). Checkpoints lie in
``checkpoints`` until their cell has its record.
"""

import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.analysis.contamination import SimulationScore, deltas, spreads
from core.errors import InputError
from core.files import digest
from core.finetuning.cells import TrainingCell, training_examples
from core.finetuning.params import FinetuneParams
from core.guarded_folder import GuardedFolder
from core.jobs.folder import RunFolder, write_rows
from core.jobs.run_kind import RunContext
from core.own_places import model_place, require_place
from core.sources.labelled.datasets import LabelledExample


@dataclass(frozen=True, slots=True)
class DatasetInput:
    """One data set: what is asked, and what may be trained on beside it."""

    test: tuple[LabelledExample, ...]
    train: tuple[LabelledExample, ...] = ()

    def digest(self) -> str:
        """SHA-256 in hex over all examples."""
        return digest(
            [[example.model_dump() for example in part] for part in (self.test, self.train)]
        )


class Finetune:
    """Trains and asks, cell by cell."""

    name = "finetune"
    params_model = FinetuneParams

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """One record per cell, with macro F1 per evaluated set. Raises OutsideError without the
        packages or the model."""
        if not pending:
            return
        from core.finetuning.train import require_packages

        require_packages()
        params: FinetuneParams = context.params
        require_place(model_place(params.base_model))
        names = _sets_in(context.folder)
        for row in pending:
            if context.stopping():
                return
            cell = TrainingCell(row["dataset"], row["mode"], row["proportion"])
            context.note(cell=cell.id)
            checkpoints = GuardedFolder(context.folder).subfolder("checkpoints")
            checkpoint = checkpoints / cell.id.replace("/", "@")
            record = _worked(context, params, cell, names, checkpoint)
            if record is None:
                return
            yield record
            # the record is on disk now
            for ending in ("", ".new", ".old"):
                shutil.rmtree(checkpoint.with_name(checkpoint.name + ending), ignore_errors=True)

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Every F1, δ1 and δ2, and their means and deviations over proportions."""
        params = FinetuneParams.model_validate(run.spec().params)
        scores = scores_of(records, params, run.spec().id)
        rows = deltas(scores)
        return {
            "cells": len(records),
            "scores": [
                {"dataset": s.dataset, "mode": s.mode, "proportion": s.proportion,
                 "evaluated": s.evaluated, "f1": s.f1}
                for s in scores
            ],
            "deltas": [row.as_json() for row in rows],
            "spreads": [row.as_json() for row in spreads(rows)],
            "seconds": sum(record["seconds"] for record in records),
            "made_with": records[0].get("made_with", {}) if records else {},
        }  # fmt: skip


FINETUNE = Finetune()


def _worked(
    context: RunContext,
    params: FinetuneParams,
    cell: TrainingCell,
    names: Sequence[str],
    checkpoint: Path,
) -> dict[str, Any] | None:
    from core.finetuning.predict import macro_f1_of
    from core.finetuning.train import load, train

    started = time.monotonic()
    data = read_set(context.folder, cell.dataset)
    loaded = load(params, context.shard)
    record: dict[str, Any] = cell.as_json()
    if cell.mode != "zero":
        examples = training_examples(
            cell, data.test, data.train, seed=params.seed, text_only=params.text_only
        )
        trained = train(loaded, cell, examples, params, checkpoint, context.stopping)
        if trained is None:
            return None
        record |= {
            "lessons": len(examples),
            "loss": trained.losses[-1],
            "cut": trained.cut,
            "resumed_from": trained.resumed_from,
        }
    datasets = names if params.evaluate_on == "all" else (cell.dataset,)
    scores: dict[str, Any] = {}
    for name in datasets:
        result = macro_f1_of(loaded, read_set(context.folder, name).test, params, context.stopping)
        if result is None:
            return None
        scores[name] = result.as_json()
    record |= {
        "scores": scores,
        "seconds": round(time.monotonic() - started, 2),
        "made_with": _versions(),
    }
    context.log(f"{cell.id}: {record['seconds']} s")
    return record


def _versions() -> dict[str, str]:
    from core.evaluation.engines.hardware import gpu_versions, package_versions

    return package_versions("torch", "transformers", "peft") | gpu_versions()


def write_sets(folder: Path, sets: Mapping[str, DatasetInput]) -> None:
    """Put the examples of every set into a run folder."""
    for name, data in sets.items():
        for part, examples in (("test", data.test), ("train", data.train)):
            rows = (example.model_dump() for example in examples)
            write_rows(GuardedFolder(folder), f"{part}-{name}.jsonl", rows)


def read_set(folder: Path, name: str) -> DatasetInput:
    """One set of a run folder; InputError where it is gone."""
    parts = []
    for part in ("test", "train"):
        files, file = GuardedFolder(folder), f"{part}-{name}.jsonl"
        if not files.has(file):
            raise InputError.tr(
                "The set “{name}” is missing from the run folder “{path}”.",
                path=folder,
                name=name,
            )
        parts.append(tuple(LabelledExample.model_validate(row) for row in files.rows(file)))
    return DatasetInput(*parts)


def _sets_in(folder: Path) -> list[str]:
    return list(dict.fromkeys(row["dataset"] for row in GuardedFolder(folder).rows("work.jsonl")))


def scores_of(
    records: Iterable[Mapping[str, Any]], params: FinetuneParams, run: str
) -> list[SimulationScore]:
    """The macro F1 of every cell and evaluated set in finished records."""
    model = Path(params.base_model).name
    # what differs here makes other numbers; the sets are told apart one by one
    varying = {"digests", "base_model", "answer_batch", "evaluate_on", "seed"}
    setting = digest(params.model_dump(mode="json", exclude=varying))
    known = params.digests
    return [
        SimulationScore(
            model=model,
            task=params.task.name,
            dataset=record["dataset"],
            mode=record["mode"],
            proportion=record["proportion"],
            f1=score["f1"],
            evaluated=dataset,
            run=run,
            text_only=params.text_only,
            setting=setting,
            data=(known.get(record["dataset"], ""), known.get(dataset, "")),
            seed=params.seed,
            by_item=tuple(score.get("by_item", ())),
        )
        for record in records
        for dataset, score in record["scores"].items()
    ]
