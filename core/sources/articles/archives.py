"""E-print archives, read in memory: nothing is ever unpacked to disk.

Only regular members with a name inside the archive and the ending of a text are kept; links,
devices, sparse members, absolute names and names with ``..`` are left out and named.
"""

import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO

from core.files import open_regular
from core.i18n import listed, tr, trn
from core.sources.articles.pandoc.documents import READERS
from core.sources.limits import Limits, UnreadableSource
from core.sources.packed import name_inside
from core.sources.signatures import HEAD, is_gzip, is_tar, is_zip, refuse_unreadable

KEPT = (
    ".tex", ".ltx", ".latex", ".sty", ".bbl", ".bib", ".txt", ".md", ".html", ".htm", ".xhtml",
    ".markdown", ".json", ".xxx", ".yaml", ".xml", ".pdf", *READERS,
)  # fmt: skip
"""Endings of members that can matter to an article; ``00README.*`` names its main file."""


@dataclass(frozen=True)
class Unpacked:
    """Texts of an archive by their names; a single packed file has one member, named ``""``."""

    members: Mapping[str, bytes]
    notes: tuple[str, ...] = ()


class _Metered(io.RawIOBase):
    """A byte stream that stops an archive which unpacks to more than it may."""

    def __init__(self, inner: BinaryIO | gzip.GzipFile, packed: int, limits: Limits) -> None:
        self._inner = inner
        self._packed = max(packed, 1)
        self._limits = limits
        self._seen = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(len(buffer))
        buffer[: len(data)] = data
        self._seen += len(data)
        limits = self._limits
        if self._seen > limits.unpacked_bytes or (
            self._seen > limits.ratio_from and self._seen > limits.ratio * self._packed
        ):
            raise UnreadableSource.tr(
                "It unpacks from {packed} kB to more than {megabytes} MB, so it was not read.",
                megabytes=self._seen // 2**20,
                packed=self._packed // 1024 + 1,
            )
        return len(data)


def unpack(path: Path, limits: Limits) -> Unpacked:
    """The texts and documents in a ``.tar``, ``.tar.gz``, ``.gz`` or ``.zip`` file.

    Raises ``UnreadableSource`` when it is damaged, too large, or holds something else.
    """
    size = path.stat().st_size
    try:
        with open_regular(path) as handle:
            start = handle.read(4)
            handle.seek(0)
            if is_zip(start):
                return _zip_members(handle, limits)
            packed = is_gzip(start)
            inner = gzip.GzipFile(fileobj=handle) if packed else handle
            stream = io.BufferedReader(_Metered(inner, size, limits), 2**20)
            head = stream.peek(1024)[:1024]
            if is_tar(head):
                return _members(stream, limits)
            return _single(stream, limits)
    except (EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError, zipfile.BadZipFile) as error:
        raise UnreadableSource.tr(
            "The archive is damaged ({error}). Download it again.", error=error
        ) from error


def _single(stream: IO[bytes], limits: Limits) -> Unpacked:
    data = stream.read(limits.text_bytes + 1)
    refuse_unreadable(data[:HEAD], data[-HEAD:])
    if is_gzip(data):
        raise UnreadableSource.tr("It is compressed twice. Unpack it first.")
    if len(data) > limits.text_bytes:
        raise UnreadableSource(_too_much_text(limits))
    return Unpacked({"": data})


def _members(stream: IO[bytes], limits: Limits) -> Unpacked:
    members: dict[str, bytes] = {}
    left_out: list[str] = []
    total = count = 0
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            count += 1
            if count > limits.members:
                raise UnreadableSource.tr(
                    "The archive has more than {members} entries.", members=limits.members
                )
            name = _safe_name(member)
            if name is None:
                left_out.append(visible_name(member.name))
                continue
            if not member.isreg() or not _is_kept(name):
                continue
            total += member.size
            if total > limits.text_bytes:
                raise UnreadableSource(_too_much_text(limits))
            source = archive.extractfile(member)
            if source is not None:
                members[name] = source.read()
    return Unpacked(members, _notes(left_out))


def _zip_members(handle: BinaryIO, limits: Limits) -> Unpacked:
    members: dict[str, bytes] = {}
    left_out: list[str] = []
    total = 0
    with zipfile.ZipFile(handle) as archive:
        entries = archive.infolist()
        if len(entries) > limits.members:
            raise UnreadableSource.tr(
                "The archive has more than {members} entries.", members=limits.members
            )
        for entry in entries:
            name = name_inside(entry.filename)
            mode = entry.external_attr >> 16
            if name is None or stat.S_ISLNK(mode) or entry.flag_bits & 1:
                left_out.append(visible_name(entry.filename))
                continue
            if entry.is_dir() or not _is_kept(name):
                continue
            total += entry.file_size
            if total > limits.text_bytes or entry.file_size > limits.ratio * max(
                entry.compress_size, limits.ratio_from // limits.ratio
            ):
                raise UnreadableSource(_too_much_text(limits))
            with archive.open(entry) as source:
                members[name] = source.read(entry.file_size)
    return Unpacked(members, _notes(left_out))


def _safe_name(member: tarfile.TarInfo) -> str | None:
    """The member's name inside the archive; None for what must not be touched."""
    name = name_inside(member.name)
    if name is None or member.isdir():
        return name
    return name if member.isreg() and not member.issparse() else None


def _is_kept(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(KEPT) or PurePosixPath(lower).name.startswith("00readme")


def _notes(left_out: list[str]) -> tuple[str, ...]:
    if not left_out:
        return ()
    return (
        trn(
            "1 archive entry was left out because it is a link or a device or points "
            "outside the archive: {names}",
            "{n} archive entries were left out because they are links or devices or point "
            "outside the archive: {names}",
            len(left_out),
            names=listed(left_out[:5]),
        ),
    )


def _too_much_text(limits: Limits) -> str:
    return tr(
        "It contains more than {megabytes} MB of text, too much for one article.",
        megabytes=limits.text_bytes // 2**20,
    )


def visible_name(name: str) -> str:
    """A file name that can be printed and stored, whatever bytes it holds."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:300]
