"""Looking for texts in every byte of some folders: what a lock promises not to leave there.

A text is found by any eight of its words that follow each other, whatever stands between them and
however they are written: plain, escaped as JSON (``\\uXXXX``, twice as well), as HTML or in an
address, UTF-16, in base64, in members of gzip, zip and tar files, in Parquet, in pages of SQLite
databases (rows that were deleted among them) and in their journals. A Chinese character counts as a
word. What is compressed or packed in a way that cannot be read is named as well: nothing is taken
to be clean that was not looked at.
"""

import base64
import binascii
import bz2
import gzip
import hashlib
import html
import io
import lzma
import os
import re
import shutil
import sqlite3
import stat
import tarfile
import tempfile
import urllib.parse
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

WORDS = 8
_DEPTH = 4  # archives in archives
_RUN = b"\1" * WORDS
_OVERLAP = 1 << 16  # bytes that two neighbouring pieces of a large file share
_PIECE = 1 << 25  # bytes looked at together
_CJK = "぀-ヿ㐀-䶿一-鿿豈-﫿가-힯"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_ESCAPED = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|([nrtbf\"/]))")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{64,}={0,2}")
_PACKED = {
    b"(\xb5/\xfd": "zstandard",
    b"\x04\x22\x4d\x18": "lz4",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
}


class ByteFinding(NamedTuple):
    """Words of a text in a file (a member behind ``!``), or why the file was not looked at."""

    path: str
    words: str
    unread: bool = False


class ByteSearch:
    """Looks for eight words in order of any of the texts.

    A text is gone through once, whatever the number of texts that are looked for: eight of their
    words that follow each other are rare elsewhere, and only such are compared. A file in which
    nothing was found is looked at again only where its bytes are others.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        words = [_words(text) for text in texts]
        self._grams = frozenset(gram for one in words for gram in _grams(one))
        assert self._grams, "texts of fewer than eight words are never found"
        self._known = frozenset(word for gram in self._grams for word in gram)
        letters = "".join({letter for word in self._known for letter in (word, word.upper())})
        self._may_be = re.compile(rf"(?:[{re.escape(letters)}][\W_]*+){{{WORDS}}}")
        self._clean = set[bytes]()

    def folders(
        self, *roots: Path, skip: Callable[[Path], bool] = lambda _path: False
    ) -> list[ByteFinding]:
        """What is found in files and names below the folders, one line for each file.

        Links are not followed; sockets, pipes and devices are left out.
        """
        found = []
        for path in _files(roots):
            if not skip(path):
                found += self.file(path)
        return found

    def file(self, path: Path) -> list[ByteFinding]:
        """What is found in one file, and in its name."""
        named = self._first(path.name)
        if named:
            return [ByteFinding(str(path), named)]
        found: list[ByteFinding] = []
        with path.open("rb") as handle:
            head = handle.read(16)
            handle.seek(0)
            if _is_container(head) or path.stat().st_size <= _PIECE:
                content = handle.read()
                digest = hashlib.sha256(content).digest()
                if digest not in self._clean:
                    found += self._in_bytes(content, str(path), 0)
                    self._clean |= set() if found else {digest}
            else:
                found += self._in_pieces(handle, str(path))
        if not found and head.startswith(b"SQLite format 3"):
            found += self._in_database(path)
        return found[:1]

    def _in_pieces(self, handle: io.BufferedReader, name: str) -> list[ByteFinding]:
        tail = b""
        while piece := handle.read(_PIECE):
            if words := self._in_readings(tail + piece):
                return [ByteFinding(name, words)]
            tail = piece[-_OVERLAP:]
        return []

    def _in_bytes(self, content: bytes, name: str, depth: int) -> list[ByteFinding]:
        if words := self._in_readings(content):
            return [ByteFinding(name, words)]
        if depth > _DEPTH:
            return [ByteFinding(name, "archives within archives", unread=True)]
        found: list[ByteFinding] = []
        try:
            for member, inner in _members(content):
                found += self._in_bytes(inner, f"{name}!{member}", depth + 1)
        except _UnreadError as error:
            found.append(ByteFinding(name, str(error), unread=True))
        return found

    def _in_database(self, path: Path) -> list[ByteFinding]:
        """The rows of a database: a long value is spread over pages, with numbers in between."""
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place) / "copy.db"
            for ending in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
            with closing(sqlite3.connect(copy)) as database:
                database.text_factory = bytes
                for table, values in _rows_of(database):
                    text = " ".join(_plain(value) for value in values)
                    if words := self._in_texts([text, _unescaped(text)]):
                        return [ByteFinding(f"{path}!{table}", words)]
        return []

    def _in_readings(self, content: bytes) -> str:
        wide = (text for text in _wide_readings(content) if self._may_be.search(text))
        return self._in_texts(_readings(content)) or self._in_texts(wide)

    def _in_texts(self, texts: Iterable[str]) -> str:
        return next((words for text in texts if (words := self._first(text))), "")

    def _first(self, text: str) -> str:
        words = _words(text)
        known = bytes(map(self._known.__contains__, words))
        place = known.find(_RUN)
        while place >= 0:
            if (gram := tuple(words[place : place + WORDS])) in self._grams:
                return " ".join(gram)
            place = known.find(_RUN, place + 1)
        return ""


class _UnreadError(Exception):
    """What cannot be looked into."""


def _files(roots: Iterable[Path]) -> Iterator[Path]:
    for root in roots:
        for place, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = Path(place) / name
                with suppress(FileNotFoundError):
                    if stat.S_ISREG(path.lstat().st_mode):
                        yield path


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _grams(words: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[first:] for first in range(WORDS)), strict=False)


def _readings(content: bytes) -> Iterator[str]:
    """The content as text in each way it may be one."""
    plain = content.decode("utf-8", "ignore")
    yield plain
    if "\\" in plain:
        once = _unescaped(plain)
        yield once
        if "\\" in once:
            yield _unescaped(once)
    if "&" in plain:
        yield html.unescape(plain)
    if "%" in plain:
        yield urllib.parse.unquote_plus(plain, errors="ignore")
    for match in _BASE64.finditer(content):
        yield _from_base64(match[0])


def _wide_readings(content: bytes) -> Iterator[str]:
    for encoding in ("utf-16-le", "utf-16-be"):
        yield content.decode(encoding, "ignore")
        yield content[1:].decode(encoding, "ignore")


def _from_base64(letters: bytes) -> str:
    whole = letters.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    whole = whole[: len(whole) - (len(whole) % 4 == 1)]
    with suppress(binascii.Error, ValueError):
        content = base64.b64decode(whole + b"=" * (-len(whole) % 4))
        with suppress(zlib.error):
            content += zlib.decompress(content)
        return content.decode("utf-8", "ignore")
    return ""


def _unescaped(text: str) -> str:
    def letter(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else " "

    replaced = _ESCAPED.sub(letter, text)
    return replaced.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def _is_container(head: bytes) -> bool:
    starts = (b"PK", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"PAR1", *_PACKED)
    return head.startswith(starts)


def _members(content: bytes) -> Iterator[tuple[str, bytes]]:
    """What is packed in the content, unpacked; _UnreadError where that is not possible."""
    for magic, name in _PACKED.items():
        if content.startswith(magic):
            raise _UnreadError(name)
    try:
        if content.startswith(b"PK\x03\x04"):
            yield from _zip_members(content)
        else:
            yield from _unpacked(content)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile) as error:
        raise _UnreadError(f"{type(error).__name__}: {error}") from error
    if content[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                if (handle := archive.extractfile(member)) is not None:
                    yield member.name, handle.read()


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The one thing that is compressed in the content."""
    if content.startswith(b"\x1f\x8b"):
        yield "gzip", gzip.decompress(content)
    elif content.startswith(b"BZh") and content[4:10] == b"1AY&SY":
        yield "bzip2", bz2.decompress(content)
    elif content.startswith(b"\xfd7zXZ\0"):
        yield "xz", lzma.decompress(content)
    elif content.startswith(b"PAR1"):
        yield "parquet", _parquet(content)
    elif content[:1] == b"\x78" and len(content) > 2:
        with suppress(zlib.error):  # two bytes alone say too little
            yield "zlib", zlib.decompress(content)


def _zip_members(content: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.infolist():
            try:
                yield member.filename, archive.read(member)
            except (NotImplementedError, RuntimeError) as error:  # another way, or a password
                raise _UnreadError(f"{member.filename}: {error}") from error


def _parquet(content: bytes) -> bytes:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(content))
    return "\n".join(str(row) for row in table.to_pylist()).encode()


def _rows_of(database: sqlite3.Connection) -> Iterator[tuple[str, tuple[object, ...]]]:
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in tables:
        table = name.decode()
        with suppress(sqlite3.OperationalError):  # tables of extensions that are not here
            quoted = table.replace('"', '""')
            for row in database.execute(f'SELECT * FROM "{quoted}"'):
                yield table, row


def _plain(value: object) -> str:
    return value.decode("utf-8", "ignore") if isinstance(value, bytes) else str(value)
