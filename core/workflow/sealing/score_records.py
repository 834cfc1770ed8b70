"""Scores as signed records: built from a finished run, and checked without a workspace.

The evaluation itself is a document of the schema of Every Eval Ever (0.3.0,
evaluatingevaluations.org), in the record's field ``evaluation``; beside it stand what that schema
has no place for: the split's digests and roots, the root over the single results, how the run was
planned when it was started, and what its model had been sent before. No item, answer or key of an
item is in a record, also not of the results that are shown: their number, outcome and score.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from core.errors import InputError, NotFoundError, StateError, unreadable, unwritable
from core.evaluation.model_files import without_folder
from core.evaluation.params import IMPORTED, EvaluateParams
from core.evaluation.scoring import ItemScore, Report
from core.files import read_regular, write_atomic
from core.own_process import own_version
from core.release.manifest import digest_of_text
from core.release.question_ids import parts_of, question_id
from core.sealing import score_record
from core.sealing.commitments import salt_secret
from core.sealing.score_record import RecordCheck
from core.workflow.analysis.sent_items import seen_before
from core.workflow.evaluation import score_run
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import runs
from core.workflow.sealing.locked_archives import signing_key
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from db import ledger
from db.runs import RunRow
from db.vocabulary import EventKind, SplitState

SCHEMA = "0.3.0"
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
ALL = "all"
_SECRET = ("base_url", "key_env", "judge", "shots_from")
_MOST_BYTES = 2**28


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Who answers for a score: an organisation, and how it stands to the model's makers."""

    organization: str = "unknown"
    relationship: Relationship = "other"


@dataclass(frozen=True, slots=True)
class SignedScore:
    """A record that was written."""

    run: str
    path: str
    split: str
    model: str
    score: float | None
    items: int
    shown: int
    results_root: str
    key_id: str


def sign(
    ws: Workspace,
    run: str,
    out: Path,
    person: str = "",
    *,
    shown: Collection[str] = (),
    evaluator: Evaluator = Evaluator(),
) -> SignedScore:
    """Write the record of a finished run's score; the ledger keeps its root and digest.

    ``shown`` are the numbers of items whose results stand in it, ``("all",)`` for every one.
    Raises StateError for a run without a score, NotFoundError for an item that it did not ask,
    InputError for a file that is there or cannot be written.
    """
    refuse_early(ws, person, Action.EVALUATE)
    if out.exists():
        raise InputError.tr("“{path}” is there already; name a new file.", path=out)
    row = runs.find_evaluation(ws, run)
    report = score_run.report(ws, row.id)
    if report.missing or report.total.accuracy is None:
        raise StateError.tr(
            "Run “{run}” does not have a score for every item yet, so it cannot be signed.",
            run=row.id,
        )
    signer = signing_key(ws)
    results = [result_of(entry) for entry in report.scores]
    chosen = {entry["id"] for entry in results} if ALL in shown else set(shown)
    if unknown := sorted(chosen - {entry["id"] for entry in results}):
        raise NotFoundError.tr("The run asked no item {item}.", item=unknown[0])
    secret = salt_secret(signer.secret(), f"results of {row.id}")
    part = score_record.results_part(results, secret, chosen)
    body = {**_body(ws, row, report, evaluator), "results": part}
    text = score_record.signed(body, signer)
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        data = {"signed": digest_of_text(text), "results_root": part["root"],
                "key_id": signer.key_id}  # fmt: skip
        ledger.append(
            session, ledger.NewEvent(EventKind.RUN, actor.name, subject=row.id, data=data)
        )
    try:
        write_atomic(out, text, durable=True, for_others=True)
    except OSError as error:
        raise unwritable(out, error) from error
    return SignedScore(row.id, str(out), report.split, report.model, report.total.accuracy,
                       len(results), len(part["shown"]), part["root"], signer.key_id)  # fmt: skip


def verify(path: Path, expected_key: str = "", expected_root: str = "") -> RecordCheck:
    """Check a record by itself; InputError for a file that cannot be read."""
    try:
        content = read_regular(path, _MOST_BYTES)
    except OSError as error:
        raise unreadable(path, error) from error
    return score_record.check(content, expected_key.lower(), expected_root.lower())


def result_of(entry: ItemScore) -> dict[str, Any]:
    """A single result without a word of the item or of the answer."""
    uid, variant = parts_of(entry.id)
    return {
        "id": question_id(uid, variant or entry.variant),
        "outcome": entry.outcome,
        "score": entry.score,
    }


