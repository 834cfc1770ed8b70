"""The plain items in a split's folder: gone while it is sealed or opened, there again when it ends.

The database has them all the same, and gives the same bytes again, which the manifest in the folder
names. What was deleted is not wiped from the disk.
"""

import glob
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import StateError
from core.files import write_atomic
from core.release.manifest import ITEMS_FILE
from core.workflow.splits import freeze, split_states
from core.workflow.workspace import Workspace

WITHDRAWN = (ITEMS_FILE,)
_AT_ONCE = 1 << 20  # bytes


def withdraw(ws: Workspace, name: str) -> None:
    """Delete the plain items of a split where its sealing says so, with what a freeze or an expiry
    that was interrupted left of them; a second time does nothing."""
    with ws.reading() as session:
        gone = split_states.withdrawn(session, name)
    folder = ws.releases / name
    for file in gone:
        for path in (folder / file, *folder.glob(f".{file}.*.tmp")):
            path.unlink(missing_ok=True)
    if gone:
        for left in ws.releases.glob(f"{glob.escape(name)}.uncommitted-*"):
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def restored(ws: Workspace, name: str) -> Iterator[None]:
    """Write the plain items again that a sealing withdrew, for the expiry of the split within;
    where that does not come about they are gone again.

    A split that is not as it was frozen gets none, which ``verify`` says; a folder that is on
    another machine stays as it is.
    """
    folder = ws.releases / name
    with ws.reading() as session:
        gone = split_states.withdrawn(session, name)
    try:
        if ITEMS_FILE in gone and folder.is_dir() and not (folder / ITEMS_FILE).exists():
            _restore(ws, name, folder)
        yield
    except BaseException:
        withdraw(ws, name)
        raise


def _restore(ws: Workspace, name: str, folder: Path) -> None:
    with suppress(StateError), freeze.unchanged_items(ws, name) as items:
        items.lines.seek(0)
        pieces = iter(lambda: items.lines.read(_AT_ONCE), b"")
        write_atomic(folder / ITEMS_FILE, pieces, durable=True)
