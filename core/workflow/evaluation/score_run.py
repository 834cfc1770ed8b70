"""The report of a run: its answers scored, taken in once it is finished, and as its judge says.

A report of 100,000 answers is to be on the screen within two seconds from the start of Python, so
nothing is imported here that only some runs need: judges, metrics, engines.
"""

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import StateError
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import AnswerKey, Report, keys_of, regraded, score
from core.evaluation.usage import account
from core.gc_pause import few_collections
from core.i18n import tr
from core.jobs.folder import RunFolder
from core.workflow.evaluation.task_info import MEASURED_BY, metrics_of, task_facts
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.splits.prompt_variants import keys_by_id
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.runs import AnswerRow, RunRow
from db.vocabulary import EventKind, SplitState

if TYPE_CHECKING:
    from core.workflow.evaluation.task_metrics import ChosenMetric


_TAKEN_IN = "taken_in"  # of the event that tells of it


class KeyBook:
    """The keys of the splits that were read last, by uid: several runs on a split share them.

    For any thread. A frozen split never changes; one of another digest is another one.
    """

    def __init__(self, ws: Workspace, kept: int = 2) -> None:
        self._ws = ws
        self._kept = kept
        self._keys: dict[tuple[str, str], Mapping[str, AnswerKey]] = {}
        self._lock = threading.Lock()

    def keys(self, split: str) -> Mapping[str, AnswerKey]:
        """The key of every item of a split."""
        name = split, freeze.info(self._ws, split).manifest_hash
        with self._lock:
            found = self._keys.pop(name, None)
            if found is None:
                found = {key.id: key for key in keys_of(freeze.members_of(self._ws, split))}
            self._keys[name] = found
            while len(self._keys) > self._kept:
                self._keys.pop(next(iter(self._keys)))
            return found


def report(
    ws: Workspace,
    name: str,
    *,
    partial: bool = False,
    metric: "ChosenMetric | None" = None,
    keys: KeyBook | None = None,
) -> Report:
    """Score a run against the split's keys, and take its answers in once it is finished.

    A run that was to be judged is given to its judge when its answers are there. The judge's scores
    replace right and wrong once every answer is judged (``origin["judge"]`` tells how far that
    is); until then they do not count. With ``metric`` answers in free text are measured by it
    (``grading.measured_with``). ``keys`` are those that were read for other runs.
    """
    row = runs.find(ws, name)
    if row.kind != "evaluate":
        raise StateError(
            tr("The run “{run}” is no evaluation, it is: {kind}.", run=row.id, kind=row.kind)
        )
    folder = runs.sound_folder_of(ws, row.id)
    params = EvaluateParams.model_validate(row.params)
    with few_collections():
        known = (keys or KeyBook(ws)).keys(params.split)
        scored = _scored(ws, row.id, folder, params, known, partial=partial)
        if folder.result() is not None and row.taken_in_at is None:
            _take_in(ws, row.id, scored)
        if folder.result() is not None:
            _begin_judging(ws, row.id, params)
        judged = _with_judge(ws, scored, row.id)
        if metric is not None:
            from core.workflow.evaluation import task_metrics

            members = {member.uid: member for member in freeze.members_of(ws, params.split)}
            judged = task_metrics.measured_with(ws, members, judged, metric)
        more = account(judged, folder.result() or {})
        return replace(judged, origin={**judged.origin, **more})


def _scored(
    ws: Workspace,
    run_id: str,
    folder: RunFolder,
    params: EvaluateParams,
    known: Mapping[str, AnswerKey],
    *,
    partial: bool,
) -> Report:
    result = folder.result() or {}
    scored = score(
        keys_by_id(known, folder.work_ids()),
        folder.records().values(),
        split=params.split,
        engine=params.engine,
        model=params.model or params.engine,
        partial=partial,
        origin={
            "run": run_id,
            "split_digest": params.split_digest,
            "versions": result.get("versions", {}),
            "resumed": result.get("resumed", 0),
        },
    )
    return _by_metric(ws, scored)


