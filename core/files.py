"""Small, safe file operations that every package needs: atomic writes, JSON lines, digests."""

import errno
import fcntl
import glob
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from io import BufferedRandom, FileIO
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from core.i18n import tr

_READ_AT_ONCE = 2**16  # bytes: half the time of going through a large file by its lines


def open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file that a person named, to read its bytes.

    Raises OSError as ``open`` does, and for a folder, a pipe, a socket or a device: none of them is
    ever waited for.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, tr("it is not a regular file"), str(path))
        return os.fdopen(descriptor, "rb", buffering=_READ_AT_ONCE)
    except BaseException:
        os.close(descriptor)
        raise


MOST_FILE = 2**29  # bytes of a file that is held whole
_AT_ONCE = 2**18  # bytes that are written at once
_MANY = 1000  # hashes that are hashed at once


def read_regular(path: str | Path, most: int = MOST_FILE) -> bytes:
    """The bytes of a regular file that a person named; errors as ``open_regular``, and OSError for
    one of more than ``most`` bytes."""
    with open_regular(path) as handle:
        # looked at before it is read: a file may have a size and no content
        if os.fstat(handle.fileno()).st_size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return handle.read()


_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


_SPELLED_ALIKE = frozenset((str, int, bool, type(None)))  # by json and by orjson


def canonical_json(value: Any) -> str:
    """The one spelling of a JSON value that is hashed: sorted keys, no spaces, UTF-8 as is."""
    written = quick_canonical(value)
    return _CANONICAL.encode(value) if written is None else written.decode()


def canonical_bytes(value: Any) -> bytes:
    """``canonical_json`` in UTF-8; UnicodeEncodeError for half a character."""
    written = quick_canonical(value)
    return _CANONICAL.encode(value).encode() if written is None else written


def quick_canonical(value: Any) -> bytes | None:
    """``canonical_bytes`` in a quarter of the time, of which orjson reads the same value again;
    None where it might not."""
    if not _is_spelled_alike(value):
        return None
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # half a surrogate pair, a very large number, a key that is not a text
        return None


def _is_spelled_alike(value: Any) -> bool:
    """Whether a value has no part, such as a number that is not whole, that orjson spells in
    another way."""
    kind = type(value)
    if kind in _SPELLED_ALIKE:
        return True
    parts = value.values() if kind is dict else value if kind in (list, tuple) else None
    if parts is None:
        return isinstance(value, str)  # a stored word of an enumeration
    # most objects hold nothing else: their kinds are looked at all at once
    if _SPELLED_ALIKE.issuperset(map(type, parts)):
        return True
    return all(_is_spelled_alike(part) for part in parts if type(part) not in _SPELLED_ALIKE)


