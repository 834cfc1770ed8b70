"""The report of a run: its answers scored, and as its judge says. Reading it writes nothing.

A report of 100,000 answers is to be on the screen within two seconds from the start of Python, so
nothing is imported here that only some runs need: judges, metrics, engines.
"""

import threading
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import BenchsealError
from core.evaluation.clusters import cluster_name
from core.evaluation.params import IMPORTED, EvaluateParams
from core.evaluation.scoring import (
    AnswerKey,
    Report,
    key_of,
    refuse_foreign,
    regraded,
    reply_of,
    score_in_order,
)
from core.evaluation.usage import usage_figures
from core.gc_pause import few_collections
from core.jobs.folder import RunFolder
from core.jobs.stored_tuples import kept
from core.release.by_uid import UidPlaces
from core.release.manifest import SplitItem
from core.workflow.evaluation import errata
from core.workflow.evaluation.task_info import MEASURED_BY, metrics_of, task_facts
from core.workflow.runs import bound_files, runs
from core.workflow.splits import freeze
from core.workflow.splits.prompt_variants import key_of_question
from core.workflow.workspace import Workspace
from db import ledger
from db.runs import RunRow
from db.vocabulary import EventKind

if TYPE_CHECKING:
    from core.workflow.evaluation.task_metrics import ChosenMetric

_LOADING = ("vllm", "vllm-server", "transformers")
_PRECISION = ("dtype", "torch_dtype", "quantization", "kv_cache_dtype", "max_model_len")
"""Options of the engines that load a model which can change its answers."""


class KeyBook:
    """The keys of the splits that were read last, by uid: several runs on a split share them.

    For any thread. A frozen split never changes; one of another digest is another one.
    """

    def __init__(self, ws: Workspace, most: int = 2) -> None:
        self._ws = ws
        self._most = most
        self._keys: dict[tuple[str, str], SplitKeys] = {}
        self._lock = threading.Lock()

    def keys(self, split: str) -> "SplitKeys":
        """The key of every item of a split."""
        name = split, freeze.info(self._ws, split).manifest_hash
        with self._lock:
            keys = self._keys.pop(name, None)
            if keys is None:
                keys = SplitKeys(freeze.each_member(self._ws, split))
            self._keys[name] = keys
            while len(self._keys) > self._most:
                self._keys.pop(next(iter(self._keys)))
            return keys


class SplitKeys:
    """The keys of a split by the uids of its items; many of them lie on the disk."""

    def __init__(self, items: Iterable[SplitItem]) -> None:
        uids = array("q")

        def each() -> Iterator[AnswerKey]:
            for item in items:
                uids.append(int(item.uid))
                yield key_of(item.uid, item.content)

        self._keys = kept(each(), AnswerKey._make)
        self._places = UidPlaces(uids)

    def get(self, uid: str) -> AnswerKey | None:
        """The key of an item; None for one that is not in the split."""
        place = self._places.get(uid)
        return None if place is None else self._keys[place]


def report(
    ws: Workspace,
    name: str,
    *,
    partial: bool = False,
    metric: "ChosenMetric | None" = None,
    keys: KeyBook | None = None,
    scored: Report | None = None,
) -> Report:
    """Score a run against the split's keys, as its judge says where it has one.

    The judge's scores replace right and wrong once every answer is judged (``origin["judge"]``
    tells how far that is); until then they do not count. With ``metric`` answers in free text are
    measured by it (``task_metrics.measured_with``). ``keys`` are those that were read for other
    runs, ``scored`` are this run's answers where they were scored already.
    """
    row = runs.find_evaluation(ws, name)
    with few_collections(), runs.reading_results(row.id):
        if scored is None:
            scored = scored_answers(ws, row, partial=partial, keys=keys)
        judged = _with_judge(ws, scored, row.id)
        if metric is not None:
            from core.workflow.evaluation import task_metrics

            with freeze.members_by_uid(ws, scored.split) as members:
                judged = task_metrics.measured_with(ws, members, judged, metric)
        result = runs.folder_of(ws, row.id).result() or {}
        judged = replace(judged, origin={**judged.origin, **usage_figures(result)})
        return errata.with_errata(ws, judged)


def scored_answers(
    ws: Workspace, row: RunRow, *, partial: bool = False, keys: KeyBook | None = None
) -> Report:
    """A run's answers against the split's keys and its tasks' metrics, without its judge.

    StateError where the run folder was changed after its results were taken in.
    """
    folder = runs.sound_folder_of(ws, row.id)
    bound_files.refuse_changed(ws, row.id)
    params = runs.params_of(row, EvaluateParams)
    known = (keys or KeyBook(ws)).keys(params.split)
    return _scored(ws, row.id, folder, params, known, partial=partial)


def _scored(
    ws: Workspace,
    run_id: str,
    folder: RunFolder,
    params: EvaluateParams,
    known: SplitKeys,
    *,
    partial: bool,
) -> Report:
    result = folder.result() or {}
    found = folder.finished()
    refuse_foreign(found.foreign, params.split)
    without_key: dict[str, None] = {}

    def asked() -> Iterator[tuple[AnswerKey, dict[str, Any] | None]]:
        for id_, record in zip(folder.each_work_id(), found.by_item(), strict=True):
            key = key_of_question(known, id_)
            if key is not None:
                yield key, record
            elif record is not None:
                without_key[id_] = None

    scored = score_in_order(
        ((key, None if record is None else reply_of(record)) for key, record in asked()),
        split=params.split,
        engine=params.engine,
        model=params.model or params.engine,
        partial=partial,
        origin={
            "run": run_id,
            "split_digest": params.split_digest,
            "versions": result.get("versions", {}),
            "settings": _settings(params),
            "asking": _asking(params) | _prompts_too_long(result),
            "resumed": result.get("resumed", 0),
            **_likelihoods(params, asked()),
        },
    )
    refuse_foreign(tuple(without_key), params.split)
    return _by_metric(ws, scored)