def _by_metric(ws: Workspace, scored: Report) -> Report:
    """The report with the scores of tasks that are not measured by right and wrong."""
    benchmark = freeze.info(ws, scored.split).benchmark
    if metrics_of(ws, benchmark).isdisjoint(MEASURED_BY):
        return scored
    from core.workflow.evaluation import task_metrics

    by_uid = {member.uid: member for member in freeze.members_of(ws, scored.split)}
    scores, measured = task_metrics.metric_scores(ws, by_uid, scored)
    if not scores:
        return scored
    return regraded(replace(scored, origin={**scored.origin, "measured_by": measured}), scores)


def _begin_judging(ws: Workspace, run_id: str, params: EvaluateParams) -> None:
    """Ask the judge that was named at the start, unless the split was sealed since."""
    if params.judge is None:
        return
    from core.workflow.evaluation import judging

    if judging.judged(ws, run_id) is not None:
        return
    if freeze.info(ws, params.split).state != SplitState.SEALED:
        judging.start(ws, run_id, params.judge)


def _with_judge(ws: Workspace, scored: Report, run_id: str) -> Report:
    if runs.judging_of(ws, run_id) is None:
        return scored
    from core.workflow.evaluation import judging

    found = judging.judged(ws, run_id)
    if found is None:
        return scored
    judging.take_in(ws, run_id, found)
    scored = replace(scored, origin={**scored.origin, "judge": dict(found.document)})
    return regraded(scored, found.scores)


def _take_in(ws: Workspace, run_id: str, scored: Report) -> None:
    """Keep every answer with its item; a second time changes nothing."""
    with ws.writing() as session:
        row = run_rows.get(session, run_id, lock=True)
        if row is None or row.taken_in_at is not None:
            return
        rows = [
            AnswerRow(
                run_id,
                int(one.id.partition("#")[0]),
                one.variant,
                one.outcome,
                one.text,
                one.predicted,
                one.score,
            )
            for one in scored.scores
        ]
        known = {(one.item_id, one.variant): one for one in run_rows.answers_of(session, run_id)}
        new = rows
        if known:  # taken in before, and then some of it was asked again
            new = [r for r in rows if (r.item_id, r.variant) not in known]
            changed = [r for r in rows if known.get((r.item_id, r.variant), r).outcome != r.outcome]
            run_rows.replace_answers(session, changed)
        run_rows.add_answers(session, new)
        run_rows.mark_taken_in(session, run_id, _summary(scored))
        ledger.append(
            session,
            ledger.NewEvent(EventKind.RUN, "", subject=run_id, data={_TAKEN_IN: len(rows)}),
        )


def _summary(scored: Report) -> dict[str, Any]:
    return {
        name: value
        for name, value in scored.as_json().items()
        if name in ("items", "answered", "missing", "unparsed", "accuracy", "stderr")
    }


def reports(
    ws: Workspace, read: Callable[[str], Report | None] | None = None
) -> tuple[Report, ...]:
    """The reports of all finished evaluations, newest first, by ``read`` where one is given.

    Runs for which ``read`` gives None are left out.
    """
    keys = KeyBook(ws)
    found = (
        read(info.id) if read else report(ws, info.id, keys=keys)
        for info in runs.runs(ws)
        if info.kind == "evaluate" and info.state == "finished" and Path(info.folder).is_dir()
    )
    return tuple(one for one in found if one is not None)


def stamp(ws: Workspace, name: str) -> Hashable:
    """Equal as long as the report of a run is: what the run was told, its files and its judge's,
    what people said of it, the metrics of its tasks. A frozen split never changes, and that the
    answers were taken in, as the first report of a run does, changes no report."""
    row = runs.find(ws, name)
    split = str(row.params.get("split", ""))
    looks = [_looks(ws, one) for one in (row, runs.judging_of(ws, row.id)) if one is not None]
    with ws.reading() as session:
        said = ledger.newest_of_subject(session, EventKind.RUN, row.id, without=_TAKEN_IN)
    return repr(row.params), tuple(looks), said, task_facts(ws, freeze.info(ws, split).benchmark)


def _looks(ws: Workspace, row: RunRow) -> Hashable:
    folder = runs.folder_of(ws, row.id)
    state = folder.state() if folder.path.is_dir() else ""
    return row.id, state, tuple(_files(folder.path))


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of change of the files that a report is made of."""
    for pattern in ("shard-[0-9]*.jsonl", "work.jsonl", "result.json", "people.csv"):
        for path in sorted(folder.glob(pattern)):
            found = path.stat()
            yield path.name, found.st_size, found.st_mtime_ns
