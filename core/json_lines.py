"""JSON lines that survive programs which split text at more than the line feed."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.files import canonical_json, write_atomic

# JSON allows these inside a string as they are; ``str.splitlines`` and JavaScript end a line there.
_LINE_ENDS = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}
_ANY_LINE_END = re.compile("[\x85\u2028\u2029]")


def json_line(value: Any) -> str:
    """The canonical JSON of a value on one line, whatever a reader takes for a line's end."""
    return line_of(canonical_json(value))


def line_of(canonical: str) -> str:
    """A canonical JSON on one line; see ``json_line``."""
    if _ANY_LINE_END.search(canonical):
        canonical = canonical.translate(_LINE_ENDS)
    return canonical + "\n"


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write rows as JSON lines in one step."""
    write_atomic(path, "".join(json_line(row) for row in rows), for_others=True)
