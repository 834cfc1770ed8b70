"""Merkle trees over many entries: one root for all of them, and proofs that one belongs to it.

The tree hash is that of RFC 6962, section 2.1; the proofs are its audit paths (section 2.1.1).
"""

import hashlib
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

EMPTY = hashlib.sha256().hexdigest()
_LEAF, _NODE = hashlib.sha256(b"\x00"), hashlib.sha256(b"\x01")  # a copy costs less than a new one


def _digests(start: "hashlib._Hash", texts: Iterable[bytes]) -> list[bytes]:
    """The digest of each text behind what was hashed before."""
    digests, another = list[bytes](), start.copy
    for text in texts:
        digest = another()
        digest.update(text)
        digests.append(digest.digest())
    return digests


def leaf_digest(entry: bytes) -> bytes:
    """The digest of one entry, as a leaf."""
    return _digests(_LEAF, (entry,))[0]


class MerkleRoot:
    """The root of entries that come some by some; holds about log2(n) digests at a time."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []  # at each height a whole subtree without a partner, or empty

    def add(self, entry: bytes) -> None:
        """Take the next entry."""
        self.extend((entry,))

    def extend(self, entries: Sequence[bytes]) -> None:
        """Take the next entries, a level of the tree at a time."""
        self.size += len(entries)
        level, height = _digests(_LEAF, entries), 0
        while level:
            if height == len(self._peaks):
                self._peaks.append(b"")
            if peak := self._peaks[height]:
                level.insert(0, peak)
            self._peaks[height] = level.pop() if len(level) % 2 else b""
            level = _digests(_NODE, map(add, level[::2], level[1::2]))
            height += 1

    def root(self) -> str:
        """64 hexadecimal digits for all entries so far, in their order."""
        whole = [peak for peak in self._peaks if peak]  # the smallest, which comes last, first
        return reduce(lambda right, left: _node(left, right), whole).hex() if whole else EMPTY


def root_of(entries: Iterable[bytes]) -> str:
    """The root of all entries, as 64 hexadecimal digits."""
    tree = MerkleRoot()
    tree.extend(list(entries))
    return tree.root()


def proof_of(entries: Sequence[bytes], place: int) -> tuple[str, ...]:
    """The digests, from the leaf upwards, with which the entry at ``place`` gives the root.

    IndexError for a place that there is not.
    """
    if not 0 <= place < len(entries):
        raise IndexError(place)
    return tuple(_path([leaf_digest(entry) for entry in entries], place))


def is_in(root: str, entry: bytes, place: int, size: int, proof: Sequence[str]) -> bool:
    """Whether an entry stands at ``place`` of the ``size`` entries that have this root."""
    if not 0 <= place < size:
        return False
    digest, last, left = leaf_digest(entry), size - 1, list(proof)
    try:
        while last:
            if place % 2:
                digest = _node(bytes.fromhex(left.pop(0)), digest)
            elif place < last:
                digest = _node(digest, bytes.fromhex(left.pop(0)))
            place, last = place // 2, last // 2
    except (IndexError, ValueError):
        return False
    return not left and digest.hex() == root


def _path(leaves: list[bytes], place: int) -> Iterable[str]:
    while len(leaves) > 1:
        beside = place ^ 1
        if beside < len(leaves):
            yield leaves[beside].hex()
        leaves = [
            _node(*leaves[at : at + 2]) if at + 1 < len(leaves) else leaves[at]
            for at in range(0, len(leaves), 2)
        ]
        place //= 2


def _node(left: bytes, right: bytes) -> bytes:
    return _digests(_NODE, (left + right,))[0]
