"""Bytes that a text spells, in hexadecimal digits or Base64: in one spelling alone, so that no
character of it can be another one and mean the same."""

import base64
import binascii


def hex_bytes(text: object) -> bytes | None:
    """The bytes that hexadecimal digits in their one spelling stand for."""
    try:
        found = bytes.fromhex(str(text))
    except ValueError:
        return None
    return found if found.hex() == text else None


def base64_bytes(text: str) -> bytes | None:
    """The bytes that a Base64 text (RFC 4648) in its one spelling stands for; bits of its last
    letter that say nothing are none."""
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return found if base64.b64encode(found).decode("ascii") == text else None
