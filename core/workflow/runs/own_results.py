"""Runs whose results stay in their folder: bound in the ledger when they are taken in."""

from typing import Any

from core.errors import StateError
from core.workflow.rights import Action, writing_as
from core.workflow.runs import bound_files, runs
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.runs import RunRow


def take_in(ws: Workspace, name: str, counted: str) -> dict[str, Any]:
    """Bind the results of a finished run and keep their number as ``counted`` in its summary; a
    second time changes nothing. StateError for a run that is not finished."""
    row = runs.find(ws, name)
    folder = runs.folder_of(ws, row.id)
    if folder.result() is None:
        raise StateError.tr("Run “{run}” is not finished; resume it first.", run=row.id)
    if row.taken_in_at is None:
        files = bound_files.taken_in(folder.path)
        with writing_as(ws, "", Action.EVALUATE) as (session, _):
            locked = run_rows.get(session, row.id, lock=True)
            if locked is not None and locked.taken_in_at is None:
                run_rows.mark_taken_in(session, row.id, {counted: files["results"]})
                ledger.append(session, bound_files.event(row.id, files["results"], files))
    return dict(runs.find(ws, row.id).summary)


def finished(ws: Workspace, kind: str, split: str) -> list[RunRow]:
    """The finished runs of a kind on a split, newest first; of each model the newest."""
    with ws.reading() as session:
        rows = run_rows.all_runs(session)
    newest: dict[str, RunRow] = {}
    for row in rows:
        if row.kind == kind and row.params.get("split") == split:
            folder = runs.folder_of(ws, row.id)
            if folder.path.is_dir() and folder.result() is not None:
                newest.setdefault(str(row.params.get("model") or row.params.get("engine")), row)
    return list(newest.values())
