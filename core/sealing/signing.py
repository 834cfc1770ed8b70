"""Signatures with Ed25519 (RFC 8032): the key in its file, and what somebody else checks."""

import hashlib
import os
import stat
from contextlib import closing, suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from core.errors import InputError
from core.files import NewFile, make_private_folder, read_regular
from core.i18n import tr

_RAW = serialization.Encoding.Raw
_PEM = serialization.Encoding.PEM
_MOST_BYTES = 4096
SIGNATURE_BYTES = 64


class Signer:
    """Somebody who can sign: the private key, in memory."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @property
    def public_pem(self) -> bytes:
        """The public key, as OpenSSL reads it."""
        return public_pem(self._key.public_key())

    @property
    def public_bytes(self) -> bytes:
        """The 32 bytes of the public key."""
        return self._key.public_key().public_bytes_raw()

    @property
    def key_id(self) -> str:
        """SHA-256 in hex of the public key's 32 bytes: what people compare."""
        return key_id(self._key.public_key())

    def sign(self, content: bytes) -> bytes:
        """The signature of some bytes, 64 bytes."""
        return self._key.sign(content)

    def secret(self) -> bytes:
        """The 32 bytes of the private key, to derive other secrets from."""
        return self._key.private_bytes_raw()


def signer_at(path: Path) -> Signer:
    """The key in a file; made, for its owner alone to read, where there is none.

    InputError for a file that others can read or that is no such key.
    """
    try:
        if not path.exists():
            _make(path)
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InputError.tr(
                "Others can read the signing key “{path}”. Make it yours alone: chmod 600.",
                path=path
            )  # fmt: skip
        content = read_regular(path, _MOST_BYTES)
        key = serialization.load_pem_private_key(content, None)
    except OSError as error:
        raise InputError.tr("The signing key “{path}” cannot be used: {reason}.", path=path,
                            reason=error.strerror or error) from error  # fmt: skip
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise InputError(_no_key(path)) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(_no_key(path))
    return Signer(key)


def public_key_of(pem: bytes) -> Ed25519PublicKey | None:
    """The key in a PEM document, None for anything but the one spelling of an Ed25519 key."""
    try:
        key = serialization.load_pem_public_key(pem)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    if not isinstance(key, Ed25519PublicKey) or public_pem(key) != pem:
        return None
    return key


def public_pem(key: Ed25519PublicKey) -> bytes:
    """A public key as a PEM document."""
    return key.public_bytes(_PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def key_id(key: Ed25519PublicKey) -> str:
    """SHA-256 in hex of a public key's 32 bytes."""
    return hashlib.sha256(key.public_bytes(_RAW, serialization.PublicFormat.Raw)).hexdigest()


def is_signed(key: Ed25519PublicKey, signature: bytes, content: bytes) -> bool:
    """Whether the owner of a key signed these bytes."""
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False
    return True


def _no_key(path: Path) -> str:
    return tr("“{path}” is not an Ed25519 signing key.", path=path)


def _make(path: Path) -> None:
    make_private_folder(path.parent)
    content = Ed25519PrivateKey.generate().private_bytes(
        _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with closing(NewFile(path, 0o600)) as file:
        os.fchmod(file.handle.fileno(), 0o600)  # in a shared workspace as well
        file.handle.write(content)
        with suppress(FileExistsError):  # somebody else was quicker; theirs counts
            file.publish()


def write_secret(path: Path, content: bytes) -> None:
    """Write a new file that nobody but its owner can read, in a shared workspace neither.

    FileExistsError for one that is there.
    """
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "wb") as handle:
        os.fchmod(number, 0o600)
        handle.write(content)
        handle.flush()
        os.fsync(number)
