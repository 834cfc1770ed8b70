"""One digest for many: the Merkle tree hash of RFC 6962, computed as a stream.

It binds every entry and their order, and one entry can later be shown to belong to it without the
others.
"""

import hashlib
from collections.abc import Iterable


def merkle_root(entries: Iterable[bytes]) -> str:
    """SHA-256 tree hash of the entries in their order, as 64 hexadecimal digits.

    Holds about log2(n) digests at a time. No entries give the SHA-256 of nothing, as RFC 6962
    (section 2.1) has it.
    """
    peaks: list[tuple[int, bytes]] = []  # (height, digest) of whole subtrees, the largest first
    for entry in entries:
        height, digest = 0, hashlib.sha256(b"\x00" + entry).digest()
        while peaks and peaks[-1][0] == height:
            digest = _node(peaks.pop()[1], digest)
            height += 1
        peaks.append((height, digest))
    if not peaks:
        return hashlib.sha256().hexdigest()
    digest = peaks.pop()[1]
    while peaks:
        digest = _node(peaks.pop()[1], digest)
    return digest.hex()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
