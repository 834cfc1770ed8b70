"""Files that are packed with gzip, as data sets are published (``items.jsonl.gz``), and archives of
several files (ZIP, tar), which become a folder."""

import gzip
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from core.errors import InputError
from core.files import open_regular
from core.sources.signatures import is_calc, is_gzip, is_tar, is_zip, locked_archive
from core.sources.text_files import LARGEST_DOCUMENT, head_of

_PIECE = 2**20
_DAMAGED = (
    OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, NotImplementedError,
)  # fmt: skip
_LOCKED = 6  # the byte of a ZIP archive whose first bit says that it is encrypted
_ENCRYPTED = 1
_OF_DOCUMENTS = {"[Content_Types].xml", "mimetype", "META-INF/container.xml"}
_RATIO, _RATIO_FROM = 200, 50 * 2**20  # of unpacked to packed bytes, and from which size it counts


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The file itself, or of a packed one its content in a private file that goes away behind it;
    of an archive a private folder, or the one file that is in it.

    Raises InputError for a damaged file and for one that unpacks to too much.
    """
    head = b"" if path.is_dir() else head_of(path)
    if not (is_gzip(head) or is_tar(head) or _is_archive(path, head)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="benchseal-") as folder:
        inner = path
        if is_gzip(head):
            inner = Path(folder) / (path.name.removesuffix(".gz") or "unpacked")
            _unpack(path, inner)
            head = head_of(inner)
        if is_tar(head) or _is_archive(inner, head):
            inner = _extracted(inner, Path(folder) / "in" / path.stem, path)
        try:
            yield inner
        except InputError as error:
            raise InputError(str(error).replace(str(inner), str(path))) from error


def _is_archive(path: Path, head: bytes) -> bool:
    """A ZIP archive that is not a document of an office program; a locked one is refused
    elsewhere."""
    if not is_zip(head) or is_calc(head) or (len(head) > _LOCKED and head[_LOCKED] & _ENCRYPTED):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
    return not any(name in _OF_DOCUMENTS for name in names)


def _extracted(archive: Path, folder: Path, named: Path) -> Path:
    """The folder with the files of an archive in it, or the only one of them."""
    folder.mkdir(parents=True)
    most = min(LARGEST_DOCUMENT * 4, max(_RATIO_FROM, _RATIO * named.stat().st_size))
    taken = 0
    try:
        for name, size, source in _members(archive):
            place = name_inside(name)
            if place is None:
                continue
            taken += size
            if taken > most:
                raise InputError.tr("“{path}” unpacks to more than {megabytes} MB.", path=named,
                                    megabytes=most // 2**20)  # fmt: skip
            written = folder / place
            written.parent.mkdir(parents=True, exist_ok=True)
            with source() as given, written.open("wb") as out:
                shutil.copyfileobj(given, out, _PIECE)
    except _DAMAGED as error:
        raise InputError.tr("“{path}” is damaged: it cannot be unpacked.", path=named) from error
    files = [path for path in folder.rglob("*") if path.is_file()]
    return files[0] if len(files) == 1 else folder


def name_inside(name: str) -> str | None:
    """The name of an archive's entry in one form; None where it leads out of the archive, or has a
    sign that no file's name has."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        return None
    return None if path.parts and ":" in path.parts[0] else str(path)


def _members(archive: Path) -> Iterator[tuple[str, int, Callable[[], IO[bytes]]]]:
    """Name, size and opener of each regular file in an archive; links and devices are none."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            for entry in zipped.infolist():
                if entry.flag_bits & _ENCRYPTED:
                    raise InputError(locked_archive())
                if not entry.is_dir() and not stat.S_ISLNK(entry.external_attr >> 16):
                    yield entry.filename, entry.file_size, partial(zipped.open, entry)
        return
    with tarfile.open(archive) as tarred:
        for member in tarred:
            if member.isreg() and not member.issparse():
                yield member.name, member.size, partial(_opened, tarred, member)


def _opened(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    source = archive.extractfile(member)
    assert source is not None  # it is a regular file
    return source


def _unpack(path: Path, inner: Path) -> None:
    most = min(LARGEST_DOCUMENT * 4, max(_RATIO_FROM, _RATIO * path.stat().st_size))
    try:
        with (
            open_regular(path) as packed,
            gzip.GzipFile(fileobj=packed) as source,
            inner.open("wb") as out,
        ):
            while piece := source.read(_PIECE):
                if out.tell() + len(piece) > most:
                    raise InputError.tr("“{path}” unpacks to more than {megabytes} MB.", path=path,
                                        megabytes=most // 2**20)  # fmt: skip
                out.write(piece)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError.tr("“{path}” is damaged: it cannot be unpacked.", path=path) from error
