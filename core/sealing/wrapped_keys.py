"""The key of a split's items in a workspace, for those alone who can open the split's archive.

It is encrypted by age to the recipients of the archive, and to the archive's own key where a
passphrase or custodians open that one; both texts are those of the archive, so that the same
passphrase and the same shares serve.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyrage

from core.errors import InputError
from core.redaction import guard_secret
from core.sealing.archive import LockedKeys, Unlocking, identities_of, recipient_of
from core.sealing.spelled_bytes import base64_bytes


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A key for those who can open an archive; ``name`` is its id. All of it may be public."""

    name: str
    content: str
    by_passphrase: str = ""
    by_custodians: str = ""
    custodians: Mapping[str, Any] = field(default_factory=dict)


def wrap(key: bytes, name: str, recipients: tuple[str, ...], locked: LockedKeys) -> WrappedKey:
    """The key for the recipients of an archive and whoever opens its own key."""
    to = [recipient_of(text) for text in (*recipients, *filter(None, [locked.public]))]
    content = pyrage.encrypt(key, to)
    return WrappedKey(
        name, _letters(content), _letters(locked.by_passphrase), _letters(locked.by_custodians),
        dict(locked.custodians),
    )  # fmt: skip


def unwrap(wrapped: WrappedKey, unlocking: Unlocking) -> bytes:
    """The key; InputError where nothing that was given opens it."""
    locked = LockedKeys(
        "", _bytes(wrapped.by_passphrase), _bytes(wrapped.by_custodians), wrapped.custodians
    )
    identities = identities_of(unlocking, locked)
    try:
        key = pyrage.decrypt(_bytes(wrapped.content), identities)
    except (pyrage.DecryptError, ValueError) as error:
        raise InputError.tr("None of these keys opens the items: {reason}.", reason=error) from (
            error
        )
    guard_secret(key.hex())
    return bytes(key)


def _letters(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _bytes(letters: str) -> bytes:
    return base64_bytes(letters) or b""
