"""A journal on this computer's disk of what could not be sent yet: one line for each record.

A line is encrypted (AES-256-GCM, RFC 5116) where the system's keyring keeps a key, else it is plain
JSON in a file that its owner alone can read. Lines are only added; the file is emptied when nothing
in it waits any more. A line that a killed process left half written is none.
"""

import base64
import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from core import system_keyring
from core.errors import OutsideError
from core.files import make_private_folder, private_file_mode, read_regular
from core.sealing.spelled_bytes import base64_bytes

_ENTRY = "outbox key"
_NONCE = 12  # bytes


@cache
def journal_key() -> bytes | None:
    """The key of 32 bytes that the keyring keeps for this account, made when there is none yet;
    None on a machine without a keyring."""
    try:
        if not system_keyring.kept(_ENTRY):
            made = base64.b64encode(secrets.token_bytes(32)).decode()
            system_keyring.keep(_ENTRY, made)
        # asked again: some keep nothing, and say nothing
        key = base64.b64decode(system_keyring.kept(_ENTRY))
    except (OutsideError, ValueError):
        return None
    return key if len(key) == 32 else None


class OutboxFile:
    """The records of one person for one workspace; safe for several processes.

    Every method but ``held`` wants to be called within ``held``.
    """

    def __init__(self, path: Path, key: bytes | None) -> None:
        self.path = path
        self._key = key

    @property
    def is_encrypted(self) -> bool:
        """Whether what is added can be read with a key of the keyring alone."""
        return self._key is not None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else reads or writes the file within; OSError where it cannot be made."""
        make_private_folder(self.path.parent)
        lock = self.path.with_suffix(".lock")
        number = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(number, fcntl.LOCK_EX)
            yield
        finally:
            os.close(number)

    def records(self) -> tuple[list[dict[str, Any]], int]:
        """(the records that can be read, oldest first; how many lines cannot)."""
        if not self.path.exists():
            return [], 0
        found: list[dict[str, Any]] = []
        unread = 0
        *lines, torn = read_regular(self.path).split(b"\n")
        for line in lines:
            if line:
                record = self._read(line)
                unread += record is None
                found += [] if record is None else [record]
        last = self._read(torn) if torn else None
        return found + ([] if last is None else [last]), unread

    def _read(self, line: bytes) -> dict[str, Any] | None:
        try:
            text = line if line.startswith(b"{") else self._decrypted(line)
            record = json.loads(text)
        except ValueError:
            return None
        return record if isinstance(record, dict) else None

    def _decrypted(self, line: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        if self._key is None:
            raise ValueError("no key")
        sealed = base64_bytes(line.decode("latin-1"))
        if sealed is None:
            raise ValueError("not as it was written")
        try:
            return AESGCM(self._key).decrypt(sealed[:_NONCE], sealed[_NONCE:], self._bound_to())
        except InvalidTag as error:
            raise ValueError("another key") from error

    def _bound_to(self) -> bytes:
        """A line read in another file is none of it."""
        return self.path.name.encode()

    def add(self, record: Mapping[str, Any]) -> None:
        """Write a record behind the others; it outlives this process, and a power cut after
        ``sync``. OSError where it cannot be written."""
        text = json.dumps(record, ensure_ascii=False).encode()
        line = text if self._key is None else self._encrypted(text)
        mode = private_file_mode(self.path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        number = os.open(self.path, flags, mode)
        try:
            size = os.fstat(number).st_size
            # behind a line that was left half written, ours begins on a new one
            torn = size > 0 and os.pread(number, 1, size - 1) != b"\n"
            whole = (b"\n" if torn else b"") + line + b"\n"
            if os.write(number, whole) != len(whole):
                raise OSError(28, os.strerror(28), str(self.path))
        finally:
            os.close(number)

    def _encrypted(self, text: bytes) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        assert self._key is not None
        nonce = secrets.token_bytes(_NONCE)
        return base64.b64encode(nonce + AESGCM(self._key).encrypt(nonce, text, self._bound_to()))

    def sync(self) -> None:
        """Bring what was added to the disk itself."""
        for place in (self.path, self.path.parent):
            number = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(number)
            finally:
                os.close(number)

    def empty(self) -> None:
        """Forget every record; for when none of them waits."""
        with suppress(FileNotFoundError):
            os.truncate(self.path, 0)
