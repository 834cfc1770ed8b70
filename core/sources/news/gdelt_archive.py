"""Opening downloaded GDELT files, packed or not, and telling what each holds by its beginning."""

import gzip
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from typing_extensions import override

from core.files import open_regular
from core.i18n import tr
from core.llm.replies import clean
from core.sources.encodings import decode
from core.sources.limits import DEFAULT_LIMITS, UnreadableSource
from core.sources.news.gdelt_columns import KINDS, NEEDED

_SNIFF = 64 * 2**10
_MOST_SNIFFED = 64 * 2**20  # bytes in which the first line must end
_MARKS_16 = (b"\xff\xfe", b"\xfe\xff")
_OLD_WIDTHS = (57, 58)  # columns of GDELT 1.0 events
_OTHER_MARKS = (b",", b";", b"|")


@dataclass(frozen=True, slots=True)
class FileProbe:
    """What a file's beginning says. ``kind`` is empty for a file that is none of GDELT 2.0's;
    ``problem`` then says why it could be meant for one: ``gdelt_1``, ``not_tabs``, ``utf_16``."""

    columns: tuple[str, ...] = ()
    kind: str = ""
    header: bool = False
    problem: str = ""


@contextmanager
def members(path: Path) -> Iterator[list[Callable[[], IO[bytes]]]]:
    """How to open each file inside: every one of a zip archive, the one of a gzip or plain file."""
    with open_regular(path) as plain:
        start = plain.read(4)
        plain.seek(0)
        if start.startswith(b"PK"):
            with zipfile.ZipFile(plain) as archive:
                inside = [info for info in archive.infolist() if not info.is_dir()]
                if not inside:
                    raise zipfile.BadZipFile("the archive is empty")
                _refuse_bomb(sum(info.file_size for info in inside), path)
                yield [_opener(archive, info) for info in inside]
        elif start.startswith(b"\x1f\x8b"):
            yield [lambda: _unzipped(path)]
        else:
            yield [lambda: open_regular(path)]


def _refuse_bomb(unpacked: int, path: Path) -> None:
    """BadZipFile for a file that unpacks to far more than such text ever does."""
    if unpacked > DEFAULT_LIMITS.ratio_from + DEFAULT_LIMITS.ratio * path.stat().st_size:
        raise zipfile.BadZipFile("it unpacks to far more than its size")


class _Gzip(gzip.GzipFile):
    """A packed file whose text is counted while it is read: nothing says its size before."""

    def __init__(self, path: Path) -> None:
        packed = open_regular(path)
        super().__init__(fileobj=packed)
        self.myfileobj = cast(Any, packed)  # closed with the stream
        self._path, self._taken = path, 0

    @override
    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._taken += len(data)
        _refuse_bomb(self._taken, self._path)
        return data


def _unzipped(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", _Gzip(path))


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def sniff(handle: IO[bytes]) -> FileProbe:
    """Columns in file order, kind, and whether a header stands first."""
    lines = _first_lines(handle)
    if not lines:
        return FileProbe()
    if lines[0].startswith(_MARKS_16):
        return FileProbe(problem="utf_16")
    first = [cell.strip() for cell in lines[0].decode("utf-8-sig", "replace").split("\t")]
    plain = {name.casefold() for name in first}
    for kind, names in KINDS.items():
        by_name = {name.casefold(): name for name in names}
        if {name.casefold() for name in NEEDED[kind]} <= plain:
            return FileProbe(
                tuple(by_name.get(name.casefold(), name) for name in first), kind, True
            )
    widths = [line.count(b"\t") + 1 for line in lines]
    for kind, names in KINDS.items():
        # half of the lines suffice: single damaged lines must not hide a file
        if _mostly(widths, (len(names),)):
            return FileProbe(names, kind)
    return FileProbe(problem=_problem(lines, widths))


def _problem(lines: list[bytes], widths: list[int]) -> str:
    if _mostly(widths, _OLD_WIDTHS):
        return "gdelt_1"
    for mark in _OTHER_MARKS:
        names = {name.strip(b' "\r').decode("utf-8", "replace") for name in lines[0].split(mark)}
        named = any(set(needed) <= names for needed in NEEDED.values())
        others = [line.count(mark) + 1 for line in lines]
        if named or any(_mostly(others, (len(names_),)) for names_ in KINDS.values()):
            return "not_tabs"
    return ""


def _mostly(widths: list[int], expected: tuple[int, ...]) -> bool:
    return 2 * sum(width in expected for width in widths) >= len(widths)


def _first_lines(handle: IO[bytes]) -> list[bytes]:
    """Whole lines of the beginning; as much of it as the first one takes."""
    start = handle.read(_SNIFF)
    while b"\n" not in start and len(start) < _MOST_SNIFFED and (more := handle.read(2**20)):
        start += more
    lines = start.split(b"\n")
    complete = lines[:-1] if len(lines) > 1 and len(start) >= _SNIFF else lines
    return [line for line in complete[:40] if line.strip()]


def text_of_value(value: bytes) -> str:
    """A value as text: UTF-8 as the format says, cut characters replaced; else what it seems."""
    text = value.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    if damaged and sum(not c.isascii() for c in text) < 2 * damaged:
        try:
            text = decode(value)
        except UnreadableSource:
            return clean(text)
    return clean(text)


_PROBLEMS: Mapping[str, Callable[[], str]] = {
    "gdelt_1": lambda: tr("it is a GDELT 1.0 file, which has different columns"),
    "not_tabs": lambda: tr("its columns are not separated by tabs"),
    "utf_16": lambda: tr("it is in UTF-16, but GDELT files are in UTF-8"),
    "too_long": lambda: tr("a line is too long"),
}


def problem_words(problem: str) -> str:
    """Why a file could not be used, in words; an error of the system as it is."""
    return _PROBLEMS[problem]() if problem in _PROBLEMS else problem
