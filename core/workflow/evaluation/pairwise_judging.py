"""Comparing the answers of several evaluations in pairs, and the strengths that follow."""

import random
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from core.errors import InputError, StateError
from core.evaluation.clusters import cluster_name, mean_spread
from core.evaluation.judge_agreement import alpha_words, figures_of, judges_agreement
from core.evaluation.judge_run import kept_replies, question_parts
from core.evaluation.judges import PREFERENCES
from core.evaluation.mean_interval import caution, mean_interval
from core.evaluation.params import EvaluateParams, PairwiseParams
from core.evaluation.preference.bradley_terry import PairOutcome, strengths
from core.evaluation.preference.pairwise import (
    PairSummary,
    outcomes_of,
    pair_rows,
    pair_summary,
    settled_pairs,
)
from core.evaluation.types import Answer
from core.i18n import listed, tr, trn, with_note
from core.jobs.folder import RunFolder
from core.release.by_uid import ItemsByUid
from core.release.question_ids import parts_of, uid_of
from core.report_table import ReportTable
from core.sources.tables import read_table
from core.workflow.evaluation.judging import judges_launcher
from core.workflow.evaluation.task_info import clusters_of
from core.workflow.rights import Action, person_at_work, refuse_early
from core.workflow.runs import bound_files, locked_runs, own_results, runs
from core.workflow.splits import freeze, readings, split_states
from core.workflow.splits.prompt_variants import wordings_of
from core.workflow.workspace import Workspace
from db.runs import RunRow

_SCALE = tuple(sorted(PREFERENCES.values()))


def start(
    ws: Workspace,
    names: Sequence[str],
    params: PairwiseParams,
    person: str = "",
    *,
    most: int | None = None,
    seed: int = 0,
    launcher: str = "local",
    shards: int = 1,
) -> RunFolder:
    """Compare the answers of two or more finished evaluations of one split, pair by pair, each in
    both orders; of ``most`` items, drawn by ``seed``.

    The ledger says that ``person`` read the split by it. Raises InputError for runs that do not go
    together, StateError where one is not finished or there is nothing to compare; for the launcher
    what ``judging.start`` raises.
    """
    refuse_early(ws, person, Action.EVALUATE)
    rows = [runs.find_evaluation(ws, name) for name in dict.fromkeys(names)]
    split, models = _checked(ws, rows)
    params.server()
    starter = judges_launcher(ws, "pairwise", split, launcher)
    locked = locked_runs.is_locked(ws, split)
    params = params.model_copy(
        update={
            "runs": tuple(row.id for row in rows),
            "models": models,
            "split": split,
            "of": rows[0].id,
            "cache": "" if locked else str(kept_replies(ws.place.folder).absolute()),
        }
    )
    answers = [_texts(runs.sound_folder_of(ws, row.id)) for row in rows]
    ids = dict.fromkeys(id_ for known in answers for id_ in known)
    asked = [id_ for id_ in ids if sum(id_ in known for known in answers) > 1]
    if most is not None and most < len(asked):
        asked = sorted(random.Random(seed).sample(asked, most), key=asked.index)
    work = pair_rows(answers, _questions(ws, split, asked))
    first = next(work, None)
    if first is None:
        raise StateError.tr("These runs have no answers to the same questions.")
    origin = {"of": rows[0].id, "split": split}
    folder = locked_runs.create(ws, "pairwise", params, chain((first,), work), split, origin=origin)
    _remember(ws, folder, rows[0], params, person)
    shards = min(shards, folder.spec().total)
    starter.start(folder, shards)
    runs.launched(ws, folder.spec().id, starter, shards)
    return folder


def _checked(ws: Workspace, rows: Sequence[RunRow]) -> tuple[str, tuple[str, ...]]:
    """The split and the models of runs that can be compared."""
    if len(rows) < 2:
        raise InputError.tr("A comparison needs at least two runs.")
    params = [runs.params_of(row, EvaluateParams) for row in rows]
    splits = {one.split for one in params}
    if len(splits) > 1:
        raise InputError.tr(
            "These runs are on different splits ({splits}); answers to different questions are "
            "not compared.", splits=listed(sorted(splits))
        )  # fmt: skip
    models = tuple(one.model or one.engine for one in params)
    if len(set(models)) < len(models):
        raise InputError.tr("Two of these runs are of the same model.")
    for row in rows:
        if runs.folder_of(ws, row.id).result() is None:
            raise StateError.tr("Run “{run}” is not finished; resume it first.", run=row.id)
    (split,) = splits
    freeze.refuse_sealed(freeze.info(ws, split))
    return split, models


