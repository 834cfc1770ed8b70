"""The texts of a corpus: files and folders, read in pieces."""

import codecs
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.bounded_json import bounded_lines, parse_json
from core.errors import InputError, unreadable
from core.files import MOST_FILE, open_regular
from core.i18n import listed

_PIECE = 8_000_000  # bytes of a text that are read at once
_CARRIED = 4000  # characters of a piece that the next one begins with


def pieces_of_files(paths: Sequence[Path]) -> Iterator[str]:
    """The text of files, and of all files in folders, piece by piece.

    Text is read as UTF-8; of ``.json`` and ``.jsonl`` files every text in them. Raises InputError
    where there is no file or one cannot be read.
    """
    files = sorted({file for path in paths for file in _files(path)})
    if not files:
        raise InputError.tr("There are no files in {paths}.", paths=listed(paths))
    return (piece for file in files for piece in _pieces(file))


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (file for file in path.rglob("*") if file.is_file() and not file.is_symlink())
    else:
        yield path


def _pieces(path: Path) -> Iterator[str]:
    try:
        with open_regular(path) as file:
            if path.suffix in (".json", ".jsonl"):
                lines = bounded_lines(file) if path.suffix == ".jsonl" else [file.read(MOST_FILE)]
                for line in lines:
                    yield from strings_in(_parsed(line))
                if file.tell() >= os.fstat(file.fileno()).st_size:
                    return
            decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
            before = ""
            while data := file.read(_PIECE):
                text = before + decoder.decode(data)
                yield text
                before = text[-_CARRIED:]
    except OSError as error:
        raise unreadable(path, error) from error


def _parsed(line: bytes) -> Any:
    try:
        return parse_json(line)
    except ValueError:
        return line.decode("utf-8", errors="replace")  # as text: nothing of a corpus is passed over


def strings_in(value: Any) -> Iterator[str]:
    """Every text within a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_in(part)
