"""Runs as people see them: the list, starting, stopping, resuming, logs and results."""

from dataclasses import dataclass
from typing import Any

from core.errors import InputError, NotFoundError
from core.jobs import local
from core.jobs.folder import Progress, RunFolder, RunState
from core.text import tr
from core.workflow.workspace import Workspace
from db import runs as run_rows
from db.engine import Session
from db.runs import RunRow


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run with how far it is. ``taken_in`` says that its results are in the workspace."""

    id: str
    kind: str
    title: str
    state: RunState
    done: int
    total: int
    speed: float | None
    seconds_left: float | None
    notes: dict[str, Any]
    error: str | None
    taken_in: bool
    started: str
    folder: str


def folder_of(ws: Workspace, run_id: str) -> RunFolder:
    """The folder of a run of this workspace."""
    return RunFolder(ws.runs / run_id)


def find(ws: Workspace, name: str) -> RunRow:
    """A run by its id or the beginning of it; NotFoundError or InputError when it is not one."""
    with ws.reading() as session:
        return find_in(session, name)


def find_in(session: Session, name: str) -> RunRow:
    """As ``find``, within a session."""
    found = run_rows.matching(session, name) if name else []
    exact = [row for row in found if row.id == name]
    if exact:
        return exact[0]
    if not found:
        raise NotFoundError(tr("There is no run “{run}”.", run=name))
    if len(found) > 1:
        raise InputError(
            tr(
                "“{run}” could be any of {count} runs; write more of it.",
                run=name,
                count=len(found),
            )
        )
    return found[0]


def runs(ws: Workspace) -> tuple[RunInfo, ...]:
    """All runs, newest first."""
    with ws.reading() as session:
        rows = run_rows.all_runs(session)
    return tuple(_info(ws, row) for row in rows)


def info(ws: Workspace, name: str) -> RunInfo:
    """One run."""
    return _info(ws, find(ws, name))


def _info(ws: Workspace, row: RunRow) -> RunInfo:
    folder = folder_of(ws, row.id)
    try:
        progress = folder.progress()
    except NotFoundError as error:
        progress = Progress("failed", 0, 0, None, None, {}, str(error))
    return RunInfo(
        id=row.id,
        kind=row.kind,
        title=row.title,
        state=progress.state,
        done=progress.done,
        total=progress.total,
        speed=progress.speed,
        seconds_left=progress.seconds_left,
        notes=progress.notes,
        error=progress.error,
        taken_in=row.taken_in_at is not None,
        started=row.at.isoformat(timespec="seconds"),
        folder=str(folder.path),
    )


def stop(ws: Workspace, name: str) -> RunInfo:
    """Ask a run to stop and wait until it has."""
    row = find(ws, name)
    local.stop(folder_of(ws, row.id))
    return _info(ws, row)


def resume(ws: Workspace, name: str, shards: int | None = None) -> RunInfo:
    """Start a stopped, interrupted or failed run again; finished items are not done twice."""
    row = find(ws, name)
    shards = shards or row.shards
    local.start(folder_of(ws, row.id), shards)
    with ws.writing() as session:
        run_rows.set_launch(session, row.id, "local", shards)
    return _info(ws, row)


def log_tail(ws: Workspace, name: str, lines: int = 200) -> str:
    """The last lines of a run's log."""
    return folder_of(ws, find(ws, name).id).log_tail(lines)


def result(ws: Workspace, name: str) -> dict[str, Any] | None:
    """The result a run wrote, or None while it is not finished."""
    return folder_of(ws, find(ws, name).id).result()


def wait(ws: Workspace, name: str, timeout: float | None = None) -> RunInfo:
    """Wait until a run's workers have ended."""
    row = find(ws, name)
    local.wait(folder_of(ws, row.id), timeout)
    return _info(ws, row)
