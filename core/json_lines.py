"""JSON lines that survive programs which split text at more than the line feed."""

import re
from typing import Any

import orjson

from core.files import canonical_bytes

# JSON allows these inside a string as they are; ``str.splitlines`` and JavaScript end a line there.
_LINE_ENDS = tuple(
    (end[:1], end[-1:], end, f"\\u{ord(end.decode()):04x}".encode())
    for end in map(str.encode, "\x85\u2028\u2029")
)


LINE_END = re.compile(rb"\\u(?:0085|2028|2029)")
"""How a line may spell what its canonical JSON has as it is; a pattern is found in a third of the
time of two bytes, of which the first is frequent."""


def json_line(value: Any) -> bytes:
    """The canonical JSON of a value on one line, whatever a reader takes for a line's end."""
    return line_of(canonical_bytes(value))


def line_of(canonical: bytes) -> bytes:
    """A canonical JSON on one line; see ``json_line``."""
    return one_line(canonical) + b"\n"


def one_line(canonical: bytes) -> bytes:
    """As ``line_of``, without the line feed at its end."""
    if not canonical.isascii():
        for first, last, end, written in _LINE_ENDS:
            # a single byte is found many times faster, and few texts have both of them
            if last in canonical and first in canonical and end in canonical:
                canonical = canonical.replace(end, written)
    return canonical


def text_within(canonical: bytes) -> orjson.Fragment:
    """A canonical JSON as a text within a row that ``row_line`` writes: it is not read for it, for
    only its quotation marks and backslashes are spelled in another way there."""
    escaped = canonical.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return orjson.Fragment(b'"' + escaped + b'"')


def row_line(row: Any) -> bytes:
    """As ``json_line`` of a row of texts, and of lists and objects of texts, in which some may be
    ``text_within``; TypeError for half a character."""
    return line_of(orjson.dumps(row, option=orjson.OPT_SORT_KEYS))
