"""Judging the answers of an evaluation: a run of its own, at home, where the references are."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from core.errors import ConflictError, StateError
from core.evaluation.breakdown import TaskSummary
from core.evaluation.clusters import cluster_name
from core.evaluation.judge_agreement import (
    CRITERIA,
    agreement_with,
    corrected_means,
    figures_of,
    judges_agreement,
    unit_mean,
)
from core.evaluation.judge_run import (
    JudgedQuestion,
    judge_rows,
    judged_scores,
    kept_replies,
    reports_of,
    verdicts_of,
)
from core.evaluation.judges import JudgeVerdict
from core.evaluation.params import JudgeKind, JudgeParams
from core.evaluation.types import Answer
from core.i18n import listed, tr
from core.jobs.folder import RunFolder
from core.jobs.launchers import Launcher, launcher_named
from core.release.by_uid import ItemsByUid
from core.release.manifest import SplitItem
from core.release.question_ids import parts_of, uid_of
from core.workflow.evaluation.answer_ratings import people_of
from core.workflow.evaluation.task_info import clusters_of, facts_of, judge_texts
from core.workflow.rights import Action, person_at_work, refuse_early
from core.workflow.runs import bound_files, locked_runs, runs
from core.workflow.splits import freeze, readings, split_states
from core.workflow.splits.prompt_variants import wordings_of
from core.workflow.workspace import Workspace
from db.runs import RunRow


@dataclass(frozen=True)
class JudgeResult:
    """What a judge made of a run. ``scores`` is empty until every answer is judged."""

    run: str
    state: str
    done: int
    total: int
    scores: Mapping[str, float | None]
    document: Mapping[str, Any]

    @property
    def finished(self) -> bool:
        """Whether every answer has its verdict."""
        return self.state == "finished"


def start(
    ws: Workspace,
    name: str,
    params: JudgeParams,
    person: str = "",
    *,
    launcher: str = "local",
    shards: int = 1,
) -> RunFolder:
    """Judge every answer of a finished evaluation, or go on with the same judging.

    The ledger says that ``person`` read the split by it.

    Answers that the same judge judged already are taken from the cache. Raises StateError where
    the evaluation is not finished or nothing is there to judge.

    ``launcher`` is ``local`` or, say, ``slurm:PROFILE``; raises InputError for a profile with a
    host, StateError for a cluster where the split was sealed.
    """
    refuse_early(ws, person, Action.EVALUATE)
    actor = person_at_work(ws, person)
    return begin(ws, name, params, actor=actor, launcher=launcher, shards=shards)


def begin(
    ws: Workspace,
    name: str,
    params: JudgeParams,
    *,
    actor: str = "",
    launcher: str = "local",
    shards: int = 1,
) -> RunFolder:
    """As ``start``, for the judge that was named with the run, whose person had the right to.

    Without a name the ledger names who evaluated.
    """
    row = runs.find_evaluation(ws, name)
    starter = judges_launcher(ws, "judge", str(row.params["split"]), launcher)
    locked = locked_runs.is_locked(ws, str(row.params["split"]))
    kept = "" if locked else str(kept_replies(ws.place.folder).absolute())
    params = params.model_copy(update={"of": row.id, "cache": kept})
    params.server()
    earlier = runs.judging_of(ws, row.id)
    if earlier is not None and _unfinished(ws, earlier, params):
        return _go_on(ws, earlier, starter, shards)
    folder = runs.folder_of(ws, row.id)
    if folder.result() is None:
        raise StateError.tr("Run “{run}” is not finished, so its answers cannot be judged yet.",
                            run=row.id)  # fmt: skip
    split = str(row.params["split"])
    freeze.refuse_sealed(freeze.info(ws, split))
    work = _work(ws, split, folder, params)
    first = next(work, None)
    if first is None:
        raise StateError.tr("Run “{run}” has no answers that a judge could judge.", run=row.id)
    judge_folder = locked_runs.create(
        ws, "judge", params, chain((first,), work), split, origin={"of": row.id, "split": split}
    )
    _remember(ws, judge_folder, row, params, actor)
    _start(ws, judge_folder, starter, shards)
    return judge_folder


def judges_launcher(ws: Workspace, kind: str, split: str, launcher: str) -> Launcher:
    """The launcher of that name, for a judge of a split's answers.

    InputError where it would copy the references to another host, StateError where it cannot hand
    over the key of a locked run, OutsideError where it can start nothing.
    """
    starter = launcher_named(launcher, ws.place.folder)
    starter.refuse_kind(kind)
    locked_runs.refuse_elsewhere(ws, split, launcher)
    starter.require()
    return starter


def _go_on(ws: Workspace, earlier: RunRow, starter: Launcher, shards: int) -> RunFolder:
    folder = runs.folder_of(ws, earlier.id)
    if not folder.is_running():
        with suppress(ConflictError):  # somebody else was quicker: it goes on
            _start(ws, folder, starter, shards)
    return folder


def _start(ws: Workspace, folder: RunFolder, starter: Launcher, shards: int) -> None:
    spec = folder.spec()
    shards = min(shards, spec.total)
    starter.start(folder, shards)
    runs.launched(ws, spec.id, starter, shards)


def _unfinished(ws: Workspace, row: RunRow, params: JudgeParams) -> bool:
    folder = runs.folder_of(ws, row.id)
    same = runs.params_of(row, JudgeParams).same_judge(params)
    return same and folder.path.is_dir() and folder.result() is None


def _work(
    ws: Workspace, split: str, folder: RunFolder, params: JudgeParams
) -> Iterator[dict[str, Any]]:
    facts, told = facts_of(ws, split), judge_texts(ws, split)
    with freeze.stored_members(ws, split) as members:
        by_uid, wordings = ItemsByUid(members), wordings_of(ws, split, members)

        def question_of(id_: str) -> JudgedQuestion | None:
            uid, variant = parts_of(id_)
            item = by_uid.get(uid)
            kind = _kind(item, facts[uid], params) if item else None
            if item is None or kind is None:
                return None
            text = wordings.text(uid, variant)
            return JudgedQuestion(item.content, text, kind, told.get(uid, ""))

        answers = (Answer.from_json(record) for record in folder.finished().records)
        yield from judge_rows(answers, question_of)


def _kind(member: SplitItem, fact: TaskSummary, params: JudgeParams) -> JudgeKind | None:
    """How an item's answers are judged; None for similarity, which is measured and not judged."""
    if params.kind != "auto":
        return params.kind
    if fact.metric == "judge":
        return "creative"
    has_labels = bool(member.content.payload.get("labels"))
    return None if fact.metric == "similarity" and not has_labels else "correctness"


