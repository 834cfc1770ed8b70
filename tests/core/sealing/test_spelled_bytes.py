"""Bytes in hexadecimal digits and Base64: read in the spelling that is written, and in no other."""

import base64

import pytest

from core.sealing.spelled_bytes import base64_bytes, hex_bytes
from tests.tampering import base64_respelled


@pytest.mark.parametrize("size", range(1, 12))
def test_each_is_read_in_one_spelling(size):
    content = bytes(range(250, 250 - size, -1))
    letters = base64.b64encode(content).decode()
    assert base64_bytes(letters) == content
    assert hex_bytes(content.hex()) == content
    for other in (*base64_respelled(letters), letters + "\n", letters.rstrip("=") + "é"):
        assert base64_bytes(other) is None
    for other in (content.hex().upper(), content.hex() + " ", " ".join(content.hex()), "0x00"):
        assert hex_bytes(other) is None


def test_what_is_no_text_is_none():
    assert base64_bytes("") == hex_bytes("") == b""
    assert hex_bytes(None) is None
    assert hex_bytes(12) is None
