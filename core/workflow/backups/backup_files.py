"""Backups of a workspace on this machine: made while others work, opened and verified, 30 kept.

A backup is the database alone, one file in the folder ``backups``. The files beside the database
(runs, releases, receipts) never change once they are written, and are copied as files.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.errors import InputError, StateError, WorkspaceError
from core.files import make_private_folder, sync_folder
from core.workflow.backups import server_dumps
from core.workflow.rights import Action, require
from core.workflow.splits import readings
from core.workflow.store_sentences import explain
from core.workflow.upgrade_backup import BACKUPS, backup_path
from core.workflow.workspace import Workspace, WorkspaceLocation
from db.copies import files
from db.errors import StoreError

KEPT = 30
_NAME = re.compile(r".+-\d{8}T\d{12}Z\.(?:db|dump)")


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup as it lies on the disk: ``events`` is how many the ledger has in it, None where it
    was not looked at or is of a server; ``problem`` what is wrong with what was saved."""

    path: Path
    size: int
    events: int | None = None
    problem: str = ""


def folder_of(ws: Workspace) -> Path:
    """Where the backups of a workspace are."""
    return ws.place.folder / BACKUPS


def backups(ws: Workspace) -> tuple[Backup, ...]:
    """The backups that are there, newest first."""
    folder = folder_of(ws)
    paths = [path for path in folder.glob("*") if _NAME.fullmatch(path.name) and path.is_file()]
    newest_first = sorted(paths, key=lambda path: path.name.rpartition("-")[2], reverse=True)
    return tuple(Backup(path, path.stat().st_size) for path in newest_first)


def make(ws: Workspace, person: str = "") -> Backup:
    """Write a backup, open and verify it, and remove all but the newest ``KEPT``.

    On a server ``pg_dump`` writes it, for whoever administers the server. Raises RightsError for
    who may not, OutsideError where ``pg_dump`` is missing or fails, WorkspaceError where the file
    cannot be written or does not hold the workspace. A fault that was saved with it is told, not
    raised: a backup of what is damaged is better than none.
    """
    ws.refuse_newer()
    if not ws.is_server:
        with ws.reading() as session:
            require(session, person, Action.BACK_UP)
    name = Path(ws.place.database).stem if not ws.is_server else ws.place.folder.name
    where = folder_of(ws).name
    readings.record_workspace_copy(ws, person, readings.Act.BACKUP, where, lambda _split: False)
    with _in_words():
        make_private_folder(folder_of(ws))
        if ws.is_server:
            path = backup_path(ws.place.folder, name, ".dump")
            server_dumps.dump(ws, path)
            made = Backup(path, path.stat().st_size)
        else:
            path = backup_path(ws.place.folder, name)
            files.save(Path(ws.place.database), path)
            events, problem = files.examine(path)
            made = Backup(path, path.stat().st_size, events, problem)
        sync_folder(path.parent)
        others = [backup for backup in backups(ws) if backup.path != path]
        for old in others[KEPT - 1 :]:  # of a clock that was ahead, all may seem to be newer
            old.path.unlink()
    return made


def restore(backup: Path, location: str | Path) -> tuple[int | None, Path | None]:
    """Put a backup in the place of a workspace's database, or make one of it.

    Returns how many events its ledger has, None on a server, and where the database that was there
    before is kept, if there was one. A server's database must be empty; logins are made again
    there, without passwords. Raises InputError for a file that is not a backup or is damaged,
    StateError while somebody works in the workspace.
    """
    if not backup.is_file():
        raise InputError.tr("There is no file “{path}”.", path=backup)
    place = WorkspaceLocation.of(location)
    with _in_words():
        if place.is_server:
            server_dumps.restore(backup, place.database)
            return None, None
        events, problem = files.examine(backup)
        if problem:
            raise InputError.tr("The backup “{path}” is damaged: {detail}", path=backup,
                                detail=problem)  # fmt: skip
        database = Path(place.database)
        make_private_folder(database.parent)
        before = _put_aside(database)
        files.save(backup, database)
        sync_folder(database.parent)
    return events, before


def _put_aside(database: Path) -> Path | None:
    """Rename a database that is there, with its log; returns its new name."""
    if not database.exists():
        return None
    if files.is_in_use(database):
        raise StateError.tr(
            "Somebody works in “{path}”. Close every window and command on it first.",
            path=database
        )  # fmt: skip
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    kept = database.with_name(f"{database.stem}-before-{moment}Z{database.suffix}")
    for end in ("-wal", "-shm"):
        beside = database.with_name(f"{database.name}{end}")
        if beside.exists():
            beside.rename(kept.with_name(f"{kept.name}{end}"))
    database.rename(kept)
    return kept


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise explain(error) from error
    except OSError as error:
        raise WorkspaceError.tr("The backup could not be written or read: {reason}.",
                                reason=error.strerror or str(error)) from error  # fmt: skip