def _remember(
    ws: Workspace, folder: RunFolder, of: RunRow, params: JudgeParams, actor: str
) -> None:
    with ws.writing() as session:
        split = split_states.split_in(session, str(of.params["split"]))
        runs.enter(
            session,
            folder,
            tr("{judge} judges {run}", judge=params.model, run=of.title),
            details={"of": of.id, **readings.reading_facts(session, split, folder.each_work_id())},
            benchmark_id=of.benchmark_id,
            split_id=of.split_id,
            actor=actor or runs.starter_in(session, of.id),
        )


def judged(ws: Workspace, of: str, clusters: Mapping[str, str] | None = None) -> JudgeResult | None:
    """The newest judging of a run with its scores, means, agreement and the means corrected by
    people's ratings; None without one. ``clusters`` name what answers share, by answer."""
    row = runs.judging_of(ws, of)
    if row is None:
        return None
    folder = runs.folder_of(ws, row.id)
    if not folder.has_spec():
        return None
    bound_files.refuse_changed(ws, row.id)
    params = runs.params_of(row, JudgeParams)
    progress = folder.progress()
    verdicts = verdicts_of(folder.finished().records)
    people = people_of(ws, of)
    done = sum(
        len(of_kind) for of_kind in verdicts.values()
    )  # the files know it better than a killed worker
    document = {
        "run": row.id,
        "model": params.model,
        "state": progress.state,
        "judged": done,
        "answers": progress.total,
        "error": progress.error,
        "raters": len({rater for _, _, rater, _ in people.rows}) if people else 0,
        "judges": [
            report.as_json()
            | {
                "agreement": agreement_with(report.kind, verdicts[kind], people, clusters),
                "corrected": corrected_means(report.kind, verdicts[kind], people, clusters),
            }
            for kind, report in zip(verdicts, reports_of(params, verdicts), strict=True)
        ],
    }
    scores = judged_scores(verdicts) if progress.state == "finished" else {}
    return JudgeResult(row.id, progress.state, done, progress.total, scores, document)


def judges_of(
    ws: Workspace, of: str, without: str = ""
) -> dict[str, dict[JudgeKind, list[JudgeVerdict]]]:
    """The verdicts of every judge but one that has judged a run to its end, by model and kind; the
    newest judging of each model counts."""
    verdicts: dict[str, dict[JudgeKind, list[JudgeVerdict]]] = {}
    for row in runs.judgings_of(ws, of):
        params = JudgeParams.model_validate(row.params)
        folder = runs.folder_of(ws, row.id)
        if params.model in verdicts or params.model == without or not folder.has_spec():
            continue
        bound_files.refuse_changed(ws, row.id)
        with runs.reading_results(row.id):
            if folder.progress().state == "finished":
                verdicts[params.model] = verdicts_of(folder.finished().records)
    return verdicts


def agreement_of_judges(ws: Workspace, name: str) -> dict[str, Any]:
    """How far the judges of a run agree with each other, and with people: by criterion the judges'
    means in 0…1 and Krippendorff's alpha of the judges alone, then with people where they rated.

    Raises StateError for fewer than two finished judges.
    """
    row = runs.find_evaluation(ws, name)
    judges = judges_of(ws, row.id)
    if len(judges) < 2:
        raise StateError.tr(
            "Two or more judges must have judged run “{run}”; so far: {judges}.", run=row.id,
            judges=listed(judges) or tr("none")
        )  # fmt: skip
    people = people_of(ws, row.id)
    by_item = clusters_of(ws, str(row.params["split"]))
    said = {v.id for by_kind in judges.values() for verdicts in by_kind.values() for v in verdicts}
    clusters = {id_: cluster_name(by_item.get(uid_of(id_), ""), id_) for id_ in said}
    criteria: dict[str, Any] = {}
    for kind in dict.fromkeys(kind for by_kind in judges.values() for kind in by_kind):
        for criterion, scale in CRITERIA[kind].items():
            judged = {
                model: {v.id: v.values[criterion] for v in by_kind.get(kind, ())
                        if criterion in v.values}
                for model, by_kind in judges.items()
            }  # fmt: skip
            rated = {(answer, rater): value for answer, named, rater, value
                     in (people.rows if people else ()) if named == criterion}  # fmt: skip
            alphas = judges_agreement(judged, rated, categories=scale, clusters=clusters)
            criteria[criterion] = {
                "means": {
                    model: unit_mean(values.values(), scale) for model, values in judged.items()
                },
                "judges": figures_of(alphas[0]),
                "with_people": figures_of(alphas[1]) if len(alphas) > 1 else None,
            }
    return {"run": row.id, "judges": list(judges), "criteria": criteria}
