"""Runs on a split that was sealed: their folders hold ciphertext (``core.jobs.locked_rows``).

The key of a run is derived from the opening under which it was made (``splits.opening_keys``); its
``spec.json`` names the opening.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.errors import BenchsealError
from core.jobs.earlier_run import name_of_earlier
from core.jobs.folder import RunFolder, new_run_id
from core.jobs.launchers.base import refuse_locked
from core.jobs.locked_rows import RowLock, no_key
from core.workflow.splits import opening_keys, split_states
from core.workflow.workspace import Workspace
from db import runs, splits
from db.engine import Session
from db.queries import sealing as rows

_OPENING = "opening"
_AT_ONCE = 500  # items
_LONGEST_NUMBER = 18  # digits that a database takes


def is_locked(ws: Workspace, split: str) -> bool:
    """Whether runs on a split are locked now: it was sealed, and has not expired."""
    with ws.reading() as session:
        return bool(opening_keys.opening_for(session, split))


def refuse_elsewhere(ws: Workspace, split: str, launcher: str) -> None:
    """StateError where a launcher cannot hand the key of a locked run to its workers."""
    if is_locked(ws, split):
        refuse_locked(launcher)


def create(
    ws: Workspace,
    kind: str,
    params: BaseModel,
    work: Iterable[dict[str, Any]] | RunFolder,
    split: str,
    *,
    model: str = "",
    origin: Mapping[str, Any],
    root: Path | None = None,
    named: str = "",
) -> RunFolder:
    """A run folder of a split, below ``root`` (that of the workspace's runs), locked where the
    split was sealed. ``model`` is whom it is opened for, ``named`` what begins its name."""
    run_id = new_run_id(named or kind)
    with ws.reading() as session:
        opening = opening_keys.opening_for(session, split, model)
    key = opening_keys.key_of(ws, opening, _purpose(run_id)) if opening else None
    facts = {**origin, **({_OPENING: opening} if opening else {})}
    return RunFolder.create(
        ws.runs if root is None else root, kind, params, work, origin=facts, run_id=run_id, key=key
    )


def key_of(ws: Workspace, run_id: str) -> bytes:
    """The key of a locked run of this workspace; StateError for who may not read it."""
    spec = RunFolder(ws.runs / run_id).spec()
    opening = spec.origin.get(_OPENING)
    if spec.id != run_id or type(opening) is not int:
        raise no_key()
    return opening_keys.key_of(ws, opening, _purpose(run_id))


def lock_under(ws: Workspace, run_id: str, opening: int) -> RowLock:
    """What locks rows of a run that are kept beside its folder, under an opening; StateError for
    who may not read them."""
    return RowLock(opening_keys.key_of(ws, opening, _purpose(run_id)), run_id)


def _purpose(run_id: str) -> str:
    return f"run {run_id}"


def plain_folders(ws: Workspace, split: str) -> Iterator[Path]:
    """The folders of runs that made, screened, compared or asked the items of a split and are not
    locked."""
    with ws.reading() as session:
        split_id = split_states.split_in(session, split).id
        named = {*rows.run_ids(session, split_id), *rows.screening_run_ids(session, split_id)}
        every = runs.all_runs(session)
        named |= {row.id for row in every if row.split_id == split_id}
        folders = [(row, RunFolder(ws.runs / row.id)) for row in every if row.id not in named]
        named |= {row.id for row, folder in folders if _has_read(session, split, row.kind, folder)}
    named |= {row.id for row, folder in folders if _comes_after(row.kind, folder, named)}
    for run_id in sorted(named):
        path = ws.runs / run_id
        if path.is_dir() and not _is_locked_folder(path):
            yield path


def _has_read(session: Session, split: str, kind: str, folder: RunFolder) -> bool:
    """Whether items of a split stand in the work of a run of which the database does not say so,
    as of a screening that was given up; also where that cannot be told."""
    if kind not in ("prescreen", "signatures") or not folder.path.is_dir():
        return False
    try:
        ids = filter(_is_number, _ids_read(kind, folder))
        while part := [int(id_) for id_ in islice(ids, _AT_ONCE)]:
            if split in splits.homes_of(session, part):
                return True
    except (BenchsealError, OSError, ValueError, LookupError, TypeError):
        return True
    return False


def _ids_read(kind: str, folder: RunFolder) -> Iterator[str]:
    if kind == "prescreen":
        return folder.each_work_id()
    return (str(id_) for row in folder.work_rows() for id_ in row["ids"])


def _is_number(id_: str) -> bool:
    return id_.isdecimal() and len(id_) <= _LONGEST_NUMBER


def _comes_after(kind: str, folder: RunFolder, named: Collection[str]) -> bool:
    """Whether the work of a run is what one of the named ones made."""
    return kind == "prescreen" and name_of_earlier(folder) in named and folder.spec().total > 0


def _is_locked_folder(path: Path) -> bool:
    try:
        return RunFolder(path).spec().locked
    except (BenchsealError, OSError, ValueError):
        return False
