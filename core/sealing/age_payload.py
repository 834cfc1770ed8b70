"""Encrypting many bytes with age (age-encryption.org/v1), in less than its library takes.

``pyrage`` writes the header, for whatever recipients it knows; the payload, 64 KiB at a time, is
encrypted by OpenSSL, whose ChaCha20-Poly1305 takes half of the time. The file key, which only a
recipient can have, is taken from the header by an identity that is made for this and forgotten: its
part of the header is taken out again, so that the recipients are those that were named. The format
is that of https://c2sp.org/age; ``pyrage`` and ``age`` read it.
"""

import base64
import hmac
import secrets
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import pyrage

CHUNK_BYTES = 2**16
"""Bytes of the payload that are encrypted together."""
_KEY_BYTES, _NONCE_BYTES = 32, 16
_STANZA, _MAC = b"-> ", b"---"
_X25519 = b"X25519"
_KIND = b"age-encryption.org/v1/X25519"
_LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"  # of Bech32 (BIP 173), five bits each
_CHECKSUM_LETTERS = 6
_EXTRA_BITS = 4  # 52 letters hold 260 bits, a key has 256


class Target(Protocol):
    """What takes bytes."""

    def write(self, content: bytes, /) -> Any:
        """Append bytes."""


def encrypt(pieces: Iterable[bytes], out: Target, recipients: Sequence[Any]) -> None:
    """Write bytes, as they come, to ``out`` as one file of age, for recipients of ``pyrage``."""
    header, file_key = _header(recipients)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    out.write(header + nonce)
    cipher = _cipher(_derived(file_key, nonce, b"payload"))
    for number, (chunk, last) in enumerate(_chunks(pieces)):
        out.write(cipher.encrypt(number.to_bytes(11, "big") + bytes((last,)), chunk, None))


def _chunks(pieces: Iterable[bytes]) -> Iterator[tuple[memoryview, bool]]:
    """(a chunk, whether it is the last one): all are full but the last, which alone may be empty,
    and only where there is no other."""
    rest = memoryview(b"")
    for piece in pieces:
        some, at = memoryview(b"".join((rest, piece))), 0
        while len(some) - at > CHUNK_BYTES:
            yield some[at : at + CHUNK_BYTES], False
            at += CHUNK_BYTES
        rest = some[at:]
    yield rest, True


def _header(recipients: Sequence[Any]) -> tuple[bytes, bytes]:
    """(the header of a file for some recipients, to the end of its line; its file key)."""
    helper = pyrage.x25519.Identity.generate()
    whole = pyrage.encrypt(b"", [*recipients, helper.to_public()])
    lines = whole[: whole.index(b"\n" + _MAC) + 1].splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.startswith(_STANZA)]
    secret = _secret_of(str(helper))
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        file_key = _file_key(lines[start:end], secret)
        if file_key is not None:
            text = b"".join(lines[:start] + lines[end:]) + _MAC
            return text + b" " + _base64(_mac(file_key, text)) + b"\n", file_key
    raise AssertionError


def _secret_of(identity: str) -> bytes:
    """The private key that an identity of age spells, 32 bytes."""
    number = 0
    for letter in identity.lower().rpartition("1")[2][:-_CHECKSUM_LETTERS]:
        number = number << 5 | _LETTERS.index(letter)
    return (number >> _EXTRA_BITS).to_bytes(_KEY_BYTES, "big")


def _file_key(stanza: Sequence[bytes], secret: bytes) -> bytes | None:
    """The file key, 16 bytes, that a part of a header has for a private key; None where it has it
    for somebody else."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    kind, _, share = stanza[0].removeprefix(_STANZA).strip().partition(b" ")
    if kind != _X25519:
        return None
    theirs, own = _bytes_of(share), X25519PrivateKey.from_private_bytes(secret)
    shared = own.exchange(X25519PublicKey.from_public_bytes(theirs))
    key = _derived(shared, theirs + own.public_key().public_bytes_raw(), _KIND)
    try:
        body = _bytes_of(b"".join(map(bytes.strip, stanza[1:])))
        return bytes(_cipher(key).decrypt(bytes(12), body, None))
    except InvalidTag:
        return None


def _mac(file_key: bytes, text: bytes) -> bytes:
    return hmac.digest(_derived(file_key, b"", b"header"), text, "sha256")


def _derived(key: bytes, salt: bytes, about: bytes) -> bytes:
    """HKDF (RFC 5869) with SHA-256, 32 bytes."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), _KEY_BYTES, salt, about).derive(key)


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(key)


def _base64(content: bytes) -> bytes:
    return base64.b64encode(content).rstrip(b"=")


def _bytes_of(letters: bytes) -> bytes:
    return base64.b64decode(letters + b"=" * (-len(letters) % 4))