def _likelihoods(
    params: EvaluateParams, asked: Iterable[tuple[AnswerKey, Mapping[str, Any] | None]]
) -> dict[str, Any]:
    """How well likelihoods are calibrated, where the run has any."""
    if params.answer_by != "loglikelihood":
        return {}
    from core.evaluation.report_parts.calibration import calibration

    found = calibration(asked)
    return {"calibration": found.as_json()} if found else {}


def _asked_here(params: EvaluateParams) -> bool:
    """Whether a model was asked by this program, with the settings of the run."""
    imported = params.engine.startswith(IMPORTED)
    return bool(params.model) and params.engine != "people" and not imported


def _settings(params: EvaluateParams) -> dict[str, float | str]:
    """How the model was asked to write; empty for baselines, for people and for imported answers,
    of which nobody here knows it."""
    if not _asked_here(params):
        return {}
    return {"mode": params.mode, **params.sampling(), "seed": params.seed}


def _asking(params: EvaluateParams) -> dict[str, Any]:
    """What a methods paragraph says of how the model was asked, beyond the settings; empty for
    baselines, for people and for imported answers."""
    if not _asked_here(params):
        return {}
    facts = {
        "answer_by": params.answer_by,
        "revision": params.revision,
        "adapter": Path(params.adapter).name,
        "shots": params.shots,
        "system": bool(params.system),
        "max_tokens": params.max_tokens,
    }
    said: dict[str, Any] = {name: value for name, value in facts.items() if value}
    if params.engine in _LOADING:
        args = {name.replace("-", "_"): value for name, value in params.engine_args.items()}
        said["loaded"] = {name: args[name] for name in _PRECISION if args.get(name) is not None}
    return said if params.enable_thinking is None else said | {"thinking": params.enable_thinking}


def _prompts_too_long(result: Mapping[str, Any]) -> dict[str, int]:
    return {name: result[name] for name in ("cut_prompts", "too_long") if result.get(name)}


def _by_metric(ws: Workspace, scored: Report) -> Report:
    """The report with the scores of tasks that are not measured by right and wrong."""
    benchmark = freeze.info(ws, scored.split).benchmark
    if metrics_of(ws, benchmark).isdisjoint(MEASURED_BY):
        return scored
    from core.workflow.evaluation import task_metrics

    with freeze.members_by_uid(ws, scored.split) as members:
        scores, measured = task_metrics.metric_scores(ws, members, scored)
    if not scores:
        return scored
    return regraded(replace(scored, origin={**scored.origin, "measured_by": measured}), scores)


def _with_judge(ws: Workspace, scored: Report, run_id: str) -> Report:
    if runs.judging_of(ws, run_id) is None:
        return scored
    from core.workflow.evaluation import judging

    clusters = {entry.id: cluster_name(entry.cluster, entry.id) for entry in scored.scores}
    result = judging.judged(ws, run_id, clusters)
    if result is None:
        return scored
    judge = {**result.document, **_other_judges(ws, scored, run_id, result.document["model"])}
    return regraded(replace(scored, origin={**scored.origin, "judge": judge}), result.scores)


def _other_judges(ws: Workspace, scored: Report, run_id: str, newest: str) -> dict[str, Any]:
    """What the run scores by every other judge. Where one cannot be read, why: it takes nothing
    from the newest."""
    from core.evaluation.judge_run import judged_scores
    from core.workflow.evaluation import judging

    try:
        others = judging.judges_of(ws, run_id, without=newest)
    except BenchsealError as error:
        return {"others": [], "others_problem": str(error)}
    scores = {
        model: regraded(scored, judged_scores(verdicts)).total.accuracy
        for model, verdicts in others.items()
    }
    return {"others": [{"model": model, "score": score} for model, score in scores.items()]}


def reports(
    ws: Workspace, read: Callable[[str], Report | None] | None = None
) -> tuple[Report, ...]:
    """The reports of all finished evaluations, newest first, by ``read`` where one is given.

    Runs for which ``read`` gives None are left out.
    """
    keys = KeyBook(ws)
    all_reports = (
        read(info.id) if read else report(ws, info.id, keys=keys)
        for info in runs.runs(ws)
        if info.kind == "evaluate" and info.state == "finished" and Path(info.folder).is_dir()
    )
    return tuple(known for known in all_reports if known is not None)


def report_stamp(ws: Workspace, name: str) -> Hashable:
    """Equal as long as the report of a run is: what the run was told, its files and its judges',
    what people said of it, errata, the metrics of its tasks. A frozen split never changes, and
    that the answers were taken in changes no report."""
    row = runs.find(ws, name)
    split = str(row.params.get("split", ""))
    looks = [_looks(ws, of_run) for of_run in (row, *runs.judgings_of(ws, row.id))]
    with ws.reading() as session:
        newest_event = ledger.newest_of_subject(
            session, EventKind.RUN, row.id, without=bound_files.TAKEN_IN
        )
        newest_erratum = next((e.id for e in ledger.newest(session, (EventKind.ERRATUM,))), 0)
    return (
        repr(row.params),
        tuple(looks),
        newest_event,
        newest_erratum,
        task_facts(ws, freeze.info(ws, split).benchmark),
    )


def _looks(ws: Workspace, row: RunRow) -> Hashable:
    folder = runs.folder_of(ws, row.id)
    state = folder.state() if folder.path.is_dir() else ""
    return row.id, state, folder.looks(_files(folder))


def _files(folder: RunFolder) -> list[str]:
    """The names of the files that a report is made of."""
    return [*folder.shard_names(), "work.jsonl", "result.json", "people.csv"]
