"""Text files of unknown encoding: as a whole, line by line, or as a JSON document."""

import codecs
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TextIO

from core.bounded_json import is_costly, parse_json
from core.errors import InputError, NotFoundError, unreadable
from core.files import open_regular
from core.sources.bounded import too_much_memory
from core.sources.encodings import refuse_binary, unknown_encoding
from core.sources.guessed_encoding import guessed_encoding, is_hz
from core.sources.limits import UnreadableSource
from core.sources.signatures import refuse_unreadable

HEAD = 2**16
LONGEST_LINE = 2**25  # characters; longer "lines" are files without line ends
LARGEST_DOCUMENT = 2**29  # bytes of a JSON document, which must be held whole
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\ufffe]")


def head_of(path: Path) -> bytes:
    """The first 64 kB of a file; empty for a folder.

    Raises NotFoundError for a missing file and InputError for one that may not be read.
    """
    if path.is_dir():
        return b""
    try:
        with open_regular(path) as handle:
            return handle.read(HEAD)
    except FileNotFoundError as error:
        raise NotFoundError.tr("There is no file “{path}”.", path=path) from error
    except OSError as error:
        raise unreadable(path, error) from error


def refuse_empty(path: Path, head: bytes) -> None:
    """InputError for a file that begins with nothing but spaces, lines and a mark of its order."""
    if path.is_file() and not head.removeprefix(codecs.BOM_UTF8).strip():
        raise InputError.tr("“{path}” is empty.", path=path)


def encoding_of(path: Path) -> str:
    """UTF-8, UTF-16, UTF-32, or an older encoding that convinces; InputError for none.

    Read a block at a time. A file that is UTF-8 but for a few bytes stays UTF-8, so that only the
    damaged rows are lost.
    """
    sample = head_of(path)
    try:
        about = path.stat()
    except OSError:  # gone, or a folder of somebody else's by now
        return _encoding_of(path, sample)
    # an import looks three times: for its mapping, for its labels and for its rows
    return _known_encoding(path, (about.st_ino, about.st_size, about.st_mtime_ns), sample)


@lru_cache(maxsize=4)
def _known_encoding(path: Path, _state: tuple[int, ...], sample: bytes) -> str:
    return _encoding_of(path, sample)


def _encoding_of(path: Path, sample: bytes) -> str:
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name
    if unmarked := _unmarked_utf16(sample):
        return unmarked
    try:
        refuse_unreadable(sample)
        refuse_binary(sample)
    except UnreadableSource as error:
        raise InputError.tr("“{path}”: {reason}", path=path, reason=str(error)) from error
    if b"\x1b$" in sample:
        return "iso2022_jp"
    if is_hz(sample):
        return "hz"
    if _is_utf8(path):
        return "utf-8"
    good, bad, first_bad = _utf8_share(path)
    if good > 2 * bad or not bad:  # by chance hardly a line of another encoding is UTF-8
        return "utf-8"
    if found := guessed_encoding(first_bad):
        return found
    raise InputError.tr("“{path}”: {reason}", path=path, reason=unknown_encoding())


def _unmarked_utf16(sample: bytes) -> str:
    """UTF-16 without a mark, by the byte order in which it has line ends and no control characters;
    empty for anything else."""
    if b"\0" not in sample:
        return ""
    for name in ("utf-16-le", "utf-16-be"):
        try:
            text = codecs.getincrementaldecoder(name)().decode(sample)
        except UnicodeDecodeError:
            continue
        if "\n" in text and not _CONTROL.search(text):
            return name
    return ""


def _is_utf8(path: Path) -> bool:
    """Whether all of a file is UTF-8: in a tenth of the time of looking at each line."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open_regular(path) as handle:
        try:
            while block := handle.read(2**20):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _utf8_share(path: Path) -> tuple[int, int, bytes]:
    """Lines with letters beyond ASCII that are and that are not UTF-8, and some of the latter."""
    good = bad = 0
    wrong = bytearray()
    with open_regular(path) as handle:
        while lines := handle.readlines(2**20):
            for line in lines:
                if line.isascii():
                    continue
                try:
                    line.decode("utf-8")
                    good += 1
                except UnicodeDecodeError:
                    bad += 1
                    if len(wrong) < 4 * HEAD:
                        wrong += line[:HEAD]
    return good, bad, bytes(wrong)


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """A text file in its own encoding; bytes it does not have become lone surrogates."""
    encoding = encoding_of(path)
    with open_regular(path) as raw:
        handle = io.TextIOWrapper(raw, encoding, errors="surrogateescape", newline="\n")
        try:
            yield handle
        except UnicodeDecodeError as error:
            raise _broken(path, encoding) from error
        finally:
            handle.detach()


def lines_of(path: Path) -> Iterator[str]:
    """Lines without their ends, by line feeds alone: texts hold other characters that look so."""
    with opened(path) as handle:
        while line := handle.readline(LONGEST_LINE):
            if len(line) >= LONGEST_LINE:
                raise InputError.tr(
                    "“{path}” has a line of more than {count} characters, so it is not "
                    "a file of rows.",
                    path=path,
                    count=LONGEST_LINE,
                )
            yield line.removesuffix("\n").removesuffix("\r")


def text_of_file(path: Path) -> tuple[str, bool]:
    """The text of a file, its line ends as line feeds, and whether all of it is of its encoding.

    Bytes that are not become lone surrogates.
    """
    encoding = encoding_of(path)
    with open_regular(path) as handle:
        # not read up to a limit: that sets so much memory aside at once
        if os.fstat(handle.fileno()).st_size > LARGEST_DOCUMENT:
            raise InputError.tr(
                "“{path}” has more than {megabytes} MB, too much for one table.", path=path,
                megabytes=LARGEST_DOCUMENT // 2**20
            )  # fmt: skip
        data = handle.read()
    sound = True
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        sound = False
        try:
            text = data.decode(encoding, "surrogateescape")
        except UnicodeDecodeError as error:
            raise _broken(path, encoding) from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n"), sound


def _broken(path: Path, encoding: str) -> InputError:
    return InputError.tr(
        "“{path}” starts as {encoding} but contains invalid bytes later.",
        path=path,
        encoding=encoding,
    )


def is_damaged(text: str) -> bool:
    """Whether a text has bytes that its encoding does not have, or half a character."""
    try:
        text.encode()  # ten times as quick as looking for one
    except UnicodeEncodeError:
        return True
    return False


def refuse_costly_json(path: Path, text: str) -> None:
    """InputError for a JSON text whose values, once read, would take far more than it does."""
    if is_costly(text):
        raise InputError.tr("“{path}”: {reason}", path=path, reason=too_much_memory())


def json_document(path: Path) -> object:
    """A JSON document as a whole; InputError says where it breaks or that it is too large."""
    if path.stat().st_size > LARGEST_DOCUMENT:
        raise InputError.tr(
            "“{path}” is a JSON document of more than {megabytes} MB. Convert it to JSON lines.",
            path=path,
            megabytes=LARGEST_DOCUMENT // 2**20,
        )
    with opened(path) as handle:
        text = handle.read()
    refuse_costly_json(path, text)
    try:
        return parse_json(text, as_written=True)
    except json.JSONDecodeError as error:
        raise InputError.tr(
            "“{path}” is not valid JSON: error in line {line}.", path=path, line=error.lineno
        ) from error
    except ValueError as error:
        raise InputError.tr("“{path}” is not readable JSON.", path=path) from error
