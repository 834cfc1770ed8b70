"""The plain items in a split's folder: gone while it is sealed or opened, there again when it ends.

The database has them all the same, and gives the same bytes again, which the manifest in the folder
names. What was deleted is not wiped from the disk.
"""

from contextlib import suppress

from core.errors import StateError
from core.files import write_atomic
from core.release.manifest import ITEMS_FILE
from core.workflow.splits import freeze, split_states
from core.workflow.workspace import Workspace

WITHDRAWN = (ITEMS_FILE,)
_AT_ONCE = 1 << 20  # bytes


def withdraw(ws: Workspace, name: str) -> None:
    """Delete the plain items of a split where its sealing says so; a second time does nothing."""
    with ws.reading() as session:
        gone = split_states.withdrawn(session, name)
    for file in gone:
        with suppress(FileNotFoundError):
            (ws.releases / name / file).unlink()


def restore(ws: Workspace, name: str) -> None:
    """Write the plain items again that a sealing withdrew, before the split expires.

    A split that is not as it was frozen gets none, which ``verify`` says; a folder that is on
    another machine stays as it is.
    """
    folder = ws.releases / name
    with ws.reading() as session:
        gone = split_states.withdrawn(session, name)
    if ITEMS_FILE not in gone or not folder.is_dir() or (folder / ITEMS_FILE).exists():
        return
    with suppress(StateError), freeze.unchanged_items(ws, name) as items:
        items.lines.seek(0)
        pieces = iter(lambda: items.lines.read(_AT_ONCE), b"")
        write_atomic(folder / ITEMS_FILE, pieces, durable=True)
