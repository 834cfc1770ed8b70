"""A workspace moved whole between SQLite and PostgreSQL: all or nothing, compared row by row."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.errors import StateError, WorkspaceError
from core.files import make_private_folder
from core.i18n import labelled
from core.workflow.backups.server_dumps import refuse_hidden
from core.workflow.rights import Action, require
from core.workflow.runs import locked_runs
from core.workflow.splits import readings
from core.workflow.store_sentences import explain
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace, WorkspaceLocation, without_login
from db.copies import rows
from db.engine import Store, one_state, sqlite_url
from db.errors import StoreError

_FOLDERS = ("runs", "releases", "receipts", "public")


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied: rows and digest by table, which are equal on both sides, and the folders
    whose files went along."""

    tables: Mapping[str, tuple[int, str]]
    folders: tuple[str, ...]

    @property
    def rows(self) -> int:
        """How many rows all tables have together."""
        return sum(count for count, _ in self.tables.values())


def copy(ws: Workspace, target: str | Path) -> Copied:
    """Copy a sound workspace to a place where there is none: a folder, a file or an empty database.

    Every row goes along, with the ledger; the search index is rebuilt, and in a server's
    database nobody has a login before ``init --lead`` is run there. Nothing is left of a copy that
    failed. Raises StateError where there is a workspace, RightsError for who may not read
    everything, WorkspaceError where the copy is not equal or the workspace contradicts its ledger:
    what was changed past the program would look recorded in the copy.
    """
    if ws.is_server:
        refuse_hidden(ws)
    else:
        with ws.reading() as session:
            require(session, "", Action.BACK_UP)
    place = WorkspaceLocation.of(target)
    where = without_login(str(place.database))
    readings.record_workspace_copy(ws, "", readings.Act.COPY, where, partial(_goes_along, ws))
    own = Path(place.database)
    part = own.with_name(f".{own.name}.part")
    try:
        if place.is_server:
            tables = _fill(ws, place.database)
        else:
            if own.exists():
                raise StoreError("exists", str(place.folder))
            make_private_folder(own.parent)
            part.unlink(missing_ok=True)
            part.touch(0o600)
            tables = _fill(ws, part)
        folders = _files(ws.place.folder, place.folder)
        if not place.is_server:
            part.rename(own)
    except StoreError as error:
        if error.trouble == "exists":
            raise StateError.tr(
                "There is a workspace at “{path}” already.", path=error.place
            ) from error  # fmt: skip
        raise explain(error) from error
    except rows.CopyDifferenceError as error:
        raise WorkspaceError.tr(
            "The copy differed in “{table}”, so it was discarded.", table=error
        ) from error
    except OSError as error:
        raise WorkspaceError.tr(
            "The copy could not be written: {reason}.", reason=error.strerror or str(error)
        ) from error
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            part.with_name(f"{part.name}{end}").unlink(missing_ok=True)
    return Copied(tables, folders)


def _refuse_unsound(ws: Workspace) -> None:
    findings = verify(ws).findings
    if findings:
        first = labelled(findings[0].subject, findings[0].detail)
        raise WorkspaceError.tr(
            "The workspace does not agree with its ledger ({detail}); benchseal verify "
            "lists every difference. Nothing was copied.", detail=first
        )  # fmt: skip


def _goes_along(ws: Workspace, split: str) -> bool:
    """Whether folders beside the database hold the items of a split readable."""
    return any(locked_runs.plain_folders(ws, split))


def _fill(ws: Workspace, target: str | Path) -> Mapping[str, tuple[int, str]]:
    store = Store.to_fill(target if isinstance(target, str) else sqlite_url(target))
    try:
        with store.translated(), ws.reading() as session:
            one_state(session)
            return rows.copy_into(store, session, partial(_refuse_unsound, ws))
    except Exception as error:
        if not isinstance(error, (StoreError, WorkspaceError, OSError)):
            _refuse_unsound(ws)  # which may be why a row cannot be read, or does not fit there
        raise
    finally:
        store.close()


def _files(source: Path, target: Path) -> tuple[str, ...]:
    """Copy the folders beside the database that are not there yet."""
    copied = []
    for name in _FOLDERS if source.resolve() != target.resolve() else ():
        if (source / name).is_dir() and not (target / name).exists():
            make_private_folder(target)
            shutil.copytree(source / name, target / name, symlinks=True)
            copied.append(name)
    return tuple(copied)
