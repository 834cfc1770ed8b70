"""What a command prints: one JSON document with ``--json``, else text for people."""

import json
import sys
from collections.abc import Sequence
from typing import Any


class Console:
    """Standard output and standard error of one command."""

    def __init__(self, json: bool) -> None:
        self.json = json

    def emit(self, document: dict[str, Any], text: str) -> None:
        """Print the document with ``--json``, else the text."""
        if self.json:
            print(json.dumps(document, ensure_ascii=False, indent=1, default=str))
        elif text:
            print(text)

    def write(self, text: str) -> None:
        """Print text that other programs read, such as CSV, as it is."""
        sys.stdout.write(text if text.endswith("\n") else text + "\n")

    def say(self, sentence: str) -> None:
        """Tell what is going on, on standard error so that output can be piped."""
        print(sentence, file=sys.stderr, flush=True)

    def complain(self, sentence: str) -> None:
        """Say in one line what went wrong."""
        print(" ".join(sentence.split()), file=sys.stderr, flush=True)


def columns(rows: Sequence[Sequence[object]], header: Sequence[str] = ()) -> str:
    """Rows as aligned text columns; numbers to the right. Chinese characters count double."""
    table = [[str(cell) for cell in row] for row in ([header] if header else []) + list(rows)]
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