def _texts(folder: RunFolder) -> dict[str, str]:
    """What a run answered, by id; what could not be had is left out, a refusal says nothing."""
    answers = (Answer.from_json(record) for record in folder.finished().records)
    return {
        one.id: one.choice or ("" if one.outcome == "refused" else one.text)
        for one in answers
        if one.outcome != "failed"
    }


def _questions(ws: Workspace, split: str, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    questions = {}
    with freeze.stored_members(ws, split) as members:
        by_uid, wordings = ItemsByUid(members), wordings_of(ws, split, members)
        for id_ in ids:
            uid, variant = parts_of(id_)
            if item := by_uid.get(uid):
                questions[id_] = question_parts(item.content, wordings.text(uid, variant))
    return questions


def _remember(
    ws: Workspace, folder: RunFolder, of: RunRow, params: PairwiseParams, person: str
) -> None:
    actor = person_at_work(ws, person)
    items = [id_.partition("|")[0] for id_ in folder.work_ids()]
    with ws.writing() as session:
        split = split_states.split_in(session, params.split)
        runs.enter(
            session,
            folder,
            tr("{judge} compares {models}", judge=params.model, models=listed(params.models)),
            details={"of": of.id, **readings.reading_facts(session, split, items)},
            benchmark_id=of.benchmark_id,
            split_id=of.split_id,
            actor=actor,
        )


def take_in(ws: Workspace, name: str) -> dict[str, Any]:
    """Bind the verdicts of a finished comparison, which stay in its folder; a second time changes
    nothing. StateError for a run that is not finished."""
    return own_results.take_in(ws, name, "verdicts")


def finished(ws: Workspace, split: str) -> list[RunRow]:
    """The finished comparisons on a split, newest first; of each judge the newest."""
    return own_results.finished(ws, "pairwise", split)


def standings(
    ws: Workspace, rows: Sequence[RunRow], people: Path | None = None, *, sheet: str = ""
) -> dict[str, Any]:
    """What finished comparisons of one split come to: strengths of all judges together and of each
    alone, how often a judge keeps to its verdict when the order is swapped and how often it prefers
    the answer shown first, and how far judges, and people, agree.

    ``people`` is a table with item, a, b and better (a model's name or tie), and rater. Raises
    StateError without a comparison, or where one was changed.
    """
    if not rows:
        raise StateError.tr("No answers have been compared in pairs on this split yet.")
    split = str(rows[0].params["split"])
    clusters = clusters_of(ws, split)
    preferences: dict[str, dict[str, float]] = {}
    judges, pooled = [], list[PairOutcome]()
    for row in rows:
        bound_files.refuse_changed(ws, row.id)
        params = runs.params_of(row, PairwiseParams)
        folder = runs.sound_folder_of(ws, row.id)
        summary = pair_summary(folder.finished().records, settled_pairs(folder.work_rows()))
        outcomes = outcomes_of(summary, params.models, clusters)
        pooled += outcomes
        judges.append(_judge(row, params, summary, outcomes, clusters))
        preferences[params.model] = _by_name(summary, params.models)
    said = _people(people, sheet) if people is not None else {}
    agreement = []
    if len(judges) > 1 or said:
        places = {place for known in preferences.values() for place in known}
        of_place = {place: _source(place, clusters) for place in (*places, *(p for p, _ in said))}
        agreement = [
            figures_of(one)
            for one in judges_agreement(preferences, said, categories=_SCALE, clusters=of_place)
        ]
    return {
        "split": split,
        "strengths": strengths(pooled).as_json(),
        "judges": judges,
        "agreement": dict(zip(("judges", "with_people"), agreement, strict=False)),
    }


def _judge(
    row: RunRow,
    params: PairwiseParams,
    summary: PairSummary,
    outcomes: Sequence[PairOutcome],
    clusters: Mapping[str, str],
) -> dict[str, Any]:
    return {
        "run": row.id,
        "judge": params.model,
        "pairs": len(summary.scores),
        "settled": len(summary.settled),
        "unjudged": summary.unjudged,
        "consistent": _share(summary.consistent, clusters),
        "first_shown": _share(summary.first_shown, clusters),
        "strengths": strengths(outcomes).as_json(),
    }


def _share(
    values: Sequence[tuple[str, float]], clusters: Mapping[str, str]
) -> dict[str, Any] | None:
    """A share over answers with its 95% interval over sources; None of nothing."""
    if not values:
        return None
    items = [uid_of(answer) for answer, _ in values]
    spread = mean_spread(
        [value for _, value in values],
        [cluster_name(clusters.get(i, ""), i) for i in items],
        binary=True,
    )
    interval = mean_interval(spread)
    return {"share": spread.mean, "low": interval.low, "high": interval.high, "n": spread.n,
            "caution": caution(spread)}  # fmt: skip


def _by_name(summary: PairSummary, models: Sequence[str]) -> dict[str, float]:
    """What the judge was asked: preferences by answer and pair of models in the order of their
    names."""
    found = {}
    for (answer, a, b), score in summary.scores.items():
        if (answer, a, b) in summary.settled:
            continue
        straight = models[a] <= models[b]
        first, second = sorted((models[a], models[b]))
        found[f"{answer}|{first}|{second}"] = score if straight else 1 - score
    return found


def _source(place: str, clusters: Mapping[str, str]) -> str:
    """What a preference shares with others: the source of its item, else the item."""
    item = uid_of(place.partition("|")[0])
    return cluster_name(clusters.get(item, ""), item)


def _people(path: Path, sheet: str) -> dict[tuple[str, str], float]:
    """What people preferred, by answer and pair, and rater."""
    table = read_table(path, sheet=sheet)
    if table.missing("item", "a", "b", "better"):
        raise InputError.tr("“{path}” needs the columns item, a, b and better.", path=path)
    said = {}
    for _, cell in table.text_rows():
        first, second = sorted((cell["a"], cell["b"]))
        value = {first: 1.0, "tie": 0.5, second: 0.0}.get(cell["better"].strip())
        if value is None:
            raise InputError.tr("“{value}” in “{path}” is neither of the two models nor tie.",
                                value=cell["better"], path=path)  # fmt: skip
        place = f"{cell['item'].removeprefix('#')}|{first}|{second}"
        said[place, cell.get("rater", "")] = value
    return said


def strength_table(document: Mapping[str, Any]) -> ReportTable:
    """A row for each model: Elo with its interval, how often it was better, comparisons."""
    table = document["strengths"]
    rows = tuple(
        (one["model"], one["elo"], one["low"], one["high"], 100 * one["share"], one["n"],
         one["reason"])
        for one in table["models"]
    )  # fmt: skip
    heads = (tr("Model"), "Elo", tr("Low"), tr("High"), tr("Better, %"), tr("Comparisons"),
             tr("Remark"))  # fmt: skip
    title = tr("{split}: compared in pairs", split=document["split"])
    return ReportTable(title, heads, rows, notes(document), 1)


def notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    """How far the judges can be trusted, in sentences."""
    said = [
        trn("Bradley–Terry over 1 item or source; a contradiction between the two orders is a tie.",
            "Bradley–Terry over {n} items or sources; a contradiction between the two orders is a "
            "tie. Intervals are at 95%, with cluster-robust errors over these.",
            document["strengths"]["clusters"])
    ]  # fmt: skip
    if document["strengths"]["caution"]:
        said.append(tr("The intervals are rough ({why}).", why=document["strengths"]["caution"]))
    for judge in document["judges"]:
        said += _of_judge(judge)
    for name, alpha in document["agreement"].items():
        value = alpha_words(alpha)
        said.append(
            tr("Krippendorff's alpha of the judges: {value}.", value=value)
            if name == "judges"
            else tr("Krippendorff's alpha of the judges and people: {value}.", value=value)
        )
    return tuple(said)


def _of_judge(judge: Mapping[str, Any]) -> list[str]:
    """How far one judge can be trusted, by the pairs about which it was asked."""
    said = []
    if judge["consistent"] is not None:
        said.append(
            tr("{judge} keeps its verdict in {consistent} of the pairs when the order is "
               "swapped, and prefers the answer shown first in {first}.", judge=judge["judge"],
               consistent=_span(judge["consistent"]), first=_span(judge["first_shown"]))
        )  # fmt: skip
    if judge["settled"]:
        said.append(
            trn("{judge}: 1 pair needed no judge (the same text, or only one with any) and counts "
                "for the models alone.",
                "{judge}: {n} pairs needed no judge (the same text, or only one with any) and "
                "count for the models alone.", judge["settled"], judge=judge["judge"])
        )  # fmt: skip
    if judge["unjudged"]:
        said.append(
            trn("{judge}: 1 pair has no verdict in one order and is left out.",
                "{judge}: {n} pairs have no verdict in one order and are left out.",
                judge["unjudged"], judge=judge["judge"])
        )  # fmt: skip
    return said


def _span(share: Mapping[str, Any] | None) -> str:
    if share is None:
        return "–"
    if share["low"] is None:
        return f"{100 * share['share']:.1f}%"
    value = f"{100 * share['share']:.1f}% [{100 * share['low']:.1f}, {100 * share['high']:.1f}]"
    return with_note(value, share["caution"])
