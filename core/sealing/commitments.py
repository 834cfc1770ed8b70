"""Salted hashes of items: they bind every item without telling anything of it.

Each item has a salt of its own, made from a secret and the item's name, so that the hashes of a
split are the same whenever the same key makes them, and that one item can be shown with its salt
while nothing is learnt of the others.
"""

import hashlib
import hmac

SALT_BYTES = 32


def salt_secret(key: bytes, split_digest: str) -> bytes:
    """The secret from which the salts of a split are made; HKDF (RFC 5869) with SHA-256."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    about = b"benchseal salts of a split"
    return HKDF(SHA256(), SALT_BYTES, split_digest.encode(), about).derive(key)


def salt_of(secret: bytes, name: str) -> bytes:
    """The salt of one item."""
    return hmac.digest(secret, name.encode(), "sha256")


def salted_hash(salt: bytes, content: bytes) -> bytes:
    """SHA-256 of the salt, which is always as long, and of a text in UTF-8."""
    return hashlib.sha256(salt + content).digest()
