"""From the records of a rewriting run to items: the original, semantic and updated sets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.families.base import ItemContent
from core.families.rewrite_payload import ORIGINAL, SEMANTIC, UNCHANGED, UPDATED
from core.jobs.folder import RunFolder
from core.rewriting.params import RewriteParams
from core.rewriting.prompts import prompt_versions
from core.rewriting.record import texts_of
from core.sources.labelled.datasets import LabelledTask


@dataclass(frozen=True, slots=True)
class RewrittenSets:
    """Items in work order. ``original[i]``, ``semantic[i]`` and ``updated[i]`` share their
    payload's ``base`` and label. ``unchanged`` of these trios are the original three times, because
    nothing new was found about them: their provenance says so. ``screened_out`` are the last
    attempts of the items that got as far as a final text but did not pass; their provenance says
    why.
    """

    original: tuple[ItemContent, ...]
    semantic: tuple[ItemContent, ...]
    updated: tuple[ItemContent, ...]
    screened_out: tuple[ItemContent, ...]
    unchanged: int = 0

    @property
    def accepted(self) -> tuple[ItemContent, ...]:
        """The three sets, item by item."""
        trios = zip(self.original, self.semantic, self.updated, strict=True)
        return tuple(item for trio in trios for item in trio)


def rewritten_sets(
    records: Iterable[Mapping[str, Any]],
    task: LabelledTask,
    *,
    run: str = "",
    models: Mapping[str, str] | None = None,
    keep_unchanged: bool = False,
) -> RewrittenSets:
    """The items in the records of a run; taking them in twice gives the same content hashes.

    With ``keep_unchanged`` what was left out for lack of entities or knowledge stays as it is.
    """
    origin: dict[str, Any] = {
        "run": run,
        "models": dict(models or {}),
        "prompt_versions": prompt_versions(),
    }
    original, semantic, updated, screened = [], [], [], []
    unchanged = 0
    for record in records:
        if record["outcome"] == "accepted":
            original.append(_original(record, task, origin))
            semantic.append(_semantic(record, task, origin))
            updated.append(_updated(record, task, origin, texts_of(record, "updated")))
        elif keep_unchanged and record["outcome"] == "left_out":
            unchanged += 1
            kept = _kept(record)
            original.append(_original(record, task, origin))
            semantic.append(_semantic(kept, task, origin))
            updated.append(_updated(kept, task, origin, texts_of(kept, "semantic")))
        elif record["rounds"]:
            last = texts_of(record["rounds"][-1], "texts")
            screened.append(_updated(record, task, origin, last))
    return RewrittenSets(
        tuple(original), tuple(semantic), tuple(updated), tuple(screened), unchanged
    )


def read_sets(folder: Path) -> RewrittenSets:
    """The sets of a run folder, finished or not."""
    run = RunFolder(folder)
    spec = run.spec()
    params = RewriteParams.model_validate(spec.params)
    return rewritten_sets(
        run.ordered_records(),
        params.task,
        run=spec.id,
        models={"writer": params.model, "critic": params.critic_model or params.model},
        keep_unchanged=params.keep_unchanged,
    )


def _kept(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of an item that stays as it is: its own texts in every place."""
    example = record["example"]
    texts = [example["text"], example["second"]]
    return {**record, "semantic": texts, "before": [], "after": [], "facts": [], "summary": ""}


def _shared(record: Mapping[str, Any], task: LabelledTask) -> dict[str, Any]:
    example = record["example"]
    return {
        "base": example["id"],
        "task": task.name,
        "label": example["label"],
        "labels": list(task.labels),
        "target": example["target"],
    }


def _item(
    format: str, payload: Mapping[str, Any], record: Mapping[str, Any], origin: Mapping[str, Any]
) -> ItemContent:
    example = record["example"]
    provenance = {
        **origin,
        "example_id": example["id"],
        "file": example["source"],
        "row": example["row"],
        "outcome": record["outcome"],
        "reason": record["reason"],
        "detail": record["detail"],
        "rounds": len(record["rounds"]),
    }
    if record["outcome"] == "left_out":
        provenance[UNCHANGED] = record["reason"]
    if format == ORIGINAL:
        provenance = {k: provenance[k] for k in ("run", "example_id", "file", "row")}
    return ItemContent("rewrite", format, payload, provenance, domain=str(payload["task"]))


def _original(
    record: Mapping[str, Any], task: LabelledTask, origin: Mapping[str, Any]
) -> ItemContent:
    example = record["example"]
    texts = {"text": example["text"], "second": example["second"]}
    return _item(ORIGINAL, _shared(record, task) | texts, record, origin)


def _semantic_payload(record: Mapping[str, Any], task: LabelledTask) -> dict[str, Any]:
    first, second = texts_of(record, "semantic")
    return {
        **_shared(record, task),
        "text": first,
        "second": second,
        "original": record["example"]["text"],
        "original_second": record["example"]["second"],
        "triples_before": record["before"],
    }


def _semantic(
    record: Mapping[str, Any], task: LabelledTask, origin: Mapping[str, Any]
) -> ItemContent:
    return _item(SEMANTIC, _semantic_payload(record, task), record, origin)


def _updated(
    record: Mapping[str, Any],
    task: LabelledTask,
    origin: Mapping[str, Any],
    texts: tuple[str, str],
) -> ItemContent:
    first, second = texts_of(record, "semantic")
    facts = [
        {
            "title": fact["title"],
            "url": fact["url"],
            "date": fact["seen"][:10],
            "tone": fact["tone"],
            "detail": fact["detail"],
            "source": fact["source"],
            "row": fact["row"],
        }
        for fact in record["facts"]
    ]
    payload = _semantic_payload(record, task) | {
        "text": texts[0],
        "second": texts[1],
        "semantic": first,
        "semantic_second": second,
        "triples_after": record["after"],
        "summary": record["summary"],
        "facts": facts,
    }
    return _item(UPDATED, payload, record, origin)
