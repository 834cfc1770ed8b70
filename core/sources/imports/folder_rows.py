"""A folder, or an unpacked archive, of files that are read alike, such as one for each split."""

import re
from collections.abc import Callable
from pathlib import Path

from core.errors import InputError
from core.i18n import tr
from core.sources.imports.answers_beside import answers_of, with_answers
from core.sources.imports.base import ImportFormat, ImportRow, RefusedRow, Rows

SPLIT = "split"
"""The column that names the split of a row, where its file or the folder around it is one."""
_SPLIT = re.compile(
    r"(?:train(?:ing)?|dev(?:el)?|val(?:id(?:ation)?)?|test(?:ing)?)(?:[_.-].*)?", re.IGNORECASE
)


def is_folder(path: Path, _head: bytes) -> bool:
    """A folder with a file in it."""
    return path.is_dir() and any(True for _ in files_in(path))


def files_in(folder: Path) -> list[Path]:
    """The files below a folder by their names; hidden ones and links are none of its own."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not path.is_symlink()
        and not any(part.startswith((".", "__MACOSX")) for part in path.relative_to(folder).parts)
    )


def folder_rows(folder: Path, format_of: Callable[[Path], ImportFormat]) -> Rows:
    """The rows of each file, with the split that its place names; a file that cannot be read is a
    row with the reason."""
    number = 0
    files = files_in(folder)
    answers = answers_of(files)
    read_with = set(answers.values())
    for path in (path for path in files if path not in read_with):
        name = path.relative_to(folder).as_posix()
        try:
            rows = format_of(path).rows(path)
            for row in with_answers(rows, path, answers[path]) if path in answers else rows:
                number += 1
                if isinstance(row, RefusedRow):
                    yield RefusedRow(number, _said_of(name, row.reason))
                    continue
                split = _split_of(name)
                values = {SPLIT: split, **row.values} if split else row.values
                yield ImportRow(number, values, row.file or name, row.row or row.line)
        except InputError as error:
            number += 1
            yield RefusedRow(number, _said_of(name, str(error).replace(str(path), name)))


def _said_of(name: str, reason: str) -> str:
    return tr("“{path}”: {reason}", path=name, reason=reason)


def _split_of(name: str) -> str:
    """The part of a file's place that names a split, without its ending; empty where none does."""
    folders, _, last = name.rpartition("/")
    parts = [*folders.split("/"), last.partition(".")[0]]
    return next((part for part in parts if _SPLIT.fullmatch(part)), "")
