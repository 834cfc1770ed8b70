"""What a command prints: one JSON document with ``--json``, else text for people."""

import json
import os
import re
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TextIO

from core.errors import OutsideError

# what moves the cursor, colours the screen or turns the order of letters about
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# the same where JSON has not escaped it: half a pair, as names of files may hold, nobody can write
_UNSEEN_IN_JSON = re.compile(_UNSEEN.pattern.replace(r"\x00-\x08\x0b-\x1f", ""))
_BESIDE_FULL_WIDTH = re.compile("(?<=[、。！（），：；？]) | (?=（)")
_IN_A_CELL = re.compile(_UNSEEN.pattern[:-1] + r"\t\n]")


def has_display() -> bool:
    """Whether a window could be seen here."""
    if sys.platform in ("darwin", "win32"):
        return True
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if platform:
        return platform not in ("offscreen", "minimal")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def in_one_line(text: str) -> str:
    """A text of several lines as one; punctuation of full width brings its own space along."""
    return _BESIDE_FULL_WIDTH.sub("", " ".join(text.split()))


class Console:
    """Standard output and standard error of one command."""

    def __init__(self, json: bool) -> None:
        self.json = json

    def emit(self, document: dict[str, Any], text: str) -> None:
        """Print the document with ``--json``, else the text."""
        if self.json:
            plain = _holds_everything(sys.stdout)
            text = json.dumps(document, ensure_ascii=not plain, indent=1, default=_spelled)
            print(_UNSEEN_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))
        elif text:
            print(legible(text))

    def write(self, text: str) -> None:
        """Print text that other programs read, such as CSV, as it is.

        OutsideError where the output cannot hold it: written out it would be other data.
        """
        if not _holds_everything(sys.stdout):
            try:
                text.encode(sys.stdout.encoding)
            except UnicodeEncodeError:
                raise OutsideError.tr(
                    "The output here is {encoding}, which lacks some of these characters. Set "
                    "LC_ALL=C.UTF-8 and try again.",
                    encoding=sys.stdout.encoding
                ) from None  # fmt: skip
        sys.stdout.write(text if text.endswith("\n") else text + "\n")

    def say(self, sentence: str) -> None:
        """Tell what is going on, on standard error so that output can be piped."""
        print(legible(sentence), file=sys.stderr, flush=True)

    def complain(self, sentence: str) -> None:
        """Say in one line what went wrong."""
        print(legible(in_one_line(sentence)), file=sys.stderr, flush=True)


def _holds_everything(stream: TextIO) -> bool:
    """Whether every character can be written there."""
    return (stream.encoding or "utf-8").lower().replace("_", "-").startswith("utf")


def _spelled(value: object) -> str:
    """What JSON has no form of: times as everywhere (ISO 8601), anything else as text."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def legible(text: str, unseen: re.Pattern[str] = _UNSEEN) -> str:
    """The text with control characters written out, as a model or a file may be named by them:
    a terminal would obey them. Tabs and line ends stay."""
    return unseen.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def columns(rows: Sequence[Sequence[object]], header: Sequence[str] = ()) -> str:
    """Rows as aligned text columns; numbers to the right. Chinese characters count double."""
    cells_of = ([header] if header else []) + list(rows)
    table = [[legible(str(cell), _IN_A_CELL) for cell in row] for row in cells_of]
    if not table:
        return ""
    widths = [max(_width(row[i]) for row in table) for i in range(len(table[0]))]
    numeric = [
        all(isinstance(row[i], int | float) for row in rows) and bool(rows)
        for i in range(len(table[0]))
    ]
    lines = []
    for row in table:
        cells = [
            " " * (width - _width(cell)) + cell if right else cell + " " * (width - _width(cell))
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _width(text: str) -> int:
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
