"""Taking in what an evaluation and its judging made: answers, and then the judge's scores of them.

Whoever takes a finished evaluation in also starts the judge that was named for it; reading a
report does neither.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from core.errors import StateError
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import Report
from core.gc_pause import few_collections
from core.release.question_ids import parts_of
from core.workflow.evaluation import score_run
from core.workflow.runs import bound_files, runs
from core.workflow.splits import freeze, item_keys
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.runs import AnswerRow, RunRow
from db.vocabulary import EventKind, SplitState

if TYPE_CHECKING:
    from core.workflow.evaluation.task_metrics import ChosenMetric


def take_in(ws: Workspace, name: str) -> dict[str, Any]:
    """Keep the answers of a finished evaluation; a second time changes nothing.

    Its judge is started where one was named and none has begun, and what its judge said is kept
    too once every answer is judged. Returns the run's summary. Raises StateError for another kind
    of run, and for one that is not finished.
    """
    row = runs.find_evaluation(ws, name)
    if runs.sound_folder_of(ws, row.id).result() is None:
        raise StateError.tr("Run “{run}” is not finished; resume it first.", run=row.id)
    with few_collections():
        files = _files(ws, row)
        scored = None if row.taken_in_at else score_run.scored_answers(ws, row)
        return _take_in(ws, row, scored, files)


def take_in_verdicts(ws: Workspace, name: str) -> dict[str, Any]:
    """Keep the scores of a finished judging with the answers; a second time changes nothing.

    The answers are taken in first. Of several judgings of a run the newest counts.
    """
    row = runs.find(ws, name)
    judged_run = runs.find_evaluation(ws, str(row.params.get("of", "")))
    if runs.sound_folder_of(ws, judged_run.id).result() is not None:
        take_in(ws, judged_run.id)
    newest = runs.judging_of(ws, judged_run.id)
    if newest is not None and newest.id != row.id:
        _close_superseded(ws, row.id)
    return dict(runs.find(ws, row.id).summary)


def report_taken_in(
    ws: Workspace, name: str, *, partial: bool = False, metric: "ChosenMetric | None" = None
) -> Report:
    """Take a finished evaluation in, then report it, scoring its answers once for both.

    An unfinished one is only reported, where ``partial`` allows that.
    """
    row = runs.find_evaluation(ws, name)
    with few_collections(), runs.reading_results(row.id):
        is_finished = runs.sound_folder_of(ws, row.id).result() is not None
        files = _files(ws, row) if is_finished else None
        scored = score_run.scored_answers(ws, row, partial=partial)
        if is_finished:
            _take_in(ws, row, scored, files)
        return score_run.report(ws, row.id, partial=partial, metric=metric, scored=scored)


def _take_in(
    ws: Workspace, row: RunRow, scored: Report | None, files: Mapping[str, Any] | None
) -> dict[str, Any]:
    if row.taken_in_at is None and scored is not None:
        _keep_answers(ws, row.id, scored, files or {})
    _begin_judging(ws, row)
    _keep_verdicts(ws, row.id)
    return dict(runs.find(ws, row.id).summary)


def _keep_answers(ws: Workspace, run_id: str, scored: Report, files: Mapping[str, Any]) -> None:
    """Keep every answer with its item, unless somebody else was quicker."""
    with ws.writing() as session:
        row = run_rows.get(session, run_id, lock=True)
        if row is None or row.taken_in_at is not None:
            return
        rows: Iterator[AnswerRow] = (
            AnswerRow(
                run_id, *_place(answer.id), answer.outcome, answer.text, answer.predicted,
                answer.score,
            )
            for answer in scored.scores
        )  # fmt: skip
        if row.split_id and (sealer := item_keys.sealer_of(session, row.split_id)) is not None:
            rows = run_rows.sealed_answers(rows, sealer)
        known = {(a.item_id, a.variant): a for a in run_rows.answers_of(session, run_id)}
        if known:  # taken in before, and then some of it was asked again
            every = list(rows)
            rows = iter([r for r in every if (r.item_id, r.variant) not in known])
            run_rows.replace_answers(
                session,
                [r for r in every if known.get((r.item_id, r.variant), r).outcome != r.outcome],
            )
        run_rows.add_answers(session, rows)
        run_rows.mark_taken_in(session, run_id, _summary(scored))
        data = {bound_files.TAKEN_IN: len(scored.scores), bound_files.FIELD: files}
        ledger.append(session, ledger.NewEvent(EventKind.RUN, "", subject=run_id, data=data))


def _files(ws: Workspace, row: RunRow) -> dict[str, Any] | None:
    """The files of a run that is about to be taken in; None for one that was."""
    if row.taken_in_at is not None:
        return None
    return bound_files.taken_in(runs.folder_of(ws, row.id).path)


def _summary(scored: Report) -> dict[str, Any]:
    return {
        name: value
        for name, value in scored.as_json().items()
        if name in ("items", "answered", "missing", "unparsed", "accuracy", "stderr")
    }


def _begin_judging(ws: Workspace, row: RunRow) -> None:
    """Start the judge that was named with the run, unless the split was sealed since."""
    params = runs.params_of(row, EvaluateParams)
    if params.judge is None:
        return
    from core.workflow.evaluation import judging

    if judging.judged(ws, row.id) is not None:
        return
    if freeze.info(ws, params.split).state != SplitState.SEALED:
        judging.begin(ws, row.id, params.judge)


def _keep_verdicts(ws: Workspace, run_id: str) -> None:
    """Keep the scores of the newest judging once it is finished, unless they are there already."""
    judging_row = runs.judging_of(ws, run_id)
    if judging_row is None or judging_row.taken_in_at is not None:
        return
    from core.workflow.evaluation import judging

    folder = runs.folder_of(ws, judging_row.id)
    if folder.result() is None:
        return
    files = bound_files.taken_in(folder.path)
    result = judging.judged(ws, run_id)
    if result is None or not result.finished:
        return
    with ws.writing() as session:
        row = run_rows.get(session, result.run, lock=True)
        if row is None or row.taken_in_at is not None:
            return
        rows = [(*_place(id_), score) for id_, score in result.scores.items()]
        run_rows.set_scores(session, run_id, rows)
        run_rows.mark_taken_in(session, result.run, {"scores": len(rows)})
        data = {bound_files.TAKEN_IN: len(rows), "of": run_id, bound_files.FIELD: files}
        ledger.append(session, ledger.NewEvent(EventKind.RUN, "", subject=result.run, data=data))


def _close_superseded(ws: Workspace, run_id: str) -> None:
    """Nothing of a judging that a newer one has replaced is kept, and nobody waits for it."""
    with ws.writing() as session:
        row = run_rows.get(session, run_id, lock=True)
        if row is not None and row.taken_in_at is None:
            run_rows.mark_taken_in(session, run_id, {"scores": 0})


def _place(id_: str) -> tuple[int, str]:
    """The item and the variant that an answer is to."""
    uid, variant = parts_of(id_)
    return int(uid), variant
