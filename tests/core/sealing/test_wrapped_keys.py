"""The key of a split's items: who can open the archive has it, in the one spelling it was given."""

import string
from dataclasses import replace

import pyrage
import pytest

from core.errors import InputError
from core.sealing.archive import LockedKeys, Unlocking
from core.sealing.wrapped_keys import unwrap, wrap

NUMBERS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


@pytest.mark.parametrize("size", [30, 31, 32])
def test_a_key_comes_back_and_no_last_letter_of_it_can_be_another(size: int) -> None:
    identity = pyrage.x25519.Identity.generate()
    key = bytes(range(size))
    wrapped = wrap(key, "k1", (str(identity.to_public()),), LockedKeys("", b"", b"", {}))
    unlocking = Unlocking(identities=(str(identity),))
    assert unwrap(wrapped, unlocking) == key
    letters = wrapped.content.rstrip("=")
    other = NUMBERS[NUMBERS.index(letters[-1]) ^ 1]
    changed = letters[:-1] + other + wrapped.content[len(letters) :]
    with pytest.raises(InputError, match="opens the items"):
        unwrap(replace(wrapped, content=changed), unlocking)
