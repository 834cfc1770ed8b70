"""Scores by a task's own metric, where right or wrong is not what the task is measured by; and the
metrics of free text that can be chosen here.

The server of embeddings is the one that near-duplicates are found with
(``BENCHSEAL_EMBEDDINGS_URL``, ``BENCHSEAL_EMBEDDINGS_MODEL``); ``BENCHSEAL_BLEURT`` is the folder
of BLEURT's checkpoint, ``BENCHSEAL_BERTSCORE`` that of BERTScore's model.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from core.errors import InputError
from core.evaluation.metrics import MetricSetting, Prediction, metric
from core.evaluation.metrics.score_cache import measure_cached
from core.evaluation.scoring import ItemScore, Report, regraded
from core.families import family
from core.i18n import tr, trn
from core.jobs.stored_tuples import in_parts
from core.release.manifest import SplitItem
from core.release.question_ids import question_id, uid_of
from core.web_hosts import web_host
from core.workflow.evaluation.task_info import LIKENESS, MEASURED_BY, facts_of
from core.workflow.splits import freeze, readings
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.vocabulary import EventKind

if TYPE_CHECKING:
    from core.llm.types import ModelServer

CHRF, BLEURT, EMBEDDINGS = "chrf", "bleurt", "embedding_similarity"
BLEU, ROUGE, BERTSCORE = "bleu", "rouge_l", "bertscore"
_FOLDERS = {BLEURT: "BENCHSEAL_BLEURT", BERTSCORE: "BENCHSEAL_BERTSCORE"}


@dataclass(frozen=True, slots=True)
class ChosenMetric:
    """A metric that somebody chose in the place of chrF, with what it needs: ``checkpoint`` is
    the folder of BLEURT's weights, ``server`` that of embeddings."""

    name: str
    checkpoint: str = ""
    server: "ModelServer | None" = None


def metric_scores(
    ws: Workspace, members: Mapping[str, SplitItem], scored: Report
) -> tuple[dict[str, float | None], dict[str, str]]:
    """(score in 0…1 by answer id, what measured them by type of metric).

    Only answers to items of tasks with such a metric, whose answer is free text. Those of a run
    that was taken in are read from the workspace: they were measured then, unless their task's
    metric was changed.
    """
    facts = facts_of(ws, scored.split)
    changed: dict[str, bool] = {}
    known = _stored_scores(ws, str(scored.origin.get("run", "")))
    scores: dict[str, float | None] = {}
    measured: dict[str, str] = {}
    for entries in in_parts(scored.scores):
        left: dict[str, list[ItemScore]] = {}
        for entry in entries:
            fact = facts[uid_of(entry.id)]
            if entry.answered and fact.metric in MEASURED_BY and not fact.labels:
                measured[fact.metric] = MEASURED_BY[fact.metric]
                if fact.task not in changed:
                    changed[fact.task] = _has_changed(ws, fact.task)
                if entry.id in known and not changed[fact.task]:
                    scores[entry.id] = known[entry.id]
                else:
                    left.setdefault(measured[fact.metric], []).append(entry)
        for name, some in left.items():  # each by itself: a part is measured as all would be
            predictions = [_prediction(entry, members[uid_of(entry.id)]) for entry in some]
            values = metric(name).measure(predictions, MetricSetting()).scores
            scores |= {entry.id: value for entry, value in zip(some, values, strict=True)}
    return scores, measured


def _has_changed(ws: Workspace, task: str) -> bool:
    """Whether somebody changed the metric of a task of that name, in any benchmark."""
    with ws.reading() as session:
        events = ledger.of_subject(session, EventKind.TASK, task)
        return any("metric" in event.data.get("changed", ()) for event in events)


def _stored_scores(ws: Workspace, run: str) -> dict[str, float]:
    """The scores of a run's answers that are in the workspace, by answer id."""
    with ws.reading() as session:
        rows = run_rows.answers_of(session, run)
    return {
        question_id(str(row.item_id), row.variant): row.score
        for row in rows
        if row.score is not None
    }


def _prediction(entry: ItemScore, item: SplitItem) -> Prediction:
    others = item.content.payload.get("alternatives") or ()
    return Prediction(entry.id, entry.predicted, (entry.expected, *map(str, others)))


