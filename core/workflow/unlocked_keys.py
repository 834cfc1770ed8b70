"""Keys of sealed items on this computer: those of the splits that its person has unlocked.

They lie in the person's own data folder, beside no workspace and in no backup, a file each that
nobody else can read, from the opening of a split until it is locked again or expires.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import StateError, WorkspaceError
from core.files import make_private_folder
from core.workflow.store_sentences import closed_sentence, forged_sentence, sealed_sentence
from db.schema import sealed_values
from db.schema.sealed_values import KEY_BYTES, key_name

_NAME = re.compile("[0-9a-f]{16}")
_held: dict[str, bytes] = {}


def folder() -> Path:
    """Where the keys lie."""
    from platformdirs import user_data_path

    return user_data_path("benchseal") / "unlocked"


def find(name: str) -> bytes | None:
    """The key of that id; None where it is not on this computer."""
    if name in _held:
        return _held[name]
    if not _NAME.fullmatch(name):
        return None
    try:
        key = bytes.fromhex((folder() / name).read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        return None
    from core.redaction import guard_secret  # commands start without it

    guard_secret(key.hex())
    return key if len(key) == KEY_BYTES and key_name(key) == name else None


def keep_key(key: bytes) -> None:
    """Keep a key on this computer. OSError where that is impossible."""
    make_private_folder(folder())
    path = folder() / key_name(key)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(number, "w", encoding="ascii") as handle:
        os.fchmod(number, 0o600)
        handle.write(key.hex())
    part.replace(path)


def forget_key(name: str) -> None:
    """Forget a key, in this process and on the disk, with what was left of it by whoever was killed
    while they kept it."""
    for path in (folder() / name, *folder().glob(f".{name}.*")):
        path.unlink(missing_ok=True)
    _held.pop(name, None)
    sealed_values.forget_keys()


@contextmanager
def holding_key(key: bytes | None) -> Iterator[None]:
    """Within, this process has the key, which is written nowhere; None changes nothing."""
    name = "" if key is None else key_name(key)
    is_new = key is not None and name not in _held
    if key is not None and is_new:
        _held[name] = key
    try:
        yield
    finally:
        if is_new:
            _held.pop(name, None)
            sealed_values.forget_keys()


def _refusal(name: str, is_forged: bool) -> StateError | WorkspaceError:
    if is_forged:
        return WorkspaceError(forged_sentence())
    return StateError(sealed_sentence() if name else closed_sentence())


def attach() -> None:
    """Let what reads the database look keys up here."""
    sealed_values.use_keys(find, _refusal)


attach()
