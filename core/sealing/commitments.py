"""Salted hashes of items: they bind every item without telling anything of it.

Each item has a salt of its own, made from a secret and the item's name, so that the hashes of a
split are the same whenever the same key makes them, and that one item can be shown with its salt
while nothing is learnt of the others.
"""

import hashlib
from binascii import hexlify
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from core.json_lines import one_line

SALT_BYTES, HASH_BYTES = 32, 32
_EMPTY = hashlib.sha256()  # a copy costs less than a new one
_BLOCK = 64  # bytes that SHA-256 takes at once
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
_BYTES_AT_ONCE = 2**18
_FIRST, _SALT, _LAST = b'{"item":', b',"salt":"', b'"}\n'
_BETWEEN = _LAST + _FIRST


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


def salts_of(secret: bytes) -> Callable[[Iterable[str]], list[bytes]]:
    """What gives items' salts for their names, in their order: HMAC with SHA-256 under a secret
    (RFC 2104), whose two halves are hashed once for all names."""
    key = secret if len(secret) <= _BLOCK else hashlib.sha256(secret).digest()
    key = key.ljust(_BLOCK, b"\0")
    inner, outer = (hashlib.sha256(key.translate(pad)).copy for pad in (_INNER, _OUTER))

    def salts(names: Iterable[str]) -> list[bytes]:
        found = list[bytes]()
        for name in names:
            digest = inner()
            digest.update(name.encode())
            mac = outer()
            mac.update(digest.digest())
            found.append(mac.digest())
        return found

    return salts


def salted_hash(salt: bytes, content: bytes) -> bytes:
    """SHA-256 of the salt, which is always as long, and of a text in UTF-8."""
    return salted_hashes((salt,), (content,))[0]


def salted_hashes(salts: Iterable[bytes], contents: Iterable[bytes]) -> list[bytes]:
    """As ``salted_hash``, of many."""
    entries, begun = list[bytes](), _EMPTY.copy
    for salt, content in zip(salts, contents, strict=True):
        digest = begun()
        digest.update(salt)
        digest.update(content)
        entries.append(digest.digest())
    return entries


def committed(rows: Iterable[CommittedRow], secret: bytes) -> Iterator[tuple[list[bytes], bytes]]:
    """(the salted hashes of some items, their lines with the salts), as the rows come; each is read
    once, while the processor has it near. Without a secret the salts are empty."""
    salts = salts_of(secret) if secret else lambda names: [b""] * len(names)
    some, size = list[CommittedRow](), 0
    for row in rows:
        some.append(row)
        size += len(row.line)
        if size > _BYTES_AT_ONCE:
            yield _together(some, salts)
            some, size = [], 0
    if some:
        yield _together(some, salts)


def _together(
    rows: Sequence[CommittedRow], salts_for: Callable[[Sequence[str]], list[bytes]]
) -> tuple[list[bytes], bytes]:
    names, contents, lines = zip(*rows, strict=True)
    salts = salts_for(names)
    pieces = [b""] * (4 * len(rows))
    pieces[::4] = [_BETWEEN] * len(rows)
    pieces[1::4] = lines
    pieces[2::4] = [_SALT] * len(rows)
    pieces[3::4] = map(hexlify, salts)
    pieces[0] = _FIRST
    return salted_hashes(salts, contents), b"".join((*pieces, _LAST))
