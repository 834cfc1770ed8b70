"""What a kill or a power cut interrupted in the life of a split, and finishing what it left.

Between the commit that encrypts the items and the end of a sealing, plain text lies in the folder
of the release and in pages of the database that were replaced; before the commit of an expiry it
lies there as well. Between the commit of any act that promises a receipt and its receipt, this is
missing. Who does such an act keeps a note in the workspace, locked as long as they live. A note
that nobody holds is of one that died: the next command, or the window, takes the plain text away,
and issues the receipt that was not written any more.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote, unquote

from core.errors import BenchsealError
from core.files import make_private_folder, sync_folder
from core.i18n import listed, sentences, tr
from core.workflow.splits import item_keys, plain_files, split_states
from core.workflow.splits.item_keys import KeyState
from core.workflow.workspace import Workspace
from db import splits
from db.vocabulary import SplitState

_RECEIPT = "=receipt-"  # no quoted name has an equals sign
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def noted(ws: Workspace, name: str) -> Iterator[None]:
    """Within, a split is sealed or expires: whatever ends this early leaves a note of it."""
    with _noted(ws, quote(name, safe="")):
        yield


@contextmanager
def receipt_due(ws: Workspace, name: str) -> Iterator[None]:
    """Within, a split is opened, exported or asked: whatever ends this early leaves a note of the
    receipt, which is promised once the split was sealed."""
    with ws.reading() as session:
        row = splits.named(session, name)
    if row is None or row.state == SplitState.FROZEN:
        yield
        return
    with _noted(ws, f"{quote(name, safe='')}{_RECEIPT}{token_hex(8)}"):
        yield


@contextmanager
def _noted(ws: Workspace, note: str) -> Iterator[None]:
    path = ws.interrupted / note
    number = _made(path)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        sync_folder(path.parent)
        yield
        _forget(path)
    finally:
        os.close(number)


def _made(path: Path) -> int:
    while True:
        make_private_folder(path.parent)
        with suppress(FileNotFoundError):  # who was the last took the folder away
            return os.open(path, _FLAGS, 0o600)


def finish(ws: Workspace) -> str:
    """Take away the plain text of sealings and expiries that were interrupted, and issue receipts
    that are missing; what was done, in sentences, empty for nothing. A note stays where others hold
    the database meanwhile."""
    if ws.is_read_only or not ws.interrupted.is_dir():
        return ""
    finished, issued, without_key = [], [], []
    for path in sorted(ws.interrupted.iterdir()):
        quoted, is_receipt, _ = path.name.partition(_RECEIPT)
        name = unquote(quoted)
        with suppress(FileNotFoundError, BlockingIOError):  # it has ended, or it is still at work
            number = os.open(path, _FLAGS & ~os.O_CREAT)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                state = _state(ws, name)
                if is_receipt:
                    issued += [name] if _issue(ws, name) else []
                    without_key += [name] if state and not state.here and _is_open(ws, name) else []
                    _forget(path)
                elif state is None or _finish(ws, name, state):
                    _issue(ws, name)
                    _forget(path)
                    finished += [name] if state else []
            finally:
                os.close(number)
    said = []
    if finished:
        said.append(tr("The sealing or the expiry of {names} was interrupted. What it left in "
                       "plain text has been removed.", names=listed(finished)))  # fmt: skip
    if issued:
        said.append(tr("The receipt of what was last done with {names} was missing and has been "
                       "issued.", names=listed(list(dict.fromkeys(issued)))))  # fmt: skip
    for name in dict.fromkeys(without_key):
        said.append(tr("Split “{name}” is open, but the key of its items is not on this computer: "
                       "benchseal split unlock {name} --identity FILE", name=name))  # fmt: skip
    return sentences(said)


def _is_open(ws: Workspace, name: str) -> bool:
    with ws.reading() as session:
        return split_states.split_in(session, name).state == SplitState.OPENED


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


def _issue(ws: Workspace, name: str) -> bool:
    """Write the receipt that the step promised, where it is missing; whether it was."""
    from core.workflow.splits import receipts  # commands start without it

    with suppress(BenchsealError):  # ``verify`` names it
        return bool(receipts.issue_again(ws, name)[1])
    return False


def _forget(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
        path.parent.rmdir()  # where it was the last
