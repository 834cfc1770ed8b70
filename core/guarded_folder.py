"""A folder that somebody else may have written into: nothing in it leads out of it.

Every file is opened beneath a descriptor of the folder, without following a link, and is used only
where it is a regular file of this person or of the folder's owner.
"""

import errno
import fnmatch
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from core.bounded_json import MOST_DOCUMENT, MOST_LINE, parse_json
from core.errors import InputError, OutsideError
from core.files import private_file_mode
from core.i18n import tr_noop

_BUFFER = 1 << 20  # bytes read at once: a line of work may have thousands
_LINK = tr_noop("“{path}” is a link, and links in such a folder are not followed. Remove it.")
_NOT_A_FILE = tr_noop("“{path}” is not a regular file, so it was not opened. Remove it.")
_FOREIGN = tr_noop("“{path}” belongs to another account, so it was not used. Remove it.")
_HARD_LINK = tr_noop(
    "“{path}” is another file too (a hard link), so it was not changed. Remove it."
)
_NOT_FOLLOWED = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class GuardedFolder:
    """The files of one folder by their names; cheap to make, holds nothing open.

    What is not a regular file in it, or belongs to a third account, raises InputError wherever it
    is touched. What is missing raises FileNotFoundError, as elsewhere.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    def require_own(self) -> None:
        """InputError for a folder of another account: it could change under whoever works in it."""
        with self._descriptor() as folder:
            if os.fstat(folder).st_uid != os.geteuid():
                raise InputError.tr(
                    "The folder “{path}” belongs to another account. Copy it, and use the copy.",
                    path=self.path,
                )

    def names(self, pattern: str) -> list[str]:
        """The names in the folder that match, sorted; each is refused later if it is odd."""
        with suppress(FileNotFoundError), self._descriptor() as folder:
            names = os.listdir(folder)  # noqa: PTH208 - a descriptor, not a path
            return sorted(name for name in names if fnmatch.fnmatchcase(name, pattern))
        return []

    def has(self, name: str) -> bool:
        """Whether there is such a file; InputError where something else has its name."""
        return self.status(name) is not None

    def status(self, name: str) -> os.stat_result | None:
        """What the disk knows of a file, None where there is none."""
        with suppress(FileNotFoundError), self._descriptor() as folder:
            return self._regular(folder, name)
        return None

    # -- reading ------------------------------------------------------------------------------

    def open(self, name: str) -> IO[bytes]:
        """A file to read."""
        with self._descriptor() as folder:
            self._regular(folder, name)
            descriptor = self._opened(folder, name, os.O_RDONLY)
            return os.fdopen(descriptor, "rb", buffering=_BUFFER)

    def read(self, name: str, most: int = MOST_DOCUMENT) -> bytes:
        """The whole of a file of at most that many bytes; InputError for a larger one."""
        with self.open(name) as handle:
            content = handle.read(most + 1)
        if len(content) > most:
            raise InputError.tr("“{path}” is too large.", path=self.path / name)
        return content

    def read_end(self, name: str, most: int) -> bytes:
        """The last bytes of a file."""
        with self.open(name) as handle:
            size = handle.seek(0, os.SEEK_END)
            handle.seek(max(0, size - most))
            return handle.read(most)

    def read_json(self, name: str) -> Any:
        """The JSON document in a file; InputError where there is none in it."""
        try:
            return parse_json(self.read(name))
        except ValueError as error:
            raise self.damaged(name) from error

    def lines(self, name: str) -> Iterator[bytes]:
        """The whole lines of a file; a torn last line is left out, an endless one refused."""
        with self.open(name) as handle:
            while line := handle.readline(MOST_LINE):
                if line.endswith(b"\n"):
                    yield line
                elif len(line) == MOST_LINE:
                    raise self.damaged(name)

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The JSON objects in the lines of a file; InputError where one is something else."""
        for line in self.lines(name):
            if not line.isspace():
                yield self.row(name, line)

    def row(self, name: str, line: bytes) -> dict[str, Any]:
        """The JSON object in a line of a file; InputError where it is something else."""
        try:
            row = parse_json(line)
        except ValueError as error:
            raise self.damaged(name) from error
        if not isinstance(row, dict):
            raise self.damaged(name)
        return row

    def damaged(self, name: str) -> InputError:
        """The error for a file whose content is not what it should be."""
        return InputError.tr(
            "“{path}” is damaged. Restore it from a backup, or remove it and resume the run.",
            path=self.path / name
        )  # fmt: skip

    # -- writing ------------------------------------------------------------------------------

    def write(self, name: str, content: str | Iterable[str], *, durable: bool = False) -> None:
        """Replace a file in one step, so that a reader sees the old or the new one,
        after a power cut as well; with ``durable`` the new one once this returns.

        Raises OSError that names the file, and leaves nothing behind, when that is not possible.
        """
        temporary = f".{name}.{os.getpid()}.tmp"
        with self._descriptor() as folder:
            try:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                descriptor = self._opened(folder, temporary, flags)
                os.fchmod(descriptor, private_file_mode(self.path))
                with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as handle:
                    handle.writelines([content] if isinstance(content, str) else content)
                    handle.flush()
                    os.fsync(handle.fileno())
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                if durable:
                    os.fsync(folder)
            except OSError as error:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise OSError(error.errno, error.strerror, str(self.path / name)) from error
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise

    def share(self, name: str, other: "GuardedFolder") -> None:
        """Have the file of that name in another folder here as well: the very same one, where the
        disk allows it, for a file is only ever replaced; else a copy."""
        other.has(name)  # refuses what is not a plain file
        try:
            os.link(other.path / name, self.path / name, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP):
                raise
            self.write(name, (line.decode() for line in other.lines(name)))

    def descriptor_to_write(self, name: str, *, append: bool = False) -> int:
        """A descriptor of a file that is made if it is missing, and never cut.

        It is this person's own and has no second name elsewhere.
        """
        flags = os.O_RDWR | os.O_CREAT | (os.O_APPEND if append else 0)
        with self._descriptor() as folder:
            with suppress(FileNotFoundError):
                self._own(self._regular(folder, name), name)
            descriptor = self._opened(folder, name, flags)
        try:
            self._own(os.fstat(descriptor), name)
        except InputError:
            os.close(descriptor)
            raise
        return descriptor

    def append_to(self, name: str) -> IO[bytes]:
        """A file to add to, unbuffered."""
        return os.fdopen(self.descriptor_to_write(name, append=True), "ab", buffering=0)

    def drop_torn_line(self, name: str) -> None:
        """Cut a half-written last line, left by a worker that was killed while writing it."""
        if not self.has(name):
            return
        with os.fdopen(self.descriptor_to_write(name), "rb+") as handle:
            size = end = handle.seek(0, os.SEEK_END)
            while end > 0:
                start = max(0, end - 65536)
                handle.seek(start)
                cut = handle.read(end - start).rfind(b"\n")
                if cut >= 0:
                    end = start + cut + 1
                    break
                end = start
            if end < size:
                handle.truncate(end)

    def rename(self, name: str, new: str) -> None:
        """Give a file another name in one step, in the place of the one that has it."""
        with self._descriptor() as folder:
            self._own(self._regular(folder, name), name)
            os.rename(name, _plain(new), src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)

    def remove(self, name: str) -> None:
        """Take a name out of the folder, whatever it stands for; missing is fine."""
        with suppress(FileNotFoundError), self._descriptor() as folder:
            os.unlink(name, dir_fd=folder)

    def subfolder(self, name: str) -> Path:
        """The path of a folder in the folder, made if it is missing; InputError for a link."""
        path = self.path / _plain(name)
        with self._descriptor() as folder, suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)
        with GuardedFolder(path)._descriptor():
            return path

    # -- what is refused ----------------------------------------------------------------------

    @contextmanager
    def _descriptor(self) -> Iterator[int]:
        try:
            folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | _NOT_FOLLOWED)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and self.path.is_symlink():
                raise _refused(self.path, _LINK) from error
            raise
        try:
            yield folder
        finally:
            os.close(folder)

    def _regular(self, folder: int, name: str) -> os.stat_result:
        status = os.stat(_plain(name), dir_fd=folder, follow_symlinks=False)
        self._check(status, folder, name)
        return status

    def _opened(self, folder: int, name: str, flags: int) -> int:
        """The descriptor of a regular file; what took its place since it was looked at is not."""
        mode = private_file_mode(self.path)
        try:
            descriptor = os.open(_plain(name), flags | _NOT_FOLLOWED, mode, dir_fd=folder)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise _refused(self.path / name, _LINK) from error
            raise OSError(error.errno, error.strerror, str(self.path / name)) from error
        try:
            self._check(os.fstat(descriptor), folder, name)
        except InputError:
            os.close(descriptor)
            raise
        return descriptor

    def _check(self, status: os.stat_result, folder: int, name: str) -> None:
        if stat.S_ISLNK(status.st_mode):
            raise _refused(self.path / name, _LINK)
        if not stat.S_ISREG(status.st_mode):
            raise _refused(self.path / name, _NOT_A_FILE)
        owners = (os.geteuid(), 0, os.fstat(folder).st_uid)
        if status.st_uid not in owners:
            raise _refused(self.path / name, _FOREIGN)

    def _own(self, status: os.stat_result, name: str) -> None:
        if status.st_uid != os.geteuid():
            raise _refused(self.path / name, _FOREIGN)
        if status.st_nlink > 1:
            raise _refused(self.path / name, _HARD_LINK)


def _refused(path: Path, sentence: str) -> InputError:
    return InputError.tr(sentence, path=path)


def _plain(name: str) -> str:
    if "/" in name or name in ("", ".", "..") or "\x00" in name:
        raise OutsideError.tr("“{name}” is not the name of a file.", name=name)
    return name
