"""Which files to look at: folders in order, links and devices named instead of followed."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import InputError
from core.i18n import tr
from core.sources.articles.archives import visible_name
from core.sources.limits import Limits


@dataclass
class Walk:
    """Regular files in a deterministic order, and what was passed over with the reason."""

    files: list[Path] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def skip(self, path: Path, reason: str) -> None:
        """Name a path that is not read."""
        self.skipped.append((shown(path), reason))


def shown(path: Path) -> str:
    """A path that can be printed and stored, whatever bytes its name holds."""
    return visible_name(os.fspath(path))


def walk(paths: Sequence[Path], limits: Limits) -> Walk:
    """Files under the given paths, in the order given and sorted by name inside folders.

    Hidden entries are passed over. A given path may be a link; inside folders, links to folders
    are named and not followed, and links to files count only when they stay inside. Raises
    ``InputError`` for a given path that does not exist, and beyond the limit of files.
    """
    files = Walk()
    seen: set[str] = set()
    for path in paths:
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:
            if path.parts[:1] in (("http:",), ("https:",)):
                raise InputError.tr(
                    "“{path}” is an address on the web. Download the article first; those of "
                    "arXiv are downloaded by: benchseal fetch arxiv",
                    path=shown(path).replace(":/", "://", 1)
                ) from error  # fmt: skip
            raise InputError.tr(
                "Could not open {path}: {error}. Check the path.",
                path=shown(path),
                error=getattr(error, "strerror", None) or error,
            ) from error
        before = len(files.files) + len(files.skipped)
        for file in _tree(path, files, limits) if stat.S_ISDIR(mode) else [path]:
            _take(file, files, seen, limits)
        if stat.S_ISDIR(mode) and len(files.files) + len(files.skipped) == before:
            files.skip(path, tr("The folder contains no files."))
    return files


def _take(path: Path, files: Walk, seen: set[str], limits: Limits) -> None:
    try:
        information = path.stat()
    except OSError as error:
        files.skip(path, tr("Could not open it: {error}.", error=error.strerror or error))
        return
    real = os.path.realpath(path)
    if real in seen:
        return
    seen.add(real)
    if not stat.S_ISREG(information.st_mode):
        files.skip(path, tr("It is not a regular file."))
    elif information.st_size == 0:
        files.skip(path, tr("It is empty."))
    else:
        files.files.append(path)
        if len(files.files) > limits.files:
            raise InputError.tr(
                "There are more than {files} files. Choose a smaller folder.",
                files=limits.files,
            )


def _tree(root: Path, files: Walk, limits: Limits) -> Iterator[Path]:
    real_root = os.path.realpath(root)
    # a stack of folders whose entries are still to come; the folder's own files come first
    pending: list[tuple[Path, int]] = [(root, 0)]
    while pending:
        folder, depth = pending.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            files.skip(folder, tr("Could not open it: {error}.", error=error.strerror or error))
            continue
        inner: list[tuple[Path, int]] = []
        for entry in entries:
            path = folder / entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                if _link_is_usable(path, real_root, files):
                    yield path
            elif entry.is_dir():
                if depth >= limits.depth:
                    files.skip(path, tr("The folder is nested too deeply."))
                else:
                    inner.append((path, depth + 1))
            else:
                yield path
        pending += reversed(inner)


def _link_is_usable(path: Path, real_root: str, files: Walk) -> bool:
    try:
        target = os.path.realpath(path, strict=True)
    except OSError as error:
        reason = error.strerror or error
        files.skip(path, tr("It is a broken link: {error}.", error=reason))
        return False
    if Path(target).is_dir():
        files.skip(path, tr("It is a link to a folder; such links are not followed."))
        return False
    if not Path(target).is_relative_to(real_root):
        files.skip(path, tr("It is a link to a place outside the folder."))
        return False
    return True