def digest(value: Any) -> str:
    """SHA-256 in hex of the canonical JSON of ``value``."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def digest_of_rows(rows: Iterable[Any]) -> str:
    """``digest`` of the list of these rows, one at a time."""
    whole = hashlib.sha256(b"[")
    for place, row in enumerate(rows):
        whole.update((b"," if place else b"") + canonical_bytes(row))
    whole.update(b"]")
    return whole.hexdigest()


def text_key(*texts: str) -> bytes:
    """Sixteen bytes that stand for some texts in this order: they are held in their place."""
    key = hashlib.blake2b(digest_size=16)
    for text in texts:
        written = text.encode("utf-8", "surrogatepass")
        key.update(len(written).to_bytes(8, "big") + written)
    return key.digest()


def digest_of_hashes(hashes: Iterable[str]) -> str:
    """SHA-256 in hex over the sorted hashes, one per line; independent of their order."""
    whole = hashlib.sha256()
    ordered = sorted(hashes)
    for start in range(0, len(ordered), _MANY):
        whole.update((b"\n" if start else b"") + "\n".join(ordered[start : start + _MANY]).encode())
    return whole.hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 in hex of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def private_file_mode(folder: Path) -> int:
    """The mode of a new file of a workspace: its owner's alone, and the group's where the folder
    was opened to a group (group may write, new files belong to it)."""
    return 0o660 if _is_of_group(folder) else 0o600


def make_private_folder(folder: Path) -> None:
    """Make a folder of a workspace where there is none, whatever the umask says; it survives a
    power cut.

    Its parents are made as well, as private as their own. Raises OSError.
    """
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        make_private_folder(folder.parent)
    with suppress(FileExistsError):  # somebody else was quicker
        add_private_folder(folder)
    sync_folder(folder.parent)


def add_private_folder(folder: Path) -> None:
    """Make a folder in one that there is; FileExistsError where it is there already."""
    folder.mkdir(mode=0o700)
    if _is_of_group(folder.parent):
        folder.chmod(0o2770)


def private_umask(folder: Path) -> int:
    """The umask of a process that writes nothing but what is private to a folder."""
    return 0o007 if _is_of_group(folder) else 0o077


def set_group_access(path: Path, shared: bool) -> None:
    """Open a file or a folder with all that is in it to its group, or to its owner alone again.

    Links are left alone, and what belongs to somebody else.
    """
    entries = [path, *path.rglob("*")] if path.is_dir() else [path]
    for entry in entries:
        if entry.is_symlink() or not entry.exists():
            continue
        folder_mode, file_mode = (0o2770, 0o660) if shared else (0o700, 0o600)
        with suppress(PermissionError):
            entry.chmod(folder_mode if entry.is_dir() else file_mode)


def _is_of_group(folder: Path) -> bool:
    mode = folder.stat().st_mode
    return bool(mode & stat.S_ISGID and mode & stat.S_IWGRP)


def readable_by_others() -> int:
    """The mode of a new file that leaves the workspace: what the umask allows."""
    umask = os.umask(0o077)
    os.umask(umask)
    return 0o666 & ~umask


def write_atomic(
    path: Path,
    text: str | Iterable[bytes],
    *,
    durable: bool = False,
    for_others: bool = False,
) -> None:
    """Replace a file in one step, so that a reader sees the old or the new one, never a half, after
    a power cut as well. Parts of it are written as they come.

    With ``durable`` it is the new one once this returns: the folder that names it is on the disk
    too. A file is private (``private_file_mode``), whatever the umask says; with ``for_others``,
    for what leaves the workspace, the umask decides. Raises OSError that names ``path``, and leaves
    nothing behind, when that is not possible.
    """
    try:
        mode = readable_by_others() if for_others else private_file_mode(path.parent)
        with closing(NewFile(path, mode)) as file:
            if not for_others:
                os.fchmod(file.handle.fileno(), mode)
            file.handle.writelines([text.encode()] if isinstance(text, str) else text)
            file.publish(replace=True)
        if durable:
            sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


_numbers = count()


class NewFile:
    """A file that has no name until it is complete: whoever is killed before leaves nothing of it.

    ``handle`` writes and reads it. Where the disk keeps no file without a name it has a hidden one
    beside ``path``; those that dead processes left there are taken away. To be closed. Raises
    OSError.
    """

    def __init__(self, path: Path, mode: int) -> None:
        number = next(_numbers)
        self.path = path
        self._hidden = path.with_name(f".{path.name}.{os.getpid()}-{number}.tmp")
        self._is_named = False
        self.handle = BufferedRandom(FileIO(self._opened(mode), "r+"), _AT_ONCE)
        with suppress(OSError):  # not on every disk
            # tells that it is not abandoned
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _opened(self, mode: int) -> int:
        flags = os.O_RDWR | os.O_CLOEXEC
        if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
            with suppress(OSError):  # not on every disk; what else is wrong is said below
                return os.open(self.path.parent, flags | os.O_TMPFILE, mode)
        _remove_abandoned(self.path)
        number = os.open(self._hidden, flags | os.O_CREAT | os.O_EXCL, mode)
        self._is_named = True
        return number

    def complete(self) -> None:
        """Bring what was written to the disk."""
        self.handle.flush()
        os.fsync(self.handle.fileno())

    def publish(self, *, replace: bool = False) -> None:
        """Give the file its name, down to the disk but for the folder that names it;
        FileExistsError where there is one of that name, unless it is to be replaced."""
        self.complete()
        try:
            if not self._is_named:
                self._link(self.path)
                return
            if not replace and self._linked():
                return
        except FileExistsError:
            if not replace:
                raise
            _remove_abandoned(self.path)
            self._link(self._hidden)
            self._is_named = True
        self._hidden.replace(self.path)
        self._is_named = False

    def _linked(self) -> bool:
        """Whether the hidden file has the name as well now; not on a disk without hard links."""
        try:
            self.path.hardlink_to(self._hidden)
        except FileExistsError:
            raise
        except OSError:
            if os.path.lexists(self.path):
                raise FileExistsError(errno.EEXIST, "File exists", str(self.path)) from None
            return False
        return True

    def _link(self, name: Path) -> None:
        # with a descriptor of a folder Python follows the link to the file
        folder = os.open(name.parent, os.O_RDONLY)
        try:
            os.link(f"/proc/self/fd/{self.handle.fileno()}", name.name, dst_dir_fd=folder)
        finally:
            os.close(folder)

    def close(self) -> None:
        """Let go of it; what was not published is gone."""
        if self._is_named:
            with suppress(OSError):
                self._hidden.unlink()
        self.handle.close()


def _remove_abandoned(path: Path) -> None:
    """Remove the temporary files left behind by interrupted writes of this name."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.[0-9]*.tmp"):
        with suppress(OSError), left.open("rb") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk; nothing where the system has no such thing."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Bring a folder and everything in it to the disk, but not the folder's own name."""
    for path in (folder, *folder.rglob("*")):
        sync_folder(path)


def make_durable_folder(folder: Path) -> None:
    """Make a folder with its parents so that they survive a power cut; one may be there."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        sync_folder(path.parent)


def write_json(path: Path, value: Any, *, durable: bool = False, for_others: bool = False) -> None:
    """Write a JSON document in one step, readable by people; see ``write_atomic``."""
    write_atomic(path, json_text(value), durable=durable, for_others=for_others)


def json_text(value: Any) -> str:
    """A JSON document as ``write_json`` writes it."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def write_jsonl(path: Path, rows: Iterable[Any]) -> int:
    """Write JSON lines in one step; returns the number of rows."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    write_atomic(path, "".join(line + "\n" for line in lines))
    return len(lines)


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSON lines file that this program wrote; a torn last line is left out."""
    from pydantic_core import from_json

    with path.open("rb") as handle:
        for line in handle:
            if not line.endswith(b"\n"):
                return
            try:
                yield from_json(line)
            except ValueError:
                if line.strip():
                    # four times as slow, but it reads half a surrogate pair, and says what is off
                    yield json.loads(line)
