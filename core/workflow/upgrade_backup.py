"""What is saved before a newer program changes the tables of an older workspace."""

from datetime import UTC, datetime
from pathlib import Path

from core.errors import WorkspaceError
from core.files import make_private_folder, sync_folder
from core.i18n import tr
from db.copies import files
from db.errors import StoreError

BACKUPS = "backups"
"""Name of the folder, in that of the workspace."""


def backup_path(folder: Path, name: str, ending: str = ".db") -> Path:
    """Where a backup made now is written; ``folder`` is that of the workspace."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    return folder / BACKUPS / f"{name}-{moment}Z{ending}"


def save_before_upgrade(database: Path, folder: Path) -> Path:
    """Write the database as it is into the workspace's backups; where it lies.

    Raises WorkspaceError where it cannot be written: the upgrade is then not begun.
    """
    path = backup_path(folder, f"{database.stem}-before-upgrade")
    try:
        make_private_folder(path.parent)
        files.save(database, path)
        sync_folder(path.parent)
    except (OSError, StoreError) as error:
        detail = error.detail if isinstance(error, StoreError) else error.strerror or str(error)
        raise WorkspaceError.tr(
            "The workspace “{place}” was written by an older Benchseal and has to be brought "
            "up to date; the backup before that could not be written: {reason}. Nothing was "
            "changed.",
            place=folder,
            reason=detail,
        ) from error
    return path


def upgraded(saved: Path) -> str:
    """What is said after an upgrade; ``saved`` is its backup."""
    return tr(
        "The workspace was written by an older Benchseal and has been brought up to date. As it "
        "was before, it is kept in {path}.",
        path=saved,
    )
