"""JSON lines that survive programs which split text at more than the line feed."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.files import canonical_bytes, write_atomic

# JSON allows these inside a string as they are; ``str.splitlines`` and JavaScript end a line there.
_LINE_ENDS = tuple(
    (character.encode(), f"\\u{ord(character):04x}".encode()) for character in "\x85\u2028\u2029"
)


def json_line(value: Any) -> bytes:
    """The canonical JSON of a value on one line, whatever a reader takes for a line's end."""
    return line_of(canonical_bytes(value))


def line_of(canonical: bytes) -> bytes:
    """A canonical JSON on one line; see ``json_line``."""
    # looked for by their first bytes, which few texts have
    if not canonical.isascii() and (b"\xe2" in canonical or b"\xc2" in canonical):
        for end, written in _LINE_ENDS:
            if end in canonical:
                canonical = canonical.replace(end, written)
    return canonical + b"\n"


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write rows as JSON lines in one step, each as it comes."""
    write_atomic(path, map(json_line, rows), for_others=True)
