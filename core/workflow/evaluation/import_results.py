"""Results of other harnesses, taken in as a run beside our own."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from core.analysis.every_eval_ever import record_in
from core.bounded_json import read_document
from core.errors import InputError, StateError
from core.evaluation.harness_results import HarnessResults, import_results
from core.evaluation.params import IMPORTED, EvaluateParams
from core.evaluation.run import EVALUATE
from core.evaluation.templates import templates_for
from core.evaluation.types import Answer, Question
from core.i18n import tr
from core.jobs.folder import RunFolder
from core.release.frozen_items import askable
from core.release.manifest import SplitItem
from core.release.question_ids import uid_of
from core.workflow.evaluation import start, take_in_answers
from core.workflow.rights import Action, refuse_early
from core.workflow.runs import locked_runs
from core.workflow.splits import exports, freeze
from core.workflow.splits.prompt_variants import PromptVariants, wordings_of, work_of
from core.workflow.workspace import Workspace


@dataclass(frozen=True)
class ImportedResults:
    """What came of a file of results. ``missing`` are questions that are not in it, ``failed``
    those which the harness got no answer to, ``mismatched`` samples under the id of an item that
    asked something else, ``differing`` items that the harness scored otherwise than we do;
    ``unmatched``, ``repeated`` and ``damaged`` are counts of samples.
    """

    run: str
    harness: str
    model: str
    items: int
    answers: int
    missing: tuple[str, ...]
    unmatched: int
    unmatched_names: tuple[str, ...]
    mismatched: tuple[str, ...]
    repeated: int
    damaged: int
    differing: tuple[str, ...]
    failed: tuple[str, ...] = ()


def take_in(
    ws: Workspace, path: Path, split: str, *, model: str = "", person: str = ""
) -> ImportedResults:
    """Make a finished run of another harness's results on a split, scored by our own keys.

    It counts as an evaluation by ``person``.

    A question that it did not answer counts as failed, and so as missing. Raises InputError where
    nothing there belongs to the split, StateError where the split is not as it was frozen.
    """
    refuse_early(ws, "", Action.EVALUATE)
    info = freeze.info(ws, split)
    if freeze.check(ws, split):
        raise StateError.tr(
            "Split “{name}” has changed since it was frozen; nothing was imported.", name=split
        )
    rows = _every_question(ws, split, freeze.members_of(ws, split))
    asked = [Question.from_json(row) for row in rows]
    try:
        results = import_results(path, asked, partial(exports.key_of_export, ws))
    except InputError:
        _refuse_scores_alone(path)
        raise
    work = _answered_questions(rows, results)
    name = model or results.model
    if not name:
        raise InputError.tr("“{path}” does not name a model. Give it with --model.", path=path)
    params = EvaluateParams(
        engine=f"{IMPORTED}{results.harness}",
        model=name,
        split=split,
        split_digest=info.manifest_hash,
        variants="all" if any("#" in row["id"] for row in work) else "",
    )
    origin = {"benchmark": info.benchmark, "split": split, "file": path.name}
    folder = locked_runs.create(
        ws, "evaluate", params, work, split, model=params.model, origin=origin
    )
    missing = _write_answers(folder, work, results)
    failed = tuple(answer.id for answer in results.answers if answer.outcome == "failed")
    start.remember(ws, folder, params, info, "local", 1, person=person)
    scored = take_in_answers.report_taken_in(ws, folder.spec().id)
    right = {entry.id: entry.correct for entry in scored.scores}
    return ImportedResults(
        run=folder.spec().id,
        harness=results.harness,
        model=name,
        items=len(work),
        answers=len(results.answers) - len(failed),
        missing=missing,
        unmatched=results.unmatched,
        unmatched_names=results.unmatched_names,
        mismatched=results.mismatched,
        repeated=results.repeated,
        damaged=results.damaged,
        differing=tuple(
            id_ for id_, correct in results.verdicts.items() if right.get(id_) != correct
        ),
        failed=failed,
    )


def _refuse_scores_alone(path: Path) -> None:
    """InputError where a file holds scores without answers, which only public scores can be."""
    try:
        record = record_in(read_document(path))
    except (OSError, ValueError):
        return
    if record is not None:
        raise InputError.tr(
            "“{path}” is a record of Every Eval Ever: it has scores and no answers, so it "
            "cannot become a run. To compare with it, add it to the public scores: "
            "benchseal analyze public FILE",
            path=path,
        )


def _every_question(
    ws: Workspace, split: str, members: Sequence[SplitItem]
) -> list[dict[str, Any]]:
    """Every question that an export of the split can hold: its own words, then every way."""
    prompt_variants = PromptVariants(
        ("all",) if wordings_of(ws, split, members).texts else (),
        ("all",) if any(templates_for(item.content) for item in askable(members)) else (),
    )
    rows = {row["id"]: row for row in work_of(ws, split, prompt_variants)}
    plain = {row["id"]: row for row in work_of(ws, split, PromptVariants())}
    return list((plain | rows).values())


def _answered_questions(
    rows: Sequence[Mapping[str, Any]], results: HarnessResults
) -> list[dict[str, Any]]:
    """The questions that the harness was to answer: every item, in the ways that its answers have.

    The wordings of two tasks have different names, so a way is known by its place among those of
    its item; items that are asked in one way only do not say how the others were asked.
    """
    places: dict[str, list[str]] = {}
    for row in rows:
        places.setdefault(uid_of(row["id"]), []).append(row["id"])
    answered = {answer.id for answer in results.answers}
    answered_places = {
        place
        for ids in places.values()
        if len(ids) > 1
        for place, id_ in enumerate(ids)
        if id_ in answered
    }
    asked_ids = {
        id_
        for ids in places.values()
        for place, id_ in enumerate(ids)
        if len(ids) == 1 or place in (answered_places or {0})
    }
    return [dict(row) for row in rows if row["id"] in asked_ids]


def _write_answers(
    folder: RunFolder, work: Sequence[Mapping[str, Any]], results: HarnessResults
) -> tuple[str, ...]:
    """Fill the run folder as a worker would have; the ids that have no answer."""
    by_id = {answer.id: answer for answer in results.answers}
    missing = tuple(row["id"] for row in work if row["id"] not in by_id)
    for id_ in missing:
        by_id[id_] = Answer(id_, outcome="failed", error=tr("not in the imported results"))
    records = [by_id[row["id"]].as_json() for row in work]
    folder.write_shard("shard-000.jsonl", records)
    engine = {"harness": results.harness, "model": results.model}
    folder.files.write("engine-000.json", json.dumps(engine, ensure_ascii=False) + "\n")
    result = EVALUATE.summarise(folder, records)
    folder.write_result({**result, "resumed": 0})
    return missing
