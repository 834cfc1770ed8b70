"""The tree hash against RFC 6962's own recursive definition and its published test vectors."""

import hashlib

import pytest

from db.evidence.merkle import merkle_root

# the eight inputs and the roots of their first n, as Certificate Transparency's tests print them
INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657",
          "606162636465666768696a6b6c6d6e6f"]  # fmt: skip
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


@pytest.mark.parametrize("count", ROOTS)
def test_published_vectors(count: int) -> None:
    assert merkle_root(bytes.fromhex(text) for text in INPUTS[:count]) == ROOTS[count]


def test_equals_the_recursive_definition() -> None:
    def recursive(entries: list[bytes]) -> bytes:
        if len(entries) == 1:
            return hashlib.sha256(b"\x00" + entries[0]).digest()
        half = 1
        while half * 2 < len(entries):
            half *= 2
        left, right = recursive(entries[:half]), recursive(entries[half:])
        return hashlib.sha256(b"\x01" + left + right).digest()

    for count in range(1, 70):
        entries = [str(number).encode() for number in range(count)]
        assert merkle_root(entries) == recursive(entries).hex()
        assert merkle_root(reversed(entries)) != merkle_root(entries) or count == 1