def measured_with(
    ws: Workspace, members: Mapping[str, SplitItem], scored: Report, chosen: ChosenMetric
) -> Report:
    """The report with the chosen metric's scores; ``origin["metric"]`` says plainly what measured.

    Measured are the answers of tasks of the type similarity, or in a run without any all answers
    in free text, those that a judge judged included. What costs a model is kept in the workspace's
    folder and never measured twice; the stored scores stay as they are. Raises InputError where
    nothing can be measured so, OutsideError where what the metric needs is not there, and
    StateError where a server would be sent the keys of a sealed split. The ledger tells which
    private items a server is sent; RightsError where nobody says who asks.
    """
    measure = metric(chosen.name)
    if chosen.server is not None:
        freeze.refuse_sealed(freeze.info(ws, scored.split))
    if not measure.by_answer:
        raise InputError.tr(
            "{metric} is not a mean over answers. If tasks have labels, see the table by "
            "task: --by task.", metric=tr(measure.title)
        )  # fmt: skip
    entries = _measurable(ws, members, scored)
    if not entries:
        raise InputError.tr("Run “{run}” has no free-text answers that {metric} could score.",
                            run=scored.origin.get("run", ""), metric=tr(measure.title))  # fmt: skip
    predictions = [_prediction(entry, members[uid_of(entry.id)]) for entry in entries]
    setting = MetricSetting(checkpoint=chosen.checkpoint, server=chosen.server)
    tell = partial(_tell_of_server, ws, chosen)
    folder = ws.place.folder / "cache" / "metrics"
    result = measure_cached(measure, predictions, setting, folder, tell)
    # BLEURT goes from about −2 to 2, a cosine from −1: a report's scores are shares
    shares = (min(1.0, max(0.0, score)) for score in result.scores)
    scores = dict(zip((entry.id for entry in entries), shares, strict=True))
    named: dict[str, Any] = {"metric": result.as_json() | {"title": measure.title}}
    if measured_by := dict(scored.origin.get("measured_by") or {}):
        named["measured_by"] = measured_by | (
            {LIKENESS: measure.name} if LIKENESS in measured_by else {}
        )
    return regraded(replace(scored, origin={**scored.origin, **named}), scores)


def _tell_of_server(ws: Workspace, chosen: ChosenMetric, asked: Sequence[Prediction]) -> None:
    """Before answers and references are sent to a server: which items they are of."""
    if chosen.server is None:
        return
    numbers = sorted({int(uid_of(one.id)) for one in asked})
    receiver = readings.receiver_of(chosen.server.model, web_host(chosen.server.base_url))
    readings.record_before_sending(ws, readings.Act.EMBEDDING, receiver, numbers)


def _measurable(ws: Workspace, members: Mapping[str, SplitItem], scored: Report) -> list[ItemScore]:
    """The answers of tasks measured by likeness; without any such task, all in free text."""
    facts = facts_of(ws, scored.split)
    free = {
        uid: fact.metric == LIKENESS
        for uid, fact in facts.items()
        if not fact.labels
        and not family(members[uid].content.family).prompt(members[uid].content).choices
    }
    likened = any(free.values())
    return [
        entry
        for entry in scored.scores
        if entry.answered and (uid := uid_of(entry.id)) in free and (free[uid] or not likened)
    ]


def configured(
    name: str, *, checkpoint: str = "", server: "ModelServer | None" = None
) -> ChosenMetric:
    """A metric with what it needs; what is not given is as the environment says.

    The server is asked with little patience: somebody waits for the report, and what was measured
    is kept, so it is better to ask again later.
    """
    from core.workflow.production.duplicates import embedding_server

    if server is None and name == EMBEDDINGS:
        server = embedding_server()
    return ChosenMetric(
        name,
        checkpoint=checkpoint or os.environ.get(_FOLDERS.get(name, ""), "").strip(),
        server=server and replace(server, retries=2, longest_wait_s=60.0),
    )


def choices() -> tuple[ChosenMetric, ...]:
    """The metrics of free text for which everything is there; chrF and BLEU always are."""
    bleurt, embeddings = configured(BLEURT), configured(EMBEDDINGS)
    bertscore = configured(BERTSCORE)
    metrics = [configured(CHRF), configured(BLEU)]
    metrics += [configured(ROUGE)] if find_spec("rouge_score") else []
    metrics += [bertscore] if bertscore.checkpoint and find_spec("bert_score") else []
    metrics += [bleurt] if bleurt.checkpoint else []
    metrics += [embeddings] if embeddings.server else []
    return tuple(metrics)


def measured_text(origin: Mapping[str, Any], run: str = "") -> str:
    """A sentence on the metric of a report's free text; empty if none was chosen."""
    chosen = origin.get("metric")
    if chosen is None:
        return ""
    sentence = trn(
        "{metric} ({made_with}) scored 1 answer: {value} %.",
        "{metric} ({made_with}) scored {n} answers, mean {value} %.",
        chosen["n"],
        metric=tr(chosen["title"]),
        made_with=chosen["made_with"] or chosen["metric"],
        value="–" if chosen["value"] is None else f"{100 * chosen['value']:.1f}",
    )
    return tr("{run}: {sentence}", run=run, sentence=sentence) if run else sentence
