"""The file of an archive: an uncompressed tar with one spelling, so that every byte is checked.

``tar`` unpacks it. Names, modes and times are fixed; whoever reads it rewrites each header and
compares, so that no byte of it can differ without being found.
"""

import hashlib
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.errors import InputError, unreadable
from core.files import open_regular
from core.i18n import tr
from core.release.manifest import Difference

BLOCK = 512
_END = bytes(2 * BLOCK)
_MAGIC = slice(257, 262)


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """One file in the archive: where its bytes begin, how many they are, and their SHA-256."""

    name: str
    offset: int
    size: int
    sha256: str


class MemberWriter:
    """Writes one member whose size is known only at the end."""

    def __init__(self, out: BinaryIO, name: str) -> None:
        self._out, self._name = out, name
        self._start = out.tell()
        self._hash = hashlib.sha256()
        self._size = 0
        out.write(bytes(BLOCK))

    def write(self, content: bytes) -> int:
        """Append bytes; returns their number."""
        self._hash.update(content)
        self._size += len(content)
        return self._out.write(content)

    def flush(self) -> None:
        """Nothing: the file is brought to the disk at its end."""

    def close(self) -> ArchiveMember:
        """Complete the member."""
        self._out.write(bytes(-self._size % BLOCK))
        self._out.seek(self._start)
        self._out.write(_header(self._name, self._size))
        self._out.seek(0, 2)
        return ArchiveMember(self._name, self._start + BLOCK, self._size, self._hash.hexdigest())


def add_member(out: BinaryIO, name: str, chunks: Iterable[bytes]) -> ArchiveMember:
    """Append one file to an archive that is being written."""
    writer = MemberWriter(out, name)
    for chunk in chunks:
        writer.write(chunk)
    return writer.close()


def end(out: BinaryIO) -> None:
    """Complete an archive."""
    out.write(_END)


def opened(path: Path, first: str) -> BinaryIO:
    """An archive, opened to be read; ``first`` is the name of its first member.

    InputError for a file that cannot be read or begins as no archive at all; one that is damaged is
    looked at by ``members``.
    """
    try:
        handle = open_regular(path)
        head = handle.read(BLOCK)
    except OSError as error:
        raise unreadable(path, error) from error
    if not head.startswith(first.encode()) and head[_MAGIC] != b"ustar":
        handle.close()
        raise InputError.tr("“{path}” is not a locked archive of a split.", path=path)
    return handle


def members(handle: BinaryIO) -> tuple[dict[str, ArchiveMember], list[Difference]]:
    """The members of an archive by name, and what is not as this program writes it."""
    found: dict[str, ArchiveMember] = {}
    handle.seek(0)
    while True:
        head = handle.read(BLOCK)
        if head == _END[:BLOCK]:
            if head + handle.read(BLOCK + 1) != _END:
                return found, [_broken(tr("its end"), tr("it is not what belongs there"))]
            return found, []
        try:
            info = tarfile.TarInfo.frombuf(head, "ascii", "strict")
            expected = _header(info.name, info.size)
        except (tarfile.TarError, ValueError):
            return found, [_broken(tr("a header"), tr("it cannot be read"))]
        if head != expected or info.size < 0 or info.name in found:
            return found, [_broken(tr("the header of {name}", name=info.name),
                                   tr("it is not as Benchseal writes it"))]  # fmt: skip
        member = _read(handle, info)
        if member is None:
            return found, [_broken(info.name, tr("it is cut short, or something follows it"))]
        found[info.name] = member


def _read(handle: BinaryIO, info: tarfile.TarInfo) -> ArchiveMember | None:
    offset, left, digest = handle.tell(), info.size, hashlib.sha256()
    while left:
        chunk = handle.read(min(left, 2**20))
        if not chunk:
            return None
        digest.update(chunk)
        left -= len(chunk)
    padding = -info.size % BLOCK
    if handle.read(padding) != bytes(padding):
        return None
    return ArchiveMember(info.name, offset, info.size, digest.hexdigest())


def content_of(handle: BinaryIO, member: ArchiveMember, most: int) -> bytes:
    """The bytes of a member, at most so many of them."""
    handle.seek(member.offset)
    return handle.read(min(member.size, most))


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT, "ascii", "strict")


def _broken(subject: str, detail: str) -> Difference:
    return Difference("archive_changed", subject, detail)
