"""The files of one article, a folder on disk or an archive in memory, behind one interface."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from core.files import read_regular
from core.sources.encodings import decode
from core.sources.limits import Limits, UnreadableSource


class SourceTree(Protocol):
    """Names use ``/`` and are relative to the tree's root.

    Nothing outside it can be reached, but in the ``above`` folders above it.
    """

    @property
    def above(self) -> int:
        """How many folders above the root may be read, by names that begin with ``../``."""

    def names(self) -> tuple[str, ...]:
        """All names, sorted."""

    def read(self, name: str) -> str | None:
        """The decoded text of one file; None when the tree has no such file."""


@dataclass(frozen=True)
class MemoryTree:
    """The texts of an unpacked archive."""

    members: Mapping[str, bytes]
    above: int = 0

    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(sorted(self.members))

    def read(self, name: str) -> str | None:
        """The decoded text of one member."""
        data = self.members.get(name)
        return None if data is None else decode(data)


@dataclass(frozen=True)
class FolderTree:
    """A folder; a link that leads out of it, or of those above it, counts as missing."""

    root: Path
    limits: Limits
    above: int = 0
    _resolved: list[Path] = field(default_factory=list)

    def names(self) -> tuple[str, ...]:
        """Names of the regular files directly in the folder, sorted."""
        return tuple(sorted(path.name for path in self.root.iterdir() if path.is_file()))

    def read(self, name: str) -> str | None:
        """The decoded text of one file; None for what is missing, too large or not text."""
        path = self.root / name
        if not self._resolved:
            root = self.root.resolve()
            self._resolved.append([root, *root.parents][self.above])
        try:
            if not path.is_file() or not path.resolve().is_relative_to(self._resolved[0]):
                return None
            if path.stat().st_size > self.limits.text_bytes:
                return None
            return decode(read_regular(path))
        except (OSError, ValueError, UnreadableSource):
            # an \input that cannot be read is reported as missing by the project that wants it
            return None


def inside(base: str, name: str, above: int = 0) -> str | None:
    """``name`` relative to the folder of ``base``, normalised; None when it leaves the tree and
    the ``above`` folders above it."""
    parts: list[str] = []
    for part in (*PurePosixPath(base).parent.parts, *PurePosixPath(name).parts):
        if part == "..":
            if parts and parts[-1] != "..":
                parts.pop()
            elif len(parts) < above:
                parts.append("..")
            else:
                return None
        elif part == "/" or "\x00" in part:
            return None
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
