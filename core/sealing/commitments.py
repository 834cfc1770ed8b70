"""Salted hashes of items: they bind every item without telling anything of it.

Each item has a salt of its own, made from a secret and the item's name, so that the hashes of a
split are the same whenever the same key makes them, and that one item can be shown with its salt
while nothing is learnt of the others.
"""

import hashlib
import hmac
from collections.abc import Callable
from typing import NamedTuple

from core.json_lines import one_line

SALT_BYTES, HASH_BYTES = 32, 32
_EMPTY = hashlib.sha256()  # a copy costs less than a new one


class CommittedRow(NamedTuple):
    """An item on its way into an archive: its name, its canonical JSON, which is hashed, and the
    same on one line for every reader (``core.json_lines``), which is written."""

    name: str
    content: bytes
    line: bytes

    @classmethod
    def of(cls, name: str, content: bytes) -> "CommittedRow":
        """The row of a canonical JSON."""
        return cls(name, content, one_line(content))


def salt_secret(key: bytes, split_digest: str) -> bytes:
    """The secret from which the salts of a split are made; HKDF (RFC 5869) with SHA-256."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    about = b"benchseal salts of a split"
    return HKDF(SHA256(), SALT_BYTES, split_digest.encode(), about).derive(key)


def salts_of(secret: bytes) -> Callable[[str], bytes]:
    """What gives an item's salt for its name: HMAC with SHA-256 under a secret, which is hashed
    once for all names."""
    begun = hmac.new(secret, digestmod="sha256")

    def salt(name: str) -> bytes:
        mac = begun.copy()
        mac.update(name.encode())
        return mac.digest()

    return salt


def salted_hash(salt: bytes, content: bytes) -> bytes:
    """SHA-256 of the salt, which is always as long, and of a text in UTF-8."""
    digest = _EMPTY.copy()
    digest.update(salt)
    digest.update(content)
    return digest.digest()


def line_with_salt(row: CommittedRow, salt: bytes) -> bytes:
    """The line of an item with the salt that gives its hash."""
    return b"".join(pieces_with_salt(row.line, salt))


def pieces_with_salt(line: bytes, salt: bytes) -> tuple[bytes, ...]:
    """As ``line_with_salt``, in pieces that need not be joined twice."""
    return (b'{"item":', line, b',"salt":"', salt.hex().encode(), b'"}\n')
