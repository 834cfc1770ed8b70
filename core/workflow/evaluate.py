"""Evaluating a model on a frozen split: starting the headless run, taking it in, reporting."""

from pathlib import Path
from typing import Any

from core.errors import StateError
from core.evaluation.base import Answer
from core.evaluation.run import EvaluateParams, work_rows
from core.evaluation.scoring import Report, keys_of, score
from core.jobs import local
from core.jobs.folder import RunFolder
from core.text import tr
from core.workflow import freeze, runs
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.runs import AnswerRow
from db.vocabulary import EventKind


def start(ws: Workspace, split: str, params: EvaluateParams, *, shards: int = 1) -> RunFolder:
    """Make the run folder, which holds questions without keys, and start its workers."""
    from core.evaluation.engines import engine

    engine(params.engine).require(params)
    info = freeze.info(ws, split)
    differences = freeze.check(ws, split)
    if differences:
        raise StateError(
            tr(
                "The split “{name}” is not as it was frozen: {first}. It cannot be evaluated.",
                name=split,
                first=f"{differences[0].subject}: {differences[0].detail}",
            )
        )
    items = freeze.members_of(ws, split)
    params = params.model_copy(update={"split": split, "split_digest": info.manifest_hash})
    folder = RunFolder.create(
        ws.runs,
        "evaluate",
        params,
        work_rows(items, params.instruction),
        origin={"benchmark": info.benchmark, "split": split},
    )
    _remember(ws, folder, params, info, shards)
    local.start(folder, shards)
    return folder


def _remember(
    ws: Workspace, folder: RunFolder, params: EvaluateParams, info: freeze.SplitInfo, shards: int
) -> None:
    run_id = folder.spec().id
    with ws.writing() as session:
        row = freeze.split_in(session, info.name)
        run_rows.add(
            session,
            run_id,
            "evaluate",
            benchmark_id=row.benchmark_id,
            split_id=row.id,
            title=tr("{split} · {model}", split=info.name, model=params.model or params.engine),
            params=params.model_dump(mode="json"),
            shards=shards,
        )
        ledger.append(
            session,
            ledger.NewEvent(
                EventKind.RUN, "", subject=run_id, data={"kind": "evaluate", "split": info.name}
            ),
        )


def report(ws: Workspace, name: str, *, partial: bool = False) -> Report:
    """Score a run against the split's keys, and take its answers in once it is finished."""
    row = runs.find(ws, name)
    if row.kind != "evaluate":
        raise StateError(
            tr("The run “{run}” is no evaluation, it is: {kind}.", run=row.id, kind=row.kind)
        )
    folder = runs.folder_of(ws, row.id)
    params = EvaluateParams.model_validate(row.params)
    result = folder.result() or {}
    scored = score(
        keys_of(freeze.members_of(ws, params.split)),
        folder.ordered_records(),
        split=params.split,
        engine=params.engine,
        model=params.model or params.engine,
        partial=partial,
        origin={
            "run": row.id,
            "split_digest": params.split_digest,
            "versions": result.get("versions", {}),
        },
    )
    if folder.result() is not None:
        _take_in(ws, row.id, folder, scored)
    return scored


def _take_in(ws: Workspace, run_id: str, folder: RunFolder, scored: Report) -> None:
    """Keep every answer with its item; a second time changes nothing."""
    answers = {record["id"]: Answer.from_json(record) for record in folder.ordered_records()}
    with ws.writing() as session:
        row = run_rows.get(session, run_id, lock=True)
        if row is None or row.taken_in_at is not None:
            return
        rows = [
            AnswerRow(
                run_id,
                int(one.id),
                "",
                one.outcome,
                answers[one.id].text if one.id in answers else "",
                one.predicted,
                float(one.correct) if one.answered else None,
            )
            for one in scored.scores
        ]
        run_rows.add_answers(session, rows)
        run_rows.mark_taken_in(session, run_id, _summary(scored))
        ledger.append(
            session,
            ledger.NewEvent(EventKind.RUN, "", subject=run_id, data={"taken_in": len(rows)}),
        )


def _summary(scored: Report) -> dict[str, Any]:
    return {
        name: value
        for name, value in scored.as_json().items()
        if name in ("items", "answered", "missing", "unparsed", "accuracy", "stderr")
    }


def reports(ws: Workspace) -> tuple[Report, ...]:
    """The reports of all finished evaluations, newest first."""
    finished = [
        info
        for info in runs.runs(ws)
        if info.kind == "evaluate" and info.state == "finished" and Path(info.folder).is_dir()
    ]
    return tuple(report(ws, info.id) for info in finished)
