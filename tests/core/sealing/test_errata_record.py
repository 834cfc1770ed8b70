"""A file of errata fits one archive and one key, and no byte of it can be changed."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.sealing.errata_record import SealedErratum, check_errata, errata_text
from core.sealing.signing import Signer

MANIFEST = {"split": "s", "split_digest": "d" * 64, "root": "r" * 64, "items": 3}
HASHES = ["a" * 64, "b" * 64, "c" * 64]
ERRATA = (
    SealedErratum(2, HASHES[2], "two keys fit “both”", "2026-07-01T00:00:00"),
    SealedErratum(0, HASHES[0], "图表缺失", "2026-07-02T00:00:00"),
)


@pytest.fixture(scope="module")
def signer() -> Signer:
    return Signer(Ed25519PrivateKey.generate())


@pytest.fixture(scope="module")
def content(signer: Signer) -> bytes:
    return errata_text(MANIFEST, ERRATA, 9, signer).encode()


def hash_at(place: int) -> str:
    return HASHES[place] if 0 <= place < len(HASHES) else ""


def test_a_file_of_the_archive_says_its_errata_in_order(content, signer):
    checked = check_errata(content, MANIFEST, signer.key_id, hash_at)
    assert checked.differences == ()
    assert [one.place for one in checked.errata] == [0, 2]
    assert checked.errata[1] == ERRATA[0]


def test_no_errata_are_a_file_as_well(signer):
    none = errata_text(MANIFEST, (), 9, signer).encode()
    assert check_errata(none, MANIFEST, signer.key_id, hash_at).differences == ()


@pytest.mark.parametrize(
    ("manifest", "key", "hashes", "why"),
    [
        ({**MANIFEST, "root": "0" * 64}, "", hash_at, "another archive"),
        ({**MANIFEST, "items": 4}, "", hash_at, "another archive"),
        (MANIFEST, "0" * 64, hash_at, "another key"),
        (MANIFEST, "", lambda _place: "", "not in the archive"),
    ],
)
def test_a_file_of_another_archive_key_or_item_is_named(
    content, signer, manifest, key, hashes, why
):
    checked = check_errata(content, manifest, key or signer.key_id, hashes)
    assert checked.differences
    assert why in checked.differences[0].detail


def test_none_of_500_changed_files_is_accepted(content, signer):
    draw = random.Random(5)
    for _ in range(500):
        changed = bytearray(content)
        place = draw.randrange(len(changed))
        kind = draw.randrange(3)
        if kind == 0:
            changed[place] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del changed[place]
        else:
            changed.insert(place, draw.randrange(256))
        if bytes(changed) != content:
            checked = check_errata(bytes(changed), MANIFEST, signer.key_id, hash_at)
            assert checked.differences, changed


@pytest.mark.parametrize("wrong", [b"", b"{}", b"[]", b"\xff", b'{"body": {}, "signer": "x"}\n'])
def test_what_is_no_such_file_is_named(wrong, signer):
    assert check_errata(wrong, MANIFEST, signer.key_id, hash_at).differences