def _body(ws: Workspace, row: RunRow, report: Report, evaluator: Evaluator) -> dict[str, Any]:
    life = lifecycle.split_life(ws, report.split)
    seen = seen_before(ws, (row.id,)).get(row.id)
    with ws.reading() as session:
        begun = next(event for event in ledger.of_subject(session, EventKind.RUN, row.id))
        last = ledger.event(session, ledger.tip(session))
    ws.settle()
    assert last is not None
    params = runs.params_of(row, EvaluateParams).model_dump(mode="json", exclude=set(_SECRET))
    params = {
        name: without_folder(value) if isinstance(value, str) else value
        for name, value in params.items()
    }
    return {
        "evaluation": evaluation_document(
            row.at.timestamp(), report, runs.params_of(row, EvaluateParams), life.benchmark,
            evaluator,
        ),
        "score": {"mean": report.total.accuracy, "n": report.total.n,
                  "stderr": report.total.stderr, "interval": interval_of(report)},
        **_without_errata(report),
        "split": {
            "name": life.name, "benchmark": life.benchmark, "items": life.size,
            "digest": life.manifest_hash, "roots": sorted({note.root for note in life.archives}),
            "state": life.state, "openings": life.openings, "evaluations": life.evaluations,
        },
        "plan": {
            "before_answers": not report.engine.startswith(IMPORTED), "event": begun.id,
            "at": begun.at, "hash": begun.hash, "params": params,
        },
        "opened": [
            {"event": step.event, "at": step.at, "reason": step.reason}
            for step in life.steps if step.state == "opened"
        ],
        **_expiry(life),
        "seen_before": None if seen is None else seen.as_json(),
        "ledger": {"event": last.id, "hash": last.hash, "at": last.at},
        "versions": {"benchseal": own_version() or "unknown",
                     **_texts(report.origin.get("versions", {}))},
    }  # fmt: skip


def _expiry(life: lifecycle.SplitLife) -> dict[str, Any]:
    """When the split expired, if it has: a run that was begun in time ends all the same, and
    whoever reads the record can tell."""
    expired = [step for step in life.steps if step.state == SplitState.EXPIRED]
    return {"expired": {"event": expired[0].event, "at": expired[0].at}} if expired else {}


def _without_errata(report: Report) -> dict[str, Any]:
    """The score without items that were found wrong since, where there are any."""
    document = report.origin.get("without_errata")
    if not document:
        return {}
    told = {name: document[name] for name in ("n", "accuracy", "low", "high")}
    return {"without_errata": {"items": list(document["items"]), **told}}


def evaluation_document(
    at: float, report: Report, params: EvaluateParams, benchmark: str, evaluator: Evaluator
) -> dict[str, Any]:
    """The document of Every Eval Ever; ``at`` is when the evaluation began, in seconds of Unix."""
    now = str(datetime.now(UTC).timestamp())
    model = without_folder(report.model)
    interval = interval_of(report)
    uncertainty: dict[str, Any] = {"num_samples": report.total.n}
    if report.total.stderr is not None:
        uncertainty["standard_error"] = {"value": report.total.stderr}
    if interval is not None:
        uncertainty["confidence_interval"] = {
            "lower": interval[0], "upper": interval[1], "confidence_level": 0.95,
        }  # fmt: skip
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{benchmark}/{model}/{now}",
        "evaluation_timestamp": str(at),
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": "Benchseal", "source_type": "evaluation_run",
            "source_organization_name": evaluator.organization,
            "evaluator_relationship": evaluator.relationship,
        },
        "eval_library": {"name": "benchseal", "version": own_version() or "unknown"},
        "model_info": {
            "name": model, "id": model,
            "inference_engine": {"name": report.engine},
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [{
            "evaluation_name": report.split,
            "source_data": {"dataset_name": f"{benchmark}/{report.split}", "source_type": "other",
                            "additional_details": {"private": "true", "items": str(report.items)}},
            "metric_config": {
                "evaluation_description": "mean score of the items of a private split",
                "metric_name": "accuracy" if report.strict is not None else "mean score",
                "lower_is_better": False, "score_type": "continuous",
                "min_score": 0.0, "max_score": 1.0,
            },
            "score_details": {"score": report.total.accuracy, "uncertainty": uncertainty},
            "generation_config": {"generation_args": _generation(params)},
        }],
    }  # fmt: skip


def _generation(params: EvaluateParams) -> dict[str, Any]:
    sampling = params.sampling() if params.model else {}
    names = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_tokens"}
    return {new: sampling[old] for old, new in names.items() if old in sampling}


def interval_of(report: Report) -> list[float] | None:
    """The bounds of the score's interval, where it has one."""
    bounds = report.total.interval
    return None if bounds.low is None or bounds.high is None else [bounds.low, bounds.high]


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in values.items()}
