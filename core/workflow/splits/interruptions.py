"""Sealings and expiries that a kill or a power cut interrupted, and finishing what they left.

Between the commit that encrypts the items and the end of a sealing, plain text lies in the folder
of the release and in pages of the database that were replaced; before the commit of an expiry it
lies there as well. Who does either keeps a note in the workspace, locked as long as they live. A
note that nobody holds is of one that died: the next command, or the window, takes the plain text
away, and issues the receipt that was not written any more.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, unquote

from core.errors import BenchsealError
from core.files import make_private_folder, sync_folder
from core.i18n import listed, tr
from core.workflow.splits import item_keys, plain_files
from core.workflow.splits.item_keys import KeyState
from core.workflow.workspace import Workspace
from db import splits
from db.vocabulary import SplitState

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def noted(ws: Workspace, name: str) -> Iterator[None]:
    """Within, a split is sealed or expires: whatever ends this early leaves a note of it."""
    folder = ws.interrupted
    make_private_folder(folder)
    path = folder / quote(name, safe="")
    number = os.open(path, _FLAGS, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        sync_folder(folder)
        yield
        _forget(path)
    finally:
        os.close(number)


def finish(ws: Workspace) -> str:
    """Take away the plain text of sealings and expiries that were interrupted; what was done, as a
    sentence, empty for nothing. A note stays where others hold the database meanwhile."""
    if ws.is_read_only or not ws.interrupted.is_dir():
        return ""
    finished = []
    for path in sorted(ws.interrupted.iterdir()):
        name = unquote(path.name)
        with suppress(FileNotFoundError, BlockingIOError):  # it has ended, or it is still at work
            number = os.open(path, _FLAGS & ~os.O_CREAT)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                state = _state(ws, name)
                if state is None or _finish(ws, name, state):
                    _issue(ws, name)
                    _forget(path)
                    finished += [name] if state else []
            finally:
                os.close(number)
    if not finished:
        return ""
    return tr("The sealing or the expiry of {names} was interrupted. What it left in plain text "
              "has been removed.", names=listed(finished))  # fmt: skip


def _state(ws: Workspace, name: str) -> KeyState | None:
    """How the items of a split lie, where it is sealed or opened."""
    with ws.reading() as session:
        row = splits.named(session, name)
        if row is None or row.state not in (SplitState.SEALED, SplitState.OPENED):
            return None
        return item_keys.state_in(session, name)


def _finish(ws: Workspace, name: str, state: KeyState) -> bool:
    plain_files.withdraw(ws, name)
    return not state.sealed or ws.compact()


def _issue(ws: Workspace, name: str) -> None:
    """Write the receipt that the step promised, where it is missing."""
    from core.workflow.splits import receipts  # commands start without it

    with suppress(BenchsealError):  # ``verify`` names it
        receipts.issue_again(ws, name)


def _forget(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
        path.parent.rmdir()  # where it was the last
