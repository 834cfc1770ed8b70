"""The salts of a split's items: HMAC with SHA-256, as any other program computes it."""

import hmac
import random

import pytest

from core.sealing.commitments import salts_of


@pytest.mark.parametrize("size", [0, 1, 32, 63, 64, 65, 200])
def test_a_salt_is_the_hmac_of_the_name_whatever_the_secret(size: int) -> None:
    secret = random.Random(size).randbytes(size)
    names = ("", "7", "a name", "题目 1", "x" * 1000, "7")
    assert salts_of(secret)(names) == [
        hmac.digest(secret, name.encode(), "sha256") for name in names
    ]
